"""Questions about corners, crossings, areas and points of figures.

They import `gem_ma.scene` and what all visual tasks share.
"""
