"""Walks through mazes and rooms in the first person: find, fetch, count, guide and follow.

They import `gem_ma.scene`, the generator of mazes and the modules shared by all visual tasks.
"""
