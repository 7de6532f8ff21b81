"""A page of an app on a phone: bars, lists, fields and dialogs, put below one another."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Unpack

import numpy as np

from gem_ma.envs.screens.phones.apps import APPS
from gem_ma.envs.screens.sheet import Sheet, WidgetStyle
from gem_ma.envs.screens.ui import Ui
from gem_ma.scene import text_metrics
from gem_ma.scene.screen import SCROLLBAR_WIDTH, Widget

STATUS, BAR, NAVIGATION, TABS = 30, 56, 48, 68  # heights of the bars of a phone
FIELD = 54
KEYBOARD_ID, EDIT_MENU = "keyboard", "edit:"
SCROLL = "scroll-"  # the beginning of the ids of boxes that scroll
ACCENTS = ("seat0", "seat2", "seat3", "seat5", "seat1", "seat6")


class PhoneStyle(NamedTuple):
    """How a phone looks, which its seed says.

    Attributes:
        accent: the tone of what can be used.
        columns: apps in a row of the launcher.
        icon: the side of their icons in pixels; `round`: whether these are discs.
        top: from 0 to 1, how far down the launcher the apps stand.
        row: the height of a row of a list.
        margin: pixels between a card and the sides of the screen.
        large: whether titles stand in large letters below the bar.
        cards: whether the rows of a list stand on a card.
        back_left: whether the button that goes back is the left one.
        shares: numbers from 0 to 1, for whatever else differs between phones.
        order: of the apps in the launcher.
    """

    accent: str
    columns: int
    icon: int
    round: bool
    top: float
    row: int
    margin: int
    large: bool
    cards: bool
    back_left: bool
    shares: tuple[float, ...]
    order: tuple[int, ...]

    @property
    def time(self) -> str:
        """The time of day in the status bar."""
        return self._format_time(0)

    def tell_time(self, number: int) -> str:
        """Return when something has happened, the most recent thing first."""
        return self._format_time(9 + 23 * number + number * 7 % 11)

    def _format_time(self, minutes_ago: int) -> str:
        now = 60 * (7 + int(self.shares[0] * 15)) + int(self.shares[1] * 60)
        hours, minutes = divmod(max(0, now - minutes_ago), 60)
        return f"{hours}:{minutes:02d}"

    @property
    def battery(self) -> int:
        """The charge of the battery in percent."""
        return 20 + int(self.shares[2] * 80)


PLAIN_STYLE = PhoneStyle("seat0", 4, 56, False, 0.5, 64, 14, False, True, True, (0.5,) * 16,
                         tuple(range(len(APPS))))  # fmt: skip


def choose_style(rng: np.random.Generator) -> PhoneStyle:
    """Choose how a phone looks."""
    shares = tuple(rng.random(16).tolist())
    return PhoneStyle(
        accent=ACCENTS[int(shares[3] * len(ACCENTS))],
        columns=4 + (shares[4] < 0.35),
        icon=52 + 4 * int(shares[5] * 3),
        round=shares[6] < 0.4,
        top=shares[7],
        row=60 + 4 * int(shares[8] * 4),
        margin=10 + 2 * int(shares[9] * 4),
        large=shares[10] < 0.5,
        cards=shares[11] < 0.6,
        back_left=shares[12] < 0.7,
        shares=shares,
        order=tuple(rng.permutation(len(APPS)).tolist()),
    )


class PhonePage:
    """The widgets of a screen of a phone in order, and the position of the next one.

    Args:
        name: the name of the page, with which the ids of its fields begin.
        low: where the page ends.
    """

    def __init__(self, sheet: Sheet, style: PhoneStyle, ui: Ui, name: str, low: int):
        self.sheet, self.style, self.ui, self.name = sheet, style, ui, name
        self.widgets = sheet.widgets
        self.wide, self.low = sheet.screen[0], low
        self.x, self.w, self.y = style.margin, self.wide - 2 * style.margin, STATUS
        self.inside, self.is_on_card = "", False
        self.numbers: set[str] = set()  # ids of fields for numbers

    def put(
        self, kind: str, id: str, x: int, y: int, w: int, h: int, text: str = "",
        value: object = None, options: Sequence[object] = (), **more: Unpack[WidgetStyle],
    ) -> Widget:  # fmt: skip
        """Put a widget at a given place."""
        one = Widget(id, kind, x, y, w, h, text, value, tuple(options), inside=self.inside, **more)
        self.widgets.append(one)
        return one

    def pane(
        self, x: int, y: int, w: int, h: int, tone: str, radius: int = 0, outline: str = ""
    ) -> None:
        """Put a ground for what follows, with an outline in another tone if one is given."""
        self.put("pane", f"pane{len(self.widgets)}", x, y, w, h, tone=tone,
                 options=(radius, outline) if outline else (radius,) * (radius > 0))  # fmt: skip

    def write(
        self, text: str, x: int | None = None, y: int | None = None, size: int = 14,
        tone: str = "", middle: bool = False,
    ) -> None:  # fmt: skip
        """Put lines of text at a place, or below what is there."""
        room, line = self.w if x is None else self.wide - x - 8, text_metrics.LINE_HEIGHTS[size]
        top, bold = self.y if y is None else y, tone == "bold"
        for part in text_metrics.wrap_to_width(text, size, room, bold):
            wide = round(text_metrics.measure_width(part, size, bold)) + 1
            left = self.x if x is None else x
            if middle:
                left = self.x + (self.w - wide) // 2 if x is None else x - wide // 2
            id = f"label{len(self.widgets)}"
            self.put("label", id, left, top, wide, line, part, tone=tone, type=size)
            top += line
        if y is None:
            self.y = top + 6

    def bar(self, title: str, *actions: tuple[str, str, str], back: bool = True) -> None:
        """Put the bar at the top of an app: a way back, its title, and icons (id, icon, name)."""
        y, x = self.y + 6, 8
        if back:
            self.icon("back", "arrow", "Back", x, y)
            x += 48
        for number, (id, icon, name) in enumerate(reversed(actions)):
            self.icon(id, icon, name, self.wide - 52 - 46 * number, y)
        if self.style.large and title:
            self.y += BAR if back or actions else 12
            self.write(title, self.find_text_left(), self.y, 24, "bold")
            self.y += 44
        else:
            if title:
                self.write(title, max(x + 4, 20), self.y + 16, 18, "bold")
            self.y += BAR + 4

    def icon(self, id: str, icon: str, name: str, x: int, y: int, tone: str = "bare") -> None:
        """Put a round button with an icon."""
        self.put("button", id, x, y, 44, 44, name, options=(icon,), tone=tone)

    @contextlib.contextmanager
    def scroll(self, but: int = 0) -> Iterator[None]:
        """Put the following widgets into a box that scrolls, down to a height above the end."""
        high = self.low - self.y - but
        place = len(self.widgets)
        # Its bar would be at its right, beyond the screen: fingers need none.
        box = self.put(
            "scroll", f"{SCROLL}{self.name}", 0, self.y, self.wide + SCROLLBAR_WIDTH, high
        )
        self.inside = box.id
        yield
        self.inside = ""
        content = self.y + 12 - box.y
        self.widgets[place] = box._replace(options=(content,))
        if content > high:
            most, long = content - high, max(32, high * high // content)
            at = min(self.ui.values.get(box.id, 0), most)
            top = box.y + (high - long) * at // most
            self.put("line", f"{box.id}-bar", self.wide - 5, top, 4, long)
        self.y = box.y + high

    @contextlib.contextmanager
    def card(self) -> Iterator[None]:
        """Put the following rows on a card, if that is the style of the phone."""
        place = len(self.widgets)
        if self.style.cards:
            self.pane(self.x, self.y, self.w, 0, "card", 16)
            self.is_on_card = True
            self.y += 8
        yield
        if self.style.cards and len(self.widgets) == place + 1:  # a card without rows
            del self.widgets[place]
        elif self.style.cards:
            pane = self.widgets[place]
            self.widgets[place] = pane._replace(h=self.y + 8 - pane.y)
            self.y += 8
        self.is_on_card = False
        self.y += 10

    def section(self, name: str, x: int | None = None) -> None:
        """Put the heading of a list, above the words of its rows, or at another place."""
        left = self.find_text_left() if x is None else x
        self.write(name, left, self.y + 6, 14, self.style.accent)
        self.y += 30

    def find_text_left(self) -> int:
        """Return where the rows of a list begin, without their margins."""
        return self.x + 22 if self.style.cards else 16

    def find_line(self) -> tuple[int, int]:
        """Return the left and the width of a row of a list."""
        return (self.x + 6, self.w - 12) if self.is_on_card else (0, self.wide)

    def row(
        self, id: str, title: str, subtitle: str = "", icon: str = "", tone: str = "",
        right: str = "", h: int | None = None,
    ) -> Widget:  # fmt: skip
        """Put a row of a list, which can be tapped."""
        x, w = self.find_line()
        high = h or self.style.row
        one = self.put_row(id, x, self.y, w, high, title, subtitle, icon, tone, right)
        self.y += high
        return one

    def put_row(
        self, id: str, x: int, y: int, w: int, h: int, title: str, subtitle: str, icon: str = "",
        tone: str = "", right: str = "", style: str = "", type: int = 16,
    ) -> Widget:  # fmt: skip
        """Put a row at a given place, with as much of its words as it has room for."""
        room = w - 32 - (54 if icon else 0)
        room -= round(text_metrics.measure_width(right, 12)) + 8 if right else 0
        title = text_metrics.truncate_to_width(title, type, room, style == "bold")
        subtitle = text_metrics.truncate_to_width(subtitle, 12, room)
        return self.put("row", id, x, y, w, h, title, None, (subtitle, icon, tone, right),
                        tone=style, type=type)  # fmt: skip

    def switch(self, id: str, title: str, on: bool, subtitle: str = "", box: bool = False) -> None:
        """Put a row with a switch, or with a box to check."""
        x, w = self.find_line()
        self.put("check", id, x, self.y, w, self.style.row - 4, title, on,
                 (subtitle,) if subtitle else (), tone=self.style.accent, type=16,
                 group="box" if box else "")  # fmt: skip
        self.y += self.style.row - 4

    def chips(self, id: str, names: Sequence[str], chosen: str) -> None:
        """Put chips beside each other, of which one is chosen."""
        left = self.x
        for number, name in enumerate(names):
            wide = round(text_metrics.measure_width(name, 14)) + 30
            if left + wide > self.x + self.w:
                left, self.y = self.x, self.y + 44
            self.put("tab", f"{id}#{number}", left, self.y, wide, 36, name, name == chosen or None,
                     tone=self.style.accent)  # fmt: skip
            left += wide + 8
        self.y += 48

    def slider(self, id: str, name: str, icon: str, value: int) -> None:
        """Put a slider in percent below its name."""
        x, w = self.find_line()
        self.put("icon", f"{id}-icon", x + 16, self.y + 14, 22, 22, icon)
        shown = self.ui.values.get(id, value)
        self.write(name, x + 52, self.y + 8, 14)
        right = x + w - 18 - round(text_metrics.measure_width(f"{shown}%", 14))
        self.write(f"{shown}%", right, self.y + 8, 14, "quiet")
        self.put("slider", id, x + 52, self.y + 28, w - 72, 34, name, value, (0, 100, 5),
                 tone=self.style.accent)  # fmt: skip
        self.y += 72

    def field(
        self, id: str, name: str, value: str = "", kind: str = "field", w: int | None = None,
        x: int | None = None, tone: str = "field", is_number: bool = False,
    ) -> None:  # fmt: skip
        """Put a field on a round ground, with its name in it."""
        left, wide = self.x if x is None else x, self.w if w is None else w
        id = f"{self.name}/{id}"
        if is_number:
            self.numbers.add(id)
        self.pane(left, self.y, wide, FIELD, tone, 14, self.style.accent * (self.ui.focus == id))
        self.put(kind, id, left + 10, self.y + 2, wide - 20, FIELD - 4, name, value,
                 tone=self.style.accent, type=16)  # fmt: skip
        self.y += FIELD + 12

    def button(
        self, id: str, text: str, tone: str | None = None, x: int | None = None,
        w: int | None = None, h: int = 44,
    ) -> None:  # fmt: skip
        """Put a button with letters, at a place of this line or over the whole line."""
        wide = self.w if w is None else w
        self.put("button", id, self.x if x is None else x, self.y, wide, h, text,
                 tone=self.style.accent if tone is None else tone,
                 group=self.style.accent)  # fmt: skip
        if x is None:
            self.y += h + 10

    def put_floating(self, id: str, icon: str, name: str) -> None:
        """Put a button with an icon over the lower right corner of the page."""
        self.put("button", id, self.wide - 76, self.low - 76, 58, 58, name, options=(icon,),
                 tone=self.style.accent)  # fmt: skip

    def tabs(self, entries: Sequence[tuple[str, str]], chosen: str) -> None:
        """Put the bar of an app at the bottom: entries (icon, name), of which one is chosen."""
        self.low -= TABS
        self.pane(0, self.low, self.wide, TABS, "soft")
        each = self.wide // len(entries)
        for number, (icon, name) in enumerate(entries):
            self.put("tab", f"tab-{name}", each * number, self.low, each, TABS, name,
                     name == chosen or None, (icon,), tone=self.style.accent)  # fmt: skip

    @contextlib.contextmanager
    def dialog(self, title: str, sheet: bool = False) -> Iterator[None]:
        """Put the following widgets into a dialog, or into a sheet at the bottom."""
        self.put("veil", "veil", 0, 0, self.wide, self.sheet.screen[1])
        place = len(self.widgets)
        before = self.x, self.w, self.is_on_card
        left, wide = (0, self.wide) if sheet else (28, self.wide - 56)
        self.pane(left, 0, wide, 0, "sheet" if sheet else "dialog", 28)
        self.x, self.w, self.y, self.is_on_card = left + 24, wide - 48, 22, False
        if sheet:
            self.pane(self.wide // 2 - 18, 10, 36, 4, "toast", 2)
        if title:
            self.write(title, size=18, tone="bold")
            self.y += 6
        yield
        high = self.y + 14
        top = self.low - high if sheet else max(STATUS, (self.low + STATUS - high) // 2)
        pane = self.widgets[place]._replace(h=high)
        parts = [pane, *self.widgets[place + 1 :]]
        self.widgets[place:] = [one._replace(y=one.y + top) for one in parts]
        self.x, self.w, self.is_on_card = before

    def choices(self, *buttons: tuple[str, str, str | None]) -> None:
        """Put the buttons of a dialog beside each other at its right: (id, text, tone)."""
        self.y += 4
        right = self.x + self.w
        for id, text, tone in reversed(buttons):
            wide = round(text_metrics.measure_width(text, 14, True)) + 36
            right -= wide
            self.button(id, text, tone, right, wide, 42)
            right -= 8
        self.y += 46

    def put_edit_menu(self, field: Widget) -> None:
        """Put the menu to edit the text of a field above it."""
        y = max(STATUS, field.y - self.ui.values.get(field.inside, 0) - 50)
        names = ("Cut", "Copy", "Paste")
        self.pane(field.x, y, 78 * len(names) + 16, 44, "toast", 14)
        for number, name in enumerate(names):
            self.put("button", f"{EDIT_MENU}{name}", field.x + 10 + 78 * number, y + 4, 74, 36,
                     name, tone="bare")  # fmt: skip


def measure_keyboard(wide: int) -> int:
    """Return the height of the keyboard of a screen."""
    return 4 * 54 + 12 + max(0, min(wide - 448, 160)) // 4
