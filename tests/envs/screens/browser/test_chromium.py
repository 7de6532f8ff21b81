"""Screens do what a browser does with the same widgets in the same boxes.

Every key is pressed, with every modifier but alt, and every button of the pointer is used; EXCEPTED
says which keys are left out, and why.

Not compared: where Tab goes, and what typing does, when nothing has the keyboard; letters that
choose in lists, which depend on how fast they are typed; where a pointer puts the caret in a
password, whose discs are the browser's, in a text that is larger than its field or has marks upon
letters, and at a field's rim; text that is or was marked and is dragged, which a browser moves and
we mark anew, or is clicked with the right button while something else has the keyboard; text that
is dragged over at the rim of a box, which a browser scrolls; and a click on a scroll bar, which is
animated. The browser's clipboard is its own: what was copied is seen when it is pasted. Where a
box is scrolled to what has got the keyboard, it may be by a line or two more or less, and it goes
on from there.

The list of a drop-down is the operating system's, which no page can see: it is compared with the
one that a browser draws itself (`appearance: base-select`). There a click beside an open list is
also one on what lies there; here, as with those of operating systems, it only closes the list.
"""

import random
import shutil
import unicodedata
from importlib.util import find_spec

import pytest
from screen_pages import BOXES, LISTS, TELL, TELL_LISTS, UNDER, page, put_down

import gem_ma
from gem_ma.envs.screen_actions import KEY_NAMES, PIXELS_PER_NOTCH, ScreenAction
from gem_ma.envs.screens.acting import act
from gem_ma.envs.screens.families import REGISTER
from gem_ma.envs.screens.game import LOOKS, laid
from gem_ma.envs.screens.shared import AGENTS as DESK
from gem_ma.envs.screens.shared import Desk
from gem_ma.envs.screens.sheet import Sheet
from gem_ma.envs.screens.ui import Ui, find, shown, usable
from gem_ma.scene.screen import FIELD_PADDING, TEXT_KINDS, find_widget
from gem_ma.scene.text_metrics import measure_width

BROWSERS = ("chromium", "chromium-headless-shell", "chromium-browser", "google-chrome")
REMEDY = "pip install 'gem-ma[browser,plots]' and install Chromium: apt-get install chromium"
TOGETHER = ("assisted", "guided", "shared")
ACTIONS = 25  # of a sequence
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
OFTEN = (  # the keys that are pressed more often than the others
    *("Tab", "Tab", "shift+Tab", "Left", "Right", "Up", "Down", "Home", "End", "Backspace"),
    *("Delete", "Space", "Enter", "ctrl+a", "ctrl+c", "ctrl+x", "ctrl+z", "ctrl+y", "shift+Left"),
    *("shift+Right", "shift+Home", "shift+End", "ctrl+Left", "ctrl+Right", "PageUp", "PageDown"),
)
EXCEPTED = {  # keys that are left out, and why
    "ctrl+Tab": "it is the window's: it goes to another tab",
    "ctrl+shift+Tab": "it is the window's: it goes to another tab",
    "ctrl+v": "the browser's clipboard is its own; see the test of copying",
    "ctrl+shift+v": "the browser's clipboard is its own; see the test of copying",
}
KEYS = tuple(
    f"{held}{key}"
    for held in ("", "shift+", "ctrl+", "ctrl+shift+")
    for key in (*sorted(set(KEY_NAMES.values())), *(LETTERS if "ctrl" in held else ""))
    if f"{held}{key}" not in EXCEPTED
)
HISTORY = ("ctrl+z", "ctrl+y", "ctrl+shift+z")  # a page that is written anew has none
NAMES = {"Space": " ", "Left": "ArrowLeft", "Right": "ArrowRight", "Up": "ArrowUp"}
NAMES |= {"Down": "ArrowDown", "ctrl": "Control", "shift": "Shift"}
WORDS = (
    "apple",
    "two words",
    "a-b c",
    "x",
    "Some more text here",
    "12 34",
    "two  blanks",
    "e\u0301x",
)
KINDS = (
    "field",
    "password",
    "area",
    "check",
    "radio",
    "button",
    "link",
    "select",
    "list",
    "slider",
)


