"""Questions about tables of times, dates and sums.

They import `gem_ma.scene` and what all visual tasks share.
"""
