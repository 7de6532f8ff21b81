"""Environments over a network: each session is a WebSocket with an environment of its own.

`server` serves, `middleware` controls access, `openenv_session` plays, and `hosted_game` is the
bare game for gem_ma's own client. `mcp_server` offers environments to clients of MCP. The package
may import environments, agents and games. Only `openenv` imports the library OpenEnv, and only
`mcp_server` the library mcp.
"""
