"""Questions about drawn blocks.

They import `gem_ma.scene` and what all visual tasks share.
"""
