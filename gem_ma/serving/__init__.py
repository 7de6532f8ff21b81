"""Environments over a network: each session is a WebSocket with an environment of its own.

`server` serves, `gate` decides who comes in, `session` plays, `remote` is the bare game for our own
client. It may import environments, agents and games; `openenv` alone knows the other library.
"""
