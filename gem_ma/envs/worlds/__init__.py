"""Worlds to be in together: a kitchen, a field of snakes, a maze with a radio.

In those where all act at the same time the world does not wait, if `clock=` of `gem_ma.make` says
how time passes.
"""
