"""Diplomacy on a small map of our own: four powers talk, then order their armies at once.

`board` is the map, `orders` reads what is ordered, `judge` says what comes of it.
"""
