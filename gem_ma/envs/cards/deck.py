"""The 52 cards, for games that compare ranks; the ace is highest."""

RANKS = (*"23456789", "10", *"JQKA")  # weakest first
SUITS = tuple("cdhs")
DECK = tuple(rank + suit for rank in RANKS for suit in SUITS)


def rank(card):
    """Return the rank of a card, from 0."""
    return RANKS.index(card[:-1])
