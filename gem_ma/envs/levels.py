"""Levels of a game: what its arguments leave open is drawn anew for each episode."""


def levels(drawn, *given):
    """Return the levels to draw from: these, with every argument that is given put in."""
    if given[-1] is not None and given[-1] < 1:
        raise ValueError(f"max_turns={given[-1]}: expected 1 or more")
    filled = [
        tuple([own if own is not None else other for own, other in zip(given, level, strict=True)])
        for level in drawn
    ]
    return tuple(dict.fromkeys(filled))


def draw(rng, levels):
    """Return one of the levels."""
    return levels[int(rng.integers(len(levels)))] if len(levels) > 1 else levels[0]
