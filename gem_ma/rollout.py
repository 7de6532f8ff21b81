from gem_ma.rollouts import *  # noqa: F403 - to go as soon as the branches of agents and benchmarks are in
