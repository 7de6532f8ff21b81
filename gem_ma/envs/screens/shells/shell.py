"""The shell of a screen as widgets: desktop, window, bars, side bar. It leads nowhere."""

from __future__ import annotations

import functools

from gem_ma.envs.screens.sheet import EDGE, Area
from gem_ma.envs.screens.shells.applications import APPLICATIONS, NOTES, Application
from gem_ma.envs.screens.shells.layout import (
    BAR,
    HEADING,
    ICON,
    MENUS,
    NOTE,
    SMALL,
    STATE,
    Layout,
)
from gem_ma.scene import text_metrics
from gem_ma.scene.screen import Widget

SHELL = "shell:"  # the beginning of the ids of all widgets of a shell
LINE = text_metrics.LINE_HEIGHTS[SMALL]
SIGNS = ("\xd7", "_")  # of the buttons that close a window and put it away


@functools.lru_cache(maxsize=256)
def draw_shell(layout: Layout) -> tuple[Widget, ...]:
    """Return the widgets around the page of a task."""
    shell, top = _Shell(), layout.top
    wide, high = layout.screen
    shell.add("box", 0, top, wide, high - top, tone="desk")
    if not layout.application:
        return tuple(shell.widgets)
    for name, x, y in layout.icons:
        _put_icon(shell, name, x, y)
    for name, x, y in layout.notes:
        _put_note(shell, name, x, y)
    for other in layout.others:
        words = APPLICATIONS[other.application]
        _put_window(shell, other, words)
        for number, line in enumerate(words.notes):
            y = other.area.y + 12 + (LINE + 4) * number
            shell.write(other.area.x + 14, y, line, "quiet" if number else "bold")
    _put_window(shell, layout, APPLICATIONS[layout.application])
    return tuple(shell.widgets)


class _Shell:
    """The widgets of a shell so far."""

    def __init__(self) -> None:
        self.widgets: list[Widget] = []

    def add(
        self, kind: str, x: int, y: int, w: int, h: int, text: str = "", tone: str = "",
        type: int = SMALL, value: object = None,
    ) -> None:  # fmt: skip
        id = f"{SHELL}{len(self.widgets)}"
        self.widgets.append(Widget(id, kind, x, y, w, h, text, value, tone=tone, type=type))

    def write(self, x: int, y: int, text: str, tone: str = "", type: int = SMALL) -> None:
        wide = round(text_metrics.measure_width(text, type, tone == "bold")) + 1
        self.add("label", x, y, wide, text_metrics.LINE_HEIGHTS[type], text, tone, type)

    def press(self, x: int, y: int, w: int, h: int, text: str, is_chosen: bool = False) -> None:
        self.add("item", x, y, w, h, text, "bare", value=is_chosen or None)


def _put_icon(shell: _Shell, name: str, x: int, y: int) -> None:
    wide = round(text_metrics.measure_width(name, SMALL)) + 1
    shell.add("box", x + ICON[0] // 2 - 17, y, 34, 34, tone="pane")
    shell.add("box", x + ICON[0] // 2 - 17, y, 34, 10, tone="bar")
    shell.add("label", x + (ICON[0] - wide) // 2, y + 40, wide, LINE, name)


def _put_note(shell: _Shell, name: str, x: int, y: int) -> None:
    shell.add("box", x, y, *NOTE, tone="pane")
    shell.add("box", x, y, NOTE[0], BAR - 2, tone="side")
    shell.write(x + 8, y + 4, name)
    for number, line in enumerate(NOTES[name]):
        shell.write(x + 10, y + BAR + 8 + (LINE + 3) * number, line, "quiet")


def _put_window(shell: _Shell, layout: Layout, words: Application) -> None:
    x, y, w, h = layout.window
    shell.add("box", x, y, w, h, tone="pane")
    shell.add("box", x, y, w, BAR, tone="bar")
    shell.write(x + 10, y + 5, words.names[layout.name], "bold")
    for number, sign in enumerate(SIGNS):
        shell.press(x + w - 28 - 26 * number, y + 3, 25, BAR - 6, sign)
    y += BAR
    if layout.menus:
        shell.add("box", x, y, w, MENUS, tone="side")
        left = x + 6
        for name in words.menus[: layout.menus]:
            wide = round(text_metrics.measure_width(name, SMALL)) + 14
            if left + wide > x + w - 4:
                break
            shell.press(left, y + 2, wide, MENUS - 4, name)
            left += wide + 2
        y += MENUS
    low = layout.window.y + h
    if layout.state >= 0:
        low -= STATE
        shell.add("box", x, low, w, STATE, tone="side")
        shell.write(x + 10, low + 2, words.states[layout.state], "quiet")
    if layout.side:
        left = x if layout.left else x + w - layout.wide
        _put_side(shell, layout, words, Area(left, y, layout.wide, low - y))
    if layout.heading >= 0:
        left, y = layout.area.x + EDGE, layout.area.y - HEADING + 8
        shell.write(left, y, words.headings[layout.heading], "bold", 18)


def _put_side(shell: _Shell, layout: Layout, words: Application, bar: Area) -> None:
    x, y, w, h = bar
    shell.add("box", x, y, w, h, tone="side")
    if layout.side == "notes":
        for number, line in enumerate(words.notes):
            top = y + 10 + (LINE + 3) * number + 4 * (number > 0)
            shell.write(x + 10, top, line, "" if number else "bold")
        return
    for number, name in enumerate(words.entries):
        top = y + 8 + 26 * number
        if top + 26 > y + h:
            break
        shell.press(x + 5, top, w - 10, 24, name, number == 0)