@pytest.fixture(scope="module")
def tab():
    playwright = pytest.importorskip("playwright.sync_api", reason=REMEDY)
    if find_spec("matplotlib") is None:
        pytest.skip(REMEDY)
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    with playwright.sync_playwright() as running:
        try:
            browser = running.chromium.launch(
                executable_path=found, chromium_sandbox=False, args=["--disable-smooth-scrolling"]
            )
        except playwright.Error as error:
            if found is not None:
                raise
            pytest.skip(f"{REMEDY} ({str(error).splitlines()[0]})")
        page = browser.new_page(viewport={"width": 448, "height": 448})
        do(page, ScreenAction("drag", (5, 5), (200, 5)))  # the first one of a browser is lost
        yield page
        browser.close()


def widgets(rng):
    """Return widgets of some kinds, one below the other, the last of them in a box that scrolls."""
    sheet = Sheet()
    for number in range(rng.randint(3, 6)):
        put(sheet, rng, number)
    with sheet.scroll("scroll", 100):
        for number in range(10, 10 + rng.randint(3, 7)):
            put(sheet, rng, number, ("field", "check", "button", "link"))
    return [one for one in sheet.widgets if one.y < 430]


def put(sheet, rng, number, kinds=KINDS):
    kind = rng.choice(kinds)
    name = f"{kind}{number}"
    match kind:
        case "field" | "password":
            sheet.put(kind, name, "", rng.choice(WORDS))
        case "area":
            sheet.put(kind, name, "", "\n".join(rng.sample(WORDS, 2)), w=200, h=60)
        case "radio":
            for place in range(3):
                id = f"{name}-{place}"
                sheet.put(kind, id, f"Radio {place}", False, group=name, beside=place > 0)
        case "select" | "list":
            sheet.put(kind, name, "", 0, ("One", "Two", "Three"), w=120)
        case "slider":
            sheet.put(kind, name, "", 5, (0, 10, 1), w=200)
        case _:
            sheet.put(kind, name, f"Press {number}", False if kind == "check" else None)


def shifted(one):
    """Return whether letters of a text stand elsewhere: it is too large, or has marks upon some."""
    lines = str(one.value).split("\n")
    if one.kind in TEXT_KINDS and any(map(unicodedata.combining, str(one.value))):
        return True
    if one.kind == "area" and len(lines) > 2:
        return True
    return (
        one.kind in ("field", "area")
        and max(measure_width(line, 14) for line in lines) > one.w - 2 * FIELD_PADDING
    )


def drawn(rng, seen, ui):
    """Return an action that somebody may do."""
    if rng.random() < 0.5 and ui.focus:
        return ScreenAction("key", text=rng.choice(rng.choice((OFTEN, KEYS))))
    if rng.random() < 0.2 and ui.focus and not ui.focus.startswith(("list", "select")):
        is_text = ui.focus.startswith(tuple(TEXT_KINDS))
        # No key writes a mark upon a letter: elsewhere it would go to a text that has no keyboard.
        return ScreenAction("type", text=rng.choice(WORDS if is_text else WORDS[:-1]))
    left_out = ("select", "scroll", "label", "password")
    one = rng.choice([
        one for one in seen if one.seen and one.kind not in left_out and not shifted(one)
    ])  # fmt: skip
    x, y = one.x + rng.randint(3, max(3, one.w - 4)), one.y + one.h // 2
    if one.kind == "area":
        y = one.y + rng.randint(8, one.h - 16)
    if one.kind == "list":
        y = one.y + 24 * rng.randrange(3) + 12
    kinds = ("click", "click", "click", "right", "double", "triple", "hover", "scroll", "drag")
    kind = rng.choice(kinds)
    if kind in ("double", "triple") and one.kind in TEXT_KINDS:
        wide = int(measure_width(str(one.value), 14)) if one.kind == "field" else 0
        kind = kind if wide > 20 else "click"
        x = one.x + FIELD_PADDING + rng.randint(4, wide - 8) if wide > 20 else x
    if kind == "right" and one.id != ui.focus and is_marked(one, ui):
        kind = "click"
    if kind == "scroll":
        return ScreenAction("scroll", (x, y), (0, rng.choice((-2, -1, 1, 2)) * PIXELS_PER_NOTCH))
    if kind == "drag" and dragged(one, seen, ui):
        return ScreenAction("drag", (x, y), (one.x + rng.randint(8, one.w - 9), y))
    return ScreenAction("click" if kind == "drag" else kind, (x, y))


def dragged(one, seen, ui):
    """Return whether this is compared when the pointer is dragged over it."""
    if one.kind == "slider":
        return True
    scroll = find(seen, one.inside)
    whole = scroll is None or scroll.y + 24 <= one.y <= scroll.y + scroll.h - 24 - one.h
    return one.kind in ("field", "area") and whole and not is_marked(one, ui)


