"""Questions about where lines and arrows lead.

They import `gem_ma.scene` and what all visual tasks share.
"""
