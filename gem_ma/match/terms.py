"""Terms: what a match is played under."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from gem_ma.game import Game
from gem_ma.match.actions import FORMATS, Format

Invalid = Literal["retry", "lose", "skip", "random"]
Legal = Literal["show", "hide"]


@dataclass(frozen=True, slots=True)
class Terms:
    """What a match is played under.

    format: where in a reply the action stands.
    invalid: what an invalid reply leads to; `max_invalid` in a row are borne by "retry", and
        `penalty` is subtracted for each.
    max_turns: of the game, after which it is truncated.
    legal: whether legal moves are listed to those who play, in infos and in notices.
    """

    format: Format = "auto"
    invalid: Invalid = "retry"
    max_invalid: int = 3
    penalty: float = 0.0
    max_turns: int | None = None
    legal: Legal = "show"

    def check(self, game: Game[Any]) -> None:
        """Raise ValueError unless these are terms, and a game can be played under them."""
        among(format=(self.format, FORMATS), invalid=(self.invalid, get_args(Invalid)))
        among(legal=(self.legal, get_args(Legal)))
        for name in ("max_invalid", "penalty"):
            limit = getattr(self, name)
            if not 0 <= limit < float("inf"):  # nor what is no number
                raise ValueError(f"{name}={limit!r}: expected 0 or more")
        most = self.max_turns
        if most is not None and not most >= 1:
            raise ValueError(f"max_turns={most!r}: expected 1 or more, or None for no limit")
        if self.invalid == "skip" and type(game).skip is Game.skip:
            raise ValueError(
                f"{type(game).__name__} does not say what a lost turn is (Game.skip); use "
                "invalid='retry', 'lose' or 'random'"
            )


def among(**given: tuple[Any, Sequence[Any]]) -> None:
    """Raise ValueError for the first value that is none of those that it is given with."""
    for name, (value, known) in given.items():
        if value not in known:
            raise ValueError(f"{name}={value!r}: expected one of {tuple(known)}")


def check_options(options: Iterable[str], known: Sequence[str], game: str) -> None:
    """Raise ValueError for an option of `reset` that is none of those that a game reads, if any."""
    for name in options:
        # PettingZoo's own test gives every environment one that is called "options".
        if known and name not in known and name != "options":
            raise ValueError(
                f"options={{{name!r}: ...}}: {game} knows {', '.join(map(repr, known))}"
            )
