"""Phones do what a browser does with fingers on the same widgets in the same boxes.

A browser feels the touches themselves: taps, double taps, and fingers that move. The keys of the
keyboard on the screen are compared with those of a keyboard.

Not compared: what belongs to the phone and not to a page, which are Back, Home, the pages of the
launcher, notifications, and the menu to cut, copy and paste; a long press, by which a browser
selects a word and a phone here the whole field; a finger that begins less than 10 pixels beside a
slider, which a browser takes for one on it; and what was scrolled by up to 16 pixels more or less,
since a browser waits so long until it takes a finger for one that moves.
"""

import random

import pytest
from screen_pages import TELL, UNDER, page, put_down
from test_chromium import REMEDY, WORDS, shifted

import gem_ma
from gem_ma.envs.screens.families import PHONES
from gem_ma.envs.screens.game import laid
from gem_ma.envs.screens.phones.gestures import SHORTEST, touch
from gem_ma.envs.screens.phones.page import EDIT_MENU, KEYBOARD_ID, STATUS
from gem_ma.envs.screens.ui import find, shown, usable
from gem_ma.scene.screen import TEXT_KINDS, find_widget
from gem_ma.scene.touch_keyboard import BACKSPACE, ENTER, OTHER_LAYER, SHIFT, find_key

WIDE, HIGH = 448, 896
SLOP, BESIDE = 16, 10  # pixels
STEPS = 8  # of a finger that moves
PHONE = f"""
<meta name=viewport content="width={WIDE}, user-scalable=no">
<style>body {{width: {WIDE}px; height: {HIGH}px; touch-action: manipulation}}</style>
"""
OF_THE_PHONE = ("back", "home", "open", "done", "answer", "wait", "infeasible", "long")


@pytest.fixture(scope="module")
def finger(browser):
    pytest.importorskip("matplotlib", reason=REMEDY)
    context = browser.new_context(
        viewport={"width": WIDE, "height": HIGH}, has_touch=True, is_mobile=True
    )
    tab = context.new_page()
    tab.set_content(page(()) + PHONE)
    tab.evaluate("() => document.fonts.ready.then(() => true)")
    return Finger(tab, context.new_cdp_session(tab))


class Finger:
    """A finger on the page of a browser."""

    def __init__(self, tab, session):
        self.tab, self.session = tab, session

    def send(self, kind, *points):
        places = [{"x": x, "y": y, "radiusX": 1, "radiusY": 1} for x, y in points]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    def tap(self, at):
        self.send("touchStart", at)
        self.send("touchEnd")

    def move(self, start, end):
        """Move the finger in a straight line, and hold it there so that nothing goes on."""
        self.send("touchStart", start)
        for step in range(1, STEPS + 1):
            share = step / STEPS
            at = [round(a + share * (b - a)) for a, b in zip(start, end, strict=True)]
            self.send("touchMove", at)
        self.tab.wait_for_timeout(120)
        self.send("touchMove", end)
        self.send("touchEnd")

    def do(self, action, key):
        """Do an action; a tap on a key of the keyboard is that key."""
        if key:
            names = {BACKSPACE: "Backspace", ENTER: "Enter", SHIFT: "", OTHER_LAYER: ""}
            name = names.get(key, key)
            if name:
                (self.tab.keyboard.press if key in names else self.tab.keyboard.type)(name)
            return
        match action.kind:
            case "click":
                self.tap(action.at)
            case "double":
                self.tap(action.at)
                self.tap(action.at)
            case "drag":
                self.move(action.at, action.to)
            case "type":
                self.tab.keyboard.type(action.text)
            case "key":
                self.tab.keyboard.press(action.text)
        self.tab.evaluate("() => new Promise(done => requestAnimationFrame(() => done()))")


def told_by(tab):
    """Return what the browser tells of itself: on a phone only texts have the keyboard."""
    told = tab.evaluate(TELL)
    has_text = told.get("marked") is not None
    return (told["focus"], told["marked"]) if has_text else ("", []), told["values"]


def held(page, ui):
    """Return what our phone tells of itself, as the browser does."""
    values = {}
    for one in page:
        if one.kind in ("check", "radio"):
            values[one.id] = bool(one.value)
        elif one.kind in (*TEXT_KINDS, "slider", "scroll"):
            values[one.id] = one.value
    one = find(page, ui.focus)
    has_text = one is not None and one.kind in TEXT_KINDS
    return (ui.focus, sorted((ui.caret, ui.anchor))) if has_text else ("", []), values


