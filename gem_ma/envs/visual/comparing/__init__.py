"""Questions about which thing is longer, larger or fuller, or which things are the same.

They import `gem_ma.scene` and the modules shared by all visual tasks.
"""
