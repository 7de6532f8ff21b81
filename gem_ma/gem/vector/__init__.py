"""Several environments stepped together, as GEM's `make_vec` makes them: one by one, or in threads.

`vector_env` has what both share.
"""

from gem_ma.gem.vector.vector_env import VectorEnv

__all__ = ["VectorEnv"]
