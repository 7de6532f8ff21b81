"""Questions about shapes and their colours.

They import `gem_ma.scene`, `gem_ma.envs.visual.question` and this folder's helper `things`.
"""
