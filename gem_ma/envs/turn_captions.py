"""Captions of pictures that say whose turn it is, or who won."""


def make_turn_caption(view):
    """Return a caption for each seat that is to act; () when the game is over."""
    return tuple([f"To act: {seat}" for seat in view.to_act()])


def make_winner_caption(view):
    """Return a caption that says who won; () while the game continues."""
    if view.to_act():
        return ()
    return tuple([f"{seat} wins" for seat, payoff in view.returns().items() if payoff > 0]) or (
        "A draw",
    )
