"""One play of one game: the referee (Match), the action in a reply, what a seat observes.

It knows the game and its scenes, draws what is looked at, and knows no API, no agent and no model.
It may import game, scene, validation and renderers.
"""
