"""tau2-bench as a game of two seats, each of which has tools and a world of its own.

`game` is the game, `domain` what every domain is made of, `kit` and `shape` what its tools are
written with, `scoring` the reward; a file for each domain has its tools. They import one another,
`gem_ma.envs.tau` and what every game may.
"""
