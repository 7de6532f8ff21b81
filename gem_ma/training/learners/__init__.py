"""What learns: a model of transformers, or a network of one's own, with the steps of its optimiser.

A learner plays as any agent does, and takes a step on what it played; only torch is needed here.
"""
