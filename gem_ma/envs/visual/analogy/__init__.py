"""Questions about what stands to one thing as another does to a third.

They import `gem_ma.scene` and what all visual tasks share.
"""
