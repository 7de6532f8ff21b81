"""Tasks with messages on a phone: send, answer notifications, copy from one app to another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gem_ma.envs.screens.families import words
from gem_ma.envs.screens.families.family import Step, joined, one_of, pick
from gem_ma.envs.screens.phones.home import PhoneNotification
from gem_ma.envs.screens.phones.page import PhonePage
from gem_ma.envs.screens.phones.phone_family import (
    FIRST,
    PhoneFamily,
    PhoneTask,
    find_differences,
    open_entry,
    read_field,
    set_field,
    split_id,
)
from gem_ma.envs.screens.ui import Event, Ui
from gem_ma.scene import text_metrics

OPENINGS = (
    "See you tomorrow!", "Did you get my parcel?", "The train was late again.", "Thanks a lot.",
    "Call me when you can.", "I am on my way.", "What a day!", "Lunch was great.",
    "Can you water the plants?", "The meeting has moved.",
)  # fmt: skip
QUESTIONS = (
    "Where shall we meet?", "What shall I bring?", "When do you arrive?", "Which colour is it?",
    "Who is coming?", "What did they say?",
)  # fmt: skip
MOST = 12  # messages of a chat that are kept
ChatThread = tuple[str, tuple[str, ...]]  # a name, and messages; ours begin with ">"


class ChatList(NamedTuple):
    chats: tuple[ChatThread, ...]


def sample_chats(rng: np.random.Generator, count: int) -> tuple[ChatThread, ...]:
    """Sample chats, each with a few messages."""
    chats = []
    for name in pick(rng, words.NAMES, count):
        first, second, third = pick(rng, OPENINGS, 3)
        chats.append((name, (first, f">{second}", third)[: int(rng.integers(1, 4))]))
    return tuple(chats)


def add_message(chats: tuple[ChatThread, ...], place: int, text: str) -> tuple[ChatThread, ...]:
    """Return the chats with a message at the end of one of them."""
    name, said = chats[place]
    return (*chats[:place], (name, (*said, text)[-MOST:]), *chats[place + 1 :])


def draw_chats(page: PhonePage, chats: tuple[ChatThread, ...]) -> None:
    """Put the list of chats, of each its last message."""
    page.bar("Messages", ("find", "search", "Search"), ("more", "more", "More"), back=False)
    with page.scroll():
        with page.card():
            for number, (name, said) in enumerate(chats):
                last = said[-1] if said else ""
                last = f"You: {last[1:]}" if last.startswith(">") else last
                page.row(f"chat#{number}", name, last, name[0], f"seat{(len(name) + number) % 7}",
                         page.style.tell_time(number))  # fmt: skip
        page.y += 60
    page.put_floating("new", "edit", "New chat")


def draw_chat(page: PhonePage, chat: ChatThread) -> None:
    """Put a chat: its messages, and the field for the next one."""
    name, said = chat
    bottom = page.low
    page.bar(name, ("call", "phone", "Call"), ("more", "more", "More"))
    page.low -= 74
    with page.scroll():
        page.y += 8
        first = len(page.widgets)
        for number, text in enumerate(said):
            _put_bubble(page, number, text)
        spare = max(0, page.low - page.y - 12)  # few messages stand at the bottom
        page.widgets[first:] = [one._replace(y=one.y + spare) for one in page.widgets[first:]]
        page.y += spare
    page.low = bottom
    page.y = bottom - 64
    page.field("text", "Message", w=page.w - 62)
    page.icon("send", "send", "Send", page.x + page.w - 50, bottom - 60, page.style.accent)


def _put_bubble(page: PhonePage, number: int, text: str) -> None:
    is_own = text.startswith(">")
    lines = text_metrics.wrap_to_width(text.removeprefix(">"), 14, page.wide * 2 // 3)
    wide = 30 + round(max(text_metrics.measure_width(line, 14) for line in lines))
    high = 18 + 18 * len(lines)
    x = page.wide - page.style.margin - wide if is_own else page.style.margin
    page.put("bubble", f"said#{number}", x, page.y, wide, high, "\n".join(lines),
             tone=page.style.accent if is_own else "")  # fmt: skip
    page.y += high + 8


class PhoneMessages(PhoneFamily[ChatList]):
    """Tasks to send messages."""

    pool = words.NAMES
    apps = ("Messages",)

    def make(self, rng: np.random.Generator, difficulty: int) -> PhoneTask[ChatList]:
        chats = sample_chats(rng, 6 + difficulty)
        wanted, clauses = chats, []
        for place in pick(rng, range(len(chats)), 1 + difficulty // 2):
            text = " ".join(pick(rng, words.WORDS, 2 + difficulty // 3))
            wanted = add_message(wanted, place, f">{text}")
            clauses.append(f'the message "{text}" to {chats[place][0]}')
        return PhoneTask(ChatList(chats), ChatList(wanted), f"Send {joined(clauses)}.")

    def draw_app(self, page: PhonePage, name: str, task: PhoneTask[ChatList], ui: Ui) -> None:
        if name == FIRST:
            draw_chats(page, task.data.chats)
        else:
            draw_chat(page, task.data.chats[int(name)])

    def update_app(self, task: PhoneTask[ChatList], event: Event, ui: Ui) -> PhoneTask[ChatList]:
        if not event.is_click:
            return task
        name, number = split_id(event.id)
        if name == "chat":
            return task.push(str(number))
        text = read_field(task, ui, "text") if name == "send" else ""
        if not text:
            return task
        return task.hold(chats=add_message(task.data.chats, int(task.front), f">{text}"))

    def patch(self, before: PhoneTask[ChatList], model: PhoneTask[ChatList], ui: Ui) -> Ui:
        ui = super().patch(before, model, ui)
        if model.data is before.data or not model.front.isdecimal():
            return ui
        return ui.put(f"{model.app}.{model.front}/text", "")._replace(caret=0, anchor=0, focus="")

    def plan_app(self, task: PhoneTask[ChatList], ui: Ui) -> Step:
        place = next(find_differences(task.data.chats, task.wanted.chats))
        text = task.wanted.chats[place][1][-1].removeprefix(">")
        step = open_entry(task, str(place), f"chat#{place}") or set_field(task, ui, "text", text)
        return step or ("click", "send")

    def find_needs(self, model: PhoneTask[ChatList]) -> list[str]:
        places = find_differences(model.data.chats, model.wanted.chats)
        return [model.data.chats[place][0] for place in places]


class PhoneReplies(PhoneMessages):
    """Tasks to answer messages that notifications announce."""

    def make(self, rng: np.random.Generator, difficulty: int) -> PhoneTask[ChatList]:
        chats = sample_chats(rng, 5 + difficulty // 2)
        asking = pick(rng, range(len(chats)), 2 + difficulty * 2 // 5)
        questions = pick(rng, QUESTIONS, len(QUESTIONS))
        notes = []
        for number, place in enumerate(asking):
            question = questions[number % len(questions)]
            chats = add_message(chats, place, question)
            notes.append(PhoneNotification("Messages", chats[place][0], question, str(place)))
        others = [
            PhoneNotification("Mail", f"{one_of(rng, words.LAST)} Ltd", "Your invoice"),
            PhoneNotification("Weather", "Rain soon", "Take an umbrella"),
        ]
        wanted, clauses = chats, []
        for place in pick(rng, asking, 1 + difficulty // 2):
            text = " ".join(pick(rng, words.WORDS, 2))
            wanted = add_message(wanted, place, f">{text}")
            clauses.append(f'{chats[place][0]} with "{text}"')
        return PhoneTask(
            ChatList(chats), ChatList(wanted), f"Messages have come in. Answer {joined(clauses)}.",
            notes=tuple(pick(rng, [*notes, *others], len(notes) + len(others))),
        )  # fmt: skip

    def open_note(self, task: PhoneTask[ChatList], note: PhoneNotification) -> PhoneTask[ChatList]:
        if not note.key:
            return task
        return task.pop(9).push(note.key)

    def plan(self, model: PhoneTask[ChatList], ui: Ui) -> Step:
        if self.is_right(model):
            return "done", ""
        places = [str(n) for n in find_differences(model.data.chats, model.wanted.chats)]
        notes = [n for n, one in enumerate(model.notes) if one and one.key in places]
        if model.shade:
            return ("click", f"note:{notes[0]}") if notes else ("back", "")
        if model.front in places or not notes:
            return super().plan(model, ui)
        return "pull", ""


class PhoneCopying(PhoneFamily["PhoneCopying.Data"]):
    """Tasks to copy codes from messages into notes: from one app into another."""

    pool = words.NAMES
    apps = ("Messages", "Notes")

    class Data(NamedTuple):
        chats: tuple[ChatThread, ...]
        notes: tuple[tuple[str, str], ...]  # title and text

    def make(self, rng: np.random.Generator, difficulty: int) -> PhoneTask[Data]:
        count = 1 + difficulty // 3
        chats = sample_chats(rng, 4 + difficulty // 2)
        titles = pick(rng, words.TITLES, 3 + difficulty // 2)
        notes = tuple((title, "") for title in titles)
        wanted, clauses = list(notes), []
        letters = "abcdefghkmnpqrstuvwxyz23456789"
        size = 6 + difficulty
        for place in pick(rng, range(len(chats)), count):
            code = "".join(letters[int(n)] for n in rng.integers(0, len(letters), size))
            chats = add_message(chats, place, code)
            chats = add_message(chats, place, one_of(rng, OPENINGS))
            options = [n for n, (_, text) in enumerate(wanted) if not text]
            to = one_of(rng, options)
            wanted[to] = (titles[to], code)
            clauses.append(f'the code from {chats[place][0]} into the note "{titles[to]}"')
        return PhoneTask(
            self.Data(chats, notes), self.Data(chats, tuple(wanted)),
            f"Copy {joined(clauses)}. The codes are in the messages.",
        )  # fmt: skip

    def draw_app(self, page: PhonePage, name: str, task: PhoneTask[Data], ui: Ui) -> None:
        if task.app == "Messages":
            self._draw_messages(page, name, task)
        elif name == FIRST:
            page.bar("Notes", ("find", "search", "Search"), back=False)
            with page.scroll(), page.card():
                for number, (title, text) in enumerate(task.data.notes):
                    page.row(f"note#{number}", title, text or "Empty", "note", "seat4")
        else:
            title, text = task.data.notes[int(name)]
            page.bar(title, ("more", "more", "More"))
            page.field("text", "Text", text)
            page.button("save", "Save")

    def _draw_messages(self, page: PhonePage, name: str, task: PhoneTask[Data]) -> None:
        if name == FIRST:
            draw_chats(page, task.data.chats)
        elif name == "?message":
            with page.dialog("", sheet=True):
                page.row("copy", "Copy", icon="copy")
                page.row("star", "Mark", icon="star")
                page.row("drop", "Delete", icon="delete")
        else:
            draw_chat(page, task.data.chats[int(name)])

    def update_app(self, task: PhoneTask[Data], event: Event, ui: Ui) -> PhoneTask[Data]:
        name, number = split_id(event.id)
        if event.kind == "long" and name == "said":
            text = task.data.chats[int(task.front)][1][number].removeprefix(">")
            return task.push("?message")._replace(chosen=(text,))
        if not event.is_click:
            return task
        if name in ("chat", "note"):
            return task.push(str(number))
        if name in ("star", "drop"):
            return task.pop()
        if name == "copy":
            return task._replace(copied=task.chosen[0]).pop()
        if name != "save":
            return task
        place = int(task.front)
        title, before = task.data.notes[place]
        entry = title, read_field(task, ui, "text", before)
        notes = task.data.notes
        return task.hold(notes=(*notes[:place], entry, *notes[place + 1 :])).pop()

    def find_app(self, task: PhoneTask[Data]) -> str:
        return "Notes" if task.copied == self._find_next(task)[1] else "Messages"

    def _find_next(self, task: PhoneTask[Data]) -> tuple[int, str]:
        """Return the number of the note that is needed next, and its code."""
        place = next(find_differences(task.data.notes, task.wanted.notes))
        return place, task.wanted.notes[place][1]

    def plan_app(self, task: PhoneTask[Data], ui: Ui) -> Step:
        note, code = self._find_next(task)
        if task.app == "Notes":
            id = f"Notes.{note}/text"
            is_there = ui.values.get(id, task.data.notes[note][1]) == code
            step = open_entry(task, str(note), f"note#{note}")
            return step or (("click", "save") if is_there else ("paste", id))
        place = next(n for n, (_, said) in enumerate(task.data.chats) if code in said)
        if task.front == "?message":
            return "click", "copy"
        step = open_entry(task, str(place), f"chat#{place}")
        return step or ("long", f"said#{task.data.chats[place][1].index(code)}")

    def find_needs(self, model: PhoneTask[Data]) -> list[str]:
        codes = {text for _, text in model.wanted.notes if text}
        return [name for name, said in model.data.chats if codes & {*said}]
