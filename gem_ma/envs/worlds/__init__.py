"""Worlds shared by several seats: a kitchen, a field of snakes, a maze with a radio.

With `clock=` of `gem_ma.make`, worlds in which all seats act at the same time do not wait for
replies.
"""
