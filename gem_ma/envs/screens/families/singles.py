"""Tasks with one kind of widget: to click, to type, to choose, to slide, to drag."""

from __future__ import annotations

from typing import Any, NamedTuple

from gem_ma.envs.screens.families import words
from gem_ma.envs.screens.families.family import Family, Filled, Form, joined, one_of, pick
from gem_ma.scene import letters


class Target(NamedTuple):
    """One thing of several that is to be clicked."""

    names: tuple[str, ...]
    right: str
    done: bool | None = None
    extra: Any = None


class ClickOne(Family):
    """Tasks that end with the first click on one of several things."""

    kind = "button"
    like = "click-button"

    def start(self, rng: Any, level: int) -> Target:
        names = pick(rng, words.WORDS, 2 + level)
        return Target(tuple(names), names[int(rng.integers(len(names)))], None, self.where(rng, names))

    def where(self, rng: Any, names: Any) -> Any:
        return tuple(rng.random() < 0.5 for _ in names)

    def goal(self, model: Target) -> str:
        return f'Click on the {self.kind} "{model.right}".'

    def draw(self, sheet: Any, model: Target, ui: Any) -> None:
        for name, beside in zip(model.names, model.extra, strict=True):
            sheet.put(self.kind, name, name, beside=beside)

    def update(self, model: Target, event: Any, ui: Any) -> Target:
        if event.kind == "click" and event.id in model.names:
            return model._replace(done=event.id == model.right)
        return model

    def score(self, model: Target, ui: Any) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Target, ui: Any) -> Any:
        return "click", model.right


class ClickLink(ClickOne):
    """Links within sentences."""

    kind = "link"
    like = "click-link"

    def where(self, rng: Any, names: Any) -> Any:
        return tuple(" ".join(pick(rng, words.WORDS, 2 + int(rng.integers(4)))) for _ in names)

    def draw(self, sheet: Any, model: Target, ui: Any) -> None:
        for name, before in zip(model.names, model.extra, strict=True):
            sheet.put("label", f"before-{name}", before, h=18)
            sheet.put("link", name, name, beside=True, h=18)


class ClickTab(Family):
    """A link on one of several tabs."""

    like = "click-tab-2"

    class Model(NamedTuple):
        tabs: tuple[tuple[str, tuple[str, ...]], ...]
        right: str
        shown: int = 0
        done: bool | None = None

    def start(self, rng: Any, level: int) -> Any:
        names = pick(rng, words.WORDS, 30)
        tabs = 2 + min(level, 8) // 3
        each = 2 + level // 3
        found = tuple(
            (names[n].title(), tuple(names[6 + n * each : 6 + (n + 1) * each])) for n in range(tabs)
        )
        return self.Model(found, one_of(rng, one_of(rng, found)[1]))

    def goal(self, model: Any) -> str:
        return f'Find the link "{model.right}" behind one of the tabs, and click on it.'

    def draw(self, sheet: Any, model: Any, ui: Any) -> None:
        for number, (name, _) in enumerate(model.tabs):
            sheet.put("tab", f"tab{number}", name, number == model.shown, beside=number > 0)
        sheet.skip(4)
        for name in model.tabs[model.shown][1]:
            sheet.put("link", name, name, h=18)

    def update(self, model: Any, event: Any, ui: Any) -> Any:
        if event.kind != "click":
            return model
        if event.id.startswith("tab") and event.id[3:].isdecimal():
            return model._replace(shown=int(event.id[3:]))
        if event.id in model.tabs[model.shown][1]:
            return model._replace(done=event.id == model.right)
        return model

    def score(self, model: Any, ui: Any) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Any, ui: Any) -> Any:
        place = next(n for n, (_, links) in enumerate(model.tabs) if model.right in links)
        return ("click", model.right) if place == model.shown else ("click", f"tab{place}")


class Checkboxes(Form):
    """Some of several boxes are to be checked."""

    like = "click-checkboxes, click-checkboxes-large, click-checkboxes-transfer"

    def start(self, rng: Any, level: int) -> Filled:
        names = pick(rng, words.THINGS, min(2 + level, 11))
        many = 1 + min(level, 9) * 2 // 3
        some = sorted(pick(rng, names, min(many, len(names))), key=names.index)
        wants = dict.fromkeys(some, True)
        return Filled(wants, tuple(names), f"Select {joined(some)}, and click Submit.")

    def draw(self, sheet: Any, model: Filled, ui: Any) -> None:
        for name in model.parts:
            sheet.put("check", name, name, False)
        sheet.put("button", "submit", self.button, tone="primary")


