"""The layers over a match: PettingZoo, Gymnasium, async seats, vectors, wrappers, making by id.

All stand on BaseEnv (base_env.py). They may import agents, chat, engine and what is below.
"""
