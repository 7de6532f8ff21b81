"""What passes between an environment and a model: turns, replies, chats, contexts, tokens.

It may import game, validation, engine and renderers; agents, rollouts and trainers stand on it.
"""
