"""Learners: a transformers model or your own network, with an optimiser.

A learner plays like any agent and updates its weights from its own episodes. This package needs
only torch.
"""
