"""What a pointer and a keyboard do, where a browser does the same."""

import numpy as np
import pytest

from gem_ma.envs.screen_actions import ScreenAction
from gem_ma.envs.screens.acting import act
from gem_ma.envs.screens.families.canvas import Connecting
from gem_ma.envs.screens.sheet import Sheet
from gem_ma.envs.screens.ui import Event, Ui, shown
from gem_ma.scene import text_metrics
from gem_ma.scene.screen import FIELD_PADDING, Widget, compute_thumb_x


@pytest.fixture
def at():
    """Return a function that does things on a page with a widget of each kind."""
    sheet = Sheet()
    sheet.put("field", "name", "Name", "one two three")
    sheet.put("password", "secret", "", "abc")
    sheet.put("area", "text", "", "first\nsecond line", h=80)
    sheet.put("check", "box", "Box", False)
    sheet.put("radio", "red", "Red", False, group="g")
    sheet.put("radio", "blue", "Blue", False, group="g", beside=True)
    sheet.put("select", "list", "", 0, ("a", "b", "c"))
    sheet.put("slider", "far", "", 5, (0, 10, 1))
    with sheet.scroll("scroll", 60):
        for number in range(6):
            sheet.put("button", f"b{number}", f"Button {number}")

    class Page:
        ui = Ui()
        events = ()

        @property
        def page(self):
            return shown(sheet.widgets, self.ui)

        def __getitem__(self, id):
            return next(one for one in self.page if one.id == id)

        def do(self, kind, where="", text="", dx=None, to=(0, 0)):
            x, y = 0, 0
            if where:
                one = self[where]
                x, y = one.x + (one.w // 2 if dx is None else dx), one.y + min(one.h // 2, 13)
            if isinstance(to, str):
                other = self[to]
                to = other.x + other.w // 2, other.y + other.h // 2
            self.ui, self.events = act(self.page, self.ui, ScreenAction(kind, (x, y), to, text))
            return self

    return Page()


def test_a_click_puts_the_caret_where_it_hits(at):
    x = FIELD_PADDING + round(text_metrics.measure_width("one tw", 14))
    at.do("click", "name", dx=x)
    assert (at.ui.focus, at.ui.caret, at.ui.anchor) == ("name", 6, 6)
    at.do("type", text="X").do("key", text="Backspace").do("key", text="Backspace")
    assert at["name"].value == "one to three"


def test_words_are_marked_replaced_cut_and_pasted(at):
    at.do("double", "name", dx=FIELD_PADDING + 35)
    assert (at.ui.anchor, at.ui.caret) == (4, 7)
    at.do("key", text="ctrl+x")
    assert (at["name"].value, at.ui.clipboard) == ("one  three", "two")
    at.do("key", text="Home").do("key", text="ctrl+v")
    assert at["name"].value == "twoone  three"
    at.do("key", text="shift+End").do("type", text="!")
    assert at["name"].value == "two!"
    at.do("click", "secret").do("key", text="ctrl+a").do("key", text="ctrl+c")
    assert at.ui.clipboard == "two"  # nothing is copied out of a password


def test_lines_go_up_and_down_and_take_enter(at):
    at.do("click", "text", dx=FIELD_PADDING).do("key", text="End").do("key", text="Down")
    below = text_metrics.find_caret("second line", 14, text_metrics.measure_width("first", 14))
    assert at.ui.caret == len("first\n") + below
    at.do("key", text="End").do("type", text="\nthird")
    assert at["text"].value == "first\nsecond line\nthird"


def test_boxes_and_buttons_answer_to_pointer_and_keys(at):
    at.do("click", "box")
    assert at["box"].value is True
    assert at.events[0][:3] == ("change", "box", True)
    at.do("key", text="Space")
    assert at["box"].value is False
    at.do("click", "red").do("key", text="Down")
    assert (at["red"].value, at["blue"].value, at.ui.focus) == (False, True, "blue")
    at.do("click", "b0")
    assert at.events[0][:2] == ("click", "b0")
    at.do("key", text="Enter")
    assert at.events[0][:2] == ("click", "b0")


def test_a_list_opens_and_closes(at):
    at.do("click", "list")
    assert at.ui.open == "list"
    assert at["list#2"].text == "c"
    at.do("click", "list#2")
    assert (at.ui.open, at["list"].value) == ("", 2)
    at.do("key", text="Up")
    assert at["list"].value == 1
    at.do("click", "list").do("key", text="Escape")
    assert at.ui.open == ""


def test_a_slider_is_clicked_dragged_and_stepped(at):
    one = at["far"]
    assert compute_thumb_x(one) == one.x + one.w // 2
    at.do("click", "far", dx=one.w - 9)
    assert at["far"].value == 10
    at.do("drag", "far", dx=one.w - 9, to=(one.x, one.y))
    assert at["far"].value == 0
    at.do("key", text="Right").do("key", text="PageUp").do("key", text="End")
    assert at["far"].value == 10


def test_what_scrolls_moves_and_is_clipped(at):
    assert not at["b5"].seen
    at.do("scroll", "b0", to=(0, 1000))
    assert at["b5"].seen
    assert not at["b0"].seen
    at.do("scroll", "b5", to=(0, -1000))
    assert at["scroll"].value == 0
    hidden = at["b3"]
    at.ui, events = act(at.page, at.ui, ScreenAction("click", (hidden.x + 4, hidden.y + 4)))
    assert all(one.id != "b3" for one in events)


@pytest.mark.parametrize(
    ("kind", "text", "is_shown"),
    [
        *(("key", key, True) for key in ("a", "ctrl+v", "Backspace", "Left", "shift+End", "Up")),
        *(("key", key, False) for key in ("ctrl+a", "ctrl+c", "ctrl+x")),
        ("type", "new words", True),
    ],
)
def test_what_is_written_into_is_shown(kind, text, is_shown):
    """A box that was scrolled on goes back to the caret (a browser: test_chromium.py)."""
    sheet = Sheet()
    with sheet.scroll("scroll", 100):
        sheet.put("field", "name", "", "one two")
        for number in range(8):
            sheet.put("button", f"b{number}", f"Button {number}")
    ui, (_, field, *_) = Ui(), sheet.widgets
    at = field.x + 20, field.y + 13
    for action in (
        ScreenAction("double", at),
        ScreenAction("key", text="ctrl+c"),
        ScreenAction("scroll", at, (0, 600)),
        ScreenAction(kind, text=text),
    ):
        ui, _ = act(shown(sheet.widgets, ui), ui, action)
    assert (ui.values["scroll"] == 0) == is_shown


def test_tab_goes_through_all_that_can_be_used(at):
    order = []
    for _ in range(14):
        at.do("key", text="Tab")
        order.append(at.ui.focus)
    assert order[:6] == ["name", "secret", "text", "box", "red", "list"]
    assert order[6:13] == ["far", *(f"b{n}" for n in range(6))]
    assert at["b5"].seen  # it was scrolled to
    at.do("key", text="shift+Tab")


def test_what_was_typed_is_undone_in_every_field_and_done_again(at):
    at.do("click", "name").do("key", text="End").do("type", text=" four")
    at.do("click", "text", dx=FIELD_PADDING).do("key", text="Delete").do("key", text="Delete")
    at.do("type", text="x")
    assert at["text"].value == "xrst\nsecond line"
    at.do("key", text="ctrl+z")
    assert (at["text"].value, at.ui.focus) == ("first\nsecond line", "text")
    at.do("key", text="ctrl+z")
    assert (at["name"].value, at.ui.focus) == ("one two three", "name")
    at.do("key", text="ctrl+z")  # nothing is left, and the task may have a use for the key
    assert at["name"].value == "one two three"
    assert at.events[0][:3] == ("key", "name", "ctrl+z")
    at.do("key", text="ctrl+y").do("key", text="ctrl+shift+z")
    assert (at["name"].value, at["text"].value) == ("one two three four", "xrst\nsecond line")
    at.do("key", text="ctrl+z").do("key", text="Left").do("type", text="q").do("key", text="ctrl+y")
    assert "xrst" not in at["text"].value  # what is typed anew forgets what was undone


def test_undoing_moves_the_focus_unless_it_was_last_in_that_text(at):
    at.do("click", "name").do("key", text="End").do("type", text="x").do("click", "b0")
    assert at.do("key", text="ctrl+z").ui.focus == "b0"
    assert at["name"].value == "one two three"
    at.do("click", "name").do("key", text="End").do("type", text="x")
    at.do("click", "text").do("click", "b0")
    assert at.do("key", text="ctrl+z").ui.focus == "name"
    at.do("key", text="ctrl+a").do("type", text="x").do("click", "b0")
    assert at.do("key", text="ctrl+z").ui.focus == "name"  # where all is marked again


def test_a_letter_that_no_key_has_ends_what_is_undone_together(at):
    """Chromium undoes it so."""
    at.do("click", "name").do("key", text="End").do("type", text="xéyz")
    at.do("key", text="ctrl+z")
    assert at["name"].value == "one two threexé"
    at.do("key", text="ctrl+z")
    assert at["name"].value == "one two three"


def test_letters_and_deletions_are_undone_together_or_apart(at):
    at.do("click", "name").do("key", text="End").do("type", text="uv").do("key", text="Backspace")
    at.do("key", text="ctrl+z")
    assert at["name"].value == "one two threeuv"
    at.do("key", text="ctrl+z")
    assert at["name"].value == "one two three"
    at.do("type", text="u").do("key", text="Left").do("type", text="w").do("key", text="ctrl+z")
    assert (at["name"].value, at.ui.caret) == ("one two threeu", 13)
    at.do("key", text="ctrl+a").do("type", text="new").do("key", text="ctrl+z")
    assert (at["name"].value, at.ui.anchor, at.ui.caret) == ("one two threeu", 0, 14)


def test_shift_and_delete_cut_what_is_marked(at):
    at.do("double", "name", dx=FIELD_PADDING + 35).do("key", text="shift+Delete")
    assert (at["name"].value, at.ui.clipboard) == ("one  three", "two")
    at.do("key", text="shift+Delete")
    assert at["name"].value == "one  three"


def test_a_caret_stands_on_neither_side_of_a_mark_upon_a_letter(at):
    at.do("click", "name").do("key", text="ctrl+a").do("type", text="ae\u0301b")
    at.do("key", text="Left").do("key", text="Left")
    assert at.ui.caret == 1
    at.do("key", text="Right")
    assert at.ui.caret == 3
    at.do("key", text="Backspace")
    assert (at["name"].value, at.ui.caret) == ("aeb", 2)
    at.do("key", text="ctrl+z").do("key", text="Left").do("key", text="Delete")
    assert at["name"].value == "ab"


def test_a_right_click_moves_the_focus_and_the_caret(at):
    at.do("right", "name", dx=FIELD_PADDING + 30)
    assert (at.ui.focus, at.ui.caret) == ("name", 4)
    at.do("key", text="ctrl+a").do("right", "name", dx=FIELD_PADDING + 30)
    assert (at.ui.anchor, at.ui.caret) == (0, 13)
    at.do("right", "box", dx=4)
    assert (at.ui.focus, at["box"].value) == ("box", False)
    at.do("right", "box", dx=30)
    assert at.ui.focus == ""
    box = at["box"]
    for above, focus in ((-1, ""), (0, "box"), (15, "box"), (16, "")):  # rows of the square itself
        y = box.y + (box.h - 16) // 2 + above
        at.ui, _ = act(at.page, at.ui, ScreenAction("right", (box.x + 4, y)))
        assert at.ui.focus == focus


def test_three_clicks_turn_a_box_once(at):
    at.do("double", "box")
    assert at["box"].value is False
    at.do("triple", "box")
    assert at["box"].value is True


@pytest.mark.parametrize("count", [3, 8, 15])
def test_an_open_list_stays_on_the_screen(count):
    for y in range(60, 420, 5):
        select = Widget("list", "select", 20, y, 120, 26, value=0, options=("a",) * count)
        box, *items = shown([select], Ui(open="list"))[1:]
        assert [one.y - items[0].y for one in items] == [24 * n for n in range(count)]
        assert box.y >= 0
        assert box.y + box.h <= 448
        if y + 26 + 24 * count < 448:
            assert items[0].y == y + 26
        elif y > 24 * count:
            assert items[-1].y + 24 == y


def test_hovering_is_an_event_of_its_own(at):
    at.do("hover", "box")
    assert [(event.kind, event.id) for event in at.events] == [("hover", "box")]
    assert at.ui.hover == "box"
    at.do("hover")
    assert [(event.kind, event.id) for event in at.events] == [("hover", "")]


def test_arrow_keys_stay_in_a_group_of_radio_buttons():
    sheet = Sheet()
    for group, names in (("size", ("small", "large")), ("color", ("red", "blue"))):
        for name in names:
            sheet.put("radio", name, name, False, group=group)
    sheet.put("check", "box", "Box", False, group="size")
    ui, _ = act(sheet.widgets, Ui(focus="large"), ScreenAction("key", text="Down"))
    assert ui.focus == "small"
    ui, _ = act(sheet.widgets, Ui(focus="red"), ScreenAction("key", text="Up"))
    assert ui.focus == "blue"


def test_a_line_to_a_wrong_dot_ends_a_task_with_nothing():
    family = Connecting()
    model = family.start(np.random.default_rng(0), 2)
    first, second, *_ = (f"dot{dot}" for dot in model.order)
    wrong = family.update(model, Event("drop", second, first), Ui())
    assert family.score(wrong, Ui()) == 0.0
    right = family.update(model, Event("drop", first, second), Ui())
    assert (right.drawn, family.score(right, Ui())) == (1, None)
    beside = family.update(model, Event("drop", first, ""), Ui())
    assert beside == model
