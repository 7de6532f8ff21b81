"""Games in which seats see different things and talk about them.

Like all games, they import only `gem_ma.game`, `gem_ma.scene`, `gem_ma.engine.action_parsing` and
`gem_ma.validation`, and the helpers of this folder, `pictures` and `things`.
"""
