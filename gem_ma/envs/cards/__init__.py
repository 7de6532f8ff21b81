"""Games of cards and dice."""
