"""Questions about figures with marks, whose angles and lengths follow from theorems.

They import `gem_ma.scene`, the figures of `measures` and the modules shared by all
visual tasks.
"""
