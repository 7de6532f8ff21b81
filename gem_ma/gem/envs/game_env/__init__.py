"""GEM's games by their classes: each is the seat of a game of gem_ma with GEM's defaults.

Their observations and rewards are those of the ids of `gem_ma.envs` that they use.
"""
