"""Environments stepped together as by GEM's `make_vec`: one after another, or in threads.

`vector_env` is the base of both.
"""

from gem_ma.gem.vector.vector_env import VectorEnv

__all__ = ["VectorEnv"]
