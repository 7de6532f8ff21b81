"""Generated tasks over notes: an instruction, the notes before and after, and calls that do it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np

from gem_ma.validation.json_types import JSONMapping

Notes: TypeAlias = dict[str, str]
"""The texts of notes by title."""

_TOPICS = (
    "garden kitchen holiday budget meeting music recipes repairs school sports travel books "
    "birthday bicycle insurance library market office pets printer"
)
_THINGS = (
    "apples batteries bread candles coffee envelopes flour lamps milk nails onions paint paper "
    "pencils rice rope seeds soap stamps tea"
)
_NAMES = "Ada Ben Chen Dora Emil Fatima Goran Hana Ivo Jun Kofi Lena Mira Noor"
_VERBS = "buy call check clean collect fetch order pack return sell"
_TAGS = "home work old urgent idea bill"


class NoteTask(NamedTuple):
    """A task over notes.

    Attributes:
        kind: the name of its kind.
        instruction: what to do.
        before: the notes at the beginning.
        after: the notes when it is done.
        solution: calls of tools that do it, each with its arguments.
    """

    kind: str
    instruction: str
    before: Mapping[str, str]
    after: Mapping[str, str]
    solution: tuple[tuple[str, JSONMapping], ...]


def make_note_task(seed: int, kind: str | None = None) -> NoteTask:
    """Return the task of a seed.

    Args:
        seed: decides everything that `kind` leaves open.
        kind: one of KINDS; None: that of the seed.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    drawn = tuple(KINDS)[int(rng.integers(len(KINDS)))]
    kind = drawn if kind is None else kind
    before = _make_notes(rng)
    instruction, changes, extra = KINDS[kind](rng, before)
    after: Notes = dict(before)
    solution: list[tuple[str, JSONMapping]] = [
        ("list_notes", {}),
        *[("read_note", {"title": title}) for title in extra],
    ]
    for title, text in changes.items():
        if text is None:
            del after[title]
            solution.append(("delete_note", {"title": title}))
        else:
            after[title] = text
            solution.append(("write_note", {"title": title, "text": text}))
    return NoteTask(kind, instruction, before, after, tuple(solution))


Changes: TypeAlias = dict[str, str | None]
"""The new texts of notes by title; None deletes a note."""
MadeTask: TypeAlias = tuple[str, Changes, tuple[str, ...]]
"""An instruction, the changes that it asks for, and the notes that have to be read."""


def _pick(rng: np.random.Generator, options: list[str], count: int) -> list[str]:
    return [options[i] for i in rng.permutation(len(options))[:count].tolist()]


def _make_notes(rng: np.random.Generator) -> Notes:
    """Return six to nine notes, each with a date, a tag, a contact and a list of things to do."""
    count = int(rng.integers(6, 10))
    titles = _pick(rng, _TOPICS.split(), count)
    days = rng.permutation(360)[:count].tolist()
    names = _pick(rng, _NAMES.split(), count)
    things = _pick(rng, _THINGS.split(), 2 * count)
    notes = {}
    for number, title in enumerate(titles):
        (tag,) = _pick(rng, _TAGS.split(), 1)
        lines = [
            f"date: 2025-{1 + days[number] // 30:02d}-{1 + days[number] % 30:02d}",
            f"tag: {tag}",
            f"contact: {names[number]}, phone {int(rng.integers(10_000, 99_999))}",
            f"cost: {int(rng.integers(5, 300))}",
        ]
        for place, thing in enumerate(things[2 * number : 2 * number + 2]):
            (verb,) = _pick(rng, _VERBS.split(), 1)
            done = "x" if (number + place) % 2 else " "
            lines.append(f"- [{done}] {verb} {thing}")
        notes[title] = "\n".join(lines) + "\n"
    return notes


def _choose(rng: np.random.Generator, notes: Notes) -> str:
    return sorted(notes)[int(rng.integers(len(notes)))]


def _read_field(text: str, name: str) -> str:
    return next(
        line.removeprefix(f"{name}: ") for line in text.splitlines() if line.startswith(name)
    )


def _write_greeting(rng: np.random.Generator, notes: Notes) -> MadeTask:
    (name,), (thing,) = _pick(rng, _NAMES.split(), 1), _pick(rng, _THINGS.split(), 1)
    text = f"Dear {name},\nthank you for the {thing}.\n"
    return f"Write a note `letter` with exactly this text:\n\n{text}", {"letter": text}, ()


def _replace_tag(rng: np.random.Generator, notes: Notes) -> MadeTask:
    title = _choose(rng, notes)
    old = _read_field(notes[title], "tag")
    (new,) = _pick(rng, [tag for tag in _TAGS.split() if tag != old], 1)
    text = notes[title].replace(f"tag: {old}\n", f"tag: {new}\n")
    return f"Change the tag of the note `{title}` to {new}.", {title: text}, (title,)


