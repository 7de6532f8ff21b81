"""Whose turn it is, as pictures say it below what they show."""


def make_turn_caption(view):
    """Return a line for the seat that is to act, or none when the game is over."""
    return tuple([f"To act: {seat}" for seat in view.to_act()])
