"""Tasks with collections on a phone: a shopping list, photos, songs, notes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gem_ma.envs.screens.families import words
from gem_ma.envs.screens.families.family import Step, joined, make_sentence, one_of, pick
from gem_ma.envs.screens.phones.page import PhonePage
from gem_ma.envs.screens.phones.phone_family import (
    FIRST,
    PhoneFamily,
    PhoneTask,
    find_differences,
    read_field,
    set_field,
    split_id,
)
from gem_ma.envs.screens.ui import Event, Ui

Members = frozenset[str]
MemberGroup = tuple[str, Members]  # a name, and what is in it


def change_group(
    groups: tuple[MemberGroup, ...], name: str, more: Members
) -> tuple[MemberGroup, ...]:
    """Return groups of which one has more members."""
    return tuple((one, members | more if one == name else members) for one, members in groups)


class PhoneShopping(PhoneFamily["PhoneShopping.Data"]):
    """Tasks to add things to a shopping list, and to check off others."""

    pool = words.FOODS
    apps = ("Lists",)

    class Data(NamedTuple):
        items: tuple[str, ...]
        checked: Members

    def make(self, rng: np.random.Generator, difficulty: int) -> PhoneTask[Data]:
        foods = pick(rng, words.FOODS, len(words.FOODS))
        items = tuple(foods[: 5 + difficulty // 2])
        new = foods[len(items) :][: 1 + difficulty // 3]
        bought = pick(rng, items, 1 + difficulty // 2)
        told = f"On the shopping list, check off {joined(bought)}, and add {joined(new)}."
        return PhoneTask(
            self.Data(items, frozenset()),
            self.Data(tuple(sorted((*items, *new))), frozenset(bought)), told,
        )  # fmt: skip

    def draw_app(self, page: PhonePage, name: str, task: PhoneTask[Data], ui: Ui) -> None:
        if name == FIRST:
            page.bar("Lists", ("find", "search", "Search"), back=False)
            left = len(task.data.items) - len(task.data.checked)
            with page.card():
                page.row("open", "Shopping", f"{left} left", "shop", "seat2")
                page.row("other#0", "Garden", "4 left", "list", "seat4")
                page.row("other#1", "Travel", "9 left", "plane", "seat0")
            return
        bottom = page.low
        page.bar("Shopping", ("share", "send", "Share"), ("more", "more", "More"))
        page.low -= 74
        with page.scroll(), page.card():
            for number, item in enumerate(task.data.items):
                page.switch(f"item#{number}", item.capitalize(), item in task.data.checked,
                            box=True)  # fmt: skip
        page.low = bottom
        page.y = bottom - 64
        page.field("new", "Add to the list", w=page.w - 62)
        page.icon("add", "add", "Add", page.x + page.w - 50, bottom - 60, page.style.accent)

    def update_app(self, task: PhoneTask[Data], event: Event, ui: Ui) -> PhoneTask[Data]:
        name, number = split_id(event.id)
        data = task.data
        if event.kind == "change" and name == "item":
            return task.hold(checked=data.checked ^ {data.items[number]})
        if name == "open" and event.kind == "click":
            return task.push("list")
        is_added = name == "add" and event.kind == "click"
        if task.front != "list" or not (is_added or event.kind == "enter"):
            return task
        item = read_field(task, ui, "new").lower()
        known = {*data.items, ""}
        return task if item in known else task.hold(items=(*data.items, item)[:40])

    def patch(self, before: PhoneTask[Data], model: PhoneTask[Data], ui: Ui) -> Ui:
        ui = super().patch(before, model, ui)
        if model.data.items == before.data.items:
            return ui
        return ui.put("Lists.list/new", "")._replace(caret=0, anchor=0)

    def is_right(self, task: PhoneTask[Data]) -> bool:
        data = task.data._replace(items=tuple(sorted(task.data.items)))
        return data == task.wanted._replace(items=tuple(sorted(task.wanted.items)))

    def plan_app(self, task: PhoneTask[Data], ui: Ui) -> Step:
        data = task.data
        if task.front == FIRST:
            return "click", "open"
        for number, item in enumerate(data.items):
            if (item in data.checked) != (item in task.wanted.checked):
                return "click", f"item#{number}"
        new = next(one for one in task.wanted.items if one not in data.items)
        return set_field(task, ui, "new", new) or ("click", "add")

    def find_needs(self, model: PhoneTask[Data]) -> list[str]:
        return sorted(model.wanted.checked)


class PhoneAlbums(PhoneFamily["PhoneAlbums.Data"]):
    """Tasks to put photos of a kind into albums; a long press begins to select."""

    apps = ("Photos",)
    KINDS = ("mountains", "sea", "forest", "city", "night", "flower")
    VIEWS = 4  # different photos of each kind
    NAMES = ("Summer", "Favourites", "Family", "Work", "Prints", "Home")
    TABS = (("image", "Photos"), ("folder", "Albums"), ("search", "Search"))

    class Data(NamedTuple):
        photos: tuple[tuple[str, int], ...]  # kind and number
        albums: tuple[MemberGroup, ...]  # with indices of photos, as texts

    def make(self, rng: np.random.Generator, difficulty: int) -> PhoneTask[Data]:
        count = 1 + difficulty // 5
        kinds = pick(rng, self.KINDS, min(6, 3 + difficulty // 2))
        each = 1 + (difficulty + 1) // 3
        photos = [(kind, n % self.VIEWS) for kind in kinds[:count] for n in range(each)]
        while len(photos) < min(12 + 3 * (difficulty // 3), 6 * each + 9):
            kind = kinds[count + int(rng.integers(len(kinds) - count))]
            photos.append((kind, int(rng.integers(self.VIEWS))))
        shown = tuple(pick(rng, photos, len(photos)))
        names = pick(rng, self.NAMES, 3 + difficulty // 4)
        albums: tuple[MemberGroup, ...] = tuple((name, frozenset()) for name in names)
        wanted, clauses = albums, []
        for kind, album in zip(kinds[:count], names, strict=False):
            mine = frozenset(str(n) for n, one in enumerate(shown) if one[0] == kind)
            wanted = change_group(wanted, album, mine)
            what = {"sea": "the sea", "city": "a city", "forest": "a forest", "flower": "a flower",
                    "night": "the night sky", "mountains": "mountains"}[kind]  # fmt: skip
            clauses.append(f'all photos of {what} into the album "{album}"')
        shuffled = pick(rng, range(len(names)), len(names))
        return PhoneTask(
            self.Data(shown, tuple(albums[n] for n in shuffled)),
            self.Data(shown, tuple(wanted[n] for n in shuffled)), f"Put {joined(clauses)}.",
        )  # fmt: skip

    def draw_app(self, page: PhonePage, name: str, task: PhoneTask[Data], ui: Ui) -> None:
        chosen = task.chosen
        if name == "albums":
            self._draw_albums(page, task)
            return
        if name == "?albums":
            with page.dialog("Add to album", sheet=True):
                self._put_albums(page, task, "album")
            return
        if not chosen:
            page.tabs(self.TABS, "Photos")
            page.bar("Photos", ("more", "more", "More"), back=False)
        else:
            y = page.y + 6
            page.bar("", ("put", "add", "Add to album"), ("drop", "delete", "Delete"), back=False)
            page.icon("clear", "close", "Clear", 8, y)
            page.write(f"{len(chosen)} selected", 64, y + 10, 18, "bold")
            page.y += 40 * page.style.large  # photos stay where they are
        side = (page.wide - 2 * 8 - 2 * 6) // 3
        with page.scroll():
            page.y += 4
            for number, (kind, which) in enumerate(task.data.photos):
                x, y = 8 + (side + 6) * (number % 3), page.y + (side + 6) * (number // 3)
                page.put("photo", f"photo#{number}", x, y, side, side, kind,
                         True if number in chosen else None, (kind, which),
                         tone=page.style.accent)  # fmt: skip
            page.y += (side + 6) * -(-len(task.data.photos) // 3)

    def _draw_albums(self, page: PhonePage, task: PhoneTask[Data]) -> None:
        page.tabs(self.TABS, "Albums")
        page.bar("Albums", ("more", "more", "More"), back=False)
        with page.scroll(), page.card():
            self._put_albums(page, task, "kept")

    def _put_albums(self, page: PhonePage, task: PhoneTask[Data], id: str) -> None:
        for number, (album, members) in enumerate(task.data.albums):
            many = f"{len(members)} photo{'s' if len(members) != 1 else ''}"
            page.row(f"{id}#{number}", album, many, "folder", "seat4", h=56)

    def update_app(self, task: PhoneTask[Data], event: Event, ui: Ui) -> PhoneTask[Data]:
        name, number = split_id(event.id)
        if name == "photo" and (event.kind == "long" or (event.is_click and task.chosen)):
            return task._replace(chosen=tuple(sorted({*task.chosen} ^ {number})))
        if not event.is_click:
            return task
        if name == "clear":
            return task._replace(chosen=())
        if name == "tab-Albums" and task.front == FIRST:
            return task.push("albums")
        if name == "tab-Photos" and task.front != FIRST:
            return task.pop()
        if name == "put" and task.chosen:
            return task.push("?albums")
        if name != "album":
            return task
        album = task.data.albums[number][0]
        more = frozenset(map(str, task.chosen))
        return task.hold(albums=change_group(task.data.albums, album, more)).pop()

    def plan_app(self, task: PhoneTask[Data], ui: Ui) -> Step:
        album = next(find_differences(task.data.albums, task.wanted.albums))
        needed = set(map(int, task.wanted.albums[album][1]))
        if task.front == "?albums":
            return "click", f"album#{album}"
        if task.front != FIRST:
            return "back", ""
        for number in range(len(task.data.photos)):
            if (number in task.chosen) != (number in needed):
                return "click" if task.chosen else "long", f"photo#{number}"
        return "click", "put"


class PhonePlaylists(PhoneFamily["PhonePlaylists.Data"]):
    """Tasks to make playlists, and to add songs to them."""

    apps = ("Music",)

    class Data(NamedTuple):
        songs: tuple[tuple[str, str], ...]  # title and artist
        lists: tuple[MemberGroup, ...]

    def make(self, rng: np.random.Generator, difficulty: int) -> PhoneTask[Data]:
        one, other = pick(rng, words.TITLES, 14), pick(rng, words.TITLES, 14)
        artists = pick(rng, words.LAST, 6)
        songs = tuple((f"{one[n]} {other[n]}", artists[n % 6]) for n in range(7 + difficulty // 2))
        names = pick(rng, ("Morning", "Party", "Road trip", "Quiet", "Sport", "Dinner"), 4)
        lists: tuple[MemberGroup, ...] = tuple((name, frozenset()) for name in names[:2])
        chosen = pick(rng, [title for title, _ in songs], 1 + (difficulty + 1) // 2)
        quoted = joined(f'"{title}"' for title in chosen)
        if difficulty > 2:
            told = f'Make a playlist called "{names[3]}" with the songs {quoted}.'
            wanted = (*lists, (names[3], frozenset(chosen)))
        else:
            to = one_of(rng, names[:2])
            told = f'Add {quoted} to the playlist "{to}".'
            wanted = change_group(lists, to, frozenset(chosen))
        return PhoneTask(self.Data(songs, lists), self.Data(songs, wanted), told)

    def draw_app(self, page: PhonePage, name: str, task: PhoneTask[Data], ui: Ui) -> None:
        if name == "?song":
            title, artist = task.data.songs[task.chosen[0]]
            with page.dialog(title, sheet=True):
                page.write(artist, tone="quiet")
                page.row("play", "Play next", icon="play", h=56)
                page.row("put", "Add to a playlist", icon="add", h=56)
                page.row("share", "Share", icon="send", h=56)
        elif name == "?lists":
            with page.dialog("Add to a playlist", sheet=True):
                for number, (title, members) in enumerate(task.data.lists):
                    page.row(f"list#{number}", title, _count(members), "list", "seat3", h=56)
        elif name == "?new":
            with page.dialog("New playlist"):
                page.field("name", "Name")
                page.choices(("cancel", "Cancel", "quiet"), ("create", "Create", None))
        elif name in (FIRST, "lists"):
            self._draw_tab(page, name, task)
        else:
            title, members = task.data.lists[int(name)]
            page.bar(title, ("more", "more", "More"))
            with page.scroll(), page.card():
                for number, song in enumerate(task.data.songs):
                    if song[0] in members:
                        page.row(f"held#{number}", *song, "music", _tint_song(number, song[0]))

    def _draw_tab(self, page: PhonePage, name: str, task: PhoneTask[Data]) -> None:
        chosen = "Songs" if name == FIRST else "Playlists"
        page.tabs((("music", "Songs"), ("list", "Playlists"), ("search", "Search")), chosen)
        page.bar(chosen, ("more", "more", "More"), back=False)
        with page.scroll(), page.card():
            if name == FIRST:
                for number, (title, artist) in enumerate(task.data.songs):
                    x, w = page.find_line()
                    y = page.y
                    page.row(f"song#{number}", title, artist, "music", _tint_song(number, title))
                    row = page.widgets[-1]
                    page.widgets[-1] = row._replace(w=w - 52)
                    page.icon(f"more#{number}", "more", f"More about {title}", x + w - 50,
                              y + (row.h - 44) // 2)  # fmt: skip
            else:
                for number, (title, members) in enumerate(task.data.lists):
                    page.row(f"show#{number}", title, _count(members), "list", "seat3")
        if name != FIRST:
            page.put_floating("new", "add", "New playlist")

    def update_app(self, task: PhoneTask[Data], event: Event, ui: Ui) -> PhoneTask[Data]:
        name, number = split_id(event.id)
        if name == "song" and event.kind == "long":
            name = "more"
        elif event.kind == "enter" and task.front == "?new":
            name = "create"
        elif not event.is_click:
            return task
        if name == "more" and number >= 0:
            return task.push("?song")._replace(chosen=(number,))
        if name == "create":
            return self._create(task, read_field(task, ui, "name"))
        return self._tap(task, name, number)

    def _create(self, task: PhoneTask[Data], title: str) -> PhoneTask[Data]:
        lists = task.data.lists
        if not title or title in {one for one, _ in lists}:
            return task
        return task.hold(lists=(*lists, (title, frozenset()))[:12]).pop()

    def _tap(self, task: PhoneTask[Data], name: str, number: int) -> PhoneTask[Data]:
        lists = task.data.lists
        match name:
            case "put":
                return task.swap("?lists")
            case "list":
                song = task.data.songs[task.chosen[0]][0]
                changed = change_group(lists, lists[number][0], frozenset({song}))
                return task.hold(lists=changed).pop()
            case "tab-Playlists" if task.front == FIRST:
                return task.push("lists")
            case "tab-Songs" if task.front != FIRST:
                return task.pop()
            case "show":
                return task.push(str(number))
            case "new":
                return task.push("?new")
            case "play" | "share" | "cancel":
                return task.pop()
        return task

    def plan_app(self, task: PhoneTask[Data], ui: Ui) -> Step:
        lists, wanted = task.data.lists, task.wanted.lists
        new = [title for title, _ in wanted if title not in dict(lists)]
        if new:
            if task.front == FIRST:
                return "click", "tab-Playlists"
            if task.front != "?new":
                return ("click", "new") if task.front == "lists" else ("back", "")
            return set_field(task, ui, "name", new[0]) or ("click", "create")
        place = next(find_differences(lists, wanted))
        songs = wanted[place][1] - lists[place][1]
        if task.front == "?lists":
            return "click", f"list#{place}"
        if task.front == "?song":
            return "click", "put"
        if task.front != FIRST:
            return ("click", "tab-Songs") if task.front == "lists" else ("back", "")
        song = next(n for n, (title, _) in enumerate(task.data.songs) if title in songs)
        return "click", f"more#{song}"


def _tint_song(number: int, title: str) -> str:
    return f"seat{(len(title) + number) % 7}"


def _count(members: Members) -> str:
    return f"{len(members)} song{'s' if len(members) != 1 else ''}"


class PhoneNotes(PhoneFamily["PhoneNotes.Data"]):
    """Tasks to write notes, change their titles, and delete them by a long press."""

    apps = ("Notes",)

    class Data(NamedTuple):
        notes: tuple[tuple[str, str], ...]  # title and text, by title

    def make(self, rng: np.random.Generator, difficulty: int) -> PhoneTask[Data]:
        titles = pick(rng, words.TITLES, len(words.TITLES))
        firsts, seconds = (pick(rng, words.WORDS, len(words.WORDS)) for _ in range(2))
        texts = [" ".join(pair) for pair in zip(firsts, seconds, strict=True)]
        notes = list(zip(titles, texts, strict=True))[: 4 + difficulty // 2]
        wanted, clauses, fresh = list(notes), [], titles[len(notes) :]
        ways = ("write", "rename", "write", "delete", "rename", "write")
        for number in range(1 + (difficulty + 1) // 3):
            way = ways[number]
            if way == "write":
                text = texts[-1 - number]
                wanted.append((fresh[number], text))
                clauses.append(f'write a note with the title "{fresh[number]}" and the text '
                               f'"{text}"')  # fmt: skip
                continue
            title, text = notes[number]
            wanted.remove((title, text))
            if way == "delete":
                clauses.append(f'delete the note "{title}"')
            else:
                wanted.append((fresh[number], text))
                clauses.append(f'change the title of the note "{title}" to "{fresh[number]}"')
        return PhoneTask(
            self.Data(tuple(sorted(notes))), self.Data(tuple(sorted(wanted))),
            make_sentence(joined(clauses)),
        )  # fmt: skip

    def draw_app(self, page: PhonePage, name: str, task: PhoneTask[Data], ui: Ui) -> None:
        if name == FIRST:
            page.bar("Notes", ("find", "search", "Search"), ("more", "more", "More"), back=False)
            with page.scroll():
                self._draw_notes(page, task)
            page.put_floating("add", "add", "New note")
        elif name == "?note":
            with page.dialog(task.chosen[1], sheet=True):
                page.row("pin", "Pin", icon="star", h=56)
                page.row("share", "Share", icon="send", h=56)
                page.row("delete", "Delete", icon="delete", h=56)
        else:
            title, text = ("", "") if name == "new" else task.data.notes[int(name)]
            page.bar("New note" if name == "new" else "Note")
            page.field("title", "Title", title)
            page.field("text", "Text", text)
            page.button("save", "Save")

    def _draw_notes(self, page: PhonePage, task: PhoneTask[Data]) -> None:
        """Put the notes as cards in two columns."""
        page.y += 4
        wide = (page.w - 10) // 2
        for number, (title, text) in enumerate(task.data.notes):
            x, y = page.x + (wide + 10) * (number % 2), page.y + 92 * (number // 2)
            page.pane(x, y, wide, 82, "card", 16)
            page.put_row(f"note#{number}", x + 4, y + 6, wide - 8, 70, title, text, style="bold")
        page.y += 92 * -(-len(task.data.notes) // 2) + 60

    def update_app(self, task: PhoneTask[Data], event: Event, ui: Ui) -> PhoneTask[Data]:
        name, number = split_id(event.id)
        notes = task.data.notes
        if name == "note" and event.kind == "long":
            return task.push("?note")._replace(chosen=(number, notes[number][0]))
        if not event.is_click:
            return task
        match name:
            case "note":
                return task.push(str(number))
            case "add":
                return task.push("new")
            case "pin" | "share":
                return task.pop()
            case "delete":
                place = task.chosen[0]
                return task.hold(notes=(*notes[:place], *notes[place + 1 :])).pop()
            case "save":
                place = -1 if task.front == "new" else int(task.front)
                before = notes[place] if place >= 0 else ("", "")
                title = read_field(task, ui, "title", before[0])
                text = read_field(task, ui, "text", before[1])
                rest = [one for n, one in enumerate(notes) if n != place]
                if title:
                    return task.hold(notes=tuple(sorted([*rest, (title, text)]))[:40]).pop()
        return task

    def plan_app(self, task: PhoneTask[Data], ui: Ui) -> Step:
        notes, wanted = task.data.notes, task.wanted.notes
        texts = {text for _, text in wanted}
        gone = [n for n, one in enumerate(notes) if one not in wanted]
        dropped = [n for n in gone if notes[n][1] not in texts]
        renamed = [n for n in gone if n not in dropped]
        if task.front == "?note":
            return "click", "delete"
        if task.front == FIRST:
            if dropped:
                return "long", f"note#{dropped[0]}"
            return ("click", f"note#{renamed[0]}") if renamed else ("click", "add")
        if task.front == "new":
            new = next(one for one in wanted if one[1] not in {text for _, text in notes})
            before = ("", "")
        else:
            before = notes[int(task.front)]
            new = next(one for one in wanted if one[1] == before[1])
        step = set_field(task, ui, "title", new[0], before[0])
        return step or set_field(task, ui, "text", new[1], before[1]) or ("click", "save")
