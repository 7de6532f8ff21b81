"""Pages of applications, and descriptions that name exactly one of their widgets."""

import itertools
from types import MappingProxyType

from gem_ma.envs.coordinates import Coordinates
from gem_ma.envs.screens.game import begin, drawn, page
from gem_ma.envs.screens.shells.layout import fit_screen
from gem_ma.envs.screens.shells.shell import SIGNS
from gem_ma.envs.screens.tree import described
from gem_ma.envs.screens.ui import SIZE, Ui, usable
from gem_ma.envs.visual.grounding.grounded import Grounded
from gem_ma.envs.visual.question import Question, pick

# Families of pages by the difficulty from which on they are drawn: the more there is on a page.
FAMILIES = {
    0: ("buttons", "checkboxes", "radios", "login"),
    2: ("links", "tabs", "dropdowns", "typing", "settings"),
    4: ("checkout", "booking", "contacts", "inbox", "calculator"),
    7: ("files", "cart", "filtering", "spreadsheet", "calendar"),
}
NOUNS = {
    "button": "button", "link": "link", "tab": "tab", "check": "check box",
    "radio": "radio button", "select": "drop-down list", "field": "text field",
    "password": "password field", "area": "text box", "list": "list", "cell": "cell",
    "item": "entry", "slider": "slider", "fold": "section",
}  # fmt: skip
BORDERED = ("button", "select", "field", "password", "area", "list", "cell")  # with visible borders
SIGN_NAMES = dict(
    zip(
        SIGNS,
        ("the button that closes the window", "the button that hides the window"),
        strict=True,
    )
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")


class ScreenGrounded(Grounded):
    """A task about a widget on the page of an application, named by its text or by its place.

    Attributes:
        kinds: the kinds of widgets that are asked for.
        ask: the question, in which WIDGET stands for the widget.
    """

    levels = tuple([(difficulty,) for difficulty in range(11)])
    env_defaults = MappingProxyType({"image_size": (SIZE, SIZE)})
    kinds: tuple[str, ...] = tuple(NOUNS)
    ask: str

    def make_coordinates(self, unit):
        return Coordinates(unit)

    def choose_screen(self, width, height):
        return fit_screen(width, height)

    def draw(self, rng, difficulty):
        """Sample a page, and one of its widgets; hard questions name it by its place."""
        screen = self.coordinates.screen
        while True:
            widgets = sample_page(rng, difficulty, screen)
            by_name, by_place = describe_targets(widgets, self.kinds)
            is_placed = 10 * rng.random() < difficulty
            if targets := by_place if is_placed else by_name:
                break
        one, text = pick(rng, targets)
        answer = self.coordinates.format_box(one.x, one.y, one.x + one.w, one.y + one.h)
        return Question(self.ask.replace("WIDGET", text), answer, (widgets, screen), self.moves)

    def words(self, shown):
        widgets, _ = shown
        return described(widgets, Ui(), self.coordinates, boxes=True)

    def scene(self, shown):
        widgets, screen = shown
        return drawn(widgets, Ui(), False, "flat", screen=screen)


def sample_page(rng, difficulty, screen):
    """Sample the page of an application for a screen of this size."""
    known = [name for least, names in FAMILIES.items() if least <= difficulty for name in names]
    recent = known[-10:]  # pages that are too easy are left out
    return page(begin(pick(rng, recent), rng, difficulty, "flat", screen, 1, ""))


def describe_targets(widgets, kinds):
    """Return widgets that can be seen whole, with what each is called: by name, and by place."""
    seen = [one for one in usable(widgets) if one.kind in NOUNS and one.seen]
    names = {one.id: _find_name(widgets, one) for one in seen}
    called = [(one.kind, names[one.id]) for one in seen]
    by_name, by_place = [], []
    for one in seen:
        if one.kind not in kinds or one.disabled or not _is_whole(widgets, one):
            continue
        name, noun = names[one.id], NOUNS[one.kind]
        if name and called.count((one.kind, name)) == 1:
            by_name.append((one, SIGN_NAMES.get(name, f'the {noun} "{name}"')))
        if one.kind == "item":  # those of different bars are in no order
            continue
        alike = [other for other in seen if other.kind == one.kind]
        if place := _find_rank(alike, one):
            by_place.append((one, f"the {place[0]} {noun} from the {place[1]}"))
        same = [other for other in alike if names[other.id] == name]
        if len(same) > 1 and (place := _find_row(widgets, same, one)):
            by_place.append(
                (one, f'the {noun} "{name}" {place}' if name else f"the {noun} {place}")
            )
        elif len(alike) > 3 and (place := _find_crossing(widgets, alike, one)):
            by_place.append((one, f"the {noun} {place}"))
    return by_name, by_place


def _find_name(widgets, one):
    """Return the text of a widget, or of the label that belongs to it."""
    label = next((other.text for other in widgets if other.id == f"{one.id}-name"), "")
    return label or (one.text if one.kind not in ("field", "password", "area") else "")


def _is_whole(widgets, one):
    """Return whether no other widget covers a part of a widget, and no border cuts it off."""
    if one.clip is not None:
        left, top, right, bottom = one.clip
        if one.x < left or one.y < top or one.x + one.w > right or one.y + one.h > bottom:
            return False
    return not any(_touch(one, other) for other in widgets[widgets.index(one) + 1 :])


def _touch(one, other):
    across = one.x < other.x + other.w and other.x < one.x + one.w
    return across and one.y < other.y + other.h and other.y < one.y + one.h


def _find_rank(alike, one):
    """Return the rank of a widget among others in one column or row, or None."""
    if not 2 <= len(alike) <= len(_ORDINALS):
        return None
    for start, size, side in (("y", "h", "top"), ("x", "w", "left")):
        order = sorted(alike, key=lambda other: getattr(other, start))
        ends = [(getattr(other, start), getattr(other, size)) for other in order]
        if all(a + length <= b for (a, length), (b, _) in itertools.pairwise(ends)):
            return _ORDINALS[order.index(one)], side
    return None


def _find_row(widgets, same, one):
    """Return the row of a widget, if only this one of several is in it, or None."""
    rows = [text for text, beside in _list_bands(widgets, same, "y", "h") if beside == [one]]
    return f'in the row of "{rows[0]}"' if rows else None


def _find_crossing(widgets, alike, one):
    """Return the row and the column of a widget, if only this one is in both, or None."""
    rows, columns = (_list_bands(widgets, alike, *way) for way in (("y", "h"), ("x", "w")))
    for row, beside in rows:
        for column, below in columns:
            if [other for other in beside if other in below] == [one]:
                return f'in the row of "{row}" and the column of "{column}"'
    return None


def _list_bands(widgets, alike, start, size):
    """Return labels that no other text equals, and the widgets in the row or column of each."""
    texts = [other.text for other in widgets]
    across = "y" if start == "x" else "x"
    bands = []
    for label in widgets:
        if label.kind != "label" or not label.text or texts.count(label.text) > 1 or not label.seen:
            continue
        middle = getattr(label, start) + getattr(label, size) / 2
        if start == "x":  # the letters of a label begin at its left
            middle = label.x + min(label.w, 8)
        beside = [
            one
            for one in alike
            if getattr(one, start) <= middle < getattr(one, start) + getattr(one, size)
        ]
        if beside and all(getattr(label, across) < getattr(one, across) for one in beside):
            bands.append((label.text, beside))
    return bands
