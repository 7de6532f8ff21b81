"""Questions about figures in rows and columns that follow rules.

They import `gem_ma.scene`, what all visual tasks share, and the helper of this folder, `boxes`.
"""