def _delete_tag(rng: np.random.Generator, notes: Notes) -> MadeTask:
    tag = _read_field(notes[_choose(rng, notes)], "tag")
    gone: Changes = {t: None for t in sorted(notes) if _read_field(notes[t], "tag") == tag}
    return f"Delete all notes with the tag {tag}, and no others.", gone, tuple(sorted(notes))


def _rename_mention(rng: np.random.Generator, notes: Notes) -> MadeTask:
    title = _choose(rng, notes)
    thing = notes[title].split()[-1]
    new = f"about-{thing}"
    changes: Changes = {new: notes[title], title: None}
    return f"Rename the note that mentions {thing} to `{new}`.", changes, tuple(sorted(notes))


def _add_costs(rng: np.random.Generator, notes: Notes) -> MadeTask:
    total = sum(int(_read_field(text, "cost")) for text in notes.values())
    instruction = (
        "Add the costs of all notes. Write a note `total` that contains the sum as a number and "
        "nothing else."
    )
    return instruction, {"total": f"{total}\n"}, tuple(sorted(notes))


def _write_index(rng: np.random.Generator, notes: Notes) -> MadeTask:
    text = "".join(f"{title}\n" for title in sorted(notes))
    instruction = (
        "Write a note `index` with the titles of all the notes that there are now, one in a line, "
        "in alphabetical order."
    )
    return instruction, {"index": text}, ()


def _merge_two(rng: np.random.Generator, notes: Notes) -> MadeTask:
    first, second = _pick(rng, sorted(notes), 2)
    changes: Changes = {"merged": notes[first] + notes[second], first: None, second: None}
    instruction = (
        f"Write a note `merged` with the text of `{first}`, followed by the text of `{second}`. "
        "Then delete these two notes."
    )
    return instruction, changes, (first, second)


def _finish_items(rng: np.random.Generator, notes: Notes) -> MadeTask:
    title = _choose(rng, notes)
    text = notes[title].replace("- [ ]", "- [x]")
    instruction = (
        f"Everything in the list of the note `{title}` is done now: put an x into each [ ] of it."
    )
    return instruction, {title: text}, (title,)


def _archive_done(rng: np.random.Generator, notes: Notes) -> MadeTask:
    title = _choose(rng, notes)
    lines = notes[title].splitlines(keepends=True)
    done = [line for line in lines if line.startswith("- [x]")]
    rest = [line for line in lines if not line.startswith("- [x]")]
    changes: Changes = {"done": "".join(done), title: "".join(rest)}
    instruction = (
        f"Move the items of the note `{title}` that are marked with an x into a new note `done`. "
        "Keep the lines as they are."
    )
    return instruction, changes, (title,)


def _rename_newest(rng: np.random.Generator, notes: Notes) -> MadeTask:
    newest = max(notes, key=lambda title: _read_field(notes[title], "date"))
    changes: Changes = {"latest": notes[newest], newest: None}
    return "Rename the note with the latest date to `latest`.", changes, tuple(sorted(notes))


def _find_phone(rng: np.random.Generator, notes: Notes) -> MadeTask:
    title = _choose(rng, notes)
    name, _, phone = _read_field(notes[title], "contact").partition(", phone ")
    instruction = (
        f"Find the phone number of {name}. Write a note `answer` that contains the number and "
        "nothing else."
    )
    return instruction, {"answer": f"{phone}\n"}, tuple(sorted(notes))


def _mark_expensive(rng: np.random.Generator, notes: Notes) -> MadeTask:
    costs = sorted(int(_read_field(text, "cost")) for text in notes.values())
    limit = costs[int(rng.integers(len(costs)))]
    changes: Changes = {
        title: text + "expensive\n"
        for title, text in sorted(notes.items())
        if int(_read_field(text, "cost")) >= limit
    }
    instruction = (
        f"Add a last line `expensive` to every note with a cost of {limit} or more, and change no "
        "other note."
    )
    return instruction, changes, tuple(sorted(notes))


KINDS: Mapping[str, Callable[[np.random.Generator, Notes], MadeTask]] = {
    "write": _write_greeting,
    "retag": _replace_tag,
    "delete-tag": _delete_tag,
    "rename": _rename_mention,
    "total": _add_costs,
    "index": _write_index,
    "merge": _merge_two,
    "finish": _finish_items,
    "archive": _archive_done,
    "newest": _rename_newest,
    "phone": _find_phone,
    "mark": _mark_expensive,
}
