"""Wrappers around an environment of one agent, by GEM's names.

Those of `gem_ma.wrappers` show in every view of an environment, and for all its seats.
"""
