"""The 52 cards of games that compare ranks, the ace highest."""

RANKS = (*"23456789", "10", *"JQKA")  # weakest first
SUITS = tuple("cdhs")
DECK = tuple(rank + suit for rank in RANKS for suit in SUITS)


def rank(card):
    """Return how high a card is, from 0."""
    return RANKS.index(card[:-1])
