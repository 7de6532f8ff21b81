"""Questions about the order in which something is read.

They import `gem_ma.scene` and what all visual tasks share.
"""
