"""SyncVectorEnv: environments stepped one after another."""

from gem_ma.gem.vector.vector_env import VectorEnv


class SyncVectorEnv(VectorEnv):
    """A VectorEnv that steps one environment after another."""
