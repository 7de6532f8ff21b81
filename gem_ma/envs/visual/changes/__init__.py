"""Questions about what differs between two pictures.

They import `gem_ma.scene` and what all visual tasks share.
"""
