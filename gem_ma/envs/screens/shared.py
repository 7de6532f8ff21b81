"""Shared: two seats edit one document at the same time, each with its own changes."""

from typing import Any, NamedTuple

from gem_ma.envs.coordinates import Coordinates
from gem_ma.envs.family_seeding import seed_by_name
from gem_ma.envs.screens.acting import act
from gem_ma.envs.screens.families import words
from gem_ma.envs.screens.families.family import joined, pick
from gem_ma.envs.screens.game import HOW, LOOKS, check, drawn, reader
from gem_ma.envs.screens.screen_game import ScreenGame
from gem_ma.envs.screens.sheet import TYPE, Sheet, make_strip
from gem_ma.envs.screens.shells.layout import choose_layout
from gem_ma.envs.screens.shells.shell import draw_shell
from gem_ma.envs.screens.steps import action
from gem_ma.envs.screens.tree import described, refs
from gem_ma.envs.screens.ui import Ui, shown
from gem_ma.game import Message
from gem_ma.scene.screen import CLICKABLE_KINDS, TEXT_KINDS

AGENTS = ("first", "second")
WIDE = 330  # width of a line


class Desk(NamedTuple):
    lines: tuple[str, ...]  # at the start
    swaps: tuple[tuple[tuple[str, str], ...], ...]  # of each seat, which knows only its own
    uis: tuple[Ui, ...]  # of each seat; the values of fields are the same in both
    ready: tuple[bool, ...] = (False, False)
    left: int = 1
    type: int = TYPE  # letter size
    layout: Any = None  # of the page, from the beginning on

    def to_act(self):
        return () if all(self.ready) or not self.left else AGENTS

    def returns(self):
        return dict.fromkeys(AGENTS, float(all(self.ready) and self.right()))

    def right(self):
        """Return whether the document has the changes of both seats and no others."""
        new = {old: to for swaps in self.swaps for old, to in swaps}
        target_lines = [
            " ".join(new.get(word, word) for word in line.split()) for line in self.lines
        ]
        return list(self.now()) == target_lines

    def now(self):
        """Return the current lines."""
        values = self.uis[0].values
        return tuple([str(values.get(f"line{n}", line)) for n, line in enumerate(self.lines)])

    def seen_by(self, agent):
        """Return the view of a seat, in which of the other seat only the focus is visible."""
        own = AGENTS.index(agent)
        other_ui = Ui(self.uis[own].values, self.uis[1 - own].focus)
        uis = (self.uis[own], other_ui) if own == 0 else (other_ui, self.uis[own])
        swaps = tuple([one if seat == own else () for seat, one in enumerate(self.swaps)])
        return self._replace(uis=uis, swaps=swaps)

    def laid(self, own):
        """Return the widgets of a seat, given by its index."""
        layout = self.layout
        strip = make_strip(_goal(self.swaps[own]), self.type, layout.screen[0], layout.top)
        sheet = Sheet("", self.type, layout.area, layout.screen, layout.style)
        self.draw(sheet, own)
        return (strip, *draw_shell(layout), *sheet.page())

    def draw(self, sheet, own):
        """Put the document on a sheet, as a seat sees it."""
        other = self.uis[1 - own].focus
        for number, line in enumerate(self.lines):
            sheet.put("field", f"line{number}", "", line, w=WIDE)
            if other == f"line{number}":
                sheet.put("label", "other", AGENTS[1 - own], tone="quiet", beside=True)
        state = "You and the other" if all(self.ready) else (
            "You are" if self.ready[own] else "The other is" if self.ready[1 - own] else "Nobody is"
        )  # fmt: skip
        sheet.put("button", "ready", "I am done", tone="primary")
        sheet.put("label", "state", f"{state} done.", beside=True)

    def page(self, own):
        """Return the page of a seat, given by its index."""
        return shown(self.laid(own), self.uis[own], self.layout.screen[1])

    def legal(self, agent):
        """Return clicks on clickable widgets, words to type, and some keys."""
        own = AGENTS.index(agent)
        page = self.page(own)
        references = refs(page)
        actions = [f"click({references[one.id]})" for one in page if one.kind in CLICKABLE_KINDS]
        if any(one.id == self.uis[own].focus and one.kind in TEXT_KINDS for one in page):
            actions += [f'type("{new}")' for _, new in self.swaps[own]]
        return (*actions, 'key("ctrl+a")', 'key("Tab")', "wait()")

    def hint(self, agent):
        """Return the next action towards the seat's own changes, word by word."""
        own = AGENTS.index(agent)
        page, ui = self.page(own), self.uis[own]
        new = dict(self.swaps[own])
        for number, line in enumerate(self.now()):
            id = f"line{number}"
            for word in line.split():
                if word not in new:
                    continue
                low, high = sorted((ui.caret, ui.anchor))
                if ui.focus == id and line[low:high] == word:
                    return action(page, ui, ("type", new[word]))
                return action(page, ui, ("mark", id, word))
        return "wait()" if self.ready[own] else action(page, ui, ("click", "ready"))

    @property
    def truncated(self):
        return not all(self.ready) and not self.left


