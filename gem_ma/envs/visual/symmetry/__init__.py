"""Questions about mirrors and what they leave as it is.

They import `gem_ma.scene` and what all visual tasks share.
"""
