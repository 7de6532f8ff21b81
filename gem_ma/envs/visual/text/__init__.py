"""Questions about letters and words in pictures.

They import `gem_ma.scene` and the modules shared by all visual tasks.
"""
