"""Making environments by their ids, and what GEM's examples import of its environments.

The environments themselves are those of `gem_ma.envs`.
"""
