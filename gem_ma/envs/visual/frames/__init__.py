"""Questions about several pictures of one thing, taken one after the other.

They import `gem_ma.scene` and the modules shared by all visual tasks.
"""
