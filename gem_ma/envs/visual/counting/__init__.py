"""Questions about numbers of things.

They import `gem_ma.scene`, `gem_ma.envs.visual.question` and `gem_ma.envs.visual.canvas`.
"""
