"""Questions about where things are, and about their neighbours.

They import `gem_ma.scene`, the modules shared by all visual tasks and `shapes.things`.
"""
