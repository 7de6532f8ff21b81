"""Adapters for external trainers, one file each, and the functions that they share.

Each adapter imports its trainer when the adapter is imported, and nothing here imports an adapter.
Adapters may import what `training` may, but not each other.

Trainers that let a function generate sequences get whole games. `play_group` plays all trained
seats with the trainer's engine, and `build_rows` makes sequences of the episodes.
`iter_seat_episodes` puts them in the order in which a trainer compares them. Trainers that call one
agent turn by turn get a seat, by `make_seat`.
"""

from gem_ma.training.trainers.batches import (
    CallBatcher,
    compute_token_rewards,
    find_row_end,
    iter_seat_episodes,
    make_pixel_inputs,
    subtract_seat_means,
)
from gem_ma.training.trainers.engine_agent import (
    EngineAgent,
    GeneratedTokens,
    play_group,
)
from gem_ma.training.trainers.seats import (
    SeatAssignment,
    SyncSeat,
    assign_seats,
    make_seat,
)

__all__ = [
    "CallBatcher",
    "EngineAgent",
    "GeneratedTokens",
    "SeatAssignment",
    "SyncSeat",
    "assign_seats",
    "compute_token_rewards",
    "find_row_end",
    "iter_seat_episodes",
    "make_pixel_inputs",
    "make_seat",
    "play_group",
    "subtract_seat_means",
]
