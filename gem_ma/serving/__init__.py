"""Environments over a network."""
