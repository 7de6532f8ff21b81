"""Questions about things that cover each other.

They import `gem_ma.scene` and the modules shared by all visual tasks.
"""
