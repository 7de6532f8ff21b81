"""Questions about reading in an unusual order.

They import `gem_ma.scene` and the modules shared by all visual tasks.
"""
