"""Diplomacy on a small map of our own: four powers talk, then order their armies at once.

`board` has the map, `orders` parses orders, and `judge` resolves them.
"""
