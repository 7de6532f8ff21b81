"""Proof that pictures show all that words say: `certify("game:ConnectFour-v0")`."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Hashable, Iterator, Mapping
from typing import Any, TypeAlias

from gem_ma.apis.aec import AECEnv
from gem_ma.apis.core_env import CoreEnv
from gem_ma.engine.seeding import derive_seed
from gem_ma.game import State
from gem_ma.scene import Chat, Grid, HexGrid, Panels
from gem_ma.testing.env_probe import UNKNOWN_MOVE, ContractError, make_fresh_env
from gem_ma.testing.photo_reading import read_photographed_board
from gem_ma.testing.picture_looks import (
    MIN_FILLED_SHARE,
    MIN_GROUND_CONTRAST,
    ChatHistory,
    find_closest_grounds,
    find_largest_share,
    find_misnamed_color,
    measure_filled_share,
)

WordsByLook: TypeAlias = dict[Hashable, tuple[str, str]]
"""Maps all that a seat was shown to the words of its view, and to the place in an episode."""


@dataclasses.dataclass(frozen=True)
class Certificate:
    """What was proven of an environment's pictures, and over how many views.

    Attributes:
        env_id: The id of the environment.
        theme: The name of the theme.
        views: Number of compared views, all different in words.
        exact: Number of views read back symbol by symbol from the pixels of a Grid.
        distance: Of the two most similar tiles, in mean levels per channel; inf without tiles. In a
            photo, where they are most similar.
        contrast: Contrast ratio of the least visible figure or letters, before noise: 1 to 21; inf
            without tiles.
        ground_contrast: Contrast ratio of the two neighbouring cells that are told apart least by
            nothing but their grounds, as the squares of a chess board; inf without such cells.
        filled: The least share of a frame that was drawn on: the box around the picture, divided
            by the square of the shorter side of the frame.
    """

    env_id: str
    theme: str
    views: int
    exact: int
    distance: float
    contrast: float
    ground_contrast: float
    filled: float


def certify(
    env: str | AECEnv,
    *,
    theme: str | int = "light",
    noise: str | int | None = None,
    views: int = 500,
) -> Certificate:
    """Prove that pictures show all that words say, over random play.

    Two views with different words must have different pictures. All tiles of a Grid must differ,
    and a Grid must be read back exactly from its pixels. Figures and letters of Grids, also in
    Panels, must have a contrast of at least 3 to their surroundings. Neighbouring cells that only
    their grounds tell apart must have one of at least 1.6, and a board must fill half of the frame.
    The colours that a legend names must be those that people call so.

    In a conversation, earlier messages arrive as text with every picture. Two views of a seat must
    then differ in their pictures, or in the text that the seat has read and written. A picture of a
    Chat must show the last message, count the messages before those that it has, and give each
    speaker one colour in all pictures of an episode.

    Args:
        env: An id or an environment.
        theme: The theme of the pictures, as the option of `make`.
        noise: Noise in the pictures. None: the noise of the environment. The contrast is always
            that without noise. In a photo, each cell of a Grid is read as the tile that looks most
            like it there. With other noise, the proof is only that pictures differ as words do.
        views: Number of views with different words to compare: positions as a seat or a spectator
            sees them. Fewer are compared if random play finds no more.

    Raises:
        ContractError: The pictures do not show all that words say, or not clearly.

    Examples:
        >>> from gem_ma.testing import certify
        >>> certificate = certify("game:TicTacToe-v0", views=20)
        >>> certificate.views, certificate.contrast > 3
        (20, True)
    """
    base = make_fresh_env(env)
    core = base.core
    core.observation_builder.set_theme(
        theme, core.observation_builder.config.noise if noise is None else noise
    )
    palette, exact, nearest, faintest = (
        core.observation_builder.load_palette(),
        0,
        math.inf,
        math.inf,
    )
    words_by_look: WordsByLook = {}
    last_words_by_look: WordsByLook = {}
    closest_grounds, filled, board_filled = math.inf, math.inf, math.inf
    for seed in range(10 * views):
        base.reset(seed=seed)
        heard_texts, chats = _HeardTexts(core), ChatHistory()
        while core.to_act and len(words_by_look) < views:
            # In a conversation, only seats that are to act are shown words.
            everybody = (None, *core.possible_agents)
            for agent in core.to_act if core.game.conversation else everybody:
                view = core.game_state if agent is None else core.match.make_view(agent)
                frame = core.observation_builder.render_image(view, agent)
                place = f"seed {seed}, turn {core.turns}, {agent or 'a spectator'}"
                scene = core.observation_builder.build_scene(view, agent)
                look, last_words = heard_texts.list_beside(agent), heard_texts.last_words.get(agent)
                talk = _find_chat(scene)
                if last_words and talk and talk.turns:
                    _compare_words(core, last_words_by_look, frame.tobytes(), last_words, place)
                words = core.game.describe(view, agent)
                _compare_words(core, words_by_look, (frame.tobytes(), *look), words, place)
                read_count, closest = _read_back(core, view, agent, frame, palette)
                exact, nearest = exact + read_count, min(nearest, closest)
                faintest = min(faintest, _find_faintest(core, scene, palette))
                closest_grounds = min(closest_grounds, _check_grounds(core, scene, palette))
                share = measure_filled_share(frame, palette)
                filled = min(filled, share)
                if isinstance(scene, Grid | HexGrid):
                    board_filled = min(board_filled, share / find_largest_share(scene))
                _check_colors(core, scene, palette)
                if fault := talk and chats.find_fault(agent, talk, palette):
                    raise ContractError(f"{core.id}: {fault} ({place})")
            heard_texts.step(base, {seat: _choose_action(core, seat, seed) for seat in core.to_act})
        if len(words_by_look) >= views or (seed > 50 and seed > 5 * len(words_by_look)):
            break
    if nearest <= 0:
        raise ContractError(f"{core.id}: two tiles look the same in the theme {palette.name}")
    if board_filled < MIN_FILLED_SHARE:
        raise ContractError(
            f"{core.id}: a board fills {board_filled:.0%} of what its shape leaves it; expected "
            f"{MIN_FILLED_SHARE:.0%} or more"
        )
    return Certificate(
        core.id,
        palette.name,
        len(words_by_look),
        exact,
        nearest,
        faintest,
        closest_grounds,
        round(filled, 2),
    )


class _HeardTexts:
    """The texts that seats have read and written in an episode, if it is a conversation."""

    def __init__(self, core: CoreEnv):
        self.core = core
        self.texts: dict[str, list[str]] = {}
        self.last_words: dict[str | None, str] = {}  # the last message to or from each seat
        if core.game.conversation:
            for seat in core.possible_agents:
                self.texts[seat] = [seat, core.game.brief(core.match.make_view(seat), seat)]

    def list_beside(self, seat: str | None) -> list[str]:
        """Return the texts that a seat has in addition to its picture."""
        if seat is None or seat not in self.texts:
            return []
        return [*self.texts[seat], *self.core.match.format_messages(seat)]

    def step(self, env: AECEnv, actions: Mapping[str, str]) -> None:
        """Submit replies, and note them with the messages before and after."""
        match = self.core.match
        for seat in self.texts.keys() & actions.keys():
            self.texts[seat] = [*self.list_beside(seat), actions[seat]]
        count = match.log_start + len(match.message_log)
        env.step_seats(actions)
        for to, role, text in match.message_log[max(count - match.log_start, 0) :]:
            for seat in {role, *(to or self.texts)} & self.texts.keys() if role != "game" else ():
                self.last_words[seat] = f"{role}: {text}"


def _choose_action(core: CoreEnv, seat: str, seed: int) -> str:
    moves = core.match.list_legal_moves(seat)
    return moves[derive_seed(seed, core.turns) % len(moves)] if moves else UNKNOWN_MOVE


def _find_chat(scene: object) -> Chat | None:
    """Return the Chat that a scene is, or that one of its panels is, or None."""
    parts = [part for _, part in scene.scenes] if isinstance(scene, Panels) else [scene]
    return next((part for part in parts if isinstance(part, Chat)), None)


def _compare_words(
    core: CoreEnv,
    words_by_look: WordsByLook,
    look: Hashable,
    words: str,
    place: str,
) -> None:
    """Note the words of a look, or raise ContractError if it had other words before."""
    other, other_place = words_by_look.setdefault(look, (words, place))
    if other != words:
        one_part, other_part = _find_different_lines(words, other)
        raise ContractError(
            f"{core.id}: one picture for {other_part!r} ({other_place}) and {one_part!r} ({place})"
        )


def _find_different_lines(*texts: str) -> list[str]:
    """Return the lines that only one of two texts has, or all if only their order differs."""
    lines = [text.splitlines() for text in texts]
    only = [[line for line in one if line not in other] for one, other in (lines, lines[::-1])]
    return ["\n".join(part) for part in only] if any(only) else list(texts)


def _read_back(core: CoreEnv, view: State, agent: str | None, frame: Any, look: Any) -> Any:
    from gem_ma.renderers import parse_noise
    from gem_ma.renderers.scenes import grid

    scene = core.observation_builder.build_scene(view, agent)
    noise = parse_noise(core.observation_builder.config.noise)
    # noise other than a photo changes single pixels
    if not isinstance(scene, Grid) or noise.parts:
        return 0, math.inf
    unit = core.observation_builder.config.image_unit
    if noise.camera is None:
        decoded_rows = grid.decode_frame(frame, scene, look, unit)
        cell = grid.compute_grid_layout(scene, core.observation_builder.image_size, unit).cell
        distance = float(grid.compute_tile_distance(scene.tiles, cell, look))
    else:
        decoded_rows, distance = read_photographed_board(frame, scene, look, unit, noise.camera)
    rows = tuple("".join(row) for row in scene.rows)
    if decoded_rows != rows and not scene.marks:
        raise ContractError(f"{core.id}: the picture of {rows} is decoded as {decoded_rows}")
    return 1, distance


def _check_grounds(core: CoreEnv, scene: object, look: Any) -> float:
    """Return the contrast of the closest neighbouring grounds, or raise if it is too low."""
    closest = math.inf
    for part, _, _ in _find_grids(core, scene):
        contrast, *grounds = find_closest_grounds(part, look)
        if contrast < MIN_GROUND_CONTRAST:
            one, other = (repr(ground) if ground else "the plain ground" for ground in grounds)
            raise ContractError(
                f"{core.id}: in the theme {look.name}, cells on {one} and on {other} differ by a "
                f"contrast of {contrast:.2f}; expected {MIN_GROUND_CONTRAST} or more"
            )
        closest = min(closest, contrast)
    return closest


def _check_colors(core: CoreEnv, scene: object, look: Any) -> None:
    """Raise ContractError if people would call a colour otherwise than the legend."""
    names = find_misnamed_color(scene, look)
    if names is not None:
        raise ContractError(
            f"{core.id}: in the theme {look.name}, people would call the colour {names[0]!r} "
            f"{names[1]!r}"
        )


def _find_faintest(core: CoreEnv, scene: object, look: Any) -> float:
    """Return the contrast of the least visible figure or letters, or raise if it is too low."""
    from gem_ma.renderers.contrast import MIN_CONTRAST
    from gem_ma.renderers.scenes import grid

    faintest = math.inf
    for part, size, unit in _find_grids(core, scene):
        cell = grid.compute_grid_layout(part, size, unit).cell
        plain = float(grid.compute_tile_contrast(part.tiles, cell, look))
        if plain < MIN_CONTRAST:
            symbol, tile = min(
                part.tiles, key=lambda one: grid.compute_tile_contrast((one,), cell, look)
            )
            raise ContractError(
                f"{core.id}: in the theme {look.name}, in cells of {cell} pixels, the tile "
                f"{symbol!r} ({tile}) stands out by a contrast of {plain:.2f}; expected "
                f"{MIN_CONTRAST} "
                "or more"
            )
        faintest = min(faintest, plain)
    return faintest


def _find_grids(
    core: CoreEnv, scene: object, size: tuple[int, int] | None = None
) -> Iterator[tuple[Grid, tuple[int, int], int]]:
    """Find each Grid of a scene, with the size that it has and the patches it is aligned to."""
    from gem_ma.renderers.scenes import panels

    builder = core.observation_builder
    if isinstance(scene, Grid):
        yield scene, size or builder.image_size, 1 if size else builder.config.image_unit
    elif isinstance(scene, Panels):
        for part in panels.place_panels(scene, size or builder.image_size):
            yield from _find_grids(core, part.scene, part.size)
