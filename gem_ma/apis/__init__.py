"""The layers over a match: PettingZoo, Gymnasium, async seats, vectors, wrappers, making by id.

All are built over one seam (seam.py). They may import agents, envs, talk, match and what is below.
"""
