"""tau2-bench as a game of two seats, each with its own tools and its own world.

`game` has the game, `domain` the base of all domains, and `scoring` the reward. Tools are written
with `kit` and `shape`; each domain has a file with its tools. The files import one another,
`gem_ma.envs.tau` and what every game may import.
"""
