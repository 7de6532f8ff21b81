"""Wrappers of an agent: each asks the agent inside once or several times and returns a reply."""
