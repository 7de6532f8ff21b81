"""How a seed lays out a screen: the program's window and bars, and the page within it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import numpy as np

from gem_ma.envs.screens.sheet import EDGE, Area, PageStyle, Sheet
from gem_ma.envs.screens.shells.applications import APPLICATIONS, ICONS, NOTES, Application
from gem_ma.envs.screens.ui import SIZE
from gem_ma.scene import text_metrics

LARGEST = 1280  # pixels of a side of a screen
SMALL = 12  # letter size of a shell
BAR, MENUS, HEADING, STATE = 26, 22, 34, 20  # heights of the bars of a window
BAREST = 4  # steps from a window with all its parts to one that fits every page
LEAST = 250  # height of a page that scrolls by itself
NOTE, ICON = (150, 92), (64, 60)  # size of a window on the desktop, and of an icon


class PagedTask(Protocol):
    """What a layout has to know of a task: see `Family`."""

    application: str
    wide: int
    opens: int


class Layout(NamedTuple):
    """Where everything of a screen is but for what the task puts on its page.

    Attributes:
        top: the height that is left free for the strip at the top of the screen.
        application: a key of APPLICATIONS; "" leaves the desktop to the page.
        window: the window of the program.
        area: the page in it.
        style: how the page arranges widgets.
        name: the index of the program's name; `heading` and `state` likewise, -1: none.
        menus: the number of menus.
        side: "entries" or "notes" in a side bar, or "".
        left: whether the side bar is at the left.
        wide: its width.
        others: windows of other programs.
        notes: small windows on the desktop: name, left and top.
        icons: icons on the desktop: name, left and top.
    """

    screen: tuple[int, int]
    top: int
    application: str
    window: Area
    area: Area
    style: PageStyle = PageStyle()
    name: int = 0
    menus: int = 0
    heading: int = -1
    state: int = -1
    side: str = ""
    left: bool = True
    wide: int = 0
    others: tuple[Layout, ...] = ()
    notes: tuple[tuple[str, int, int], ...] = ()
    icons: tuple[tuple[str, int, int], ...] = ()


def fit_screen(width: int, height: int) -> tuple[int, int]:
    """Return the size of the screen for a picture: its own, from 448 to 1280 pixels a side."""
    short, long = min(width, height), max(width, height)
    scale = min(short / SIZE, 1) if short < SIZE else max(long / LARGEST, 1)
    wide, high = (min(max(round(side / scale), SIZE), LARGEST) for side in (width, height))
    return wide, high


def choose_layout(
    rng: np.random.Generator,
    kind: PagedTask,
    draw: Callable[[Sheet], None],
    screen: tuple[int, int],
    top: int,
    type: int,
) -> Layout:
    """Choose the layout of a task.

    Args:
        draw: puts the page at its beginning on a sheet.
        top: the height of the strip at the top of the screen.
        type: the size of the letters of the page.
    """
    *numbers, across, down = rng.random(64).tolist()
    chances = iter(numbers)
    if not kind.application:
        whole = Area(0, top, screen[0], screen[1] - top)
        style = PageStyle(window=(next(chances), next(chances)))
        return Layout(screen, top, "", whole, whole, style)
    plan = _choose_plan(chances, APPLICATIONS[kind.application], kind, (across, down))
    fits = (_fit(plan, bare, kind, draw, screen, top, type) for bare in range(BAREST + 1))
    return _furnish(next(layout for layout in fits if layout is not None), chances)


class _Plan(NamedTuple):
    """What the seed says before the sizes are known."""

    layout: Layout
    grow: tuple[float, float]  # how much of the room that is left over the window takes
    at: tuple[float, float]  # where it stands in the rest
    maximised: bool
    inset: tuple[float, float]  # where the page stands in a window that is maximised


def _choose_plan(
    chances: Iterator[float], words: Application, kind: PagedTask, spread: tuple[float, float]
) -> _Plan:
    def below(many: int) -> int:
        return int(next(chances) * many)

    style = PageStyle(
        gap=6 + below(5),
        stacked=next(chances) < 0.35,
        scale=next(chances),
        window=(next(chances), next(chances)),
        spread=spread,
    )
    side = ("entries", "entries", "notes", "")[below(4)]
    layout = Layout(
        screen=(SIZE, SIZE),
        top=0,
        application=kind.application,
        window=Area(0, 0, 0, 0),
        area=Area(0, 0, 0, 0),
        style=style,
        name=below(len(words.names)),
        menus=below(3) and 2 + below(len(words.menus) - 1),
        heading=below(2 * len(words.headings)) - len(words.headings),
        state=below(2 * len(words.states)) - len(words.states),
        side=side,
        left=side == "entries" or below(4) == 0,
        wide=_measure_side(words, side) + below(24) if side else 0,
    )
    grow, at, inset = ((next(chances), next(chances)) for _ in range(3))
    return _Plan(layout, grow, at, next(chances) < 0.25, inset)


def _measure_side(words: Application, side: str) -> int:
    texts = words.entries if side == "entries" else words.notes
    return 22 + round(max(text_metrics.measure_width(text, SMALL, True) for text in texts))


def _fit(
    plan: _Plan,
    bare: int,
    kind: PagedTask,
    draw: Callable[[Sheet], None],
    screen: tuple[int, int],
    top: int,
    type: int,
) -> Layout | None:
    """Return the layout with so many parts left out, if the page fits into it."""
    layout = _strip(plan.layout, bare)
    chrome = measure_bars(layout)
    room_w, room_h = screen[0] - layout.wide, screen[1] - top - chrome
    need = min(kind.wide * type // 14, SIZE - 2 * EDGE) + 2 * EDGE
    if need > room_w:
        return None
    wide = need + round(plan.grow[0] * min(room_w - need, need // 2))
    inset = plan.inset
    sheet = Sheet("", type, Area(0, 0, wide, room_h), screen, layout.style)
    draw(sheet)
    low = max(one.y + one.h for one in sheet.widgets if not one.inside and one.kind != "veil")
    fills = any(one.kind == "scroll" and one.y + one.h > room_h // 2 for one in sheet.widgets)
    least = LEAST if fills else low + EDGE + kind.opens * type // 14
    if least > room_h:
        if bare < BAREST:
            return None
        wide, least, inset = room_w, room_h, (0, 0)
    high = least + round(plan.grow[1] * min(room_h - least, 400 if fills else 90))
    if plan.maximised or bare == BAREST:
        window = Area(0, top, screen[0], screen[1] - top)
        across = round(inset[0] * (room_w - wide))
        down = 0 if fills else round(inset[1] * min((room_h - least) * 0.6, 160))
        page = across, down, wide, room_h - down
    else:
        size = wide + layout.wide, high + chrome
        left = round(plan.at[0] * (screen[0] - size[0]))
        window = Area(left, top + round(plan.at[1] * (screen[1] - top - size[1])), *size)
        page = 0, 0, wide, high
    left = window.x + (layout.wide if layout.left else 0)
    upper = window.y + chrome - (STATE if layout.state >= 0 else 0)
    area = Area(left + page[0], upper + page[1], *page[2:])
    return layout._replace(screen=screen, top=top, window=window, area=area)


def _strip(layout: Layout, bare: int) -> Layout:
    """Leave out parts of a window, the more the barer."""
    if bare > 0:
        layout = layout._replace(heading=-1)
    if bare > 1:
        layout = layout._replace(side="", wide=0)
    if bare > 2:
        layout = layout._replace(menus=0, state=-1, style=layout.style._replace(gap=6))
    if bare > 3:
        layout = layout._replace(style=layout.style._replace(stacked=False, scale=0.0))
    return layout


def measure_bars(layout: Layout) -> int:
    """Return the height of all bars of a window."""
    heading = HEADING if layout.heading >= 0 else 0
    return BAR + MENUS * (layout.menus > 0) + heading + STATE * (layout.state >= 0)


def _furnish(layout: Layout, chances: Iterator[float]) -> Layout:
    """Put windows and icons on the desktop where the program leaves room for them."""
    taken, (wide, high), top = [layout.window], layout.screen, layout.top
    others: list[Layout] = []
    notes, icons = [], []
    for _ in range(3):
        key = list(APPLICATIONS)[int(next(chances) * len(APPLICATIONS))]
        words = APPLICATIONS[key]
        size = 260 + int(next(chances) * 80), 180 + int(next(chances) * 80)
        place = _drop(chances, size, wide, high, top)
        side = _measure_side(words, "entries")
        is_shown = key in (layout.application, *(other.application for other in others))
        fits = place.h + 12 < high - top and not any(_touch(place, one) for one in taken)
        if fits and not is_shown:
            x, y = place.x + side, place.y + BAR + MENUS
            area = Area(x, y, place.w - side, place.h - BAR - MENUS)
            other = Layout(layout.screen, top, key, place, area, menus=3, side="entries", wide=side)
            others.append(other)
            taken.append(place)
    for name in NOTES:
        x, y, *_ = place = _drop(chances, NOTE, wide, high, top)
        if next(chances) < 0.6 and not any(_touch(place, other) for other in taken):
            notes.append((name, x, y))
            taken.append(place)
    for number, name in enumerate(ICONS):
        x, y = 8, top + 10 + 72 * number
        place = Area(x, y, *ICON)
        if y + ICON[1] < high and not any(_touch(place, other) for other in taken):
            icons.append((name, x, y))
    return layout._replace(others=tuple(others), notes=tuple(notes), icons=tuple(icons))


def _drop(chances: Iterator[float], size: tuple[int, int], wide: int, high: int, top: int) -> Area:
    x = 6 + int(next(chances) * (wide - size[0] - 12))
    return Area(x, top + 6 + int(next(chances) * max(0, high - top - size[1] - 12)), *size)


def _touch(one: Area, other: Area) -> bool:
    across = one.x < other.x + other.w + 4 and other.x < one.x + one.w + 4
    return across and one.y < other.y + other.h + 4 and other.y < one.y + one.h + 4
