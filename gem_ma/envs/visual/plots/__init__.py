"""Questions about graphs of functions between two axes.

They import `gem_ma.scene` and the modules shared by all visual tasks.
"""
