"""Questions about angles, lengths and clocks.

They import `gem_ma.scene`, `gem_ma.envs.visual.question` and this folder's helpers, `figure`
and `labels`.
"""
