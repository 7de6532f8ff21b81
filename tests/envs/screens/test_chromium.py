"""Screens do what a browser does with the same widgets in the same boxes.

Not compared: where Tab goes when nothing has the keyboard, and letters that choose in lists, which
depend on how fast they are typed; where a pointer puts the caret in a password, whose discs are the
browser's, in a text that is larger than its field, and at a field's rim; the list of a drop-down,
which a page cannot see (keys change it here and there); drags, which headless Chromium takes for
more than a slider's or a text's; and a click on a scroll bar, which is animated. The browser's
clipboard is its own: what was copied is seen when it is pasted. Where a box is scrolled to what has
got the keyboard, it may be by a line or two more or less, and it goes on from there.
"""

import random
import shutil
from importlib.util import find_spec

import pytest
from screen_pages import BOXES, TELL, page

from gem_ma.envs.screens.acting import WHEEL, Action, Ui, act, find, shown
from gem_ma.envs.screens.sheet import Sheet
from gem_ma.scene.letters import width
from gem_ma.scene.screen import PAD, TYPED

BROWSERS = ("chromium", "chromium-headless-shell", "chromium-browser", "google-chrome")
REMEDY = "pip install 'gem-ma[browser,plots]' and install Chromium: apt-get install chromium"
ACTIONS = 25  # of a sequence
KEYS = (
    *("Tab", "Tab", "shift+Tab", "Left", "Right", "Up", "Down", "Home", "End", "Backspace"),
    *("Delete", "Space", "Enter", "ctrl+a", "ctrl+c", "ctrl+x", "shift+Left"),
    *("shift+Right", "shift+Home", "shift+End", "ctrl+Left", "ctrl+Right", "PageUp", "PageDown"),
)
NAMES = {"Space": " ", "Left": "ArrowLeft", "Right": "ArrowRight", "Up": "ArrowUp"}
NAMES |= {"Down": "ArrowDown", "ctrl": "Control", "shift": "Shift"}
WORDS = ("apple", "two words", "a-b c", "x", "Some more text here", "12 34")
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
        yield browser.new_page(viewport={"width": 448, "height": 448})
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
    """Return whether a text is moved in its field, since it is larger than that."""
    lines = str(one.value).split("\n")
    if one.kind == "area" and len(lines) > 2:
        return True
    return (
        one.kind in ("field", "area") and max(width(line, 14) for line in lines) > one.w - 2 * PAD
    )


def drawn(rng, seen, focus):
    """Return an action that somebody may do."""
    if rng.random() < 0.45 and focus:
        return Action("key", text=rng.choice(KEYS))
    if rng.random() < 0.2 and not focus.startswith(("list", "select")):
        return Action("type", text=rng.choice(WORDS))
    left_out = ("select", "scroll", "label", "password")
    left_out = ("select", "scroll", "label", "password")
    one = rng.choice([
        one for one in seen if one.seen and one.kind not in left_out and not shifted(one)
    ])  # fmt: skip
    x, y = one.x + rng.randint(3, max(3, one.w - 4)), one.y + one.h // 2
    if one.kind == "area":
        y = one.y + rng.randint(8, one.h - 16)
    if one.kind == "list":
        y = one.y + 24 * rng.randrange(3) + 12
    kind = rng.choice(("click", "click", "click", "double", "scroll"))
    if kind == "double":
        wide = int(width(str(one.value), 14)) if one.kind == "field" else 0
        kind = "double" if wide > 20 else "click"
        x = one.x + PAD + rng.randint(4, wide - 8) if wide > 20 else x
    if kind == "scroll":
        return Action("scroll", (x, y), (0, rng.choice((-2, -1, 1, 2)) * WHEEL))
    return Action(kind, (x, y))


def opened(tab, made):
    """Open a page with widgets, and wait until it is drawn."""
    tab.mouse.move(447, 447)
    tab.set_content(page(made))
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
        if one.kind in ("check", "radio"):
            values[one.id] = bool(one.value)
        elif one.kind in (*TYPED, "select", "list", "slider", "scroll"):
            values[one.id] = one.value
    told = {"focus": ui.focus, "values": values}
    one = find(seen, ui.focus)
    if one is not None and one.kind in TYPED:
        told["marked"] = sorted((ui.caret, ui.anchor))
    return told


def same(ours, theirs, near):
    """Return whether these are equal, but for some pixels by which a box is scrolled."""
    one, other = dict(ours["values"]), dict(theirs["values"])
    far = abs(one.pop("scroll", 0) - other.pop("scroll", 0))
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
        action = drawn(rng, seen, ui.focus)
        done.append(action)
        ui, _ = act(seen, ui, action)
        ui = ui._replace(open="")
        do(tab, action)
        told = tab.evaluate(TELL)
        near = 1 if action.kind == "scroll" else 60
        assert same(held(shown(made, ui), ui), told, near), done
        ui = ui.put("scroll", told["values"]["scroll"])


def test_a_browser_copies_and_pastes_the_same(tab):
    sheet = Sheet()
    sheet.put("field", "from", "", "one two")
    sheet.put("field", "to", "", "three")
    opened(tab, sheet.widgets)
    ui = Ui()
    (first, _) = sheet.widgets
    for action in (
        Action("double", (first.x + 20, first.y + 13)),
        *(Action("key", text=key) for key in ("ctrl+c", "Tab", "End", "ctrl+v", "Home", "ctrl+v")),
    ):
        ui, _ = act(shown(sheet.widgets, ui), ui, action)
        do(tab, action)
        assert held(shown(sheet.widgets, ui), ui) == tab.evaluate(TELL), action


@pytest.mark.parametrize("seed", range(10))
def test_a_browser_does_the_same(tab, seed):
    agree(tab, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 250))
def test_a_browser_does_the_same_often(tab, seed):
    agree(tab, seed)
