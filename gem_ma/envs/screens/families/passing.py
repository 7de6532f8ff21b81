"""Tasks about what is shown for a while only: tips beside the pointer, and messages."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gem_ma.envs.screens.families import words
from gem_ma.envs.screens.families.family import Family, Row, Step, Steps, joined, one_of, pick
from gem_ma.envs.screens.sheet import Sheet
from gem_ma.envs.screens.ui import Event, Ui
from gem_ma.scene import text_metrics

TipParts = tuple[tuple[str, str, str], ...]  # an id, a figure, a name
ICONS = ("disc", "square", "triangle", "diamond", "star", "hexagon", "heart")


class Tips(Steps[TipParts]):
    """Icons that say what they do only when the pointer lies on them."""

    like = "hover-shape"
    follows = True

    def start(self, rng: np.random.Generator, difficulty: int) -> Row[TipParts]:
        names = pick(rng, words.WORDS, 5 + difficulty)
        parts = tuple((f"icon{n}", one_of(rng, ICONS), name) for n, name in enumerate(names))
        chosen = pick(rng, parts, 1 + difficulty // 2)
        told = joined([f'"{name}"' for *_, name in chosen])
        many = f"s whose tips say {told}, in this order"
        return Row(
            tuple(id for id, *_ in chosen),
            parts,
            f"Click on the icon{many if chosen[1:] else f' whose tip says {told}'}.",
        )

    def counts(self, model: Row[TipParts], id: str) -> bool:
        return id.startswith("icon")

    def draw(self, sheet: Sheet, model: Row[TipParts], ui: Ui) -> None:
        left, top = sheet.x, sheet.y + 10
        for number, (id, figure, name) in enumerate(model.parts):
            x, y = left + 84 * (number % 5), top + 84 * (number // 5)
            sheet.at("handle", id, x, y, 36, 36, text=figure, tone="blue")
            if ui.hover == id:
                wide = round(text_metrics.measure_width(name, sheet.type)) + 29
                high = sheet.line + 10
                sheet.at("note", "tip", min(x, 440 - wide), y + 44, wide, high, text=name)

    def plan(self, model: Row[TipParts], ui: Ui) -> Step:
        id = model.todo[model.at]
        return ("click" if ui.hover == id else "hover"), id


class Undoing(Family["Undoing.Model"]):
    """Things that are to be deleted, some of them only to take that back, while it is offered."""

    like = "email-inbox-delete"
    LASTS = 4  # actions

    class Model(NamedTuple):
        names: tuple[str, ...]
        todo: tuple[int, ...]  # which one is to be deleted next; -1: that is to be undone
        at: int = 0
        gone: frozenset[int] = frozenset()
        offered: int = -1  # whose deletion can be undone
        left: int = 0  # actions for which this is offered
        done: bool | None = None

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        names = tuple(pick(rng, words.WORDS, 4 + difficulty // 2))
        chosen = pick(rng, range(len(names)), 1 + difficulty // 3)
        undone = (difficulty + 1) // 3
        todo = [step for n, one in enumerate(chosen) for step in (one, *([-1] * (n < undone)))]
        return self.Model(names, tuple(todo))

    def goal(self, model: Model) -> str:
        told = ""
        for one in model.todo:
            then = ", then delete" if told else "Delete"
            told += " and undo that" if one < 0 else f'{then} "{model.names[one]}"'
        return f"{told}."

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        for number, name in enumerate(model.names):
            if number not in model.gone:
                sheet.put("label", f"name{number}", name, w=140)
                sheet.put("button", f"delete{number}", "Delete", beside=True)
        if model.offered >= 0:
            wide, high = sheet.grown(280), sheet.grown(42)
            left, top = (448 - wide) // 2, max(sheet.y, 438 - high)
            sheet.at("box", "message", left, top, wide, high, tone="black")
            told = f"{model.names[model.offered]} was deleted."
            middle = top + (high - sheet.line) // 2
            sheet.at("label", "told", left + 12, middle, sheet.grown(180), sheet.line, text=told)
            right, high = left + wide - sheet.grown(80), sheet.line + 10
            sheet.at("button", "undo", right, middle - 5, sheet.grown(68), high, text="Undo")

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if model.left:
            left = model.left - 1
            model = model._replace(left=left, offered=model.offered if left else -1)
        if event.kind != "click" or not event.id.startswith(("delete", "undo")):
            return model
        wanted = model.todo[model.at]
        if event.id != ("undo" if wanted < 0 else f"delete{wanted}"):
            return model._replace(done=False)
        at = model.at + 1
        model = model._replace(at=at, done=True if at == len(model.todo) else None)
        if wanted < 0:
            return model._replace(gone=model.gone - {model.offered}, offered=-1, left=0)
        return model._replace(gone=model.gone | {wanted}, offered=wanted, left=self.LASTS)

    def score(self, model: Model, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Model, ui: Ui) -> Step:
        wanted = model.todo[model.at]
        return "click", "undo" if wanted < 0 else f"delete{wanted}"
