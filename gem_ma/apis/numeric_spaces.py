"""Spaces of the numeric encodings of games."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces

from gem_ma.game import Game


def make_encoding_space(game: Game) -> spaces.Box | None:
    """Return the space of `Game.encode`, or None if the game has no encoding."""
    if game.encoding_space is not None:
        own: spaces.Box = game.encoding_space
        return own
    agent = game.agents[0]
    start = game.start(np.random.default_rng(0), {})
    sample = game.encode(start.seen_by(agent), agent)
    if sample is None:
        return None
    if sample.dtype.kind == "f":
        return spaces.Box(0, 1, sample.shape, sample.dtype.type)
    limits = np.iinfo(sample.dtype)
    return spaces.Box(limits.min, limits.max, sample.shape, sample.dtype.type)


def make_state_space(game: Game, image_size: tuple[int, int]) -> spaces.Box:
    """Return the space of all seats' encodings concatenated, or of a picture without encodings."""
    seat = make_encoding_space(game)
    if seat is None:
        width, height = image_size
        return spaces.Box(0, 255, (height, width, 3), np.uint8)
    low, high = (np.concatenate([end] * len(game.agents)) for end in (seat.low, seat.high))
    return spaces.Box(low, high, dtype=seat.dtype.type)
