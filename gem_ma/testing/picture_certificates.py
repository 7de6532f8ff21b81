"""Proof that pictures leave out nothing that words say: `certify("game:ConnectFour-v0")`."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import Any

from gem_ma.apis.aec import AECEnv
from gem_ma.apis.core_env import CoreEnv
from gem_ma.engine.seeding import derive_seed
from gem_ma.game import State
from gem_ma.scene import Grid, Panels
from gem_ma.testing.env_probe import ContractError, make_fresh_env


@dataclasses.dataclass(frozen=True)
class Certificate:
    """What was proven of an environment's pictures, and over how many views."""

    env_id: str
    theme: str
    views: int  # that were looked at, all different in words
    exact: int  # of them read back symbol by symbol from the pixels of a Grid
    distance: float  # between the two most similar tiles, mean levels a channel; inf without tiles
    # Of the figure or letters that stand out least, before any noise: 1 to 21; inf without tiles.
    contrast: float


def certify(
    env: str | AECEnv,
    *,
    theme: str | int = "light",
    noise: str | int | None = None,
    views: int = 500,
) -> Certificate:
    """Prove that pictures leave out nothing that words say, over random play.

    Two views that differ in words must differ in their pictures, all tiles of a Grid must differ,
    and a Grid must be read back exactly from its pixels. Figures and letters of Grids, in Panels
    too, must stand out from what is around them by a contrast of 3.

    Args:
        noise: done to the pictures; None: that of the environment. With noise it is proven that
            pictures differ as words do. Nothing is read back, and the contrast is that before
            noise.
    """
    base = make_fresh_env(env)
    core = base.core
    if core.game.conversation:
        raise ValueError(
            f"{core.id} is a conversation: its words arrive as text beside every picture, which "
            "shows the latest of them"
        )
    core.observation_builder.set_theme(
        theme, core.observation_builder.config.noise if noise is None else noise
    )
    palette, exact, nearest, faintest = (
        core.observation_builder.load_palette(),
        0,
        math.inf,
        math.inf,
    )
    words_by_frame: dict[bytes, str] = {}
    for seed in range(10 * views):
        base.reset(seed=seed)
        while core.to_act and len(words_by_frame) < views:
            for agent in (None, *core.possible_agents):
                view = core.game_state if agent is None else core.match.make_view(agent)
                words = core.game.describe(view, agent)
                frame = core.observation_builder.render_image(view, agent)
                other = words_by_frame.setdefault(frame.tobytes(), words)
                if other != words:
                    raise ContractError(f"{core.id}: one picture for {other!r} and {words!r}")
                read_count, closest = _read_back(core, view, agent, frame, palette)
                exact, nearest = exact + read_count, min(nearest, closest)
                faintest = min(faintest, _find_faintest(core, view, agent, palette))
            legal = {a: core.match.list_legal_moves(a) for a in core.to_act}
            base.step_seats(
                {a: moves[derive_seed(seed, core.turns) % len(moves)] for a, moves in legal.items()}
            )
        if len(words_by_frame) >= views or (seed > 50 and seed > 5 * len(words_by_frame)):
            break
    if nearest <= 0:
        raise ContractError(f"{core.id}: two tiles look the same in the theme {palette.name}")
    return Certificate(core.id, palette.name, len(words_by_frame), exact, nearest, faintest)


def _read_back(core: CoreEnv, view: State, agent: str | None, frame: Any, look: Any) -> Any:
    from gem_ma.renderers.scenes import grid

    scene = core.observation_builder.build_scene(view, agent)
    # noise changes single pixels
    if not isinstance(scene, Grid) or core.observation_builder.config.noise != "":
        return 0, math.inf
    rows = tuple("".join(row) for row in scene.rows)
    decoded_rows = grid.decode_frame(frame, scene, look, core.observation_builder.config.image_unit)
    if decoded_rows != rows and not scene.marks:
        raise ContractError(f"{core.id}: the picture of {rows} reads {decoded_rows}")
    cell = grid.compute_grid_layout(
        scene, core.observation_builder.image_size, core.observation_builder.config.image_unit
    ).cell
    return 1, grid.compute_tile_distance(scene.tiles, cell, look)


def _find_faintest(core: CoreEnv, view: State, agent: str | None, look: Any) -> float:
    """Return how much the figure or letters that stand out least do so, if it is enough."""
    from gem_ma.renderers.contrast import MIN_CONTRAST
    from gem_ma.renderers.scenes import grid

    faintest = math.inf
    for scene, size in _find_grids(
        core.observation_builder.build_scene(view, agent), core.observation_builder.image_size
    ):
        cell = grid.compute_grid_layout(
            scene, size, core.observation_builder.config.image_unit
        ).cell
        plain = float(grid.compute_tile_contrast(scene.tiles, cell, look))
        if plain < MIN_CONTRAST:
            symbol, tile = min(
                scene.tiles, key=lambda one: grid.compute_tile_contrast((one,), cell, look)
            )
            raise ContractError(
                f"{core.id}: in the theme {look.name}, in cells of {cell} pixels, the tile "
                f"{symbol!r} ({tile}) stands out by a contrast of {plain:.2f}; expected "
                f"{MIN_CONTRAST} "
                "or more"
            )
        faintest = min(faintest, plain)
    return faintest


def _find_grids(scene: object, size: tuple[int, int]) -> Iterator[tuple[Grid, tuple[int, int]]]:
    from gem_ma.renderers.scenes import panels

    if isinstance(scene, Grid):
        yield scene, size
    elif isinstance(scene, Panels):
        for part in panels.place_panels(scene, size):
            yield from _find_grids(part.scene, part.size)
