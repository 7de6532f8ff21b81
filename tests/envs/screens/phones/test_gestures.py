"""What fingers do on a phone: keys, swipes, long presses, and the way back."""

import numpy as np
import pytest

from gem_ma.envs.screens.phones.game import Phones
from gem_ma.envs.screens.ui import find
from gem_ma.scene.screen import compute_thumb_x
from gem_ma.scene.touch_keyboard import find_key, place_keys


class Player:
    """Somebody who plays a task, by the ids of widgets."""

    def __init__(self, family, difficulty=3, seed=0):
        self.game = Phones(family, difficulty=difficulty).fit_image(448, 896)
        self.state = self.game.start(np.random.default_rng(seed), {})._replace(left=999)

    def do(self, text):
        move = self.game.read(text, self.state, "player")
        self.state = self.game.advance(self.state, {"player": move}, None)

    def find(self, id):
        one = find(self.state.page, id)
        assert one is not None, [two.id for two in self.state.page]
        return one

    def touch(self, id, verb="tap"):
        one = self.find(id)
        self.do(f"{verb}({one.x + one.w // 2}, {one.y + one.h // 2})")

    def press(self, *keys):
        for name in keys:
            board = self.find("keyboard")
            keys = place_keys(board.w, board.h, board.value)
            key = next(one for one in keys if one.name == name)
            self.do(f"tap({board.x + key.x + 3}, {board.y + key.y + 3})")

    @property
    def model(self):
        return self.state.model


def test_keys_of_the_keyboard_type():
    player = Player("phone-contact")
    player.do('open_app("contacts")')
    player.touch("add")
    assert find(player.state.page, "keyboard") is None
    player.touch("Contacts.new/first")
    player.press("shift", "A", "d", "b", "backspace", "a", "layer", "7", "layer", "x")
    assert player.find("Contacts.new/first").value == "Ada7x"
    player.do("back()")  # puts the keyboard away
    assert find(player.state.page, "keyboard") is None
    assert player.model.front == "new"
    player.do("back()")
    assert player.model.front == "main"
    player.touch("nav:back")
    assert player.model.app == ""


def test_every_key_of_every_layer_is_where_it_is_drawn():
    board = Player("phone-contact")
    board.do('open_app("Contacts")')
    board.touch("add")
    board.touch("Contacts.new/first")
    one = board.find("keyboard")
    for layer in range(3):
        keys = place_keys(one.w, one.h, layer)
        assert len({(key.x, key.y) for key in keys}) == len(keys)
        for key in keys:
            assert 0 <= key.x <= one.w - key.w
            assert 0 <= key.y <= one.h - key.h
            middle = one.x + key.x + key.w // 2, one.y + key.y + key.h // 2
            assert find_key(one._replace(value=layer), *middle) == key.name


def test_a_field_behind_the_keyboard_comes_into_view():
    player = Player("phone-browser", 8)
    player.do('open_app("Browser")')
    player.touch("add")
    player.do("swipe(30, 600, 30, 200)")
    player.touch("Browser.new/city")
    field, board = player.find("Browser.new/city"), player.find("keyboard")
    assert field.y + field.h <= board.y


def test_a_long_press_selects_and_a_menu_copies():
    player = Player("phone-notes")
    player.do('open_app("Notes")')
    player.touch("add")
    player.touch("Notes.new/title")
    player.do('type("one two")')
    player.touch("Notes.new/title", "long_press")
    player.touch("edit:Cut")
    assert player.find("Notes.new/title").value == ""
    player.touch("Notes.new/text", "long_press")
    player.touch("edit:Paste")
    assert player.find("Notes.new/text").value == "one two"
    one = player.find("Notes.new/text")
    for x, text in ((10, "6 two"), (100, "6 two6")):  # on a word, which it selects, and beside all
        player.do(f"double_tap({one.x + x}, {one.y + 24})")
        player.do('type("6")')
        assert player.find("Notes.new/text").value == text


