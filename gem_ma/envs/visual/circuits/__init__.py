"""Questions about circuits.

They import `gem_ma.scene` and what all visual tasks share.
"""
