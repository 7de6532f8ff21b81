"""Points and boxes in replies, in the forms that models write them."""

import re

from gem_ma.game import InvalidMove, clip_repr
from gem_ma.validation.untrusted_json import parse_json

LONGEST = 10_000  # characters of a reply
MOST = 100  # points or boxes of a reply
_NUMBER = re.compile(r"(?<![\w.])[+-]?[0-9]{1,7}(?:\.[0-9]{1,12})?(?![\w.]*\w)")
_ATTRIBUTE = re.compile(r"\b([xy])[0-9]{0,3}\s?=\s?[\"']?([+-]?[0-9]{1,7}(?:\.[0-9]{1,12})?)\b")
_GROUP = re.compile(r"[(\[{]([^()\[\]{}]*)[)\]}]")
_TAG = re.compile(r"</?[a-z_|]{1,20}>")
_ENUMERATOR = re.compile(r"^ {0,3}(?:[-*]|\d{1,3}[.)]) ", re.MULTILINE)
_PLAIN = re.compile(r"[\w\s.,;:=()\[\]{}<>/\"'`|*+%-]*", re.ASCII)
_WORD = re.compile(r"[^\W\d_]\w*")
_BESIDE = frozenset(
    {
        *("point", "points", "box", "boxes", "bbox", "click", "target", "json", "pyautogui"),
        *(
            "the",
            "is",
            "are",
            "at",
            "it",
            "answer",
            "and",
            "to",
            "from",
            "x",
            "y",
            "d",
            "left",
            "top",
        ),
        *("right", "bottom", "start", "end", "middle", "center", "centre", "coordinate"),
        *("coordinates", "pixel", "pixels", "percent"),
    }
)
_BOX_KEYS = (("x1", "y1", "x2", "y2"), ("left", "top", "right", "bottom"))


def parse_points(text):
    """Return the points of a reply; a box stands for its middle.

    Raises:
        InvalidMove: the reply has no points, too many, or more than points.
    """
    return [
        group if len(group) == 2 else ((group[0] + group[2]) / 2, (group[1] + group[3]) / 2)
        for group in _parse_groups(text, "points")
    ]


def parse_boxes(text):
    """Return the boxes of a reply: left, top, right and bottom, or raise InvalidMove."""
    groups = _parse_groups(text, "boxes")
    if {len(group) for group in groups} == {2} and len(groups) % 2 == 0:  # two corners of each
        groups = [(*a, *b) for a, b in zip(groups[::2], groups[1::2], strict=True)]
    if any(len(group) != 4 for group in groups):
        raise InvalidMove(f"{clip_repr(text)} has no boxes of four numbers")
    return [(min(a, c), min(b, d), max(a, c), max(b, d)) for a, b, c, d in groups]


def _parse_groups(text, name):
    """Return groups of two or four numbers."""
    if len(text) > LONGEST:
        raise InvalidMove(f"a reply of {len(text)} characters; at most {LONGEST} are read")
    groups = _find_attributes(text) or _find_in_json(text) or _find_in_words(text)
    if not groups or any(len(group) not in (2, 4) for group in groups):
        raise InvalidMove(f"{clip_repr(text)} has no {name}")
    if len(groups) > MOST:
        raise InvalidMove(f"{len(groups)} {name}; a reply has at most {MOST}")
    return groups


def _find_attributes(text):
    """Return the points of tags such as <point x="10" y="20">."""
    if "<" not in text:
        return []
    found = _ATTRIBUTE.findall(text)
    names = [name for name, _ in found]
    if names != ["x", "y"] * (len(found) // 2):
        return []
    values = [float(value) for _, value in found]
    return list(zip(values[::2], values[1::2], strict=True))


def _find_in_json(text):
    """Return the groups of a JSON value, whatever its keys are called."""
    bare = text.strip().strip("`").removeprefix("json").strip()
    if bare[:1] not in ("[", "{"):
        return []
    try:
        return list(_walk(parse_json(bare, size=None, depth=6)))
    except ValueError:
        return []


def _walk(value):
    if isinstance(value, dict):
        for keys in (("x", "y"), *_BOX_KEYS):
            if all(_is_number(value.get(key)) for key in keys):
                yield tuple(float(value[key]) for key in keys)
                return
        value = [one for one in value.values() if isinstance(one, dict | list)]
    if isinstance(value, list):
        if value and all(map(_is_number, value)):
            yield tuple(map(float, value))
        else:
            for one in value:
                yield from _walk(one)


def _is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e9


def _find_in_words(text):
    """Return the groups of a text in which nothing else is said."""
    text = _TAG.sub(" ", _ENUMERATOR.sub(" ", text))
    if not _PLAIN.fullmatch(text):
        return []
    words = {word.strip("0123456789_") for word in _WORD.findall(text.casefold().replace("_", " "))}
    if not words <= _BESIDE:
        return []
    groups = [_read_numbers(group) for group in _GROUP.findall(text)]
    groups = [group for group in groups if group]
    numbers = _read_numbers(text)
    if groups and sum(map(len, groups)) == len(numbers):
        return groups
    if groups:
        return []
    return [numbers] if len(numbers) in (2, 4) else _split_lines(text)


def _split_lines(text):
    return [numbers for line in text.splitlines() for numbers in (_read_numbers(line),) if numbers]


def _read_numbers(text):
    return tuple(map(float, _NUMBER.findall(text)))
