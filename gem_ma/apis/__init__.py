"""The layers over a match: PettingZoo's AEC and parallel APIs, one seat behind Gymnasium's, async seats,
vectors, wrappers, and making by id.

All are built over one seam (see seam.py). They may import agents, envs, talk, match and what is below.
"""
