"""Environments of other libraries as games, one file for each library."""
