"""Captions of pictures that say whose turn it is."""


def make_turn_caption(view):
    """Return a caption for each seat that is to act; () when the game is over."""
    return tuple([f"To act: {seat}" for seat in view.to_act()])
