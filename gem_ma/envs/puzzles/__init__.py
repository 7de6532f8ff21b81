"""Puzzles for one seat.

They import what every game may: `gem_ma.game`, `gem_ma.scene`, `gem_ma.engine.action_parsing` and
`gem_ma.validation`, beside `gem_ma.envs.difficulty_levels`, which draws what a level leaves open.
"""
