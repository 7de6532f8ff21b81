"""Questions about where lines and arrows lead.

They import `gem_ma.scene` and the modules shared by all visual tasks.
"""
