"""Games of two on a board.

Like all games, they import only `gem_ma.game`, `gem_ma.scene`, `gem_ma.engine.action_parsing` and
`gem_ma.validation`. They also use `gem_ma.envs.uci_moves` and `lettered`, the helper for boards
with lettered columns.
"""
