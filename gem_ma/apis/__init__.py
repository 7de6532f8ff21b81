"""The APIs over a match: PettingZoo, Gymnasium, async seats, vectors, wrappers, making by id.

All of them are built on BaseEnv (base_env.py). They may import agents, chat, engine and the layers
below these.
"""
