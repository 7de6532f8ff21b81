"""The layers over a match: PettingZoo, Gymnasium, vectors, async seats, wrappers, making by id."""
