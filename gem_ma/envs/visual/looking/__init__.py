"""Questions over several turns: only a part of the picture is visible at a time.

They import `gem_ma.scene` and the modules shared by all visual tasks.
"""
