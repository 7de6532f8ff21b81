"""Questions about what differs between two pictures.

They import `gem_ma.scene` and the modules shared by all visual tasks.
"""
