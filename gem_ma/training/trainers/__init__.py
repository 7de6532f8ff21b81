"""One file for each trainer that brings its own idea of an environment, and what they share.

Each imports its trainer when it is imported itself, and nothing here imports them. They may import
what training may, and never each other.

Trainers that leave it to us how sequences come about get whole games: `play_group` lets one engine
sit in all seats that are trained, `build_rows` makes sequences of what was played, and
`iter_seat_episodes` puts these in the order in which a trainer compares them. Those that know one
agent that is asked turn by turn get a seat, by `make_seat`.
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
