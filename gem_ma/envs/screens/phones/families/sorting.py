"""Tasks to put things in order on a phone: rename files, swipe mail and notifications away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

import numpy as np

from gem_ma.envs.screens.families import words
from gem_ma.envs.screens.families.family import Step, joined, make_sentence, one_of, pick
from gem_ma.envs.screens.phones.home import PhoneNotification
from gem_ma.envs.screens.phones.page import PhonePage
from gem_ma.envs.screens.phones.phone_family import (
    FIRST,
    PhoneFamily,
    PhoneTask,
    open_entry,
    read_field,
    set_field,
    split_id,
)
from gem_ma.envs.screens.ui import Event, Ui


class PhoneFiles(PhoneFamily["PhoneFiles.Data"]):
    """Tasks to rename and delete files in folders; a long press opens their menu."""

    pool = words.WORDS
    apps = ("Files",)
    FOLDERS = ("Downloads", "Documents", "Pictures", "Recordings")

    class Data(NamedTuple):
        files: tuple[tuple[str, str], ...]  # folder and name, sorted

    def make(self, rng: np.random.Generator, difficulty: int) -> PhoneTask[Data]:
        names = pick(rng, words.WORDS, len(words.WORDS))
        folders = pick(rng, self.FOLDERS, 2 + difficulty // 5)
        count = 4 + difficulty
        files = [(folders[n % len(folders)], f"{names[n]}.{one_of(rng, ('pdf', 'txt', 'jpg'))}")
                 for n in range(count)]  # fmt: skip
        wanted, clauses = list(files), []
        for number, one in enumerate(pick(rng, files, 1 + difficulty // 3)):
            wanted.remove(one)
            folder, name = one
            if difficulty > 3 and rng.random() < 0.3:
                clauses.append(f"delete {name} in {folder}")
                continue
            new = f"{names[count + number]}{name[name.index('.') :]}"
            wanted.append((folder, new))
            clauses.append(f"rename {name} in {folder} to {new}")
        return PhoneTask(
            self.Data(tuple(sorted(files))), self.Data(tuple(sorted(wanted))),
            make_sentence(joined(clauses)),
        )  # fmt: skip

    def draw_app(self, page: PhonePage, name: str, task: PhoneTask[Data], ui: Ui) -> None:
        if name == FIRST:
            page.bar("Files", ("find", "search", "Search"), back=False)
            with page.card():
                for folder in self.FOLDERS:
                    many = sum(one[0] == folder for one in task.data.files)
                    page.row(f"folder:{folder}", folder, f"{many} file{'s' if many != 1 else ''}",
                             "folder", "seat4")  # fmt: skip
            page.section("Storage")
            page.write("38 of 128 GB in use", page.find_text_left(), page.y, tone="quiet")
        elif name == "?file":
            with page.dialog(task.chosen[0], sheet=True):
                page.row("rename", "Rename", icon="edit", h=56)
                page.row("share", "Share", icon="send", h=56)
                page.row("delete", "Delete", icon="delete", h=56)
        elif name == "?rename":
            with page.dialog("Rename"):
                page.field("name", "Name", task.chosen[0])
                page.choices(("cancel", "Cancel", "quiet"), ("apply", "Rename", None))
        else:
            page.bar(name, ("find", "search", "Search"), ("more", "more", "More"))
            with page.scroll(), page.card():
                for _, file in (one for one in task.data.files if one[0] == name):
                    icon = "image" if file.endswith("jpg") else "file"
                    page.row(f"file:{file}", file, "On this phone", icon, f"seat{len(file) % 7}")

    def update_app(self, task: PhoneTask[Data], event: Event, ui: Ui) -> PhoneTask[Data]:
        id = event.id
        if event.kind == "long" and id.startswith("file:"):
            return task.push("?file")._replace(chosen=(id.removeprefix("file:"),))
        if event.kind == "enter" and task.front == "?rename":
            id = "apply"
        elif not event.is_click:
            return task
        if id.startswith("folder:"):
            return task.push(id.removeprefix("folder:"))
        if id in ("share", "cancel"):
            return task.pop()
        if id == "rename":
            return task.swap("?rename")
        if id not in ("delete", "apply"):
            return task
        folder = task.pages["Files"][-2]
        before = folder, task.chosen[0]
        rest = [one for one in task.data.files if one != before]
        if id == "apply":
            after = folder, read_field(task, ui, "name", before[1])
            if not after[1] or after in rest:
                return task
            rest.append(after)
        return task.hold(files=tuple(sorted(rest))).pop()

    def plan_app(self, task: PhoneTask[Data], ui: Ui) -> Step:
        files, wanted = task.data.files, task.wanted.files
        folder, name = next(one for one in files if one not in wanted)
        ending = name[name.index(".") :]
        new = [one for one in wanted if one not in files and one[0] == folder
               and one[1].endswith(ending)]  # fmt: skip
        if task.front == "?file":
            return "click", "rename" if new else "delete"
        if task.front == "?rename":
            return set_field(task, ui, "name", new[0][1], task.chosen[0]) or ("click", "apply")
        return open_entry(task, folder, f"folder:{folder}") or ("long", f"file:{name}")

    def find_needs(self, model: PhoneTask[Data]) -> list[str]:
        gone = [
            name for folder, name in model.data.files if (folder, name) not in model.wanted.files
        ]
        return [name.partition(".")[0] for name in gone]


class PhoneMails(PhoneFamily["PhoneMails.Data"]):
    """Tasks to archive mail by a swipe to the left, and delete it by one to the right."""

    pool = words.NAMES
    apps = ("Mail",)

    class Data(NamedTuple):
        mails: tuple[tuple[str, str], ...]  # from, subject
        archived: frozenset[int] = frozenset()
        deleted: frozenset[int] = frozenset()

    def make(self, rng: np.random.Generator, difficulty: int) -> PhoneTask[Data]:
        names = pick(rng, words.NAMES, 6 + difficulty)
        mails = [(name, " ".join(pick(rng, words.WORDS, 3)).capitalize()) for name in names]
        if difficulty > 4:  # two mails from one person, told apart by their subjects
            mails[-1] = mails[0][0], mails[-1][1]
        mails = pick(rng, mails, len(mails))
        archived: set[int] = set()
        deleted: set[int] = set()
        clauses = []
        for place in pick(rng, range(len(mails)), 1 + (difficulty + 1) // 2):
            is_archived = difficulty < 2 or rng.random() < 0.6
            (archived if is_archived else deleted).add(place)
            name, subject = mails[place]
            clauses.append(f'{"archive" if is_archived else "delete"} the mail "{subject}" from '
                           f"{name}")  # fmt: skip
        data = self.Data(tuple(mails))
        return PhoneTask(
            data, data._replace(archived=frozenset(archived), deleted=frozenset(deleted)),
            make_sentence(joined(clauses)),
        )  # fmt: skip

    def draw_app(self, page: PhonePage, name: str, task: PhoneTask[Data], ui: Ui) -> None:
        data = task.data
        if name != FIRST:
            sender, subject = data.mails[int(name)]
            page.bar("", ("star", "star", "Mark"), ("more", "more", "More"))
            page.write(subject, size=18, tone="bold")
            page.row("from", sender, "to me", sender[0], _tint_sender(int(name), subject))
            page.y += 8
            page.write("Hello! More about this when we meet. Best wishes.", size=16)
            return
        page.tabs((("mail", "Mail"), ("chat", "Chat"), ("star", "Marked")), "Mail")
        page.bar("Inbox", ("find", "search", "Search"), ("more", "more", "More"), back=False)
        hint = "Swipe left to archive, right to delete."
        page.write(hint, page.find_text_left(), page.y, 12, "quiet")
        page.y += 24
        with page.scroll(), page.card():
            for number, (sender, subject) in enumerate(data.mails):
                if number not in data.archived | data.deleted:
                    page.row(f"mail#{number}", sender, subject, sender[0],
                             _tint_sender(number, subject),
                             page.style.tell_time(number))  # fmt: skip

    def update_app(self, task: PhoneTask[Data], event: Event, ui: Ui) -> PhoneTask[Data]:
        name, number = split_id(event.id)
        if name != "mail":
            return task
        if event.is_click:
            return task.push(str(number))
        if (event.kind, event.value) == ("swipe", "left"):
            return task.hold(archived=task.data.archived | {number})
        if (event.kind, event.value) == ("swipe", "right"):
            return task.hold(deleted=task.data.deleted | {number})
        return task

    def plan_app(self, task: PhoneTask[Data], ui: Ui) -> Step:
        if task.front != FIRST:
            return "back", ""
        archived = sorted(task.wanted.archived - task.data.archived)
        deleted = sorted(task.wanted.deleted - task.data.deleted)
        if archived:
            return "slide", f"mail#{archived[0]}", "left"
        return "slide", f"mail#{deleted[0]}", "right"

    def find_needs(self, model: PhoneTask[Data]) -> list[str]:
        places = sorted(model.wanted.archived | model.wanted.deleted)
        return [model.data.mails[place][0] for place in places]


def _tint_sender(number: int, subject: str) -> str:
    return f"seat{(number * 3 + len(subject)) % 7}"


class PhoneNotices(PhoneFamily["PhoneNotices.Data"]):
    """Tasks to swipe away the notifications of some apps, and leave the others."""

    APPS: ClassVar[Mapping[str, tuple[str, str]]] = {  # what their notifications say
        "Mail": ("Your invoice", "About our meeting"),
        "Weather": ("Rain soon", "Cold tonight"),
        "Store": ("Ready to install", "Has been updated"),
        "Music": ("New for you", "A new album"),
        "Health": ("Your weekly summary", "Time for a walk"),
        "Money": ("Payment received", "Your balance"),
        "Travel": ("Your ticket", "Boarding soon"),
        "Calendar": ("Starts soon", "Is tomorrow"),
    }

    MOST = 8  # notifications

    class Data(NamedTuple):
        unwanted: frozenset[int]  # indices of the notifications to be gone

    def make(self, rng: np.random.Generator, difficulty: int) -> PhoneTask[Data]:
        apps = pick(rng, tuple(self.APPS), len(self.APPS))
        unwanted = apps[: 1 + difficulty // 4]
        count = 1 + difficulty * 5 // 10
        shown_apps = [unwanted[n % len(unwanted)] for n in range(count)]
        shown_apps += apps[len(unwanted) :][: self.MOST - count]
        notes = [PhoneNotification(app, one_of(rng, words.TITLES), one_of(rng, self.APPS[app]))
                 for app in shown_apps]  # fmt: skip
        shown = pick(rng, notes, len(notes))
        gone = frozenset(n for n, note in enumerate(shown) if note.app in unwanted)
        data = self.Data(gone)
        return PhoneTask(
            data, data, f"Clear all notifications of {joined(unwanted)}, and leave the others.",
            notes=tuple(shown),
        )  # fmt: skip

    def is_right(self, task: PhoneTask[Data]) -> bool:
        gone = {n for n, note in enumerate(task.notes) if note is None}
        return gone == task.data.unwanted

    def plan(self, model: PhoneTask[Data], ui: Ui) -> Step:
        if self.is_right(model):
            return "done", ""
        if not model.shade:
            return "pull", ""
        left = [n for n in sorted(model.data.unwanted) if model.notes[n] is not None]
        return "slide", f"note:{left[0]}", "right"
