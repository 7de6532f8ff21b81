"""Games in which one seat guesses what was drawn.

Like all games, they import only `gem_ma.game`, `gem_ma.scene`, `gem_ma.engine.action_parsing` and
`gem_ma.validation`, and the helpers of this folder, `guesses` (pictures of guesses) and `words`.
"""
