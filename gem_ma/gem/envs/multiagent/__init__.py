"""The base of environments with several agents that are written for GEM.

Those of `gem_ma.envs` do not build on it: each of them has seats.
"""

from gem_ma.gem.envs.multiagent.multi_agent_env import MultiAgentEnv

__all__ = ["MultiAgentEnv"]
