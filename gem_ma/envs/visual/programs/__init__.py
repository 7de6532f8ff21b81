"""Tasks whose answer is a small program that draws a picture.

They import `gem_ma.scene` and the modules shared by all visual tasks.
"""