def test_an_app_is_found_as_it_was_left():
    player = Player("phone-contact")
    player.do('open_app("Contacts")')
    player.touch("add")
    player.touch("Contacts.new/first")
    player.do('type("Ada")')
    player.do("home()")
    player.do('open_app("Weather")')
    assert player.model.app == "Weather"
    player.do('open_app("Contacts")')
    assert player.find("Contacts.new/first").value == "Ada"
    player.touch("back")
    player.touch("add")
    assert player.find("Contacts.new/first").value == ""  # what was left has been discarded


def test_swipes_scroll_lists_and_turn_the_pages_of_the_launcher():
    player = Player("phone-mail", 10)
    player.do("swipe(300, 400, 100, 410)")
    assert player.model.shelf == 1
    player.do("swipe(100, 400, 300, 410)")
    assert player.model.shelf == 0
    player.do('open_app("Mail")')
    top = player.find("mail#0").y
    player.do("swipe(200, 600, 205, 500)")
    assert player.find("mail#0").y == top - 100
    player.do('scroll("up")')
    assert player.find("mail#0").y == top
    player.do('scroll(200, 600, "down")')
    assert player.find("mail#0").y < top


@pytest.mark.parametrize(("way", "place"), [("left", "archived"), ("right", "deleted")])
def test_a_mail_is_swiped_away(way, place):
    player = Player("phone-mail")
    player.do('open_app("Mail")')
    one = player.find("mail#1")
    x, to = (300, 120) if way == "left" else (120, 300)
    player.do(f"swipe({x}, {one.y + 20}, {to}, {one.y + 24})")
    assert getattr(player.model.data, place) == {1}
    assert find(player.state.page, "mail#1") is None


def test_notifications_are_pulled_down_opened_and_swiped_away():
    player = Player("phone-reply")
    player.do('{"action_type": "swipe", "direction": "down"}')
    assert player.model.shade
    notes = [n for n, note in enumerate(player.model.notes) if note.key]
    player.do(f"swipe(120, {player.find(f'note:{notes[0]}').y + 20}, 400, 300)")
    player.do("swipe(200, 700, 200, 300)")
    assert not player.model.shade
    player.do("swipe(200, 3, 200, 400)")
    assert find(player.state.page, f"note:{notes[0]}") is None or player.model.notes[notes[0]]
    player.touch(f"note:{notes[1]}")
    assert (player.model.app, player.model.shade) == ("Messages", False)
    assert player.model.front == player.model.notes[notes[1]] or player.model.front.isdecimal()


def test_a_tap_beside_a_dialog_closes_it():
    player = Player("phone-wifi")
    player.do('open_app("Settings")')
    player.touch("open")
    net = next(one for one in player.state.page if one.id.startswith("net:"))
    player.touch(net.id)
    assert player.model.front.startswith("?")
    player.do("tap(5, 100)")
    assert player.model.front == "wifi"


def test_what_is_sent_to_the_wrong_person_is_wrong():
    player = Player("phone-message", 0)
    pairs = zip(player.model.data.chats, player.model.wanted.chats, strict=True)
    name = next(n for n, (one, other) in enumerate(pairs) if one != other)
    text = player.model.wanted.chats[name][1][-1].removeprefix(">")
    player.do('open_app("Messages")')
    player.touch(f"chat#{1 - min(name, 1)}")
    player.touch(f"Messages.{player.model.front}/text")
    player.do(f'type("{text}")')
    player.touch("send")
    player.do("done()")
    assert player.state.score == 0.0


def test_an_answer_is_read_without_its_signs():
    for answer, score in (("{}", 1.0), ("555 {}.", 0.0), ("5", 0.0)):
        player = Player("phone-number", 0)
        expected = player.model.expected
        text = answer.format(expected if answer == "{}" else expected[-4:])
        player.do(f'answer("{text}")')
        assert player.state.score == (
            1.0 if text.strip(".").replace(" ", "-") == expected else score
        )


def test_a_slider_is_where_the_finger_is():
    player = Player("phone-sliders", 0)
    player.do('open_app("Settings")')
    player.touch("open")
    one = next(one for one in player.state.page if one.kind == "slider")
    for x, value in ((one.x + 8, 0), (one.x + one.w - 9, 100), (one.x + one.w // 2, 50)):
        thumb = compute_thumb_x(player.find(one.id))
        player.do(f"swipe({thumb + 5}, {one.y + 9}, {x}, 300)")
        assert player.find(one.id).value == value
