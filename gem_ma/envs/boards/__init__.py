"""Games of two on a board.

They import what every game may: `gem_ma.game`, `gem_ma.scene`, `gem_ma.engine.action_parsing` and
`gem_ma.validation`, beside `lettered`, which boards with lettered columns share, and
`gem_ma.envs.uci_moves`.
"""
