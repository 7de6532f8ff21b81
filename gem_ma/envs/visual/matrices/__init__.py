"""Questions about figures in rows and columns that follow rules.

They import `gem_ma.scene`, the modules shared by all visual tasks, and the helper `boxes`.
"""
