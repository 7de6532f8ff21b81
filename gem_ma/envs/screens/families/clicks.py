"""Tasks with one kind of widget to click: buttons, links, tabs, folds, menus, windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gem_ma.envs.screens.families import words
from gem_ma.envs.screens.families.family import (
    Family,
    Names,
    Row,
    Step,
    Steps,
    in_order,
    joined,
    one_of,
    pick,
)
from gem_ma.envs.screens.sheet import Sheet
from gem_ma.envs.screens.ui import Event, Ui
from gem_ma.scene import text_metrics

ButtonParts = tuple[tuple[str, bool], ...]  # name, whether beside the last one (links: longer text)
Sections = tuple[tuple[str, Names], ...]  # name of a section, its links
DialogParts = tuple[Names, tuple[tuple[str, tuple[float, float]], ...]]  # buttons; texts and places
TreeParts = tuple[tuple[tuple[Names, int], ...], Names]  # folders, index of the right one; files


class Buttons(Steps[ButtonParts]):
    """Tasks to click buttons among others."""

    kind = "button"
    like = "click-test-2, click-button, click-button-sequence"
    pool = words.WORDS

    def start(self, rng: np.random.Generator, difficulty: int) -> Row[ButtonParts]:
        names = pick(rng, words.WORDS, 4 + difficulty)
        targets = tuple(pick(rng, names, 1 + difficulty // 2))
        beside = [rng.random() < 0.5 for _ in names]
        return Row(targets, tuple(zip(names, beside, strict=True)), in_order(self.kind, targets))

    def counts(self, model: Row[ButtonParts], id: str) -> bool:
        return any(id == name for name, _ in model.parts)

    def draw(self, sheet: Sheet, model: Row[ButtonParts], ui: Ui) -> None:
        for name, beside in model.parts:
            sheet.put("button", name, name, beside=beside)


class Links(Buttons):
    """Tasks to click links in sentences."""

    kind = "link"
    like = "click-link"

    def draw(self, sheet: Sheet, model: Row[ButtonParts], ui: Ui) -> None:
        for number, (name, long) in enumerate(model.parts):
            before = "Read more about" if long else "See also"
            sheet.put("label", f"before{number}", before)
            sheet.put("link", name, name, beside=True)


class Tabs(Steps[Sections]):
    """Tasks to click links behind tabs."""

    like = "click-tab, click-tab-2, click-tab-2-hard"
    pool = words.WORDS

    def start(self, rng: np.random.Generator, difficulty: int) -> Row[Sections]:
        names = pick(rng, words.WORDS, 32)
        many, each = 3 + difficulty // 4, 2 + difficulty // 4
        tabs = tuple(
            (names[n].title(), tuple(names[8 + n * each : 8 + (n + 1) * each])) for n in range(many)
        )
        targets = tuple(one_of(rng, one_of(rng, tabs)[1]) for _ in range(1 + difficulty // 2))
        goal = in_order("link", targets).replace("link", "link behind the tabs", 1)
        return Row(targets, tabs, goal.replace("tabss", "tabs:"))

    def counts(self, model: Row[Sections], id: str) -> bool:
        return id in model.parts[model.shown][1]

    def go(self, model: Row[Sections], event: Event, ui: Ui) -> Row[Sections]:
        if event.kind == "click" and event.id[3:].isdecimal():
            return model._replace(shown=int(event.id[3:]))
        return model

    def draw(self, sheet: Sheet, model: Row[Sections], ui: Ui) -> None:
        for number, (name, _) in enumerate(model.parts):
            sheet.put("tab", f"tab{number}", name, number == model.shown, beside=number > 0)
        sheet.skip(4)
        for name in model.parts[model.shown][1]:
            sheet.put("link", name, name)

    def plan(self, model: Row[Sections], ui: Ui) -> Step:
        right = model.todo[model.at]
        place = next(n for n, (_, links) in enumerate(model.parts) if right in links)
        return ("click", right) if place == model.shown else ("click", f"tab{place}")


class Folds(Steps[Sections]):
    """Tasks to click links in sections that fold."""

    like = "click-collapsible, click-collapsible-2, click-collapsible-2-nodelay"
    pool = words.WORDS

    def start(self, rng: np.random.Generator, difficulty: int) -> Row[Sections]:
        names = pick(rng, words.WORDS, 35)
        many, each = 2 + difficulty // 3, 2 + difficulty // 6
        parts = tuple(
            (f"Section {n + 1}", tuple(names[n * each : (n + 1) * each])) for n in range(many)
        )
        targets = tuple(one_of(rng, one_of(rng, parts)[1]) for _ in range(1 + difficulty // 3))
        return Row(
            targets, parts, "Open sections to find what you need. " + in_order("link", targets)
        )

    def counts(self, model: Row[Sections], id: str) -> bool:
        return any(id in links for _, links in model.parts)

    def draw(self, sheet: Sheet, model: Row[Sections], ui: Ui) -> None:
        with sheet.fill("scroll"):
            for number, (name, links) in enumerate(model.parts):
                sheet.put("fold", f"fold{number}", name, False, w=sheet.w)
                for link in links if ui.values.get(f"fold{number}") else ():
                    sheet.put("link", link, link)

    def plan(self, model: Row[Sections], ui: Ui) -> Step:
        right = model.todo[model.at]
        place = next(n for n, (_, links) in enumerate(model.parts) if right in links)
        is_open = ui.values.get(f"fold{place}")
        return ("click", right) if is_open else ("set", f"fold{place}", True)


class Dialogs(Steps[DialogParts]):
    """Tasks to answer windows that are in the way."""

    like = "click-dialog, click-dialog-2, close-dialog"
    pool = NAMES = ("OK", "Cancel", "Close", "Yes", "No", "Later")

    def start(self, rng: np.random.Generator, difficulty: int) -> Row[DialogParts]:
        many = 1 + difficulty // 2
        names = tuple(pick(rng, self.NAMES, 3 + (difficulty > 4)))
        targets = tuple(one_of(rng, names) for _ in range(many))
        windows = tuple(
            (
                " ".join(pick(rng, words.WORDS, 4)).capitalize() + "?",
                (float(rng.random()), float(rng.random())),
            )
            for _ in targets
        )
        listing = joined([f'"{name}"' for name in targets])
        several = "windows, one after the other," if many > 1 else "window"
        return Row(targets, (names, windows), f"Answer the {several} with {listing}.")

    def counts(self, model: Row[DialogParts], id: str) -> bool:
        return id in model.parts[0]

    def draw(self, sheet: Sheet, model: Row[DialogParts], ui: Ui) -> None:
        names, windows = model.parts
        for number, (text, _) in enumerate(windows):
            sheet.put("link", f"behind{number}", text)
        text, at = windows[min(model.at, len(windows) - 1)]
        sheet.window(78 * len(names) + 18, 118, "Message", at)
        sheet.put("label", "window-text", text_metrics.truncate_to_width(text, sheet.type, sheet.w))
        sheet.skip(6)
        for name in names:
            sheet.put("button", name, name, w=70, beside=name != names[0])


class Trees(Steps[TreeParts]):
    """Tasks to click files in folders that open."""

    like = "navigate-tree"
    application = "files"
    pool = words.WORDS

    def start(self, rng: np.random.Generator, difficulty: int) -> Row[TreeParts]:
        deep = 1 + difficulty // 2
        names = [name.title() for name in pick(rng, words.WORDS, 3 * deep + 3)]
        path = []
        for depth in range(deep):
            path.append((tuple(names[3 * depth : 3 * depth + 3]), int(rng.integers(3))))
        files = tuple(f"{name.lower()}.txt" for name in names[3 * deep :])
        right = one_of(rng, files)
        where = " / ".join(one[place] for one, place in path)
        return Row((right,), (tuple(path), files), f"Open {where} and click on {right}.")

    def counts(self, model: Row[TreeParts], id: str) -> bool:
        return id in model.parts[1]

    def draw(self, sheet: Sheet, model: Row[TreeParts], ui: Ui) -> None:
        with sheet.fill("scroll"):
            self._level(sheet, model, ui, 0)

    def _level(self, sheet: Sheet, model: Row[TreeParts], ui: Ui, depth: int) -> None:
        path, files = model.parts
        left, wide = sheet.x, sheet.w
        if depth == len(path):
            for name in files:
                sheet.put("link", name, name)
            return
        names, right = path[depth]
        for place, name in enumerate(names):
            sheet.x, sheet.w = left, wide
            sheet.put("fold", f"dir{depth}-{place}", name, False, w=200)
            if ui.values.get(f"dir{depth}-{place}"):
                sheet.x, sheet.w = left + 16, wide - 16
                if place == right:
                    self._level(sheet, model, ui, depth + 1)
                else:
                    sheet.put("label", f"empty{depth}-{place}", "(empty)", tone="quiet")
        sheet.x, sheet.w = left, wide

    def plan(self, model: Row[TreeParts], ui: Ui) -> Step:
        for depth, (_, right) in enumerate(model.parts[0]):
            if not ui.values.get(f"dir{depth}-{right}"):
                return "set", f"dir{depth}-{right}", True
        return "click", model.todo[0]

    def find_needs(self, model: Row[TreeParts]) -> list[str]:
        return [model.todo[0].removesuffix(".txt")]


class Menus(Family["Menus.Model"]):
    """Tasks to choose commands in menus with submenus."""

    like = "click-menu, click-menu-2"
    application = "editor"
    wide = 300
    opens = 170
    WIDE = 150  # of a list
    pool = words.TITLES

    class Model(NamedTuple):
        menus: tuple[tuple[str, tuple[tuple[str, tuple[str, ...]], ...]], ...]
        wants: tuple[tuple[int, int, int], ...]
        open: tuple[int, ...] = ()
        at: int = 0
        done: bool | None = None

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        names = [name.title() for name in pick(rng, words.WORDS, 34)]
        subs = 3 if difficulty > 3 else 0
        menus = []
        for menu in range(3):
            entries = tuple(
                (names[3 + menu * 3 + n], tuple(names[12 + (menu * 3 + n) * 2 :][:subs]))
                for n in range(3)
            )
            menus.append((names[menu], entries))
        many = 1 + difficulty // 4
        targets = tuple(
            (int(rng.integers(3)), int(rng.integers(3)), int(rng.integers(subs)) if subs else -1)
            for _ in range(many)
        )
        return self.Model(tuple(menus), targets)

    def _name(self, model: Model, want: tuple[int, int, int]) -> str:
        menu, entry, sub = want
        name, entries = model.menus[menu]
        parts = [name, entries[entry][0], *([entries[entry][1][sub]] if sub >= 0 else [])]
        return " > ".join(parts)

    def goal(self, model: Model) -> str:
        return (
            f"Choose in the menus: {joined([self._name(model, target) for target in model.wants])}."
        )

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        for number, (name, _) in enumerate(model.menus):
            sheet.put("tab", f"menu{number}", name, model.open[:1] == (number,), beside=number > 0)
        if not model.open:
            return
        bar = sheet.widgets[-3 + model.open[0]]
        _, entries = model.menus[model.open[0]]
        top = bar.y + bar.h
        # As on a desktop: a list that would leave the screen at the right ends at its edge.
        left = max(0, min(bar.x, sheet.screen[0] - self.WIDE))
        self._list(sheet, left, top, [name for name, _ in entries], "entry")
        if len(model.open) > 1:
            fits = left + 2 * self.WIDE < sheet.screen[0] - 2
            beside = left + self.WIDE if fits else max(0, left - self.WIDE)
            top += (sheet.line + 8) * model.open[1]
            self._list(sheet, beside, top, entries[model.open[1]][1], "sub")

    def _list(self, sheet: Sheet, x: int, y: int, names: Sequence[str], id: str) -> None:
        high = sheet.line + 8
        sheet.at("menu", f"{id}-list", x, y - 1, self.WIDE, high * len(names) + 2)
        for number, name in enumerate(names):
            sheet.at(
                "item", f"{id}{number}", x + 1, y + high * number, self.WIDE - 2, high, text=name
            )

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if event.kind != "click":
            return model
        id = event.id
        if id.startswith("menu") and id[4:].isdecimal():
            return model._replace(open=() if model.open[:1] == (int(id[4:]),) else (int(id[4:]),))
        if id.startswith("entry") and id[5:].isdecimal():
            return self._entry(model, int(id[5:]))
        if id.startswith("sub") and id[3:].isdecimal():
            return self._chosen(model, (*model.open, int(id[3:])))
        return model._replace(open=())

    def _entry(self, model: Model, entry: int) -> Model:
        if model.menus[model.open[0]][1][entry][1]:
            return model._replace(open=(model.open[0], entry))
        return self._chosen(model, (model.open[0], entry, -1))

    def _chosen(self, model: Model, found: tuple[int, ...]) -> Model:
        if found != model.wants[model.at]:
            return model._replace(done=False)
        at = model.at + 1
        return model._replace(at=at, open=(), done=True if at == len(model.wants) else None)

    def score(self, model: Model, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Model, ui: Ui) -> Step:
        menu, entry, sub = model.wants[model.at]
        if model.open[:1] != (menu,):
            return "click", f"menu{menu}"
        if len(model.open) > 1 and model.open[1] == entry:
            return "click", f"sub{sub}"
        return "click", f"entry{entry}"

    def find_needs(self, model: Model) -> list[str]:
        return [name for want in model.wants for name in self._name(model, want).split(" > ")]
