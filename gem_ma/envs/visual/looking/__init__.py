"""Questions that take many turns: only a part of the picture is seen at once.

They import `gem_ma.scene` and what all visual tasks share.
"""
