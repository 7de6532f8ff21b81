"""Questions about forms, bills and timetables, drawn as sheets of paper.

They import `gem_ma.scene` and the modules shared by all visual tasks.
"""
