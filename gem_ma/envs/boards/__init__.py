"""Games of two on a board."""
