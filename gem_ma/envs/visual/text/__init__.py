"""Questions about letters and words in pictures.

They import `gem_ma.scene` and what all visual tasks share.
"""
