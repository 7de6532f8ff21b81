"""Environments of other libraries as games, one file for each library.

That library is imported in its own file and when it is first used. All stand on `live`, two on
`describing`; else they import what every game may (`gem_ma.game`, `gem_ma.scene`,
`gem_ma.engine.action_parsing`, `gem_ma.validation`) and `gem_ma.envs.registry`, to list and find
their ids.
"""
