"""Font files of the user, for letters that the package's own font lacks."""

from __future__ import annotations

import functools
import itertools
import os
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gem_ma.renderers.cache import RENDER_CACHE, memoize

if TYPE_CHECKING:
    import uharfbuzz

# environment variable: font files separated by os.pathsep, in order of priority
FONTS_VARIABLE = "GEM_MA_FONTS"
WIDE_FILLER = "\uffff"  # not a character: fills the second cell of a wide letter
_SUBPIXELS = 64  # letters are positioned in steps of this part of a pixel
_MIRRORED_BRACKETS = dict(zip("()[]{}<>\xab\xbb", ")(][}{><\xbb\xab", strict=True))


class LetterRun(NamedTuple):
    """Letters that are shaped and drawn together, in `cells` cells from `start`."""

    start: int
    cells: int
    text: str  # in logical order
    backward: bool
    file: int


def use_fonts(*paths: str | os.PathLike[str]) -> None:
    """Use font files for letters that the package's font lacks; without arguments, use none.

    Processes started later use the same files, through the environment variable GEM_MA_FONTS.
    """
    for path in paths:
        _load_font(str(path))
    os.environ[FONTS_VARIABLE] = os.pathsep.join(map(str, paths))
    RENDER_CACHE.clear()


def get_font_files() -> str:
    """Return the font files as in the environment variable; usually ""."""
    return os.environ.get(FONTS_VARIABLE, "")


