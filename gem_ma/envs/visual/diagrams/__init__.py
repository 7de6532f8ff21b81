"""Questions about diagrams: flow charts, classes, gates and resistors.

They import `gem_ma.scene` and the modules shared by all visual tasks.
"""
