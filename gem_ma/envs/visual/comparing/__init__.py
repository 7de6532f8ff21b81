"""Questions about which is longer, larger, fuller, or the same.

They import `gem_ma.scene` and what all visual tasks share.
"""
