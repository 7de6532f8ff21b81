"""GEM's own face, so that a script written for GEM changes its imports: `from gem_ma import gem`.

What GEM's examples import lies under the same names; `vector` and `seat` are what `make_vec` and
`make` return. They import the environments, their APIs and the tools, and nobody imports them.
"""

from gem_ma.gem.core import Env
from gem_ma.gem.envs.registration import make, make_vec, print_envs, register
from gem_ma.gem.seat import Seat
from gem_ma.gem.vector import VectorEnv

__all__ = ["Env", "Seat", "VectorEnv", "make", "make_vec", "print_envs", "register"]
