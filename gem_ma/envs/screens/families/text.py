"""Tasks with text: correct, copy, mark, find and replace."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gem_ma.envs.screens.families import words
from gem_ma.envs.screens.families.family import Family, Filled, Form, Names, Step, joined, pick
from gem_ma.envs.screens.sheet import Sheet
from gem_ma.envs.screens.ui import Event, Ui

CopyParts = tuple[Names, tuple[int, ...]]  # the texts, and the indices of those to copy


class Correcting(Family["Correcting.Model"]):
    """Tasks to replace words of a text."""

    like = "text-editor, text-transform"
    application = "editor"
    wide = 330
    pool = words.WORDS

    class Model(NamedTuple):
        text: str
        swaps: tuple[tuple[str, str], ...]
        done: bool | None = None

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        many = 3 + difficulty
        tokens = pick(rng, words.WORDS, many + 1 + difficulty // 3)
        text = " ".join(tokens[:many])
        olds = pick(rng, tokens[:many], 1 + difficulty // 3)
        return self.Model(text, tuple(zip(olds, tokens[many:], strict=True)))

    def goal(self, model: Model) -> str:
        return f"Replace {joined([f'{old!r} with {new!r}' for old, new in model.swaps])}, and save."

    def _wanted(self, model: Model) -> str:
        new = dict(model.swaps)
        return " ".join(new.get(word, word) for word in model.text.split())

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        for number, line in enumerate(self._lines(model.text)):
            sheet.put("field", f"line{number}", "", line, w=420)
        sheet.put("button", "save", "Save", tone="primary")

    def _lines(self, text: str) -> list[str]:
        tokens = text.split()
        return [" ".join(tokens[n : n + 4]) for n in range(0, len(tokens), 4)]

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if event.kind == "click" and event.id == "save":
            lines = [
                ui.values.get(f"line{n}", line) for n, line in enumerate(self._lines(model.text))
            ]
            return model._replace(done=lines == self._lines(self._wanted(model)))
        return model

    def score(self, model: Model, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Model, ui: Ui) -> Step:
        lines = self._lines(model.text)
        for number, (line, target) in enumerate(
            zip(lines, self._lines(self._wanted(model)), strict=True)
        ):
            if ui.values.get(f"line{number}", line) != target:
                return "set", f"line{number}", target
        return "click", "save"

    def find_needs(self, model: Model) -> list[str]:
        return [old for old, _ in model.swaps]


class Copying(Form[CopyParts]):
    """Tasks to copy texts from fields into others."""

    like = "copy-paste, copy-paste-2"
    application = "editor"
    wide = 300

    def start(self, rng: np.random.Generator, difficulty: int) -> Filled[CopyParts]:
        many = 2 + difficulty // 4
        texts = tuple(
            "".join(pick(rng, "abcdefghkmnpqrstuvwxyz23456789", 6 + difficulty))
            for _ in range(many)
        )
        indices = pick(rng, range(many), 1 + difficulty // 4)
        targets = {f"to{n}": texts[index] for n, index in enumerate(indices)}
        description = joined(
            [f"text {index + 1} into field {n + 1}" for n, index in enumerate(indices)]
        )
        defaults = {f"from{n}": text for n, text in enumerate(texts)}
        return Filled(
            targets, (texts, tuple(indices)), f"Copy {description}, and click Submit.", had=defaults
        )

    def draw(self, sheet: Sheet, model: Filled[CopyParts], ui: Ui) -> None:
        texts, indices = model.parts
        for number, text in enumerate(texts):
            sheet.named("field", f"from{number}", f"Text {number + 1}", text)
        sheet.skip()
        for number in range(len(indices)):
            sheet.named("field", f"to{number}", f"Field {number + 1}", "")
        sheet.put("button", "submit", self.button, tone="primary")

    def plan(self, model: Filled[CopyParts], ui: Ui) -> Step:
        texts, indices = model.parts
        for number, index in enumerate(indices):
            if ui.values.get(f"to{number}") == texts[index]:
                continue
            if ui.clipboard == texts[index]:
                return ("key", "ctrl+v") if ui.focus == f"to{number}" else ("click", f"to{number}")
            if ui.focus != f"from{index}":
                return "click", f"from{index}"
            whole = {ui.caret, ui.anchor} == {0, len(texts[index])}
            return ("key", "ctrl+c") if whole else ("key", "ctrl+a")
        return "click", "submit"


class Marking(Family["Marking.Model"]):
    """Tasks to mark words in a field, as with a double click."""

    like = "highlight-text, highlight-text-2"
    application = "editor"
    wide = 330
    pool = words.WORDS

    class Model(NamedTuple):
        lines: tuple[str, ...]
        todo: tuple[tuple[int, str], ...]
        marked: tuple[int, str] | None = None
        at: int = 0
        done: bool | None = None

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        tokens = pick(rng, words.WORDS, 4 * (2 + difficulty // 3))
        lines = tuple(" ".join(tokens[n : n + 4]) for n in range(0, len(tokens), 4))
        targets = []
        for _ in range(1 + difficulty // 2):
            line = int(rng.integers(len(lines)))
            targets.append((line, lines[line].split()[int(rng.integers(4))]))
        return self.Model(lines, tuple(targets))

    def goal(self, model: Model) -> str:
        names = [f'"{word}"' for _, word in model.todo]
        order = ", one after the other" if len(names) > 1 else ""
        return f"Mark {joined(names)}{order}; click Marked for each."

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        for number, line in enumerate(model.lines):
            sheet.put("field", f"line{number}", "", line, w=420)
        sheet.put("button", "marked", f"Marked ({model.at} of {len(model.todo)})", tone="primary")

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if event.kind == "click" and event.id == "marked":
            if model.marked != model.todo[model.at]:
                return model._replace(done=False)
            at = model.at + 1
            return model._replace(at=at, done=True if at == len(model.todo) else None)
        return model._replace(marked=self._chosen(model, ui))

    def _chosen(self, model: Model, ui: Ui) -> tuple[int, str] | None:
        """Return the marked text and the index of its line."""
        for number, line in enumerate(model.lines):
            if ui.focus == f"line{number}":
                text = str(ui.values.get(ui.focus, line))
                return number, text[min(ui.caret, ui.anchor) : max(ui.caret, ui.anchor)].strip()
        return None

    def score(self, model: Model, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Model, ui: Ui) -> Step:
        line, word = model.todo[model.at]
        if model.marked == (line, word):
            return "click", "marked"
        return "mark", f"line{line}", word

    def find_needs(self, model: Model) -> list[str]:
        return [word for _, word in model.todo]


class Replacing(Family["Replacing.Model"]):
    """Tasks to replace all occurrences of a word in a find-and-replace dialogue."""

    like = "text-editor"
    application = "editor"

    class Model(NamedTuple):
        text: str
        swaps: tuple[tuple[str, str], ...]
        now: str
        opened: bool = False
        done: bool | None = None

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        kinds = pick(rng, words.WORDS, 4 + 2 * (1 + difficulty // 3))
        swaps = tuple((kinds[n], kinds[-1 - n]) for n in range(1 + difficulty // 3))
        tokens = [kinds[int(rng.integers(4))] for _ in range(12 + 2 * difficulty)]
        text = " ".join([*tokens, *(old for old, _ in swaps)])
        return self.Model(text, swaps, text)

    def goal(self, model: Model) -> str:
        description = joined([f'"{old}" with "{new}"' for old, new in model.swaps])
        return f"Replace every {description}, and save."

    def _after(self, model: Model, many: int) -> str:
        new = dict(model.swaps[:many])
        return " ".join(new.get(word, word) for word in model.text.split())

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        sheet.put("button", "find", "Find and replace")
        sheet.put("button", "save", "Save", tone="primary", beside=True)
        sheet.label(model.now)
        if model.opened:
            sheet.window(330, 200 if sheet.style.stacked else 160, "Find and replace")
            sheet.named("field", "old", "Find", "", w=190)
            sheet.named("field", "new", "Replace by", "", w=190)
            sheet.put("button", "all", "Replace all", tone="primary")
            sheet.put("button", "close", "Close", beside=True)

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if event.kind != "click":
            return model
        if event.id in ("find", "close"):
            return model._replace(opened=event.id == "find")
        if event.id == "all":
            old, new = str(ui.values.get("old", "")).strip(), str(ui.values.get("new", "")).strip()
            now = " ".join(new if word == old and new else word for word in model.now.split())
            return model._replace(now=now)
        if event.id == "save":
            return model._replace(done=model.now == self._after(model, len(model.swaps)))
        return model

    def score(self, model: Model, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Model, ui: Ui) -> Step:
        for number, (old, new) in enumerate(model.swaps):
            if model.now in [
                self._after(model, many) for many in range(number + 1, len(model.swaps) + 1)
            ]:
                continue
            if not model.opened:
                return "click", "find"
            for id, text in (("old", old), ("new", new)):
                if ui.values.get(id, "") != text:
                    return "set", id, text
            return "click", "all"
        return ("click", "close") if model.opened else ("click", "save")
