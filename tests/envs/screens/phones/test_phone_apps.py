"""What the apps of a phone do beyond the way of who knows it."""

import itertools

import numpy as np
import pytest

from gem_ma.envs.screens.phones.game import Phones
from gem_ma.envs.screens.phones.home import MONTHS
from gem_ma.scene.touch_keyboard import SYMBOLS, place_keys

SIZE = (448, 896)


class Phone:
    """A phone in the middle of a task, whose widgets are tapped by their ids."""

    def __init__(self, family, difficulty=3, seed=0):
        self.game = Phones(family, difficulty=difficulty).fit_image(*SIZE)
        self.state = self.game.start(np.random.default_rng(seed), {})

    def do(self, *texts):
        for text in texts:
            action = self.game.read(text, self.state, "player")
            self.state = self.game.advance(self.state, {"player": action}, None)
        return self

    def tap(self, *ids, by="tap"):
        for id in ids:
            one = next(one for one in self.state.page if one.id == id)
            self.do(f"{by}({one.x + one.w // 2}, {one.y + one.h // 2})")
        return self

    def keys(self, text):
        return self.tap(*[f"key:{letter}" for letter in text])

    def rows(self, name):
        return [one for one in self.state.page if one.id.startswith(f"{name}#")]

    def texts(self):
        return [one.text for one in self.state.page]

    def solve(self):
        while self.state.to_act():
            hint = self.game.coordinates.convert_action(self.state.hint("player"))
            self.do(hint)
        return self.state.score


def minutes(time):
    hour, minute = time.split(":")
    return 60 * int(hour) + int(minute)


def test_a_digit_after_a_result_begins_a_new_number():
    phone = Phone("phone-calculator").do('open_app("Calculator")').keys("5+7=3")
    assert "3" in phone.texts()
    assert "123" not in phone.texts()
    phone.keys("C5+7=+1=")
    assert "13" in phone.texts()
    phone.keys("C9+8=<")
    assert "1" in phone.texts()
    phone.keys("2")
    assert "12" in phone.texts()


def test_a_number_that_was_kept_by_mistake_can_be_removed():
    phone = Phone("phone-calculator").do('open_app("Calculator")')
    phone.keys("5").tap("keep")
    assert "Kept: 5" in phone.texts()
    assert "Remove" in phone.texts()
    assert "Kept: nothing" in phone.tap("keep").texts()
    phone.keys("C2-9=").tap("keep")
    assert "Kept: \N{MINUS SIGN}7" in phone.texts()
    assert phone.solve() == 1.0


@pytest.mark.parametrize("seed", range(5))
def test_distances_and_prices_of_routes_agree_with_one_another(seed):
    phone = Phone("phone-route", 8, seed).do('open_app("Maps")')
    away = phone.rows("place")[0].options[0]
    shown = []
    phone.tap("place#0")
    for mode in range(4):
        rows = phone.tap(f"mode#{mode}").rows("route")
        assert all(one.options[3].startswith("$") == (mode < 2) for one in rows)
        shown += [int(one.options[0].partition(" km")[0]) for one in rows]
    assert away == f"{min(shown)} km away"


def test_any_playlist_may_be_asked_for_and_shows_its_songs():
    states = [Phone("phone-playlist", 1, seed).state for seed in range(20)]
    assert {f'"{one.model.data.lists[0][0]}"' in one.goal for one in states} == {True, False}
    phone = Phone("phone-playlist", 1).do('open_app("Music")')
    song = phone.rows("song")[2].text
    phone.tap("more#2", "put", "list#1", "tab-Playlists", "show#1")
    assert [one.text for one in phone.rows("held")] == [song]
    assert phone.do("back()", "back()").rows("song")


def test_albums_can_be_looked_at():
    phone = Phone("phone-photos").do('open_app("Photos")').tap("tab-Albums")
    assert len(phone.rows("kept")) == len(phone.state.model.data.albums)
    assert phone.tap("tab-Photos").rows("photo")


