"""Prompt injection: an assistant with tools, in worlds in which a text asks for something else.

Everything is generated from the seed: a world, a user's task, and an attack, which another seat may
write.
"""
