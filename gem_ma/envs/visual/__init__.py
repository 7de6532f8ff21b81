"""Tasks that need eyes: one question about one picture, with an exact answer.

A folder for each kind of picture; all stand on `question`. They import what every game may:
`gem_ma.game`, `gem_ma.scene`, `gem_ma.match.actions` and `gem_ma.guards`, beside
`gem_ma.envs.levels`.
"""
