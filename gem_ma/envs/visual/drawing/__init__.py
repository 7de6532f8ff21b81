"""Tasks whose answer is a picture, as SVG of a few elements, paid by overlap.

`svg` reads replies, `raster` says which cells they paint. They import `gem_ma.scene`, the modules
shared by all visual tasks and `shapes.things`.
"""
