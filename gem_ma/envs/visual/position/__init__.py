"""Questions about where things are, and about what is beside them.

They import `gem_ma.scene` and what all visual tasks share, beside the figures of `shapes.things`.
"""
