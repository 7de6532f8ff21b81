"""Wrappers around an environment of one agent, by GEM's names.

The wrappers of `gem_ma.wrappers` work in every API of an environment, and for all its seats.
"""
