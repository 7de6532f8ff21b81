"""Questions about charts and tables.

They import `gem_ma.scene`, `gem_ma.envs.visual.question` and this folder's helper `values`.
"""
