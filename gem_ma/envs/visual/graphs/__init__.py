"""Questions about points that lines connect.

They import `gem_ma.scene` and what all visual tasks share.
"""
