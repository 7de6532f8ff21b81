"""Questions about diagrams: flow charts, classes, gates, resistors, maps, circles and families.

They import `gem_ma.scene` and the modules shared by all visual tasks.
"""