def is_marked(one, ui):
    """Return whether a part of a text is marked, or was when it lost the keyboard."""
    marks = ui.left.get(one.id, (0, 0))
    return (one.id == ui.focus and ui.caret != ui.anchor) or marks[0] != marks[1]


def opened(tab, made):
    """Open a page with widgets, and wait until it is drawn."""
    tab.goto("about:blank")  # nothing is dragged in a document that another one is put into
    tab.set_content(page(made))
    tab.mouse.move(447, 447)
    tab.evaluate("() => document.fonts.ready.then(() => true)")
    tab.evaluate("() => new Promise(done => setTimeout(() => requestAnimationFrame(done), 30))")


def do(tab, action):
    """Do the same in the browser."""
    x, y = action.at
    match action.kind:
        case "click":
            tab.mouse.click(x, y)
        case "double":
            tab.mouse.dblclick(x, y)
        case "triple":
            tab.mouse.click(x, y, click_count=3)
        case "right":
            tab.mouse.click(x, y, button="right")
        case "hover":
            tab.mouse.move(x, y)
        case "drag":
            tab.mouse.move(x, y)
            tab.mouse.down()
            tab.mouse.move(*action.to, steps=2)
            tab.mouse.up()
        case "scroll":
            tab.mouse.move(x, y)
            tab.mouse.wheel(0, action.to[1])
            tab.evaluate("() => new Promise(done => setTimeout(done, 60))")
        case "type":
            tab.keyboard.type(action.text)
        case "key":
            tab.keyboard.press("+".join(NAMES.get(part, part) for part in action.text.split("+")))


def held(seen, ui):
    """Return what our screen tells of itself, as the browser does."""
    values = {}
    for one in seen:
        if one.kind in ("check", "radio", "fold"):
            values[one.id] = bool(one.value)
        elif one.kind in (*TEXT_KINDS, "select", "list", "slider", "scroll"):
            values[one.id] = one.value
    told = {"focus": ui.focus, "values": values}
    one = find(seen, ui.focus)
    if one is not None and one.kind in TEXT_KINDS:
        told["marked"] = sorted((ui.caret, ui.anchor))
    return told


def same(ours, theirs, near):
    """Return whether these are equal, but for some pixels by which a box is scrolled."""
    one, other = dict(ours["values"]), dict(theirs["values"])
    boxes = [id for id in one if id.startswith("scroll")]
    far = sum(abs(one.pop(id) - other.pop(id, 0)) for id in boxes)
    return {**ours, "values": one} == {**theirs, "values": other} and far <= near


def agree(tab, seed):
    rng = random.Random(seed)
    made = widgets(rng)
    opened(tab, made)
    ui, done = Ui(), []
    boxes = tab.evaluate(BOXES)
    for one in shown(made, ui):
        if one.id in boxes:
            ours = one.x, one.y, one.w, one.h
            assert max(abs(a - b) for a, b in zip(ours, boxes[one.id], strict=True)) <= 1, one
    for _ in range(ACTIONS):
        seen = shown(made, ui)
        action = drawn(rng, seen, ui)
        done.append(action)
        ui, _ = act(seen, ui, action)
        ui = ui._replace(open="")
        do(tab, action)
        told = tab.evaluate(TELL)
        near = 1 if action.kind == "scroll" else 60
        ours = held(shown(made, ui), ui)
        assert same(ours, told, near), f"{ours}, in the browser {told} after {done}"
        ui = ui.put("scroll", told["values"]["scroll"])


def test_a_browser_copies_and_pastes_the_same(tab):
    sheet = Sheet()
    sheet.put("field", "from", "", "one two")
    sheet.put("field", "to", "", "three")
    opened(tab, sheet.widgets)
    ui = Ui()
    (first, _) = sheet.widgets
    for action in (
        ScreenAction("double", (first.x + 20, first.y + 13)),
        *(
            ScreenAction("key", text=key)
            for key in ("ctrl+c", "Tab", "End", "ctrl+v", "Home", "ctrl+v")
        ),
    ):
        ui, _ = act(shown(sheet.widgets, ui), ui, action)
        do(tab, action)
        assert held(shown(sheet.widgets, ui), ui) == tab.evaluate(TELL), action


