"""Environments of other libraries as games, one file for each library.

Only its own file imports a library, when that file is first used. `live` is the base of all but
OpenSpiel's games, and `describing` of Gymnasium's and PettingZoo's. Otherwise the files import
what every game may (`gem_ma.game`, `gem_ma.scene`, `gem_ma.engine.action_parsing`,
`gem_ma.validation`), and `gem_ma.envs.registry` to list and find ids.
"""
