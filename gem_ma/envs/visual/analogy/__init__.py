"""Questions about analogies between pairs of things.

They import `gem_ma.scene` and the modules shared by all visual tasks.
"""
