"""Questions about tables of times, dates and sums.

They import `gem_ma.scene` and the modules shared by all visual tasks.
"""