class Shared(ScreenGame[Desk]):
    """A document in which both seats replace words, at the same time.

    Args:
        coordinates: as for `Screens`.
        refs: as for `Screens`.
        look: as for `Screens`.
        limit: the largest number of actions of each seat; None: 20 + 8 * difficulty.
    """

    agents = AGENTS
    oracle = True
    simultaneous = True
    application = "editor"
    wide = WIDE + 60
    opens = 0
    reset_options = ("difficulty",)

    def __init__(self, difficulty=2, coordinates="pixels", refs=False, look="flat", limit=None):
        check(difficulty, look)
        self.difficulty, self.coordinates, self.refs, self.look = (
            difficulty,
            Coordinates(coordinates),
            refs,
            look,
        )
        self.limit = limit

    def start(self, rng, options):
        difficulty = options.get("difficulty", self.difficulty)
        check(difficulty)
        seed_by_name(rng, "shared")
        many, each = 3 + difficulty // 3, 1 + difficulty // 3
        tokens = pick(rng, words.WORDS, 4 * many)
        others = [word for word in words.WORDS if word not in tokens]
        new = pick(rng, others, 2 * each)
        lines = tuple(" ".join(tokens[n : n + 4]) for n in range(0, 4 * many, 4))
        # From difficulty 5 on, both seats change the same line.
        line = int(rng.integers(many)) if difficulty >= 5 else None
        places = pick(rng, range(4 * many), 4 * many)
        if line is not None:
            both = [place for place in places if place // 4 == line][:2]
            places = [both[0], *[p for p in places if p not in both][: each - 1], both[1],
                      *[p for p in places if p not in both][each - 1 :]]  # fmt: skip
        swaps = tuple(
            tuple((tokens[places[n]], new[n]) for n in range(seat * each, (seat + 1) * each))
            for seat in range(2)
        )
        limit, type, screen = (
            self.limit or 20 + 8 * difficulty,
            LOOKS[self.look],
            self.coordinates.screen,
        )
        desk = Desk(lines, swaps, (Ui(), Ui()), left=limit, type=type)
        strips = [make_strip(_goal(one), type, screen[0]) for one in swaps]
        top = max(strip.h for strip in strips if strip is not None)
        layout = choose_layout(rng, self, lambda sheet: desk.draw(sheet, 0), screen, top, type)
        return desk._replace(layout=layout)

    def read(self, text, view, agent):
        return reader(view.page(AGENTS.index(agent)), self.coordinates).read(text)

    def advance(self, state, moves, rng):
        """Apply the actions of both seats one after the other; the first seat alternates."""
        ready = list(state.ready)
        order = (0, 1) if state.left % 2 else (1, 0)
        for own in order:
            move = moves[AGENTS[own]]
            if move is None:
                continue
            ui, events = act(state.page(own), state.uis[own], move)
            ready[own] |= any(event[:2] == ("click", "ready") for event in events)
            before, other = state.now(), state.uis[1 - own]._replace(values=ui.values)
            state = state._replace(uis=(ui, other) if own == 0 else (other, ui))
            for number, (old, new) in enumerate(zip(before, state.now(), strict=True)):
                if old != new and other.focus == f"line{number}":
                    other = _kept(other, old, new)
            state = state._replace(uis=(ui, other) if own == 0 else (other, ui))
        return state._replace(ready=tuple(ready), left=state.left - 1)

    def skip(self, view, agent):
        return None

    def rules(self, agent):
        how = HOW.format(self.coordinates.describe())
        return (
            f"{how} Somebody else works at the same document at the "
            "same time, and has changes to make too, which you do not know; leave them as they "
            "are. When both of you have clicked I am done and the document is as both of you were "
            "told, both earn 1."
        )

    def brief(self, view, agent):
        return f"Task: {_goal(view.swaps[AGENTS.index(agent)])}"

    def describe(self, view, agent):
        own = 0 if agent is None else AGENTS.index(agent)
        return described(view.page(own), view.uis[own], self.coordinates)

    def tell(self, before, moves, after):
        if not all(after.ready):
            return []
        return [Message(None, "game", "Done." if after.right() else "Wrong.")]

    def picture(self, view, agent):
        own = 0 if agent is None else AGENTS.index(agent)
        screen = view.layout.screen
        return drawn(view.page(own), view.uis[own], self.refs, self.look, screen=screen)

    def report(self, state):
        return {"done": bool(all(state.ready) and state.right())}


def _kept(ui, old, new):
    """Move a seat's caret with its letters after the other seat has changed the line."""
    same = _alike(old, new)
    after = _alike(old[same:][::-1], new[same:][::-1])

    def put(at):
        if at <= same:
            return at
        return at + len(new) - len(old) if at >= len(old) - after else len(new) - after

    return ui._replace(caret=put(ui.caret), anchor=put(ui.anchor))


def _alike(one, other):
    """Return the length of the common prefix of two texts."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _goal(swaps):
    description = joined([f'"{old}" with "{new}"' for old, new in swaps]) if swaps else "nothing"
    return f"Replace {description}, and click I am done."
