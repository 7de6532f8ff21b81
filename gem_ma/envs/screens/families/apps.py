"""Small apps with several screens: a shop, a calculator, a spreadsheet, a terminal, a map."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gem_ma.envs.screens.families import words
from gem_ma.envs.screens.families.family import Family, Step, joined, make_sentence, one_of, pick
from gem_ma.envs.screens.sheet import Sheet
from gem_ma.envs.screens.ui import Event, Ui
from gem_ma.scene import text_metrics


class Shop(Family["Shop.Model"]):
    """Tasks to put things into a cart, in given quantities, and buy them."""

    like = "buy-ticket, order-food, click-widget"
    application = "shop"
    wide = 310
    pool = words.FOODS

    class Model(NamedTuple):
        things: tuple[tuple[str, int], ...]
        wants: tuple[tuple[str, int], ...]
        cart: tuple[tuple[str, int], ...] = ()
        screen: str = "shop"
        done: bool | None = None

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        names = pick(rng, words.FOODS, 6 + difficulty)
        things = tuple((name, int(rng.integers(1, 20))) for name in names)
        some = pick(rng, names, 1 + difficulty // 3)
        return self.Model(
            things, tuple((name, 1 + int(rng.integers(1 + difficulty // 4))) for name in some)
        )

    def goal(self, model: Model) -> str:
        return f"Buy {joined([f'{name} ({many})' for name, many in model.wants])}."

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        if model.screen == "cart":
            self._cart(sheet, model)
            return
        inside = sum(many for _, many in model.cart)
        sheet.put("title", "title", "Groceries", w=200)
        sheet.put("button", "cart", f"Cart ({inside})", beside=True, w=90)
        with sheet.fill("scroll"):
            for name, price in model.things:
                sheet.put("label", f"name-{name}", name.title(), w=120)
                sheet.put("label", f"price-{name}", f"${price}", w=60, beside=True)
                sheet.put("button", f"add-{name}", "Add", w=70, beside=True)

    def _cart(self, sheet: Sheet, model: Model) -> None:
        prices = dict(model.things)
        for name, many in model.cart:
            sheet.put("label", f"in-{name}", f"{many} {name}", w=150)
            sheet.put("label", f"sum-{name}", f"${many * prices[name]}", w=60, beside=True)
            sheet.put("button", f"remove-{name}", "Remove", beside=True)
        sheet.label(f"Total ${sum(many * prices[name] for name, many in model.cart)}", tone="bold")
        sheet.put("button", "buy", "Buy", tone="primary")
        sheet.put("button", "back", "Back to the shop", beside=True)

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if not event.is_click:
            return model
        action, _, name = event.id.partition("-")
        if action in ("cart", "back") and not name:
            return model._replace(screen="cart" if action == "cart" else "shop")
        cart = dict(model.cart)
        if action == "add":
            cart[name] = cart.get(name, 0) + 1
        elif action == "remove":
            cart.pop(name, None)
        elif action == "buy":
            return model._replace(done=cart == dict(model.wants))
        return model._replace(cart=tuple(cart.items()))

    def score(self, model: Model, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Model, ui: Ui) -> Step:
        cart = dict(model.cart)
        for name, many in model.wants:
            if cart.get(name, 0) < many:
                return ("click", f"add-{name}") if model.screen == "shop" else ("click", "back")
        return ("click", "buy") if model.screen == "cart" else ("click", "cart")

    def find_needs(self, model: Model) -> list[str]:
        return [name for name, _ in model.wants]


class Calculator(Family["Calculator.Model"]):
    """Tasks to compute a sum on a calculator, and store its result."""

    like = "simple-arithmetic, simple-algebra"
    application = "calculator"
    wide = 250

    class Model(NamedTuple):
        terms: tuple[str, ...]
        shown: str = "0"
        first: str = ""
        sign: str = ""
        fresh: bool = True
        done: bool | None = None

    KEYS = ("789+", "456-", "123x", "C0=K")

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        most = 10 if difficulty < 4 else 100 if difficulty < 8 else 1000
        terms = [str(int(rng.integers(most // 10, most)))]
        for _ in range(1 + difficulty // 4):
            terms += [
                one_of(rng, "+-x" if difficulty > 2 else "+-"),
                str(int(rng.integers(most // 10, most))),
            ]
        return self.Model(tuple(terms))

    def goal(self, model: Model) -> str:
        return f"Work out {' '.join(model.terms)} from left to right, and press Keep."

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        side = sheet.choose_side(44, 52)
        sheet.put("cell", "shown", model.shown, w=4 * side + 24, h=34)
        for line in self.KEYS:
            for key in line:
                name = "Keep" if key == "K" else key
                tone = "primary" if key == "K" else ""
                sheet.put(
                    "button",
                    f"key{key}",
                    name,
                    w=side,
                    h=side - 8,
                    beside=key != line[0],
                    tone=tone,
                )

    def _result(self, model: Model) -> int:
        total = int(model.terms[0])
        for sign, term in zip(model.terms[1::2], model.terms[2::2], strict=True):
            total = self._sum(total, sign, int(term))
        return total

    def _sum(self, one: int, sign: str, two: int) -> int:
        return {"+": one + two, "-": one - two, "x": one * two}.get(sign, two)

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if event.kind == "key" and isinstance(event.value, str) and event.value in "0123456789+-":
            return self._pressed(model, event.value)
        if not event.is_click or not event.id.startswith("key"):
            return model
        return self._pressed(model, event.id[3:])

    def _pressed(self, model: Model, key: str) -> Model:
        if key.isdecimal():
            display = key if model.fresh else (model.shown + key)[:9]
            return model._replace(shown=display, fresh=False)
        if key == "C":
            return model._replace(shown="0", first="", sign="", fresh=True)
        if key == "K":
            return model._replace(done=model.shown == str(self._result(model)))
        display = model.shown
        if model.sign and not model.fresh:
            display = str(self._sum(int(model.first), model.sign, int(model.shown)))
        return model._replace(
            shown=display, first=display, sign="" if key == "=" else key, fresh=True
        )

    def score(self, model: Model, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Model, ui: Ui) -> Step:
        now, key = self.Model(model.terms), ""
        for one in (*"".join(model.terms), "=", "K"):
            if now[1:5] == model[1:5]:  # the last time, since it may be so more than once
                key = one
            now = self._pressed(now, one)
        if key:
            return "click", f"key{key}"
        return ("click", "keyK") if model.shown == str(self._result(model)) else ("click", "keyC")


class Spreadsheet(Family["Spreadsheet.Model"]):
    """Tasks to type sums of rows and columns into cells."""

    like = "enter-text, read-table"
    application = "table"
    wide = 390

    class Model(NamedTuple):
        numbers: tuple[tuple[int, ...], ...]
        asked: tuple[tuple[str, int], ...]  # "row" or "column", its index
        done: bool | None = None

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        rows, columns = 2 + difficulty // 4, 2 + difficulty // 5
        most = 10 if difficulty < 5 else 100
        numbers = tuple(tuple(int(n) for n in rng.integers(1, most, columns)) for _ in range(rows))
        every = [("row", n) for n in range(rows)] + [("column", n) for n in range(columns)]
        return self.Model(numbers, tuple(pick(rng, every, min(1 + difficulty // 3, len(every)))))

    def goal(self, model: Model) -> str:
        names = [f"{kind} {n + 1 if kind == 'row' else 'ABCDE'[n]}" for kind, n in model.asked]
        return f"Type the sum of {joined(names)} into the cell at its end, and click Save."

    def _sum(self, model: Model, what: str, n: int) -> str:
        return str(sum(model.numbers[n]) if what == "row" else sum(row[n] for row in model.numbers))

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        columns, line = len(model.numbers[0]), sheet.line
        left, top, high = sheet.x + 32, sheet.y, line + 10
        for column, name in enumerate("ABCDE"[:columns]):
            sheet.at("label", f"name{column}", left + 32 + 70 * column, top, 40, line, text=name)
        top += line + 4
        for n, row in enumerate(model.numbers):
            y = top + high * n
            sheet.at("label", f"line{n}", left - 22, y + 4, 20, line, text=str(n + 1))
            for column, value in enumerate(row):
                sheet.at(
                    "cell", f"cell{n}-{column}", left + 70 * column, y, 70, high, text=str(value)
                )
            sheet.at("field", f"row{n}", left + 70 * columns, y + 1, 72, line + 8, value="")
        y = top + high * len(model.numbers)
        for column in range(columns):
            sheet.at("field", f"column{column}", left + 70 * column, y + 1, 70, line + 8, value="")
        sheet.at(
            "button", "save", left, y + 44, sheet.grown(70), line + 8, text="Save", tone="primary"
        )

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if event.kind == "click" and event.id == "save":
            sums = {f"{kind}{n}": self._sum(model, kind, n) for kind, n in model.asked}
            values = {
                id: value for id, value in ui.values.items() if value and isinstance(value, str)
            }
            return model._replace(done=values == sums)
        return model

    def score(self, model: Model, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Model, ui: Ui) -> Step:
        for kind, n in model.asked:
            if ui.values.get(f"{kind}{n}", "") != self._sum(model, kind, n):
                return "set", f"{kind}{n}", self._sum(model, kind, n)
        return "click", "save"


class Terminal(Family["Terminal.Model"]):
    """Tasks to type commands: list and enter folders, remove and rename files."""

    like = "terminal"
    application = "terminal"
    wide = 400
    opens = 150
    pool = words.WORDS

    class Model(NamedTuple):
        folders: tuple[tuple[str, tuple[str, ...]], ...]
        todo: tuple[tuple[str, str, str], ...]  # rm or mv, folder, file
        new: tuple[str, ...]
        here: str = ""
        lines: tuple[str, ...] = ("ls, cd NAME, cd .., rm FILE, mv FILE NEW",)
        at: int = 0
        done: bool | None = None

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        names = pick(rng, words.WORDS, 3 + 9)
        files = [f"{one}.txt" for one in names[3:]]
        folders = (
            ("", tuple(files[:3])),
            *((name, tuple(files[3 + 3 * n : 6 + 3 * n])) for n, name in enumerate(names[:2])),
        )
        tasks = []
        remaining = {name: list(inside) for name, inside in folders}
        for _ in range(1 + difficulty // 3):
            folder = (
                one_of(rng, [name for name in remaining if remaining[name]])
                if difficulty > 1
                else ""
            )
            file = (
                remaining[folder].pop(int(rng.integers(len(remaining[folder]))))
                if remaining[folder]
                else remaining[""].pop()
            )
            tasks.append((one_of(rng, ("rm", "mv")) if difficulty > 3 else "rm", folder, file))
        new = tuple(f"{one}.csv" for one in pick(rng, words.WORDS, len(tasks)))
        return self.Model(folders, tuple(tasks), new)

    def goal(self, model: Model) -> str:
        clauses = []
        for (command, folder, file), new in zip(model.todo, model.new, strict=True):
            path = f"{folder}/{file}" if folder else file
            clauses.append(f"remove {path}" if command == "rm" else f"rename {path} to {new}")
        goal = ", then ".join(clauses)
        return make_sentence(goal)

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        room = (sheet.low - sheet.y - sheet.line - 8) // (sheet.line + sheet.style.gap)
        for number, line in enumerate(model.lines[-max(1, min(room, 11)) :]):
            sheet.put("label", f"line{number}", line, w=420)
        sheet.put("label", "prompt", f"/{model.here}$", w=90)
        sheet.put("field", "command", "", "", beside=True, w=220)

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if event.kind != "enter" or event.id != "command":
            return model
        line = str(ui.values.get("command", "")).strip()
        lines = (*model.lines, f"/{model.here}$ {line}")
        return self._run(model, line.split(), lines)

    def _run(self, model: Model, parts: list[str], said: tuple[str, ...]) -> Model:
        folders = dict(model.folders)
        match parts:
            case ["ls"]:
                inside = [
                    *folders[model.here],
                    *([f"{name}/" for name in folders if name] if not model.here else []),
                ]
                return model._replace(lines=(*said, "  ".join(inside)))
            case ["cd", ".."]:
                return model._replace(here="", lines=said)
            case ["cd", name] if not model.here and name.strip("/") in folders and name.strip("/"):
                return model._replace(here=name.strip("/"), lines=said)
            case ["rm", file] | ["mv", file, _] if file in folders[model.here]:
                new = parts[2] if len(parts) > 2 else ""
                command, folder, target = model.todo[model.at]
                right = (parts[0], model.here, file) == (command, folder, target)
                right &= parts[0] == "rm" or new == model.new[model.at]
                files = [one if one != file else new for one in folders[model.here]]
                folders[model.here] = tuple(one for one in files if one)
                at = model.at + 1
                done = False if not right else True if at == len(model.todo) else None
                return model._replace(folders=tuple(folders.items()), lines=said, at=at, done=done)
        return model._replace(lines=(*said, "what? " + " ".join(parts)[:40]))

    def patch(self, before: Model, model: Model, ui: Ui) -> Ui:
        return ui.put("command", "")._replace(caret=0, anchor=0)

    def score(self, model: Model, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Model, ui: Ui) -> Step:
        command, folder, file = model.todo[model.at]
        if model.here != folder:
            line = f"cd {folder}" if not model.here else "cd .."
        else:
            line = f"rm {file}" if command == "rm" else f"mv {file} {model.new[model.at]}"
        if ui.values.get("command", "") != line:
            return "set", "command", line
        return "key", "Enter"

    def find_needs(self, model: Model) -> list[str]:
        return [file.removesuffix(".txt") for _, _, file in model.todo]


class Map(Family["Map.Model"]):
    """Tasks to find places on a map that moves and zooms."""

    like = "navigate, stock-market"
    application = "map"
    wide = 420
    WIDE, HIGH = 420, 270
    pool = words.CITIES

    class Model(NamedTuple):
        cities: tuple[
            tuple[str, int, int, int], ...
        ]  # name, position, first zoom that shows the name
        todo: tuple[str, ...]
        x: int = 0  # of the map's centre
        y: int = 0
        zoom: int = 0
        at: int = 0
        done: bool | None = None

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        names = pick(rng, words.CITIES, 8 + difficulty)
        grid = [(x, y) for x in (-510, -170, 170, 510) for y in range(-500, 501, 125)]
        cities = tuple(
            (name, x, y, int(rng.integers(1 + min(difficulty, 8) // 4)))
            for name, (x, y) in zip(names, pick(rng, grid, len(names)), strict=True)
        )
        return self.Model(cities, tuple(pick(rng, names, 1 + difficulty // 3)))

    def goal(self, model: Model) -> str:
        order = ", in this order" if len(model.todo) > 1 else ""
        return f"Click on {joined(model.todo)} on the map{order}."

    across, down = range(8, WIDE - 25), range(8, HIGH - 27)  # part of the map that shows places

    def _where(self, model: Model, x: int, y: int) -> tuple[int, int]:
        scale = (30, 60, 120)[model.zoom]
        middle = self.WIDE // 2, self.HIGH // 2
        return middle[0] + (x - model.x) * scale // 100, middle[1] + (y - model.y) * scale // 100

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        left, top = sheet.x, sheet.y
        sheet.at("handle", "map", left, top, self.WIDE, self.HIGH)
        cities = [
            (name, *self._where(model, x, y))
            for name, x, y, zoom in model.cities
            if zoom <= model.zoom
        ]
        cities = [(name, x, y) for name, x, y in cities if x in self.across and y in self.down]
        for name, x, y in cities:
            wide = round(text_metrics.measure_width(name, sheet.type)) + 1
            x = left + max(2, min(x - wide // 2, self.WIDE - 2 - wide))
            sheet.at("label", f"name-{name}", x, top + y + 7, wide, sheet.line, text=name)
        for name, x, y in cities:
            x, y = left + x - 7, top + y - 7
            sheet.at("handle", name, x, y, 14, 14, text="disc", tone="red")
        y = top + self.HIGH + 8
        for number, name in enumerate(("+", "-", "North", "South", "West", "East")):
            sheet.at("button", name, left + 71 * number, y, 65, sheet.line + 10, text=name)

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if event.kind == "drop" and event.id == "map":
            scale = (30, 60, 120)[model.zoom]
            x, y = (
                middle - shift * 100 // scale
                for middle, shift in zip((model.x, model.y), event.moved, strict=True)
            )
            return self._kept(model, x, y)
        if not event.is_click:
            return model
        if event.id in ("+", "-"):
            return model._replace(zoom=max(0, min(2, model.zoom + (1 if event.id == "+" else -1))))
        by = {"North": (0, -1), "South": (0, 1), "West": (-1, 0), "East": (1, 0)}.get(event.id)
        if by is not None:
            far = (400, 200, 100)[model.zoom]
            return self._kept(model, model.x + by[0] * far, model.y + by[1] * far)
        if any(event.id == city[0] for city in model.cities):
            if event.id != model.todo[model.at]:
                return model._replace(done=False)
            at = model.at + 1
            return model._replace(at=at, done=True if at == len(model.todo) else None)
        return model

    def _kept(self, model: Model, x: int, y: int) -> Model:
        return model._replace(x=max(-500, min(500, x)), y=max(-500, min(500, y)))

    def score(self, model: Model, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Model, ui: Ui) -> Step:
        name, x, y, zoom = next(city for city in model.cities if city[0] == model.todo[model.at])
        if model.zoom < zoom:
            return "click", "+"
        x, y = self._where(model, x, y)
        if x in self.across and y in self.down:
            return "click", name
        if x not in self.across:
            return "click", "West" if x < self.across.start else "East"
        return "click", "North" if y < self.down.start else "South"

    def find_needs(self, model: Model) -> tuple[str, ...]:
        return model.todo
