"""EnvConfig: all options of an environment, as one value."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from gem_ma.engine import paraphrase
from gem_ma.engine.action_parsing import ACTION_FORMATS, ActionFormat
from gem_ma.engine.realtime import RealtimeClock
from gem_ma.game import Game

Observe = Literal["text", "image", "both"]
Actions = Literal["text", "discrete"]
InvalidPolicy = Literal["retry", "lose", "skip", "random"]
LegalMoves = Literal["show", "hide"]
PanelLayout = Literal["together", "apart"]
RenderMode = Literal["ansi", "rgb_array", "human"]
RENDER_MODES: tuple[str, ...] = get_args(RenderMode)

EnvOptions: TypeAlias = Mapping[str, Any]
"""The keyword arguments of `make`: options of EnvConfig, and settings of the game."""


@dataclass(frozen=True, slots=True)
class EnvConfig:
    """All options of an environment; `Env`, `make` and a Spec take them by these names.

    Attributes:
        observe: The form of observations: "text", "image" or "both".
        actions: "text", or "discrete" for indices of `game.moves` and numeric observations.
        format: How replies mark their action; see `gem_ma.engine.action_parsing`.
        invalid: The consequence of an invalid reply. "retry": a notice, and the seat replies again;
            more than `max_invalid` in a row are a forfeit. "lose": an immediate forfeit. "skip":
            the turn is lost. "random": a random legal move is made.
        max_invalid: The number of invalid replies in a row that "retry" allows.
        penalty: Subtracted from the return for each invalid reply.
        max_turns: The number of turns of the game after which the episode is truncated; None: no
            limit.
        legal: "show" the legal moves in infos and in the notice of an invalid reply, or "hide"
            them, to measure whether a model knows the rules. The masks of actions="discrete"
            remain, and so does `Turn.legal`, which programs use and no model reads.
        clock: Lets the world of a `realtime` game continue while seats think. "tokens:20" is a tick
            for every 20 tokens of a reply, "seconds:0.5" for every half a second. None: no clock.
        render_mode: "ansi", "rgb_array" or "human", for spectators; None: no rendering.
        image_size: Width and height of pictures in pixels, or one side of a square. "own" keeps the
            original size of photos and frames in turns.
        image_unit: The side of the model's patches in pixels. Cells of boards are multiples of it.
        theme: The name of a theme, or a seed that selects one at random.
        noise: The distortion of pictures, such as "blur:2+jpeg:40" or the photo "photo:5", or a
            seed that selects one that is no photo.
        panels: "together": all panels in one picture. "apart": one picture for each panel.
        text_length: The maximum length of an observed text in bytes. A longer text is cut in the
            middle.
        prompt: A paraphrase of the rules: "short", "long", "words:N" (synonyms by the seed N), or
            "null:N" (a change without meaning, as a control); see `gem_ma.engine.paraphrase`.
        examples: The number of example turns in the rules, each with a legal reply that shows weak
            models the form of replies. They are from other episodes, with random moves.
    """

    observe: Observe = "text"
    actions: Actions = "text"
    format: ActionFormat = "auto"
    invalid: InvalidPolicy = "retry"
    max_invalid: int = 3
    penalty: float = 0.0
    max_turns: int | None = None
    legal: LegalMoves = "show"
    clock: str | None = None
    render_mode: RenderMode | None = None
    image_size: int | tuple[int, int] | Literal["own"] = (252, 252)
    image_unit: int = 28
    theme: str | int = "light"
    noise: str | int = ""
    panels: PanelLayout = "together"
    text_length: int = 1 << 16
    prompt: str = ""
    examples: int = 0

    def __post_init__(self) -> None:
        check_choice(observe=(self.observe, get_args(Observe)))
        check_choice(
            actions=(self.actions, get_args(Actions)), format=(self.format, ACTION_FORMATS)
        )
        check_choice(invalid=(self.invalid, get_args(InvalidPolicy)))
        check_choice(legal=(self.legal, get_args(LegalMoves)))
        check_choice(render_mode=(self.render_mode, (None, *RENDER_MODES)))
        check_choice(panels=(self.panels, get_args(PanelLayout)))
        for name in ("max_invalid", "penalty", "text_length", "examples"):
            limit = getattr(self, name)
            if not 0 <= limit < float("inf"):  # also refuses NaN
                raise ValueError(f"{name}={limit!r}: expected 0 or more")
        most = self.max_turns
        if most is not None and not most >= 1:
            raise ValueError(f"max_turns={most!r}: expected 1 or more, or None for no limit")
        if not self.image_unit >= 1:
            raise ValueError(f"image_unit={self.image_unit!r}: expected 1 or more pixels")
        if self.image_size != "own":
            object.__setattr__(self, "image_size", _parse_size(self.image_size))
        if self.clock is not None:
            object.__setattr__(self, "clock", str(RealtimeClock.parse(self.clock)))
        if self.prompt:
            paraphrase.parse_paraphrase(self.prompt)

    def check_game(self, game: Game) -> None:
        """Raise ValueError unless a game can be played with these options."""
        name = type(game).__name__
        if self.invalid == "skip" and type(game).skip is Game.skip:
            raise ValueError(
                f"{name} does not define Game.skip, as invalid='skip' needs; use invalid='retry', "
                "'lose' or 'random'"
            )
        if self.actions == "discrete" and game.moves is None:
            why = f" ({game.unlisted_moves})" if game.unlisted_moves else ""
            raise ValueError(
                f"{name} has no fixed list of moves{why}, so actions='discrete' cannot number "
                "them; use actions='text'"
            )


OPTIONS: tuple[str, ...] = tuple(field.name for field in dataclasses.fields(EnvConfig))


def _parse_size(image_size: int | Sequence[int]) -> tuple[int, int]:
    size = (image_size, image_size) if isinstance(image_size, int) else tuple(image_size)
    if len(size) != 2 or any(isinstance(side, str) for side in size):
        raise ValueError(
            f"image_size={image_size!r}: expected a width and a height, one side, or 'own'"
        )
    width, height = size
    if width < 1 or height < 1:
        raise ValueError(f"image_size={image_size}: expected a width and a height of 1 or more")
    return int(width), int(height)


def check_choice(**given: tuple[object, Sequence[object]]) -> None:
    """Raise ValueError for the first value that is not among its known values."""
    for name, (value, known) in given.items():
        if value not in known:
            raise ValueError(f"{name}={value!r}: expected one of {tuple(known)}")


def check_options(options: Iterable[str], known: Sequence[str], game: str) -> None:
    """Raise ValueError for an option of `reset` that a game does not know, if it names any."""
    for name in options:
        # PettingZoo's test suite passes an option called "options" to every environment.
        if known and name not in known and name != "options":
            raise ValueError(
                f"options={{{name!r}: ...}}: {game} knows {', '.join(map(repr, known))}"
            )
