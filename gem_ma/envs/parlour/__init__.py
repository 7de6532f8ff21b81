"""Games of seats that talk because they see different things.

They import what every game may: `gem_ma.game`, `gem_ma.scene`, `gem_ma.engine.action_parsing` and
`gem_ma.validation`, beside the helpers of this folder, `pictures` and `things`.
"""