@pytest.mark.parametrize(
    "action",
    [
        *(ScreenAction("key", text=key) for key in ("a", "ctrl+a", "ctrl+c", "ctrl+x", "ctrl+v")),
        *(ScreenAction("key", text=key) for key in ("Backspace", "Left", "shift+End", "Up")),
        ScreenAction("type", text="new words"),
    ],
)
def test_a_browser_shows_the_same_of_what_is_written_into(tab, action):
    sheet = Sheet()
    with sheet.scroll("scroll", 100):
        sheet.put("field", "name", "", "one two")
        for number in range(8):
            sheet.put("button", f"b{number}", f"Button {number}")
    opened(tab, sheet.widgets)
    ui, (_, field, *_) = Ui(), sheet.widgets
    at = field.x + 20, field.y + 13
    beginning = ScreenAction("double", at), ScreenAction("key", text="ctrl+c")
    for one in (*beginning, ScreenAction("scroll", at, (0, 600)), action):
        ui, _ = act(shown(sheet.widgets, ui), ui, one)
        do(tab, one)
        tab.wait_for_timeout(50)  # the wheel turns in a process of its own
    assert same(held(shown(sheet.widgets, ui), ui), tab.evaluate(TELL), 20)


@pytest.mark.parametrize("seed", range(10))
def test_a_browser_does_the_same(tab, seed):
    agree(tab, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 250))
def test_a_browser_does_the_same_often(tab, seed):
    agree(tab, seed)


def agree_on_lists(tab, seed):
    rng = random.Random(seed)
    sheet = Sheet()
    for number in range(3):
        count = rng.randint(2, 5)
        options = [f"{word} {number}" for word in rng.sample(WORDS, count)]
        sheet.put("select", f"select{number}", "", rng.randrange(count), options, w=180)
        sheet.skip(130)
    opened(tab, sheet.widgets)
    tab.add_style_tag(content=LISTS)
    ui, done = Ui(), []
    for _ in range(ACTIONS):
        seen = shown(sheet.widgets, ui)
        if rng.random() < 0.5 and ui.open:
            keys = ("Up", "Down", "Home", "End", "PageUp", "PageDown", "Enter", "Space", "Escape")
            action = ScreenAction("key", text=rng.choice((*keys, "Tab")))
        elif rng.random() < 0.3 and ui.focus:  # what else a list does when it is closed, see above
            action = ScreenAction("key", text=rng.choice(("Enter", "Space")))
        else:
            kinds = ("item",) if ui.open and rng.random() < 0.8 else ("select",)
            one = rng.choice([one for one in seen if one.kind in kinds])
            if ui.open and one.kind == "select":
                one = find(seen, ui.open)  # which closes it
            action = ScreenAction("click", (one.x + rng.randint(2, 60), one.y + 13))
        ui, _ = act(seen, ui, action)
        do(tab, action)
        done.append(action)
        told = tab.evaluate(TELL_LISTS)
        sizes = told.pop("boxes")
        seen = shown(sheet.widgets, ui)
        boxes = [(one.x, one.y, one.w, one.h) for one in seen if one.kind == "item"]
        far = [abs(a - b) for one, other in zip(boxes, sizes, strict=True)
               for a, b in zip(one, other, strict=True)]  # fmt: skip
        assert max(far, default=0) <= 1, (boxes, sizes)
        values = {one.id: one.value for one in seen if one.kind == "select"}
        marked = ui.caret if ui.open else -1
        ours = {"focus": ui.focus, "open": ui.open, "marked": marked, "values": values}
        assert ours == told, f"{ours}, in the browser {told} after {done}"


@pytest.mark.parametrize("seed", range(3))
def test_a_browser_opens_lists_the_same(tab, seed):
    agree_on_lists(tab, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3, 203))
def test_a_browser_opens_lists_the_same_often(tab, seed):
    agree_on_lists(tab, seed)


def chance(rng, seen, ui):
    """Return an action at random, on what can be seen."""
    if rng.random() < 0.3 and ui.focus:
        return f'key("{rng.choice(rng.choice((OFTEN, KEYS)))}")'
    if rng.random() < 0.15 and ui.focus:
        return f'type("{rng.choice(WORDS[:-1])}")'
    one = rng.choice([one for one in seen if one.seen])
    x, y = one.x + rng.randrange(one.w), one.y + rng.randrange(one.h)
    at = f"{min(max(x, 0), 447)}, {min(max(y, 0), 447)}"
    kinds = ("click", "click", "click", "right_click", "double_click", "triple_click", "hover")
    kind = rng.choice((*kinds, "scroll", "drag"))
    if kind == "scroll":
        return f"scroll({at}, {rng.choice((-2, -1, 1, 2)) * PIXELS_PER_NOTCH})"
    to = f", {rng.randrange(448)}, {rng.randrange(448)}" if kind == "drag" else ""
    return f"{kind}({at}{to})"


