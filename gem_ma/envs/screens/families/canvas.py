"""Tasks on a canvas: find, count, drag, sort, align and connect shapes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gem_ma.envs.screens.families.family import (
    Family,
    Filled,
    Form,
    Names,
    Row,
    Step,
    Steps,
    joined,
    one_of,
    pick,
)
from gem_ma.envs.screens.sheet import Sheet
from gem_ma.envs.screens.ui import Event, Ui

ClickParts = tuple[tuple[str, str, str, int, int], ...]  # name, figure, colour, place
CountParts = tuple[tuple[str, str, int, int], ...]  # figure, colour, place
FIGURES = ("disc", "square", "triangle", "diamond", "star", "hexagon", "heart")
COLORS = ("red", "orange", "yellow", "green", "blue", "purple", "brown", "black")
CELL = 58  # pixels between two places of the canvas


def places(rng: np.random.Generator, many: int, rows: int = 5) -> list[tuple[int, int]]:
    """Sample places on a canvas for shapes that do not touch."""
    grid = [(CELL * column, CELL * row) for row in range(rows) for column in range(6)]
    return [
        (x + int(rng.integers(14)), y + int(rng.integers(14))) for x, y in pick(rng, grid, many)
    ]


class Clicking(Steps[ClickParts]):
    """Tasks to click the shapes of a colour."""

    like = "click-shape, click-shades, identify-shape, click-color"
    application = "drawing"
    wide = 350

    def start(self, rng: np.random.Generator, difficulty: int) -> Row[ClickParts]:
        kinds = pick(
            rng, [(color, figure) for color in COLORS for figure in FIGURES], 5 + 2 * difficulty
        )
        at = places(rng, len(kinds))
        parts = tuple(
            (f"{color} {figure}", figure, color, x, y)
            for (color, figure), (x, y) in zip(kinds, at, strict=True)
        )
        targets = tuple(pick(rng, [part[0] for part in parts], 1 + difficulty // 2))
        order = ", one after the other" if len(targets) > 1 else ""
        return Row(targets, parts, f"Click on the {joined(targets)}{order}.")

    def counts(self, model: Row[ClickParts], id: str) -> bool:
        return bool(id)

    def draw(self, sheet: Sheet, model: Row[ClickParts], ui: Ui) -> None:
        left, top = sheet.x, sheet.y
        for name, figure, color, x, y in model.parts:
            sheet.at("handle", name, left + x, top + y, 36, 36, text=figure, tone=color)


class Counting(Form[CountParts]):
    """Tasks to count shapes, and type the number."""

    like = "count-shape, count-sides, simple-arithmetic"
    application = "drawing"
    wide = 350

    def start(self, rng: np.random.Generator, difficulty: int) -> Filled[CountParts]:
        question_count = 1 + difficulty // 3
        figures, colors = pick(rng, FIGURES, 3), pick(rng, COLORS, 2 + difficulty // 5)
        many = 5 + 2 * difficulty
        shapes = [(one_of(rng, figures), one_of(rng, colors)) for _ in range(many)]
        at = places(rng, many)
        kinds = pick(rng, sorted({*figures, *colors}), question_count)
        targets = {f"count-{kind}": str(sum(kind in shape for shape in shapes)) for kind in kinds}
        parts = tuple((*shape, *place) for shape, place in zip(shapes, at, strict=True))
        listing = joined(f"{kind}s" if kind in FIGURES else kind for kind in kinds)
        noun_phrase = "it" if question_count == 1 else "the numbers"
        return Filled(
            targets, parts, f"How many are {listing}? Type {noun_phrase}, and click Submit."
        )

    def draw(self, sheet: Sheet, model: Filled[CountParts], ui: Ui) -> None:
        for id in model.wants:
            beside = id != next(iter(model.wants))
            sheet.put("field", id, id[6:], "", w=76, beside=beside)
        sheet.put("button", "submit", self.button, beside=True, tone="primary")
        left, top = sheet.x, sheet.y
        for number, (figure, color, x, y) in enumerate(model.parts):
            x, y = left + x, top + y
            sheet.at("image", f"shape{number}", x, y, 36, 36, text=figure, tone=color)


class Moved(NamedTuple):
    """Things on a canvas with their current places."""

    at: tuple[tuple[str, int, int], ...]
    wants: Names
    told: str
    done: bool | None = None


class Dragging(Family[Moved]):
    """Tasks to drag shapes into boxes of their colours."""

    like = "drag-box, drag-shapes, drag-shapes-2, drag-circle"
    application = "drawing"
    wide = 360
    WIDE, HIGH = 360, 260  # of the canvas
    BOX = 104  # height of a box

    def start(self, rng: np.random.Generator, difficulty: int) -> Moved:
        many = 1 + difficulty // 2
        colors = pick(rng, COLORS, 2 + difficulty // 4)
        at = [(x, self.BOX + 16 + y) for x, y in places(rng, 6, 2)]
        shapes = tuple(
            (f"{one_of(rng, colors)} {figure} {n}", *place)
            for n, (figure, place) in enumerate(
                zip(pick(rng, FIGURES, min(many, 6)), at, strict=False)
            )
        )
        return Moved(shapes, tuple(colors), "Drag each shape into the box of its colour.")

    def goal(self, model: Moved) -> str:
        return model.told

    def draw(self, sheet: Sheet, model: Moved, ui: Ui) -> None:
        left, top = sheet.x, sheet.y
        for number, color in enumerate(model.wants):
            x = left + 90 * number
            sheet.at("cell", f"box-{color}", x, top, 84, self.BOX, text=color)
        for name, x, y in model.at:
            color, figure, _ = name.split()
            sheet.at("handle", name, left + x, top + y, 36, 36, text=figure, tone=color)

    def update(self, model: Moved, event: Event, ui: Ui) -> Moved:
        if event.kind != "drop" or event.id not in [name for name, _, _ in model.at]:
            return model
        if str(event.value).startswith("box-"):
            right = event.value == f"box-{event.id.split()[0]}"
            remaining = tuple(one for one in model.at if one[0] != event.id)
            return model._replace(
                at=remaining, done=False if not right else None if remaining else True
            )
        positions = tuple(
            (name, x + event.moved[0], y + event.moved[1]) if name == event.id else (name, x, y)
            for name, x, y in model.at
        )
        return model._replace(
            at=tuple(
                (n, max(0, min(x, self.WIDE - 36)), max(0, min(y, self.HIGH - 36)))
                for n, x, y in positions
            )
        )

    def score(self, model: Moved, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Moved, ui: Ui) -> Step:
        name = model.at[0][0]
        return "drag", name, f"box-{name.split()[0]}"


class Ordering(Family["Ordering.Model"]):
    """Tasks to drag cards with numbers into order."""

    like = "drag-sort-numbers, drag-items, sort-numbers"
    application = "game"

    class Model(NamedTuple):
        cards: tuple[int, ...]
        done: bool | None = None

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        many = 3 + difficulty // 2
        cards = pick(rng, range(10, 100), many)
        if cards == sorted(cards):
            cards.reverse()
        return self.Model(tuple(cards))

    def goal(self, model: Model) -> str:
        return (
            "Drag the cards into order, the smallest on top, and click Done. Each goes before the "
            "one on which it is dropped."
        )

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        for number in model.cards:
            sheet.put("handle", f"card{number}", str(number), w=120, h=26, tone="")
        sheet.put("cell", "end", "", w=120, h=10)
        sheet.put("button", "done", "Done", tone="primary")

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if event.kind == "click" and event.id == "done":
            return model._replace(done=list(model.cards) == sorted(model.cards))
        if event.kind != "drop" or not event.id.startswith("card"):
            return model
        moved_card = int(event.id[4:])
        rest = [card for card in model.cards if card != moved_card]
        if event.value == "end":
            return model._replace(cards=(*rest, moved_card))
        target = str(event.value)
        if target.startswith("card"):
            place = rest.index(int(target[4:]))
            return model._replace(cards=(*rest[:place], moved_card, *rest[place:]))
        return model

    def score(self, model: Model, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Model, ui: Ui) -> Step:
        sorted_cards = sorted(model.cards)
        for place, card in enumerate(sorted_cards):
            if model.cards[place] != card:
                return "drag", f"card{card}", f"card{model.cards[place]}"
        return "click", "done"


class Aligning(Family["Aligning.Model"]):
    """Tasks to drag boxes until their left sides are on a line."""

    like = "drag-box, resize-textarea, bisect-angle"
    application = "drawing"
    wide = 366
    NEAR = 6  # pixels

    class Model(NamedTuple):
        line: int
        boxes: tuple[tuple[str, int, int], ...]
        done: bool | None = None

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        line = int(rng.integers(40, 290))
        boxes = []
        for number in range(1 + difficulty // 2):
            x = int(rng.integers(300))
            if abs(x - line) <= 20:
                x = line + 40 if line < 160 else line - 60
            boxes.append((f"box{number + 1}", x, 4 + 44 * number))
        return self.Model(line, tuple(boxes))

    def goal(self, model: Model) -> str:
        return "Drag each box so that its left side touches the line, and click Done."

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        left, top, high = sheet.x, sheet.y, 44 * len(model.boxes) + 4
        sheet.at("line", "line", left + model.line, top, 2, high)
        for name, x, y in model.boxes:
            sheet.at("handle", name, left + x, top + y, 64, 36, text=name, tone="orange")
        sheet.move(left, top + high + 8)
        sheet.put("button", "done", "Done", tone="primary", w=70)

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if event.kind == "drop" and event.id.startswith("box"):
            dx, dy = event.moved
            boxes = tuple(
                (name, max(0, min(x + dx, 302)), max(0, min(y + dy, 44 * len(model.boxes) - 36)))
                if name == event.id
                else (name, x, y)
                for name, x, y in model.boxes
            )
            return model._replace(boxes=boxes)
        if event.kind == "click" and event.id == "done":
            return model._replace(
                done=all(abs(x - model.line) <= self.NEAR for _, x, _ in model.boxes)
            )
        return model

    def score(self, model: Model, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Model, ui: Ui) -> Step:
        for name, x, _ in model.boxes:
            if abs(x - model.line) > self.NEAR:
                return "drag", name, (model.line - x, 0)
        return "click", "done"


class Connecting(Family["Connecting.Model"]):
    """Tasks to join dots by lines, by dragging from one dot to the next."""

    like = "draw-line, draw-circle"
    application = "drawing"
    wide = 350

    class Model(NamedTuple):
        dots: tuple[tuple[int, int], ...]
        order: tuple[int, ...]
        drawn: int = 0
        done: bool | None = None

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        dots = tuple(places(rng, 4 + difficulty // 2))
        order = tuple(pick(rng, range(len(dots)), 2 + difficulty // 2))
        return self.Model(dots, order)

    def goal(self, model: Model) -> str:
        names = joined([str(dot + 1) for dot in model.order])
        return f"Connect {names} in this order, by dragging from each to the next."

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        connected_dots = {model.order[n] for n in range(model.drawn + 1)} if model.drawn else set()
        left, top = sheet.x, sheet.y
        for number, (x, y) in enumerate(model.dots):
            x, y = left + x, top + y
            tone = "green" if number in connected_dots else ""
            sheet.at("handle", f"dot{number}", x, y, 30, 30, text=str(number + 1), tone=tone)

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if event.kind != "drop" or not event.id.startswith("dot"):
            return model
        target = f"dot{model.order[model.drawn]}", f"dot{model.order[model.drawn + 1]}"
        if (event.id, event.value) != target:
            return model._replace(done=False) if str(event.value).startswith("dot") else model
        line_count = model.drawn + 1
        return model._replace(
            drawn=line_count, done=True if line_count == len(model.order) - 1 else None
        )

    def score(self, model: Model, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Model, ui: Ui) -> Step:
        return "drag", f"dot{model.order[model.drawn]}", f"dot{model.order[model.drawn + 1]}"
