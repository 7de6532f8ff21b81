"""What tests go over: the ids that can be played here, and the forms of a conversation."""

import inspect
import os
import zlib

import pytest

import gem_ma
from gem_ma.chat import messages

NEEDS_DATA = {
    **dict.fromkeys(("tau:retail", "tau:airline"), "TAU_BENCH_DATA"),
    **dict.fromkeys(
        ("tau2:telecom", "tau2:retail", "tau2:airline", "tau2:banking"), "TAU2_BENCH_DATA"
    ),
}
TALKS = (
    "tau:",
    "tau2:",
    "social:",
    "inject:",
    "screens:assisted",
    "webshop:errand",
)  # what is said in them is text, not a picture
# Environments of other libraries, and tasks over data sets, have tests of their own.
KINDS = (
    "game:*",
    "tau:*",
    "tau2:*",
    "social:*",
    "visual:*-v0",
    "screens:*",
    "webshop:*",
    "inject:*",
)
OWN = [
    id
    for kind in KINDS
    for id in gem_ma.list_envs(kind)
    if not id.startswith(("screens:", "webshop:", "inject:")) or not id.endswith(("-easy", "-hard"))
]
IDS = [id for id in OWN if id not in NEEDS_DATA or os.environ.get(NEEDS_DATA[id])]
# One id for each game: its levels differ in numbers only.
GAMES = list({gem_ma.spec(id).entry_point: id for id in reversed(IDS)}.values())[::-1]
# The same at the level that is over soonest.
SHORT = [f"{id}-easy" if f"{id}-easy" in IDS else id for id in GAMES]
# A game in turns, one at the same time, one that seats drop out of, one for one seat, and talk.
MECHANISMS = (
    "game:TicTacToe-v0",
    "game:RockPaperScissors-v0",
    "game:LiarsDice-v0",
    "game:GuessTheNumber-v0",
    *gem_ma.list_envs("tau:shop"),
)


def unless(needed, *values):
    """Return a parameter of a test, which is left to the long run unless it is needed."""
    return pytest.param(*values, marks=() if needed else pytest.mark.slow)


# One game in 16, and each kind of mechanism: what holds of all games in the same way is asked of
# these by default, and of every id in the long run. What is asked of each stands in its own test.
# Which ones depends on their names alone, so that a new game changes nothing for the others.
FEW = [id for id in GAMES if zlib.crc32(id.encode()) % 16 == 0 or id in MECHANISMS]
EVERY_ID = [unless(id in FEW, id) for id in IDS]

# All functions `to_NAME(messages, ...)`, each a form of a whole conversation.
CHAT_FORMS = [
    function
    for name, function in vars(messages).items()
    if name.startswith("to_") and next(iter(inspect.signature(function).parameters)) == "messages"
]
