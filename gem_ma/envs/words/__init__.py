"""Puzzles of words and of linked pages.

They import what every game may: `gem_ma.game`, `gem_ma.scene`, `gem_ma.engine.action_parsing` and
`gem_ma.validation`, beside `gem_ma.envs.difficulty_levels` and the helpers of this folder:
`clues`, and `links` and `wiki_source`, where pages come from.
"""
