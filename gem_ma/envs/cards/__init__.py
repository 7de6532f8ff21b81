"""Games of cards and dice.

Like all games, they import only `gem_ma.game`, `gem_ma.scene`, `gem_ma.engine.action_parsing` and
`gem_ma.validation`.
"""