def chance(rng, page, ui):
    """Return an action at random, on what can be seen."""
    board = find(page, KEYBOARD_ID)
    draw = rng.random()
    if board is not None and draw < 0.35:
        return f"tap({board.x + rng.randrange(board.w)}, {board.y + rng.randrange(board.h)})"
    if board is not None and draw < 0.5:
        return rng.choice([
            f'type("{rng.choice(WORDS[:-1])}")', 'key("Backspace")', 'key("Enter")',
        ])  # fmt: skip
    if draw < 0.7:
        x, y = rng.randrange(WIDE), rng.randrange(STATUS + 12, HIGH)
        dx, dy = rng.choice([(0, 1), (0, -1), (1, 0), (-1, 0), (0.2, 1), (1, 0.2)])
        far = rng.randrange(SHORTEST, 400)
        to = min(max(int(x + far * dx), 0), WIDE - 1), min(max(int(y + far * dy), 0), HIGH - 1)
        return f"swipe({x}, {y}, {to[0]}, {to[1]})"
    changed = [one for one in page if one.kind in ("check", "slider", *TEXT_KINDS)]
    seen = [one for one in (changed if changed and draw < 0.95 else page) if one.seen]
    one = rng.choice(seen or page)
    at = f"{one.x + rng.randrange(one.w)}, {one.y + rng.randrange(one.h)}"
    if one.kind == "slider" and rng.random() < 0.6:
        return f"swipe({at}, {rng.randrange(WIDE)}, {one.y + rng.randrange(-90, 90)})"
    return f"{'double_tap' if one.kind in TEXT_KINDS and rng.random() < 0.3 else 'tap'}({at})"


def compared(page, ui, action):
    """Return whether the first lines of this file do not except this."""
    if action.kind in OF_THE_PHONE or ui.open:
        return False
    if action.kind in ("type", "key"):
        one = find(usable(page), ui.focus)
        return one is not None and one.kind in TEXT_KINDS
    one = find_widget(page, *action.at)
    if one is None or one.id.startswith(EDIT_MENU) or action.at[1] <= STATUS + 10:
        return False
    if action.kind == "drag" and one.kind != "slider":
        near = (find_widget(page, action.at[0], action.at[1] + by) for by in (-BESIDE, BESIDE))
        return not any(other is not None and other.kind == "slider" for other in near)
    if one.kind in TEXT_KINDS:
        return one.kind != "password" and not shifted(one) and 8 <= action.at[0] - one.x < one.w - 8
    return True


def is_tap(action):
    """Return whether an action is a tap, or a finger that moves no farther than one."""
    far = max(abs(a - b) for a, b in zip(action.at, action.to or action.at, strict=True))
    return action.kind != "drag" or far < SHORTEST


def same(ours, theirs, near):
    """Return whether these are equal, but for some pixels by which a box is scrolled."""
    one, other = dict(ours[1]), dict(theirs[1])
    boxes = [id for id in one if id.startswith("scroll")]
    far = sum(abs(one.pop(id) - other.pop(id, 0)) for id in boxes)
    return (ours[0], one) == (theirs[0], other) and far <= near


def agree_in(finger, name, seed):
    """Do a task in both, half at random: the browser is shown anew what an app has changed."""
    rng = random.Random(seed)
    env = gem_ma.make(f"screens:{name}", difficulty=seed % 11)
    env.reset(seed=seed)
    done, kept = [], None
    for _ in range(14):
        state = env.match.state
        if not state.to_act():
            return
        widgets, ui = laid(state), state.ui
        page = shown(widgets, ui, HIGH)
        reply = state.hint("player") if rng.random() < 0.5 else chance(rng, usable(page), ui)
        action = env.match.game.read(reply, env.match.make_view("player"), "player")
        done.append(reply)
        env.step(reply)
        if not compared(page, ui, action):
            kept = None
            continue
        if kept != (widgets, ui):
            put_down(finger.tab, widgets, ui, HIGH)
        key = ""
        if action.kind not in ("type", "key"):
            one = find_widget(page, *action.at)
            assert finger.tab.evaluate(UNDER, [*action.at, ""]) == one.id, (reply, done)
            if one.id == KEYBOARD_ID and is_tap(action):
                key = find_key(one, *action.at)
        after, _ = touch(page, ui, action)
        finger.do(action, key)
        ours, told = held(shown(widgets, after, HIGH), after), told_by(finger.tab)
        near = SLOP if action.kind == "drag" else 0
        assert same(ours, told, near), (
            f"{ours}, in the browser {told} after {done} of {name} {seed}"
        )
        kept = (widgets, after) if ours == told else None


@pytest.mark.parametrize("name", PHONES)
def test_a_browser_does_the_same_on_a_phone(finger, name):
    agree_in(finger, name, 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", PHONES)
def test_a_browser_does_the_same_on_a_phone_often(finger, name):
    for seed in range(2, 12):
        agree_in(finger, name, seed)
