"""Questions about things that cover each other.

They import `gem_ma.scene` and what all visual tasks share.
"""
