"""Questions about ways through walls.

They import `gem_ma.scene`, `gem_ma.envs.visual.question` and this folder's helper `walls`.
"""
