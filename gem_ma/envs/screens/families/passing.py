"""Tasks about things that are shown only for a while: tips at the pointer, and messages."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gem_ma.envs.screens.families import words
from gem_ma.envs.screens.families.family import Family, Row, Step, Steps, joined, one_of, pick
from gem_ma.envs.screens.sheet import Sheet
from gem_ma.envs.screens.ui import Event, Ui
from gem_ma.scene import text_metrics

TipParts = tuple[tuple[str, str, str], ...]  # id, figure, name
ICONS = ("disc", "square", "triangle", "diamond", "star", "hexagon", "heart")


class Tips(Steps[TipParts]):
    """Tasks to click icons that show their names only under the pointer."""

    like = "hover-shape"
    follows = True
    application = "drawing"
    wide = 330
    opens = 30
    pool = words.WORDS

    def start(self, rng: np.random.Generator, difficulty: int) -> Row[TipParts]:
        names = pick(rng, words.WORDS, 5 + difficulty)
        parts = tuple((f"icon{n}", one_of(rng, ICONS), name) for n, name in enumerate(names))
        icons = pick(rng, parts, 1 + difficulty // 2)
        listing = joined([f'"{name}"' for *_, name in icons])
        plural = f"s whose tips say {listing}, in this order"
        return Row(
            tuple(id for id, *_ in icons),
            parts,
            f"Click on the icon{plural if icons[1:] else f' whose tip says {listing}'}.",
        )

    def counts(self, model: Row[TipParts], id: str) -> bool:
        return id.startswith("icon")

    def draw(self, sheet: Sheet, model: Row[TipParts], ui: Ui) -> None:
        left, top, columns = sheet.x, sheet.y + 6, min(5, (sheet.w + 28) // 64)
        pitch = min(84, (sheet.w + 28) // columns)
        for number, (id, figure, name) in enumerate(model.parts):
            x, y = left + pitch * (number % columns), top + 72 * (number // columns)
            sheet.at("handle", id, x, y, 36, 36, text=figure, tone="blue")
            if ui.hover == id:
                wide = round(text_metrics.measure_width(name, sheet.type)) + 29
                high = sheet.line + 10
                x = min(x, sheet.screen[0] - 8 - wide)
                sheet.at("note", "tip", x, y + 40, wide, high, text=name)

    def plan(self, model: Row[TipParts], ui: Ui) -> Step:
        id = model.todo[model.at]
        return ("click" if ui.hover == id else "hover"), id

    def find_needs(self, model: Row[TipParts]) -> list[str]:
        return [name for id, _, name in model.parts if id in model.todo]


class Undoing(Family["Undoing.Model"]):
    """Tasks to delete things, and undo some deletions while undoing is offered."""

    like = "email-inbox-delete"
    application = "files"
    opens = 50
    LASTS = 4  # actions for which undoing is offered
    pool = words.WORDS

    class Model(NamedTuple):
        names: tuple[str, ...]
        todo: tuple[int, ...]  # index of the thing to delete next; -1: undo the last deletion
        at: int = 0
        gone: frozenset[int] = frozenset()
        offered: int = -1  # the thing whose deletion can be undone
        left: int = 0  # remaining actions for which undoing is offered
        done: bool | None = None

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        names = tuple(pick(rng, words.WORDS, 4 + difficulty // 2))
        indices = pick(rng, range(len(names)), 1 + difficulty // 3)
        undo_count = (difficulty + 1) // 3
        tasks = [
            step for n, index in enumerate(indices) for step in (index, *([-1] * (n < undo_count)))
        ]
        return self.Model(names, tuple(tasks))

    def goal(self, model: Model) -> str:
        goal = ""
        for task in model.todo:
            prefix = ", then delete" if goal else "Delete"
            goal += " and undo that" if task < 0 else f'{prefix} "{model.names[task]}"'
        return f"{goal}."

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        for number, name in enumerate(model.names):
            if number not in model.gone:
                sheet.put("label", f"name{number}", name, w=140)
                sheet.put("button", f"delete{number}", "Delete", beside=True)
        if model.offered >= 0:
            wide, high = sheet.grown(280), sheet.grown(42)
            left = sheet.x + (sheet.w - wide) // 2
            top = max(sheet.y, sheet.low - high)
            sheet.at("box", "message", left, top, wide, high, tone="black")
            message = f"{model.names[model.offered]} was deleted."
            middle = top + (high - sheet.line) // 2
            sheet.at("label", "told", left + 12, middle, sheet.grown(180), sheet.line, text=message)
            right, high = left + wide - sheet.grown(80), sheet.line + 10
            sheet.at("button", "undo", right, middle - 5, sheet.grown(68), high, text="Undo")

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if model.left:
            remaining = model.left - 1
            model = model._replace(left=remaining, offered=model.offered if remaining else -1)
        if event.kind != "click" or not event.id.startswith(("delete", "undo")):
            return model
        target = model.todo[model.at]
        if event.id != ("undo" if target < 0 else f"delete{target}"):
            return model._replace(done=False)
        at = model.at + 1
        model = model._replace(at=at, done=True if at == len(model.todo) else None)
        if target < 0:
            return model._replace(gone=model.gone - {model.offered}, offered=-1, left=0)
        return model._replace(gone=model.gone | {target}, offered=target, left=self.LASTS)

    def score(self, model: Model, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Model, ui: Ui) -> Step:
        target = model.todo[model.at]
        return "click", "undo" if target < 0 else f"delete{target}"

    def find_needs(self, model: Model) -> list[str]:
        return [model.names[task] for task in model.todo if task >= 0]