@pytest.mark.parametrize(
    ("family", "app", "row"),
    [("phone-message", "Messages", "chat"), ("phone-copy", "Messages", "chat"),
     ("phone-mail", "Mail", "mail")],
)  # fmt: skip
def test_what_came_last_stands_first_and_came_before_now(family, app, row):
    for seed in range(20):
        phone = Phone(family, 10, seed).do(f'open_app("{app}")')
        now = next(one.text for one in phone.state.page if one.kind == "status")
        times = [minutes(one.options[3]) for one in phone.rows(row)]
        assert minutes(now) > times[0]
        assert len(times) > 5
        assert all(one > other for one, other in itertools.pairwise(times))


def test_an_own_message_is_told_from_others():
    phone = Phone("phone-message").do('open_app("Messages")').tap("chat#0")
    field = next(one for one in phone.state.page if one.kind == "field")
    phone.tap(field.id).do('type("good night")').tap("send").do("back()")
    assert phone.rows("chat")[0].options[0] == "You: good night"


def test_few_messages_stand_above_the_field():
    phone = Phone("phone-message").do('open_app("Messages")').tap("chat#0")
    last = phone.rows("said")[-1]
    field = next(one for one in phone.state.page if one.kind == "field")
    assert 0 < field.y - (last.y + last.h) < 40


@pytest.mark.parametrize("day", ["\N{SUPERSCRIPT TWO}", "9" * 60, "Jan 3"])
def test_events_stand_in_the_order_of_their_dates(day):
    phone = Phone("phone-event", 10, 3).do('open_app("Calendar")').tap("add")
    for id, text in (("title", "Feast"), ("day", day), ("time", "noon:\N{SUPERSCRIPT TWO}")):
        phone.tap(f"Calendar.new/{id}").do(f'type("{text}")', "back()")
    phone.tap("save")
    days = [one.options[3] for one in phone.rows("entry")]
    months = [name[:3] for name in MONTHS]
    known = [(months.index(one[:3]), int(one[4:])) for one in days if one[:3] in months]
    assert known == sorted(known)
    assert len(known) > 3
    assert len(days) == len(phone.state.model.data.entries)


def test_a_list_without_rows_has_no_card():
    for seed in range(20):
        phone = Phone("phone-timer", seed=seed)
        if phone.state.model.style.cards:
            break
    phone.do('open_app("Clock")')
    assert not [one for one in phone.state.page if one.kind == "pane" and one.tone == "card"]
    phone.tap("add").keys("5").tap("start")
    assert [one for one in phone.state.page if one.kind == "pane" and one.tone == "card"]


def test_the_field_with_the_focus_has_an_outline():
    phone = Phone("phone-contact").do('open_app("Contacts")').tap("add")
    outlined = [one for one in phone.state.page if one.kind == "pane" and one.options[1:]]
    assert not outlined
    phone.tap("Contacts.new/last")
    outlined = [one for one in phone.state.page if one.kind == "pane" and one.options[1:]]
    field = next(one for one in phone.state.page if one.id == "Contacts.new/last")
    assert [one.y for one in outlined] == [field.y - 2]


def test_a_field_for_numbers_has_digits_on_its_keyboard():
    phone = Phone("phone-expense").do('open_app("Money")').tap("add", "Money.new/amount")
    keyboard = next(one for one in phone.state.page if one.kind == "keyboard")
    seven = next(key for key in place_keys(keyboard.w, keyboard.h, SYMBOLS) if key.name == "7")
    at = keyboard.x + seven.x + seven.w // 2, keyboard.y + seven.y + seven.h // 2
    phone.do(f"tap{at}", f"tap{at}")
    assert "77" in [one.value for one in phone.state.page]
    phone.tap("Money.new/name").do(f"tap{at}")
    letters = next(one.value for one in phone.state.page if one.id == "Money.new/name")
    assert letters.isalpha()
