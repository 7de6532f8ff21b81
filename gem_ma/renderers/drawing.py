"""`draw`, which renders a Scene of any type; legends of scenes; and GIF files of frames."""

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
    first_person,
    grid,
    hex_grid,
    panels,
    pegs,
    phone,
    screen,
    shapes,
    table,
    terminal,
)
from gem_ma.renderers.themes import THEMES, Theme, make_frame
from gem_ma.scene import (
    COLORS,
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
from gem_ma.scene.first_person import FirstPerson
from gem_ma.scene.phone import Phone
from gem_ma.scene.screen import Screen
from gem_ma.validation.arguments import check_each, check_type

_RENDERERS: dict[type, Callable[..., np.ndarray]] = {
    Cards: cards.draw,
    Chart: chart.draw,
    Chat: chat.draw,
    FirstPerson: first_person.draw,
    HexGrid: hex_grid.draw,
    WebPage: table.draw_page,
    Pegs: pegs.draw,
    Phone: phone.draw,
    Shapes: shapes.draw,
    Pixels: panels.draw_pixels,
    TextTable: table.draw,
    Terminal: terminal.draw,
    RichText: terminal.draw_rich_text,
}
# Area in pixels of a frame that has room for letters at full scale, and of the largest frame that
# is drawn to be reduced.
_ROOMY_AREA, _MAX_AREA = 168**2, 2048**2
_GROWTH = 1.1  # factor by which a frame that is too small grows


def draw(
    scene: object,
    size: tuple[int, int],
    theme: Theme = THEMES["light"],
    unit: int = 28,
    out: np.ndarray | None = None,
    noise: ImageNoise | None = None,
) -> np.ndarray:
    """Draw a scene as an array of height x width x 3 bytes, in a new array or in `out`.

    If letters at full scale would leave little room, the scene is drawn larger and then reduced.

    Args:
        unit: side in pixels of a vision model's patch. Cells of a Grid are multiples of it if they
            fit.
        noise: applied to the finished picture, such as parse_noise('blur:2'). None: no noise.
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
    """Draw the scene with letters at full scale, or raise FrameTooSmall."""
    if isinstance(scene, Grid):
        return grid.draw(scene, size, theme, unit)
    if isinstance(scene, Panels):
        return panels.draw(scene, size, theme, _draw_panel)
    if isinstance(scene, Screen):
        return screen.draw(scene, size, theme, unit, _draw_inset)
    renderer = _RENDERERS.get(type(scene))
    if renderer is None:
        known = *_RENDERERS, Grid, Panels, Screen
        names = ", ".join(sorted(cls.__name__ for cls in known))
        raise TypeError(f"no renderer for {type(scene).__name__}; there are renderers for: {names}")
    return renderer(scene, size, theme)


def _draw_panel(scene: object, size: tuple[int, int], theme: Theme, unit: int) -> np.ndarray:
    """Draw one scene of Panels, or raise FrameTooSmall; all of them share one scale."""
    return _draw_at_full_scale(normalize_scene(scene), size, theme, unit)


def _draw_inset(scene: object, size: tuple[int, int], theme: Theme, unit: int) -> np.ndarray:
    """Draw a scene within a Screen at exactly this size, reduced if necessary."""
    scene = normalize_scene(scene)
    try:
        return _draw_at_full_scale(scene, size, theme, unit)
    except FrameTooSmall as error:
        return _draw_reduced(scene, size, theme, unit, error)


def check_room(scene: object, size: tuple[int, int], unit: int) -> None:
    """Raise FrameTooSmall if letters at full scale would leave little room for the rest."""
    if size[0] * size[1] >= _ROOMY_AREA:
        return
    if isinstance(scene, Grid):
        words = bool(scene.columns or scene.lines or scene.status)
        cramped = words and grid.compute_grid_layout(scene, size, unit).is_cramped
    elif isinstance(scene, Panels):
        for part in panels.place_panels(scene, size):
            check_room(part.scene, part.size, 1)
        cramped = False
    elif isinstance(scene, Shapes):
        cramped = bool(scene.title or scene.status or scene.labels)
    elif isinstance(scene, FirstPerson):
        cramped = bool(scene.status)
    else:  # these scenes omit what does not fit
        cramped = isinstance(scene, Chat | RichText | Terminal | WebPage)
    if cramped:
        raise FrameTooSmall(
            f"a {type(scene).__name__} does not fit into {size[0]} x {size[1]} pixels; use a "
            "larger image_size"
        )


def _draw_reduced(
    scene: object, size: tuple[int, int], theme: Theme, unit: int, error: FrameTooSmall
) -> np.ndarray:
    """Draw the scene in a larger frame and reduce it to this size, letters included.

    If it fits into no larger frame of the same proportions, it is drawn as a centred square.
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
    """Return a scene with its texts normalised by `normalize_text`, or itself if unchanged.

    In a Grid, only the texts around the board are normalised: a cell's symbol is a key, not text.
    In Shapes, figures, lines and areas have names of figures and colours, which are keys too, as
    have walls and things of FirstPerson.
    """
    around = getattr(scene, "__match_args__", ())  # empty for objects that are not scenes
    if isinstance(scene, Grid):
        if "".join((*scene.columns, *scene.lines, *scene.status)).isascii():  # the usual case
            return scene
        around = "columns", "lines", "status"
    if isinstance(scene, Shapes):
        around = "title", "labels", "status"
    if isinstance(scene, FirstPerson):
        around = ("status",)
    changes = {}
    for name in around:
        value = getattr(scene, name)
        if isinstance(scene, Chat) and repr(value).isascii():  # faster than checking each text
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
    """Write frames as an endless GIF file that shows each frame for `seconds`."""
    from PIL import Image

    if not 0 < seconds < 600:
        raise ValueError(f"seconds={seconds}: expected more than 0, and less than 600")
    images = [Image.fromarray(one) for one in check_each(frames, np.ndarray, "frames")]
    if not images:
        raise ValueError("no frames to write; expected at least one")
    first, *rest = images
    first.save(path, save_all=True, append_images=rest, duration=round(seconds * 1000), loop=0)


def make_legend(scene: object, theme: Theme) -> str:
    """Describe how the named things in a scene look in this theme; "" if there are none."""
    check_type(theme, Theme, "theme", "a Theme, as parse_theme('dark') returns")
    if isinstance(scene, (Grid, HexGrid)):
        return grid.make_grid_legend(scene, theme)
    if isinstance(scene, Screen):
        return screen.make_screen_legend(theme)
    if isinstance(scene, FirstPerson):  # its words name colours, also those that are not in sight
        names = ((color, theme.describe_color(color)) for color in COLORS)
        return "; ".join(f"{color} is shown as {name}" for color, name in names if name != color)
    if isinstance(scene, Panels):
        parts = [make_legend(inner, theme) for _, inner in scene.scenes]
        return "; ".join(dict.fromkeys(part for part in parts if part))
    return ""
