"""Tasks with tables: read, sort, filter, compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gem_ma.envs.screens.families import words
from gem_ma.envs.screens.families.family import Family, Filled, Form, Names, Row, Step, Steps, pick
from gem_ma.envs.screens.sheet import TYPE, Sheet
from gem_ma.envs.screens.ui import Event, Ui
from gem_ma.scene import text_metrics

Record = tuple[Any, ...]  # a city and its numbers
ReadingParts = tuple[tuple[Record, ...], Names]  # the table, and the questions
ComparingParts = tuple[Names, Mapping[str, int], Mapping[str, int]]  # cities, and two tables
COLUMNS = ("City", "Guests", "Hotels", "Parks")
WIDE = (87, 74, 74, 74)


def made(rng: np.random.Generator, many: int) -> tuple[Record, ...]:
    """Sample rows: a city and three numbers, each of them unique in its column."""
    columns = [pick(rng, range(10, 100), many) for _ in COLUMNS[1:]]
    return tuple(zip(pick(rng, words.CITIES, many), *columns, strict=True))


def put(sheet: Sheet, rows: Sequence[Record], head: bool = False) -> None:
    """Put a table on a sheet; with `head`, the column heads can be clicked to sort."""
    for column, name in enumerate(COLUMNS):
        kind = "button" if head else "label"
        tone = "" if head else "bold"
        sheet.put(kind, f"head{column}", name, w=WIDE[column], beside=column > 0, tone=tone)
    for number, row in enumerate(rows):
        for column, value in enumerate(row):
            name = f"{row[0]}-{column}"
            sheet.put("label", name, str(value), w=WIDE[column], beside=column > 0)
        if number < len(rows) - 1:
            sheet.skip(-2)


class Reading(Form[ReadingParts]):
    """Tasks to type numbers of a table."""

    like = "read-table, read-table-2"
    application = "table"
    wide = 340

    def start(self, rng: np.random.Generator, difficulty: int) -> Filled[ReadingParts]:
        rows = made(rng, 4 + min(difficulty, 6) // 2)
        cells = pick(
            rng, [(row, column) for row in rows for column in (1, 2, 3)], 1 + difficulty // 3
        )
        targets = {f"answer{n}": str(row[column]) for n, (row, column) in enumerate(cells)}
        names = tuple(f"{COLUMNS[column]} of {row[0]}" for row, column in cells)
        return Filled(
            targets,
            (rows, names),
            "Type what the fields ask for out of the table, and click Submit.",
        )

    def draw(self, sheet: Sheet, model: Filled[ReadingParts], ui: Ui) -> None:
        rows, names = model.parts
        put(sheet, rows)
        room = max(round(text_metrics.measure_width(name, TYPE)) + 8 for name in names)
        for number, name in enumerate(names):
            sheet.named("field", f"answer{number}", name, "", w=90, room=room)
        sheet.put("button", "submit", self.button, tone="primary")


class Sorting(Family["Sorting.Model"]):
    """Tasks to sort a table, by one or several columns in turn, and name a row."""

    like = "sort-table, click-widget"
    application = "table"
    wide = 340

    class Model(NamedTuple):
        rows: tuple[Record, ...]
        asked: tuple[tuple[int, bool, int], ...]  # column, whether descending, index of the row
        by: int = -1
        down: bool = False
        at: int = 0
        done: bool | None = None

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        rows = made(rng, 5 + difficulty // 2)
        questions = []
        for _ in range(1 + difficulty // 2):
            questions.append(
                (
                    int(rng.integers(1, 4)),
                    bool(rng.integers(2)),
                    int(rng.integers(min(3, 1 + difficulty // 2))),
                )
            )
        return self.Model(rows, tuple(questions))

    def _right(self, model: Model) -> str:
        column, down, place = model.asked[model.at]
        return str(sorted(model.rows, key=lambda row: row[column], reverse=down)[place][0])

    def goal(self, model: Model) -> str:
        clauses = []
        for column, down, place in model.asked:
            nth = ("", "second ", "third ")[place]
            clauses.append(f"{nth}{'most' if down else 'fewest'} {COLUMNS[column].lower()}")
        return f"Click on the city with the {', then on that with the '.join(clauses)}."

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        rows: Sequence[Record] = model.rows
        if model.by >= 0:
            rows = sorted(rows, key=lambda row: row[model.by], reverse=model.down)
        for column, name in enumerate(COLUMNS):
            mark = "" if column != model.by else " -" if model.down else " +"
            sheet.put("button", f"head{column}", name + mark, w=WIDE[column], beside=column > 0)
        for row in rows:
            sheet.put("link", row[0], row[0], w=WIDE[0])
            for column in (1, 2, 3):
                sheet.put(
                    "label", f"{row[0]}-{column}", str(row[column]), w=WIDE[column], beside=True
                )

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if not event.is_click:
            return model
        if event.id.startswith("head"):
            column = int(event.id[4:])
            return model._replace(by=column, down=model.by == column and not model.down)
        if any(event.id == row[0] for row in model.rows):
            if event.id != self._right(model):
                return model._replace(done=False)
            at = model.at + 1
            return model._replace(at=at, done=True if at == len(model.asked) else None)
        return model

    def score(self, model: Model, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Model, ui: Ui) -> Step:
        column, down, _ = model.asked[model.at]
        if (model.by, model.down) != (column, down):
            return "click", f"head{column}"
        return "click", self._right(model)


class Filtering(Family["Filtering.Model"]):
    """Tasks to check the rows that fit, with a filter that hides the others."""

    like = "click-checkboxes-transfer, find-midpoint"
    application = "table"
    wide = 350

    class Model(NamedTuple):
        rows: tuple[Record, ...]
        column: int
        least: int
        done: bool | None = None

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        rows = made(rng, 4 + difficulty)
        column = int(rng.integers(1, 4))
        least = sorted(row[column] for row in rows)[-(1 + difficulty // 2)]
        return self.Model(rows, column, least)

    def goal(self, model: Model) -> str:
        condition = f"{model.least} {COLUMNS[model.column].lower()}"
        return f"Check every city with {condition} or more, and click Done."

    def _shown(self, model: Model, ui: Ui) -> list[Record]:
        text = str(ui.values.get("least", ""))
        column = max(1, ui.values.get("column", 0) + 1)
        least = int(text) if text.isdecimal() and len(text) < 5 else 0
        return [row for row in model.rows if row[column] >= least]

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        sheet.put("select", "column", "", 0, COLUMNS[1:], w=110)
        sheet.put("label", "at-least", "at least", beside=True)
        sheet.put("field", "least", "", "", w=60, beside=True)
        with sheet.fill("scroll", 42):
            for column, name in enumerate(COLUMNS):
                wide = 60 if column else 105
                sheet.put("label", f"head{column}", name, w=wide, beside=column > 0, tone="bold")
            for row in self._shown(model, ui):
                sheet.put("check", row[0], row[0], False, w=105)
                for column in (1, 2, 3):
                    id, text = f"{row[0]}-{column}", str(row[column])
                    sheet.put("label", id, text, w=60, beside=True)
        sheet.put("button", "done", "Done", tone="primary")

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if event.kind == "click" and event.id == "done":
            right = all(
                bool(ui.values.get(row[0])) == (row[model.column] >= model.least)
                for row in model.rows
            )
            return model._replace(done=right)
        return model

    def score(self, model: Model, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Model, ui: Ui) -> Step:
        for row in model.rows:
            if row[model.column] >= model.least and not ui.values.get(row[0]):
                return "set", row[0], True
        return "click", "done"


class Comparing(Steps[ComparingParts]):
    """Tasks to click the rows in which two tables differ."""

    like = "compare-tables, odd-or-even"
    application = "table"
    wide = 335

    def start(self, rng: np.random.Generator, difficulty: int) -> Row[ComparingParts]:
        names = pick(rng, words.CITIES, 5 + difficulty // 2)
        left = {name: int(rng.integers(10, 100)) for name in names}
        some = sorted(pick(rng, names, 1 + difficulty // 3), key=names.index)
        right = {
            name: value + (int(rng.integers(1, 9)) if name in some else 0)
            for name, value in left.items()
        }
        goal = "Click on each city whose two numbers differ, from the top down."
        return Row(tuple(some), (tuple(names), left, right), goal)

    def counts(self, model: Row[ComparingParts], id: str) -> bool:
        return id in model.parts[0]

    def draw(self, sheet: Sheet, model: Row[ComparingParts], ui: Ui) -> None:
        names, left, right = model.parts
        for column, text in enumerate(("City", "2025", "2026")):
            sheet.put("label", f"head{column}", text, w=105, beside=column > 0, tone="bold")
        for name in names:
            sheet.put("link", name, name, w=105)
            sheet.put("label", f"{name}-left", str(left[name]), w=105, beside=True)
            sheet.put("label", f"{name}-right", str(right[name]), w=105, beside=True)
