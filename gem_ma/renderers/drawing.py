"""`draw`, which renders a Scene of any type; legends of scenes; and frames as a GIF file."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from PIL import Image

from gem_ma.renderers import user_fonts
from gem_ma.renderers.noises import ImageNoise
from gem_ma.renderers.scenes import (
    cards,
    chart,
    chat,
    grid,
    hex_grid,
    panels,
    pegs,
    rich_text,
    screen,
    shapes,
    table,
    terminal,
)
from gem_ma.renderers.themes import THEMES, Theme, make_frame
from gem_ma.scene import (
    Cards,
    Chart,
    Chat,
    FrameTooSmall,
    Grid,
    HexGrid,
    Panels,
    Pegs,
    Pixels,
    RichText,
    Shapes,
    Terminal,
    TextTable,
    WebPage,
)
from gem_ma.scene.screen import Screen
from gem_ma.validation.arguments import check_each, check_type

_RENDERERS: dict[type, Callable[..., np.ndarray]] = {
    Cards: cards.draw,
    Chart: chart.draw,
    Chat: chat.draw,
    HexGrid: hex_grid.draw,
    WebPage: table.draw_page,
    Pegs: pegs.draw,
    Shapes: shapes.draw,
    Pixels: panels.draw_pixels,
    TextTable: table.draw,
    Terminal: terminal.draw,
    RichText: rich_text.draw,
}
# Pixels of a frame in which letters of their own size leave room for the rest, and of the largest
# that is drawn to be reduced.
_ROOMY_AREA, _MAX_AREA = 168**2, 2048**2
_GROWTH = 1.1  # of a frame that is still too small


def draw(
    scene: object,
    size: tuple[int, int],
    theme: Theme = THEMES["light"],
    unit: int = 28,
    out: np.ndarray | None = None,
    noise: ImageNoise | None = None,
) -> np.ndarray:
    """Return the scene as an array of height x width x 3 bytes: a new one, or `out`.

    Where letters of their own size would leave little room for it, it is drawn larger and reduced.

    Args:
        unit: the side of a vision model's patch; the cells of a Grid are multiples of it if they
            fit.
        noise: what is done to the finished picture, as parse_noise('blur:2') returns.
    """
    check_type(theme, Theme, "theme", "a Theme, as parse_theme('dark') returns")
    if noise is not None:
        check_type(noise, ImageNoise, "noise", "an ImageNoise, as parse_noise('blur:2') returns")
    if not unit >= 1:
        raise ValueError(f"unit={unit}: expected 1 or more pixels")
    width, height = size
    if not (width >= 1 and height >= 1):
        raise ValueError(f"size={size}: expected a width and a height of 1 pixel or more")
    if not isinstance(scene, Screen):
        scene = normalize_scene(scene)
    try:
        check_room(scene, size, unit)
        if isinstance(scene, Grid) and not noise:
            return grid.draw(scene, size, theme, unit, out)
        picture = _draw_at_full_scale(scene, size, theme, unit)
    except FrameTooSmall as error:
        picture = _draw_reduced(scene, size, theme, unit, error)
    if noise:
        picture = noise.apply(picture)
    if out is None:
        return picture
    out[...] = picture
    return out


def _draw_at_full_scale(
    scene: object, size: tuple[int, int], theme: Theme, unit: int
) -> np.ndarray:
    """Return the scene with letters of their own size, or raise FrameTooSmall."""
    if isinstance(scene, Grid):
        return grid.draw(scene, size, theme, unit)
    if isinstance(scene, Panels):
        return panels.draw(scene, size, theme, unit, _draw_panel)
    if isinstance(scene, Screen):
        return screen.draw(scene, size, theme, unit, _draw_inset)
    renderer = _RENDERERS.get(type(scene))
    if renderer is None:
        known = *_RENDERERS, Grid, Panels, Screen
        names = ", ".join(sorted(cls.__name__ for cls in known))
        raise TypeError(f"no renderer for {type(scene).__name__}; there are some for: {names}")
    return renderer(scene, size, theme)


def _draw_panel(scene: object, size: tuple[int, int], theme: Theme, unit: int) -> np.ndarray:
    """Return one of the Panels, or raise FrameTooSmall: all of them are drawn to one scale."""
    return _draw_at_full_scale(normalize_scene(scene), size, theme, unit)


def _draw_inset(scene: object, size: tuple[int, int], theme: Theme, unit: int) -> np.ndarray:
    """Return a scene within a Screen, where it has so many pixels and no more."""
    scene = normalize_scene(scene)
    try:
        return _draw_at_full_scale(scene, size, theme, unit)
    except FrameTooSmall as error:
        return _draw_reduced(scene, size, theme, unit, error)


def check_room(scene: object, size: tuple[int, int], unit: int) -> None:
    """Raise FrameTooSmall if letters of their own size would leave little room for the rest."""
    if size[0] * size[1] >= _ROOMY_AREA:
        return
    if isinstance(scene, Grid):
        words = bool(scene.columns or scene.lines or scene.status)
        cramped = words and grid.compute_grid_layout(scene, size, unit).is_cramped
    elif isinstance(scene, Panels):
        for part in panels.place_panels(scene, size):
            check_room(part.scene, part.size, unit)
        cramped = False
    elif isinstance(scene, Shapes):
        cramped = bool(scene.title or scene.status or scene.labels)
    else:  # these leave out what has no room
        cramped = isinstance(scene, Chat | RichText | Terminal | WebPage)
    if cramped:
        raise FrameTooSmall(f"little room for what is drawn in {size[0]} x {size[1]} pixels")


def _draw_reduced(
    scene: object, size: tuple[int, int], theme: Theme, unit: int, error: FrameTooSmall
) -> np.ndarray:
    """Return the scene as it is in a larger frame, reduced to this one, letters and all.

    Where it has no room in any frame so oblong, it stands in a square in the middle.
    """
    for width, height in (size, (min(size), min(size))):
        times = max(1.0, (_ROOMY_AREA / (width * height)) ** 0.5)
        while times**2 * width * height <= _MAX_AREA:
            larger = math.ceil(width * times), math.ceil(height * times)
            try:
                picture = _draw_at_full_scale(scene, larger, theme, math.ceil(unit * times))
            except FrameTooSmall:
                times *= _GROWTH
                continue
            frame = make_frame(size, theme.paper)
            left, top = (size[0] - width) // 2, (size[1] - height) // 2
            frame[top : top + height, left : left + width] = Image.fromarray(picture).resize(
                (width, height), Image.Resampling.BOX
            )
            return frame
    raise error


def normalize_scene(scene: Any) -> Any:
    """Return a scene with its texts as they are drawn, or itself: see `normalize_text`.

    Of a Grid that is what stands around it; a cell's symbol is a key, and no text.
    """
    around = getattr(scene, "__match_args__", ())  # of what is no scene, none
    if isinstance(scene, Grid):
        if "".join((*scene.columns, *scene.lines, *scene.status)).isascii():  # mostly, and quick
            return scene
        around = "columns", "lines", "status"
    changes = {}
    for name in around:
        value = getattr(scene, name)
        if isinstance(scene, Chat) and repr(value).isascii():  # quicker than to look at each
            continue
        if value and (new_value := _normalize_value(value)) is not value:
            changes[name] = new_value
    return dataclasses.replace(scene, **changes) if changes else scene


def _normalize_value(value: object) -> object:
    if isinstance(value, str):
        new_text = user_fonts.normalize_text(value)
        return value if new_text == value else new_text
    if isinstance(value, tuple):
        parts = tuple(map(_normalize_value, value))
        same = all(one is other for one, other in zip(parts, value, strict=True))
        return value if same else parts
    return value


def save_gif(frames: Sequence[np.ndarray], path: str, seconds: float = 0.5) -> None:
    """Write frames as a GIF file that runs for ever, each frame shown for so long."""
    from PIL import Image

    if not 0 < seconds < 600:
        raise ValueError(f"seconds={seconds}: expected more than 0, and less than 600")
    images = [Image.fromarray(one) for one in check_each(frames, np.ndarray, "frames")]
    if not images:
        raise ValueError("no frames to write")
    first, *rest = images
    first.save(path, save_all=True, append_images=rest, duration=round(seconds * 1000), loop=0)


def make_legend(scene: object, theme: Theme) -> str:
    """Say what the named things in a scene look like in this theme, or nothing."""
    check_type(theme, Theme, "theme", "a Theme, as parse_theme('dark') returns")
    if isinstance(scene, (Grid, HexGrid)):
        return grid.make_grid_legend(scene, theme)
    if isinstance(scene, Screen):
        return screen.make_screen_legend(theme)
    if isinstance(scene, Panels):
        parts = [make_legend(inner, theme) for _, inner in scene.scenes]
        return "; ".join(dict.fromkeys(part for part in parts if part))
    return ""
