"""TAU-bench as a game of two seats: a user who wants something, and an assistant with tools.

`game` is the game, a file for each domain has its tools, and `store` the database that they share.
They import one another and what every game may: `gem_ma.game`, `gem_ma.scene`,
`gem_ma.engine.action_parsing` and `gem_ma.guards`.
"""
