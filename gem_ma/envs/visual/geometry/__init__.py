"""Questions about corners, crossings, areas and points of figures.

They import `gem_ma.scene` and the modules shared by all visual tasks.
"""
