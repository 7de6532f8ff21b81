"""Environments over a network: each session is a WebSocket with an environment of its own.

`server` serves, `middleware` decides who comes in, `openenv_session` plays, `hosted_game` is the
bare game for our own client. It may import environments, agents and games; `openenv` alone knows
the other library.
"""
