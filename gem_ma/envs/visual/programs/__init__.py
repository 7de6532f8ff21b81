"""Tasks whose answer is a small program, which draws a picture.

They import `gem_ma.scene` and what all visual tasks share.
"""
