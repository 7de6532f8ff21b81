"""Diplomacy on a small map of our own: four powers talk, then order their armies at once.

`board` has the map, `orders` parses orders, and `judge` resolves them.
"""

from gem_ma.envs.env_functions import make_env_functions

env, parallel_env, raw_env = make_env_functions(__name__)
