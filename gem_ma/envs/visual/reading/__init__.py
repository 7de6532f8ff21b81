"""Questions about reading in an unusual order, and about handwriting.

They import `gem_ma.scene` and the modules shared by all visual tasks.
"""
