"""ObservationBuilder: builds observations of a match as texts, pictures or numbers."""

from __future__ import annotations

import copy
import dataclasses
import functools
from collections.abc import Sequence
from typing import Any, Self, TypeAlias

import numpy as np

from gem_ma.engine import action_parsing, paraphrase
from gem_ma.engine.config import EnvConfig
from gem_ma.engine.lazy_info import LazyInfo
from gem_ma.engine.match import Match
from gem_ma.engine.seeding import derive_seed, pick_option
from gem_ma.game import Game, Info
from gem_ma.renderers.picture import Picture
from gem_ma.scene import Panels, Pixels, Terminal

_DEFAULT_SIZE = 252, 252  # pixels of scenes without their own size
_MAX_CACHED_MASKS = 1_000
_TO_ACT = {"to_act": True}
_EXAMPLES = 0x6578616D706C6573  # mixed into the seeds of examples
_MAX_EXAMPLE_TURNS = 100  # turns of the game before an example turn

Observation: TypeAlias = dict[str, Any]
"""An observation: "text" and/or "image", or "observation" and "action_mask"."""


class ObservationBuilder:
    """Builder of the rules, observations and infos of a game's seats, as its EnvConfig says."""

    def __init__(self, game: Game, config: EnvConfig):
        self.game = game
        self.discrete = config.actions == "discrete"
        # In a bare format the whole reply is the action.
        self.bare_format = config.format not in action_parsing.ACTION_TEMPLATES
        self.uses_own_size = config.image_size == "own"
        # With "own", arrays have the game's own default, since their size is fixed.
        self.image_size: tuple[int, int] = (
            game.env_defaults.get("image_size", _DEFAULT_SIZE)
            if isinstance(config.image_size, str | int)
            else config.image_size
        )
        self.canvas: np.ndarray | None = None  # pictures are drawn here; None: on a new array
        self.moves = tuple(game.moves or ())
        self.move_numbers = {move: i for i, move in enumerate(self.moves)}
        self.config = config
        self.shows_legal = config.legal == "show"
        self.set_theme(config.theme, config.noise)
        self._has_brief = type(game).brief is not Game.brief  # rules differ between episodes
        self._masks: dict[tuple[str, ...], np.ndarray] = {}
        self._masked: tuple[tuple[str, ...] | None, np.ndarray | None] = (
            None,
            None,
        )  # the last legal moves and their mask

    def set_theme(self, theme: str | int, noise: str | int) -> None:
        """Set the theme and the noise of pictures from here on."""
        self.config = dataclasses.replace(self.config, theme=theme, noise=noise)
        self._palette: Any = None  # the theme's colours, loaded when a picture is drawn
        self._rule_parts: dict[str, tuple[str, ...]] = {}  # rules, instruction, legend, examples
        self._rules_by_seat: dict[
            str, tuple[str, str]
        ] = {}  # the brief of an episode, and the joined parts
        self._noise: Any = None  # the parsed noise
        if theme != "light":
            self.load_palette()
        if noise != "":
            from gem_ma.renderers import parse_noise as named

            self._noise = named(noise)
            if self._noise.camera is not None and self.game.names_points:
                raise ValueError(
                    f"noise={noise!r}: replies of {type(self.game).__name__} name points of its "
                    "picture, which a photo moves; use noise without a photo, such as "
                    "noise='blur:2'"
                )

    def copy(self) -> Self:
        """Return a builder with the same options, for another match."""
        twin = copy.copy(self)
        twin._rules_by_seat = {}
        twin._masks = self._masks
        return twin

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_masks": {}, "_masked": (None, None), "canvas": None}

    def build_rules(self, match: Match, seat: str) -> str:
        """Return the rules, the task in this episode, and the reply instruction for a seat."""
        texts = self._rules_by_seat.get(seat)
        if texts is not None and not self._has_brief:
            return texts[1]
        brief = ""
        if self._has_brief and match.state is not None:
            brief = self.game.brief(match.make_view(seat), seat)
        if texts is None or texts[0] != brief:
            parts = self._rule_parts.get(seat)
            if parts is None:
                if seat not in match.index:
                    raise match.make_seat_error(seat)
                legend = "" if self.config.observe == "text" else self._describe_legend(seat)
                paraphrased = paraphrase.paraphrase_rules(self.game.rules(seat), self.config.prompt)
                instruction = action_parsing.make_instruction(self.config.format)
                parts = paraphrased, instruction, legend, self._make_examples(seat)
                self._rule_parts[seat] = parts
            rules, *rest = parts
            texts = self._rules_by_seat[seat] = (
                brief,
                "\n".join(filter(None, (rules, brief, *rest))),
            )
        return texts[1]

    def _describe_legend(self, seat: str) -> str:
        """Return the legend of pictures in this theme, so that other texts need no colours."""
        from gem_ma.renderers import make_legend

        start = self.game.start(np.random.default_rng(0), {})
        legend = make_legend(self.build_scene(start.seen_by(seat), seat), self.load_palette())
        return legend and f"In the picture: {legend}."

    def _make_examples(self, seat: str) -> str:
        """Return example turns of a seat in other episodes, each with a legal reply."""
        match = Match(self.game, self.config)
        parts = []
        for number in range(1, self.config.examples + 1):
            turn = self._draw_example(match, seat, number)
            parts.append(f"Example {number}, from another episode:\n{turn}")
        return "\n" + "\n\n".join(parts) if parts else ""

    def _draw_example(self, match: Match, seat: str, number: int) -> str:
        """Return the text of a seat's turn `number` (or its last one) in a random episode."""
        match.reset(derive_seed(_EXAMPLES, number))  # unlikely to be a user's seed
        if not match.lists_moves:
            raise ValueError(
                f"examples={self.config.examples}: {type(self.game).__name__} lists no legal "
                "moves, and so no replies to show; use examples=0"
            )
        example, count = "", 0
        while match.waiting_seats and match.turns < _MAX_EXAMPLE_TURNS:
            replies = {
                one: action_parsing.format_action(text, self.config.format)
                for one in match.waiting_seats
                for legal in [match.list_legal_moves(one)]
                for text in [pick_option(legal, number, match.turns, match.index[one])]
            }
            if seat in replies:
                view = None if self.config.observe == "image" else match.make_view(seat)
                seen = self.build_text(match, seat, rules=False, view=view)
                example = "\n".join(filter(None, (seen, f"A legal reply: {replies[seat]}")))
                count += 1
            if count == number:
                break
            match.submit(replies)
        return example

    def build_text(self, match: Match, seat: str, *, rules: bool, view: Any = None) -> str:
        """Return the new messages to a seat, and the description of its view if one is given."""
        news = match.format_messages(seat) if match.message_log else None
        if view is None or (news and self.game.conversation):
            text = ""
        else:
            text = self.game.describe(view, seat)
        if news:
            news_text = "\n".join(news)
            text = f"{news_text}\n\n{text}" if text else news_text
        if rules and match.read_counts[seat] < 0:
            first = self.build_rules(match, seat)
            text = f"{first}\n\n{text}" if text else first
        if len(text) * 4 > self.config.text_length:  # a character has at most four bytes
            text = cut_middle(text, self.config.text_length)
        return text

    def build_scene(self, view: Any, seat: str | None) -> object:
        """Return the scene of a view; without a picture, its description as a screen of text."""
        scene = self.game.picture(view, seat)
        return Terminal(self.game.describe(view, seat)) if scene is None else scene

    def build_picture(self, view: Any, seat: str | None, alt: str) -> Picture:
        """Return a view as a Picture, which is drawn when it is first read."""
        return self._make_picture(self.build_scene(view, seat), alt)

    def build_pictures(self, view: Any, seat: str, alt: str) -> Picture | tuple[Picture, ...]:
        """Return the image of a view for a turn: one Picture, or one for each panel."""
        scene = self.build_scene(view, seat)
        if self.config.panels == "together" or not isinstance(scene, Panels):
            return self._make_picture(scene, alt)
        parts = [Panels(((title, part),), 1) if title else part for title, part in scene.scenes]
        return tuple(
            [self._make_picture(part, alt if i == 0 else "") for i, part in enumerate(parts)]
        )

    def _make_picture(self, scene: object, alt: str) -> Picture:
        from gem_ma.renderers import draw, png

        size = (self.uses_own_size and _find_own_size(scene)) or self.image_size
        look = scene, size, self.load_palette(), self.config.image_unit
        render = functools.partial(draw, *look, noise=self._noise)
        return Picture(render, alt, png=functools.partial(png.render_png, *look, noise=self._noise))

    def render_image(self, view: Any, seat: str | None) -> np.ndarray:
        """Return a view as pixels."""
        from gem_ma.renderers import draw

        scene = self.build_scene(view, seat)
        look = self.image_size, self.load_palette(), self.config.image_unit
        return draw(scene, *look, self.canvas, self._noise)

    def load_palette(self) -> Any:
        """Return the palette of the theme."""
        if self._palette is None:
            from gem_ma.renderers import parse_theme

            self._palette = parse_theme(self.config.theme)
        return self._palette

    def build_mask(self, legal: tuple[str, ...]) -> np.ndarray:
        """Return the mask of legal moves; all ones for a seat that is not to act."""
        last, mask = self._masked
        if mask is None or legal is not last:  # comparing identities is faster than hashing
            mask = self._masks.get(legal)
            if mask is None:
                if len(self._masks) > _MAX_CACHED_MASKS:
                    self._masks.clear()
                mask = np.full(len(self.move_numbers), 0 if legal else 1, np.int8)
                mask[[self.move_numbers[text] for text in self.game.name_moves(legal)]] = 1
                self._masks[legal] = mask
            self._masked = legal, mask
        return mask.copy()

    def encode_state(self, match: Match) -> np.ndarray:
        """Return the encodings of all seats' views in one array, in the order of the seats.

        A game without `Game.encode` gives a picture of the whole game instead.
        """
        parts = [self.game.encode(match.make_view(seat), seat) for seat in match.seats]
        numbers = [part for part in parts if part is not None]
        if len(numbers) < len(parts):
            return self.render_image(match.state, None)
        return np.concatenate(numbers)

    def build_observation(self, match: Match, seat: str, turn: bool = False) -> Observation:
        """Return the observation of a seat; for `turn` see `BaseEnv.observe`."""
        view = match.view_cache.get(seat) or match.make_view(seat)
        if self.discrete and not turn:
            numbers = self.game.encode(view, seat) if self.config.observe == "text" else None
            if numbers is None:
                numbers = self.render_image(view, seat)
            return {
                "observation": numbers,
                "action_mask": self.build_mask(match.list_legal_moves(seat)),
            }
        if self.config.observe == "text":
            return {"text": self.build_text(match, seat, rules=not turn, view=view)}
        observation: Observation = {}
        if self.config.observe == "both":
            observation["text"] = self.build_text(match, seat, rules=not turn, view=view)
        if turn:  # without a text, the description replaces a picture that is left out
            alt = "" if "text" in observation else self.game.describe(view, seat)
            observation["image"] = self.build_pictures(view, seat, alt)
        else:
            observation["image"] = self.render_image(view, seat)
        return observation

    def build_info(
        self, match: Match, seat: str, turn: bool = False, *, lazy: bool = False
    ) -> Info:
        """Return the info of a seat; with `lazy`, it lists legal moves when it is first read."""
        to_act = seat in match.waiting_seats
        refused = match.invalid_replies.get(seat) if match.invalid_replies else None
        if self.discrete and not turn:  # always the same keys and shapes, for tensors
            if not to_act:
                match.make_view(seat)  # raises for an unknown seat
            count = 0 if refused is None else refused["count"]
            return {"to_act": np.bool_(to_act), "invalid": np.int64(count)}
        if not (match.lists_moves and self.shows_legal):
            info: Info = {"to_act": to_act}
            if not to_act:
                match.make_view(seat)  # raises for an unknown seat
        elif lazy and to_act:
            view = match.view_cache.get(seat) or match.make_view(seat)
            info = lazy_info = LazyInfo(_TO_ACT)
            lazy_info.source = self._list_legal_moves, view, seat, match.legal_cache
        else:
            info = {"to_act": to_act}
            legal = match.legal_cache.get(seat) or match.list_legal_moves(seat)
            info["legal_actions"] = list(legal) if self.bare_format else self.format_replies(legal)
            if self.move_numbers and not turn:
                info["action_mask"] = self.build_mask(legal)
        if refused is not None:
            info["invalid"] = dict(refused)
        if self.config.observe == "image":
            info["text"] = self.build_text(match, seat, rules=not turn)
        if match.over:
            info.update(self.game.report(match.state))
        return info

    def _list_legal_moves(self, view: Any, seat: str, known: dict[str, tuple[str, ...]]) -> Info:
        """Return the entries of an info about legal moves; `known` caches these by seat."""
        legal = known.get(seat)
        if legal is None:
            legal = known[seat] = tuple(view.legal(seat))
        info: Info = {"legal_actions": self.format_replies(legal)}
        if self.move_numbers:
            info["action_mask"] = self.build_mask(legal)
        return info

    def format_replies(self, legal: Sequence[str]) -> list[str]:
        """Return moves as replies in the format of the environment."""
        return (
            list(legal)
            if self.bare_format
            else [action_parsing.format_action(text, self.config.format) for text in legal]
        )


def _find_own_size(scene: object) -> tuple[int, int] | None:
    if isinstance(scene, Pixels):
        return scene.width, scene.height
    if isinstance(scene, Panels) and len(scene.scenes) == 1:
        title, part = scene.scenes[0]
        if isinstance(part, Pixels):
            from gem_ma.renderers.scenes import panels

            return panels.compute_frame_size(title, (part.width, part.height))
    return None


def cut_middle(text: str, limit: int) -> str:
    """Cut a text to `limit` bytes in its middle, with a note there if there is room."""
    data = text.encode()
    if len(data) <= limit:
        return text
    mark = f"\n[... {len(data)} bytes in all, the middle is left out ...]\n"
    if limit < 2 * len(mark):
        return data[:limit].decode(errors="ignore")
    half = (limit - len(mark)) // 2
    return data[:half].decode(errors="ignore") + mark + data[-half:].decode(errors="ignore")
