"""Questions about patterns that are turned, mirrored and cut.

They import `gem_ma.scene`, `gem_ma.envs.visual.question` and this folder's helper `patterns`.
"""
