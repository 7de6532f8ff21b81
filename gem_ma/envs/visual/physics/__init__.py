"""Questions about simple machines: billiards, towers of blocks, beams and gears.

They import `gem_ma.scene` and the modules shared by all visual tasks.
"""
