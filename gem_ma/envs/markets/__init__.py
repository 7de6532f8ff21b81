"""Games of bids, gifts and bargains.

They import what every game may: `gem_ma.game`, `gem_ma.scene`, `gem_ma.engine.action_parsing` and
`gem_ma.validation`.
"""