def normalize_text(text: str) -> str:
    """Return a text in Unicode form NFC, with a filler cell after each wide letter."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFC", text)
    files = get_font_files()
    if not files or WIDE_FILLER in text:
        return text
    return "".join([char + WIDE_FILLER if _is_wide(char, files) else char for char in text])


def _is_wide(char: str, files: str) -> bool:
    return unicodedata.east_asian_width(char) in "WF" and _find_file(char, files) is not None


@functools.lru_cache(32)
def _load_font(path: str) -> tuple[uharfbuzz.Font, frozenset[int]]:
    """Load a font file; return the font and its code points."""
    try:
        import uharfbuzz as hb
    except ImportError:
        raise ImportError("fonts of your own need uharfbuzz: pip install 'gem-ma[fonts]'") from None
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise ValueError(f"font {path}: {error.strerror}") from None
    face = hb.Face(data)
    code_points = frozenset(face.unicodes)
    if not code_points:
        raise ValueError(f"font {path}: the file is no font, or has no letters")
    return hb.Font(face), code_points


def _find_file(char: str, files: str) -> int | None:
    """Return the number of the first font file that has a letter, or None."""
    for number, path in enumerate(files.split(os.pathsep)):
        if ord(char) in _load_font(path)[1]:
            return number
    return None


def arrange_line(text: str, missing: Callable[[str], bool]) -> tuple[str, list[LetterRun]]:
    """Return a line in visual order, and the runs of letters that font files draw.

    Args:
        missing: returns whether the package's font lacks a letter.
    """
    files = get_font_files()
    file_numbers = [
        _find_file(one, files) if one != WIDE_FILLER and missing(one) else None for one in text
    ]
    if not any(one is not None for one in file_numbers):
        return text, []
    depths = compute_bidi_levels(text)
    visual = compute_visual_order(depths)
    # The filler of a wide letter and combining marks belong to the letter before them.
    for place in range(1, len(text)):
        is_attached = text[place] == WIDE_FILLER or unicodedata.combining(text[place])
        if is_attached and file_numbers[place] is None and file_numbers[place - 1] is not None:
            file_numbers[place] = file_numbers[place - 1]
    runs: list[LetterRun] = []
    letters = []
    at = 0
    while at < len(visual):
        first, file, level = visual[at], file_numbers[visual[at]], depths[visual[at]]
        char = text[first]
        end = at + 1
        if file is None:
            letters.append(_MIRRORED_BRACKETS.get(char, char) if level % 2 else char)
        else:
            step = -1 if level % 2 else 1
            wide = WIDE_FILLER in text[first : first + 2]
            while end < len(visual) and not wide:  # wide letters have cells of their own
                place = visual[end]
                alike = file_numbers[place] == file and depths[place] == level
                if (
                    not alike
                    or place != visual[end - 1] + step
                    or WIDE_FILLER in text[place : place + 2]
                ):
                    break
                end += 1
            end += wide
            places = visual[at:end]
            words = text[min(places) : max(places) + 1].replace(WIDE_FILLER, "")
            runs.append(LetterRun(at, end - at, words, bool(level % 2), file))
            letters += [" "] * (end - at)
        at = end
    return "".join(letters), runs


def compute_bidi_levels(text: str) -> list[int]:
    """Return the embedding level of each letter by Unicode's bidirectional algorithm.

    Rules for explicit formatting characters are omitted: such characters are drawn.
    """
    kinds = [unicodedata.bidirectional(char) or "ON" for char in text]
    base = next(("L" if one == "L" else "R" for one in kinds if one in ("L", "R", "AL")), "L")
    last = base
    directions: list[str] = []  # L, R, N (number in right-to-left text), "" (neutral)
    for kind in kinds:
        if kind in ("L", "R", "AL"):
            last = "L" if kind == "L" else "R"
            directions.append(last)
        elif kind in ("EN", "AN"):
            directions.append("L" if last == "L" else "N")
        elif kind in ("NSM", "BN") and directions:
            directions.append(directions[-1])
        else:
            directions.append("")
    for place, kind in enumerate(kinds[1:-1], 1):  # 3.14 and 1/2 stay together
        if kind in ("ES", "CS") and directions[place - 1] == directions[place + 1] == "N":
            directions[place] = "N"
    for start, end in _pair_brackets(text):  # directed by their content, or the line
        inside = {_resolve_direction("", kind) for kind in directions[start:end]} - {""}
        context = next(
            filter(None, (_resolve_direction("", one) for one in reversed(directions[:start]))),
            base,
        )
        if inside:
            directions[start] = directions[end] = base if base in inside else context
    before = [base, *itertools.accumulate([base, *directions], _resolve_direction)][1:-1]
    behind = [*itertools.accumulate([base, *reversed(directions)], _resolve_direction)][-2::-1]
    depth = {"L": 0 if base == "L" else 2, "R": 1, "N": 2}
    return [
        depth[kind or (one if one == other else base)]
        for kind, one, other in zip(directions, before, behind, strict=True)
    ]


def _pair_brackets(text: str) -> list[tuple[int, int]]:
    """Return the positions of matching brackets, ordered by the opening bracket."""
    pending: list[int] = []
    pairs = []
    for place, char in enumerate(text):
        if char in "([{":
            pending.append(place)
        elif char in ")]}":
            same = [one for one in pending if _MIRRORED_BRACKETS[text[one]] == char]
            if same:
                pairs.append((same[-1], place))
                del pending[pending.index(same[-1]) :]
    return sorted(pairs)


def _resolve_direction(before: str, kind: str) -> str:
    """Return the direction after a letter: its own, or else `before`; numbers count as R."""
    return {"": before, "N": "R"}.get(kind, kind)


def compute_visual_order(depths: list[int]) -> list[int]:
    """Return the positions of letters in visual order, from left to right."""
    places = list(range(len(depths)))
    for level in range(max(depths, default=0), 0, -1):
        at = 0
        while at < len(places):
            end = at
            while end < len(places) and depths[places[end]] >= level:
                end += 1
            places[at:end] = places[at:end][::-1]
            at = max(end, at + 1)
    return places


@memoize
def render_run(run: LetterRun, files: str, cell: int, height: int) -> np.ndarray:
    """Return the coverage of a run of shaped letters, squeezed if wider than its cells."""
    import uharfbuzz as hb

    font, _ = _load_font(files.split(os.pathsep)[run.file])
    low, high = -font.get_font_extents("ltr").descender, font.get_font_extents("ltr").ascender
    unit = height / max(1, low + high)
    buffer = hb.Buffer()
    buffer.add_str(run.text)
    buffer.guess_segment_properties()
    buffer.direction = "rtl" if run.backward else "ltr"
    hb.shape(font, buffer)
    room, wide = run.cells * cell, unit * sum(one.x_advance for one in buffer.glyph_positions)
    across = unit * min(1.0, room / wide) if wide else unit
    x = room - min(room, wide) if run.backward else (room - min(room, wide)) / 2
    if not run.backward and len(run.text) > 1:
        x = 0.0
    draw = hb.RasterDraw()
    draw.scale_factor = (_SUBPIXELS, _SUBPIXELS)
    pen = 0
    for info, place in zip(buffer.glyph_infos, buffer.glyph_positions, strict=True):
        left = round(_SUBPIXELS * (x + across * (pen + place.x_offset))) / _SUBPIXELS
        up = round(_SUBPIXELS * unit * (low + place.y_offset)) / _SUBPIXELS
        draw.transform = tuple(_SUBPIXELS * one for one in (across, 0.0, 0.0, unit, left, up))
        draw.draw_glyph(font, info.codepoint)
        pen += place.x_advance
    draw.extents = hb.RasterExtents(0, 0, room, height, 0)
    image = draw.render()
    stride = image.extents.stride
    rows = np.frombuffer(bytes(image.buffer), np.uint8).reshape(height, stride)[::-1, :room]
    return rows.copy()
