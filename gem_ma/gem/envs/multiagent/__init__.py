"""The base of environments with several agents that are written for GEM.

The environments of `gem_ma.envs` do not use it, since they have seats.
"""

from gem_ma.gem.envs.multiagent.multi_agent_env import MultiAgentEnv

__all__ = ["MultiAgentEnv"]
