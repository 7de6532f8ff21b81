"""Wrappers of an agent: they ask it, once or several times, and make a reply of it."""
