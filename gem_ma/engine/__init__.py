"""The engine: Match plays one episode, parses actions from replies, and builds observations.

It is independent of APIs, agents and models. It may import game, scene, validation and renderers.
"""
