"""MCP servers by GEM's names, each started as a module."""
