"""What passes between an environment and a model: turns, replies, chats, contexts, tokens.

It may import game, guards, match and renderers; agents, rollouts and trainers stand on it.
"""
