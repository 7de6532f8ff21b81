"""Questions about solids made of cubes, and about cubes made of squares.

They import `gem_ma.scene`, the patterns of `patterns` and the modules shared by all
visual tasks.
"""