def compared(seen, ui, action):
    """Return whether the first lines of this file do not except this."""
    if ui.open or action.kind == "wait" or action.text in HISTORY:
        return False
    if action.kind in ("key", "type"):
        one = find(usable(seen), ui.focus)
        chooses = action.kind == "type" or action.text in ("Space", "Enter")
        return one is not None and not (one.kind in ("select", "list") and chooses)
    one = find_widget(seen, *action.at)
    if one is None:
        return True
    if action.kind == "drag":
        return one.kind in ("slider", "handle", "cell", "square", "tile")
    if one.kind in (*TEXT_KINDS, "list", "scroll") and not well_inside(one, action.at):
        return False
    return one.kind not in ("password", "select") and not shifted(one)


def well_inside(one, at):
    """Return whether a point is none of a rim, or of a scroll bar."""
    x, y = at[0] - one.x, at[1] - one.y
    wide, high = {"list": (3, 2), "scroll": (14, 0)}.get(one.kind, (3, 8))
    return wide <= x < one.w - wide and high <= y < one.h - high


def widgets_of(state, seat):
    """Return the widgets that a seat has before it, and what was done to them; None: no screen."""
    if seat in ("user", "helper"):  # who talks, or points
        return None
    if isinstance(state, Desk):
        own = DESK.index(seat)
        return state.laid(own), state.uis[own]
    one = getattr(state, "inner", state)
    return laid(one), one.ui


def agree_in(tab, name, seed):
    """Do a task in both, half at random: the browser is shown anew what an app has changed."""
    rng = random.Random(seed)
    look = tuple(LOOKS)[seed % len(LOOKS)]
    env = gem_ma.make(f"screens:{name}", difficulty=seed % 11, look=look)
    env.reset(seed=seed)
    done, shows = [], Shows(tab)
    for _ in range(12 if len(env.possible_agents) == 1 else 24):
        state, seat = env.match.state, env.agent_selection
        if not state.to_act():
            return
        known = rng.random() < 0.4
        now = widgets_of(state, seat)
        reply = state.hint(seat)
        if now is not None and not known:
            reply = chance(rng, usable(shown(*now)), now[1])
        done.append(reply)
        if now is not None:
            action = env.match.game.read(reply, env.match.make_view(seat), seat)
            told = f"{seed}, {look}: after {done}"
            shows.compare(now, action, told)
        env.step(reply)


class Shows:
    """What the browser shows, if that is known, and what it does then."""

    def __init__(self, tab):
        self.tab, self.kept = tab, None

    def compare(self, now, action, done):
        """Do an action in both, where it is compared."""
        if isinstance(action, str) or not compared(shown(*now), now[1], action):
            self.kept = None
            return
        if self.kept != now:
            put_down(self.tab, *now)
        told, ours, self.kept = done_in_both(self.tab, *now, action)
        near = 1 if action.kind == "scroll" else 60
        assert same(ours, told, near), f"{ours}, in the browser {told} {done}"


def done_in_both(tab, widgets, ui, action):
    """Return what the browser holds then, what we hold, and what is shown if they are alike."""
    seen = shown(widgets, ui)
    if action.kind not in ("key", "type"):
        one = find_widget(seen, *action.at)
        assert tab.evaluate(UNDER, [*action.at, ""]) == (one.id if one else ""), action
    ui, events = act(seen, ui, action)
    for event in events:
        if event.kind == "drop":
            assert tab.evaluate(UNDER, [*event.at, event.id]) == event.value, action
    do(tab, action)
    told, ours = tab.evaluate(TELL), held(shown(widgets, ui), ui)
    return told, ours, (widgets, ui) if ours == told else None


@pytest.mark.parametrize("name", [*REGISTER, *TOGETHER])
def test_a_browser_does_the_same_in_a_task(tab, name):
    opened(tab, ())
    agree_in(tab, name, 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*REGISTER, *TOGETHER])
def test_a_browser_does_the_same_in_tasks_often(tab, name):
    opened(tab, ())
    for seed in range(1, 201):
        agree_in(tab, name, seed)
