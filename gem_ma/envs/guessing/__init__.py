"""Games in which one seat guesses what was drawn.

They import what every game may: `gem_ma.game`, `gem_ma.scene`, `gem_ma.engine.action_parsing` and
`gem_ma.validation`, beside the helpers of this folder, `guesses` (their marks) and `words`.
"""
