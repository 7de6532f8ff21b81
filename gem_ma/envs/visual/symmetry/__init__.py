"""Questions about mirror symmetry.

They import `gem_ma.scene` and the modules shared by all visual tasks.
"""
