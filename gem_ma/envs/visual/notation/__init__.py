"""Questions about written music: pitches, lengths and melodies.

They import `gem_ma.scene` and the modules shared by all visual tasks.
"""
