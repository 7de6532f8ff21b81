"""The parts of a phone that belong to no app: launcher, notifications, bars, keyboard."""

from __future__ import annotations

import functools
from typing import NamedTuple

from gem_ma.envs.screens.phones.apps import APPS, DOCKED
from gem_ma.envs.screens.phones.page import (
    KEYBOARD_ID,
    NAVIGATION,
    STATUS,
    PhonePage,
    PhoneStyle,
    measure_keyboard,
)
from gem_ma.envs.screens.sheet import Sheet
from gem_ma.envs.screens.ui import Ui
from gem_ma.scene import text_metrics
from gem_ma.scene.screen import Widget

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
ROWS_OF_APPS = 3  # on a page of the launcher
DOCK = 112


class PhoneNotification(NamedTuple):
    """A notification: its app, what it says, and the part of the task that it belongs to."""

    app: str
    title: str
    text: str
    key: str = ""


def list_launcher_pages(style: PhoneStyle) -> list[tuple[str, ...]]:
    """Return the apps of each page of the launcher, in the order of this phone."""
    apps = list(APPS)
    names = [apps[n] for n in style.order if apps[n] not in DOCKED]
    many = style.columns * ROWS_OF_APPS
    return [tuple(names[n : n + many]) for n in range(0, len(names), many)]


def draw_launcher(page: PhonePage, number: int) -> None:
    """Put the launcher: the time, a page of apps, and the dock."""
    page.widgets.extend(_make_launcher(page.style, number, page.sheet.screen, page.low))


@functools.lru_cache(maxsize=256)
def _make_launcher(
    style: PhoneStyle, number: int, screen: tuple[int, int], low: int
) -> tuple[Widget, ...]:
    page, wide = PhonePage(Sheet(screen=screen), style, Ui(), "", low), screen[0]
    page.pane(0, 0, *screen, "wall")  # as below every page, since ids are counted
    draw_status(page, "wall")
    pages = list_launcher_pages(style)
    low, label = low - DOCK, style.icon + 32
    spare = low - STATUS - 130 - 3 * (label + 8) - 30
    top = STATUS + 24 + int(style.top * 0.4 * spare)
    write_on_wall(page, style.time, wide // 2, top, 48)
    day = int(style.shares[13] * 28) + 1
    date = f"{WEEKDAYS[int(style.shares[14] * 7)]}, {MONTHS[int(style.shares[15] * 12)]} {day}"
    write_on_wall(page, date, wide // 2, top + 62, 16)
    pitch = min(label + 8 + int(spare * 0.16), 132)
    first = top + 124 + int((1 - style.top) * 0.3 * max(0, low - top - 150 - 3 * pitch))
    _put_apps(page, pages[number], first, pitch, label)
    for n in range(len(pages)):
        side = 10 if n == number else 6
        x = wide // 2 + 18 * n - 9 * (len(pages) - 1) - side // 2
        page.put("pane", f"dot{n}", x, low - 12 - side // 2, side, side, options=(side // 2,),
                 tone="wall", group=style.accent)  # fmt: skip
    page.put("pane", "dock", 10, low + 4, wide - 20, DOCK - 8, options=(28,), tone="wall",
             group=style.accent)  # fmt: skip
    _put_apps(page, DOCKED, low + 4 + (DOCK - 8 - label) // 2 + 2, 0, label)
    draw_navigation(page, "wall")
    return tuple(page.widgets[1:])


def write_on_wall(page: PhonePage, text: str, x: int, y: int, size: int) -> None:
    wide = round(text_metrics.measure_width(text, size)) + 2
    page.put("label", f"label{len(page.widgets)}", x - wide // 2, y, wide,
             text_metrics.LINE_HEIGHTS[size], text, tone="wall", type=size,
             group=page.style.accent)  # fmt: skip


def _put_apps(page: PhonePage, names: tuple[str, ...], top: int, pitch: int, high: int) -> None:
    style = page.style
    columns = style.columns if pitch else len(names)
    each = (page.wide - 32) // columns
    radius = style.icon // 2 if style.round else style.icon * 2 // 7
    for number, name in enumerate(names):
        x, y = 16 + each * (number % columns), top + pitch * (number // columns)
        app = APPS[name]
        wide = min(each, 96)
        page.put("app", f"app:{name}", x + (each - wide) // 2, y, wide, high, name,
                 None, (app.icon, app.tone, style.icon, radius), tone="wall",
                 group=style.accent)  # fmt: skip


def draw_status(page: PhonePage, tone: str = "", signs: tuple[str, ...] = ("wifi",)) -> None:
    """Put the bar at the top of the screen."""
    style = page.style
    page.put("status", "status", 0, 0, page.wide, STATUS, style.time, style.battery, signs,
             tone=tone, group=style.accent)  # fmt: skip


def draw_navigation(page: PhonePage, tone: str = "bare") -> None:
    """Put the bar at the bottom of the screen, which leads back and home."""
    high = page.sheet.screen[1]
    if tone == "bare":
        page.pane(0, high - NAVIGATION, page.wide, NAVIGATION, "bar")
    places = (0.3, 0.7) if page.style.back_left else (0.7, 0.3)
    for (id, icon, name), share in zip(
        (("nav:back", "back", "Back"), ("nav:home", "home", "Home")), places, strict=True
    ):
        page.put("button", id, round(page.wide * share) - 36, high - NAVIGATION + 2, 72,
                 NAVIGATION - 4, name, options=(icon,), tone=tone,
                 group=page.style.accent)  # fmt: skip


def draw_keyboard(page: PhonePage, layer: int) -> None:
    """Put the keyboard above the bar at the bottom, with the keys of a layer at first."""
    high = measure_keyboard(page.wide)
    page.put("keyboard", KEYBOARD_ID, 0, page.sheet.screen[1] - NAVIGATION - high, page.wide, high,
             value=layer, tone=page.style.accent)  # fmt: skip


def draw_shade(page: PhonePage, notes: tuple[tuple[int, PhoneNotification], ...]) -> None:
    """Put the notifications, which come down from the top; each with its number."""
    wide, high = page.wide, page.sheet.screen[1]
    page.put("veil", "veil", 0, 0, wide, high)
    place = len(page.widgets)
    page.pane(0, -28, wide, 0, "screen", 28)
    spare = page.style.shares[7]
    page.x, page.w, page.y = 16, wide - 32, STATUS + 8 + round(spare * 24)
    tall = 62 + round(page.style.shares[9] * 10)
    page.write("Notifications", size=18, tone="bold")
    page.y += 6
    if not notes:
        page.write("There are none.", tone="quiet")
    for number, note in notes:
        page.pane(page.x, page.y, page.w, tall, "card", 18)
        app = APPS[note.app]
        page.put_row(f"note:{number}", page.x + 6, page.y + 5, page.w - 12, tall - 10, note.title,
                     note.text, app.icon, app.tone, note.app, "bold")  # fmt: skip
        page.y += tall + 6
    page.y += 8
    page.pane(wide // 2 - 22, page.y, 44, 4, "toast", 2)
    pane = page.widgets[place]
    page.widgets[place] = pane._replace(h=page.y + 22 - pane.y)
    draw_status(page)