class Radios(Form):
    """One of several in each group is to be chosen."""

    like = "click-option"

    def start(self, rng: Any, level: int) -> Filled:
        groups = 1 + level // 4
        names = pick(rng, words.WORDS, 30)
        each = 2 + min(level, 6) // 2
        parts = tuple(tuple(names[n * each : (n + 1) * each]) for n in range(groups))
        chosen = [one_of(rng, part) for part in parts]
        return Filled(dict.fromkeys(chosen, True), parts, f"Choose {joined(chosen)}, and click Submit.")

    def draw(self, sheet: Any, model: Filled, ui: Any) -> None:
        for number, part in enumerate(model.parts):
            if len(model.parts) > 1:
                sheet.label(f"Group {number + 1}", tone="bold")
            for name in part:
                sheet.put("radio", name, name, False, group=str(number), beside=name != part[0])
        sheet.put("button", "submit", self.button, tone="primary")


class Dropdowns(Form):
    """An entry of each drop-down is to be chosen."""

    like = "choose-list"

    def start(self, rng: Any, level: int) -> Filled:
        many = 1 + level // 3
        options = tuple(tuple(sorted(pick(rng, words.CITIES, 3 + level // 2))) for _ in range(many))
        wants = {f"list{n}": int(rng.integers(1, len(one))) for n, one in enumerate(options)}
        told = joined([f"{options[n][wants[f'list{n}']]} in list {n + 1}" for n in range(many)])
        had = dict.fromkeys(wants, 0)
        return Filled(wants, options, f"Choose {told}, and click Submit.", had=had)

    def draw(self, sheet: Any, model: Filled, ui: Any) -> None:
        for number, options in enumerate(model.parts):
            sheet.named("select", f"list{number}", f"List {number + 1}", 0, options)
        sheet.put("button", "submit", self.button, tone="primary")


class Lists(Form):
    """An entry of a list is to be selected."""

    like = "choose-list"

    def start(self, rng: Any, level: int) -> Filled:
        options = tuple(pick(rng, words.CITIES, 3 + min(level, 9)))
        place = int(rng.integers(len(options)))
        told = f"Select {options[place]} in the list, and click Submit."
        return Filled({"list": place}, options, told, had={"list": -1})

    def draw(self, sheet: Any, model: Filled, ui: Any) -> None:
        sheet.put("list", "list", "", -1, model.parts, w=200)
        sheet.put("button", "submit", self.button, tone="primary")


class Typing(Form):
    """Words are to be typed into the right ones of several fields."""

    like = "enter-text, enter-text-2, enter-text-dynamic, focus-text, focus-text-2"

    def start(self, rng: Any, level: int) -> Filled:
        fields = 1 + level // 3
        names = tuple(word.title() for word in pick(rng, words.WORDS, fields))
        wanted = pick(rng, range(fields), 1 + level // 5)
        texts = [" ".join(pick(rng, words.WORDS, 1 + level // 4)) for _ in wanted]
        if level > 6:
            texts = [text.title() for text in texts]
        wants = {f"field{n}": text for n, text in zip(wanted, texts, strict=True)}
        told = joined([f'"{text}" into {names[n]}' for n, text in zip(wanted, texts, strict=True)])
        return Filled(wants, names, f"Type {told}, and click Submit.")

    def draw(self, sheet: Any, model: Filled, ui: Any) -> None:
        for number, name in enumerate(model.parts):
            sheet.named("field", f"field{number}", name, "")
        sheet.put("button", "submit", self.button, tone="primary")


class Password(Form):
    """A password is to be typed, twice where it is harder."""

    like = "enter-password"

    def start(self, rng: Any, level: int) -> Filled:
        letters = "abcdefghkmnpqrstuvwxyzABCDEFGHKLMNPQRSTUVWXYZ23456789"
        secret = "".join(pick(rng, letters, 4 + level))
        many = 2 if level > 2 else 1
        told = "both fields" if many > 1 else "the field"
        wants = {f"password{n}": secret for n in range(many)}
        return Filled(wants, (many,), f'Enter the password "{secret}" into {told}, and click Submit.')

    def draw(self, sheet: Any, model: Filled, ui: Any) -> None:
        for number in range(model.parts[0]):
            name = "Password" if not number else "Again"
            sheet.named("password", f"password{number}", name, "")
        sheet.put("button", "submit", self.button, tone="primary")


class Sliders(Form):
    """Sliders are to be moved to values."""

    like = "use-slider, use-slider-2"

    def start(self, rng: Any, level: int) -> Filled:
        many = 1 + level // 3
        most = (10, 20, 50, 100)[min(level // 3, 3)]
        start = most // 2
        wants = {}
        for number in range(many):
            value = int(rng.integers(most))
            wants[f"slider{number}"] = value + (value >= start)
        told = joined([f"{value} on slider {n + 1}" for n, value in enumerate(wants.values())])
        had = dict.fromkeys(wants, start)
        return Filled(wants, (many, most), f"Select {told}, and click Submit.", had=had)

    def draw(self, sheet: Any, model: Filled, ui: Any) -> None:
        many, most = model.parts
        for number in range(many):
            id = f"slider{number}"
            sheet.named("slider", id, f"Slider {number + 1}", most // 2, (0, most, 1), w=260)
            sheet.put("label", f"{id}-value", str(ui.values.get(id, most // 2)), beside=True, w=36)
        sheet.put("button", "submit", self.button, tone="primary")


class Folds(Family):
    """A link in one of several sections that fold."""

    like = "click-collapsible, click-collapsible-2"

    class Model(NamedTuple):
        parts: tuple[tuple[str, tuple[str, ...]], ...]
        right: str
        done: bool | None = None

    def start(self, rng: Any, level: int) -> Any:
        names = pick(rng, words.WORDS, 35)
        many = 1 + min(level, 9) // 2
        parts = tuple(
            (f"Section {n + 1}", tuple(names[n * 4 : n * 4 + 2 + level // 5])) for n in range(many)
        )
        return self.Model(parts, one_of(rng, one_of(rng, parts)[1]))

    def goal(self, model: Any) -> str:
        return f'Open the sections until you find the link "{model.right}", and click on it.'

    def draw(self, sheet: Any, model: Any, ui: Any) -> None:
        for number, (name, links) in enumerate(model.parts):
            sheet.put("fold", f"fold{number}", name, False, w=sheet.w)
            if ui.values.get(f"fold{number}"):
                for link in links:
                    sheet.put("link", link, link, h=18)

    def update(self, model: Any, event: Any, ui: Any) -> Any:
        if event.kind == "click" and any(event.id in links for _, links in model.parts):
            return model._replace(done=event.id == model.right)
        return model

    def score(self, model: Any, ui: Any) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Any, ui: Any) -> Any:
        place = next(n for n, (_, links) in enumerate(model.parts) if model.right in links)
        if ui.values.get(f"fold{place}"):
            return "click", model.right
        return "set", f"fold{place}", True


class Dialog(Family):
    """A window that is in the way is to be answered with the right one of its buttons."""

    like = "click-dialog, click-dialog-2, click-button-sequence"

    class Model(NamedTuple):
        texts: tuple[str, ...]
        asked: tuple[str, ...]  # the button of each window, in order
        at: tuple[tuple[int, int], ...]
        shown: int = 0
        done: bool | None = None

    NAMES = ("OK", "Cancel", "Close", "Yes", "No", "Later")

    def start(self, rng: Any, level: int) -> Any:
        many = 1 + level // 3
        texts = tuple(" ".join(pick(rng, words.WORDS, 5)) for _ in range(many))
        at = tuple((int(rng.integers(10, 110)), int(rng.integers(90, 310))) for _ in range(many))
        three = tuple(pick(rng, self.NAMES, 2 + min(level, 4) // 2))
        return self.Model(texts, tuple(one_of(rng, three) for _ in range(many)), at)._replace(
            texts=(*texts, *three)
        )

    def goal(self, model: Any) -> str:
        names = joined([f'"{name}"' for name in model.asked])
        if len(model.asked) == 1:
            return f"Answer the window with {names}."
        return f"Answer the windows, one after the other, with {names}."

    def draw(self, sheet: Any, model: Any, ui: Any) -> None:
        names = model.texts[len(model.asked) :]
        for line in range(3):
            sheet.put("label", f"line{line}", model.texts[0])
        sheet.put("button", "behind", "Continue")
        shown = min(model.shown, len(model.asked) - 1)
        sheet.window(*model.at[shown], 78 * len(names) + 18, 114, "Message")
        sheet.put("label", "window-text", letters.shorten(model.texts[shown], 14, sheet.w))
        sheet.skip(4)
        for name in names:
            sheet.put("button", f"answer-{name}", name, w=70, beside=name != names[0])

    def update(self, model: Any, event: Any, ui: Any) -> Any:
        if event.kind != "click" or not event.id.startswith("answer-"):
            return model
        if event.id != f"answer-{model.asked[model.shown]}":
            return model._replace(done=False)
        shown = model.shown + 1
        return model._replace(shown=shown, done=True if shown == len(model.asked) else None)

    def score(self, model: Any, ui: Any) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Any, ui: Any) -> Any:
        return "click", f"answer-{model.asked[model.shown]}"
