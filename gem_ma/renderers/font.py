"""The monospaced font: glyph pictures from the package, equal on every machine."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from gem_ma.renderers import user_fonts
from gem_ma.renderers.cache import memoize

RGB = tuple[int, int, int]

_ADVANCES = {11: 6, 14: 7, 18: 9, 22: 11, 28: 14, 36: 18, 44: 22, 56: 28, 72: 36, 88: 44, 112: 56}
LETTER_HEIGHTS = tuple(_ADVANCES)
_MAX_DRAWN_HEIGHT = 56  # higher letters are letters of half their height, enlarged
_LATIN_GLYPHS = 526  # the first glyphs cover the alphabets of most texts
TAB_WIDTH = 8
CAPTION_SHARE = 0.15  # of the height of a frame: the most that the words around a picture take

_FONT_FILE = Path(__file__).with_name("fonts") / "dejavu.npz"
COVERAGE_STEP = 17  # between the 16 levels of coverage
_BOX_COVERAGE = 3 * COVERAGE_STEP  # background of a box that replaces a missing glyph
_FAINT_COVERAGE = 9 * COVERAGE_STEP
# Whole escape sequences of terminals, such as "ESC[31m" for a colour. Their parameters are limited
# in length: longer sequences are text. Other control characters are drawn as boxes with their code.
_ESCAPE_SEQUENCES = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]"  # colours, the cursor
    "|(?:\x1b\\]|\x9d)[^\x07\x1b\x9c\x9d]{0,256}(?:\x07|\x1b\\\\|\x9c)"  # titles, links
    "|\x1b[ -/]{1,8}[0-~]"  # character sets
)
# Five rows of three pixels for each hexadecimal digit; an octal digit is one row.
_HEX_DIGITS = {
    "0": "75557", "1": "26227", "2": "71747", "3": "71717", "4": "55711", "5": "74717",
    "6": "74757", "7": "71222", "8": "75757", "9": "75717", "A": "25755", "B": "65656",
    "C": "74447", "D": "65556", "E": "74647", "F": "74644",
}  # fmt: skip


def measure_advance(height: int) -> int:
    """Return the distance of letters of a height, in pixels."""
    try:
        return _ADVANCES[height]
    except KeyError:
        raise ValueError(f"height={height}: expected one of {LETTER_HEIGHTS}") from None


def fit_height(columns: int, rows: int, size: tuple[int, int]) -> int:
    """Return the largest height at which columns x rows letters fit, or the smallest height."""
    for height in reversed(LETTER_HEIGHTS):
        if columns * _ADVANCES[height] <= size[0] and rows * height <= size[1]:
            return height
    return LETTER_HEIGHTS[0]


def choose_height(size: tuple[int, int]) -> int:
    """Return the usual height of text in a frame: about an 18th of its shorter side."""
    return list_heights(size)[0]


@functools.lru_cache
def list_heights(size: tuple[int, int]) -> tuple[int, ...]:
    """Return the letter heights to try in a frame: the usual one first, then smaller ones."""
    heights = [h for h in LETTER_HEIGHTS if h * 18 <= min(size)]
    return tuple(reversed(heights)) or LETTER_HEIGHTS[:1]


def list_caption_heights(
    texts: Sequence[str], size: tuple[int, int], margin: int = 0
) -> tuple[int, ...]:
    """Return the letter heights to try for captions: those at which they leave a picture its room.

    Captions take at most CAPTION_SHARE of the height of a frame, where letters can be that small.
    """
    heights = list_heights(size)
    for number, height in enumerate(heights):
        lines = wrap_lines(texts, max(1, (size[0] - margin) // _ADVANCES[height]))
        if len(lines) * height <= CAPTION_SHARE * size[1]:
            return heights[number:]
    return heights[-1:]


def has_glyph(char: str) -> bool:
    """Return whether all characters have glyphs; others are drawn as boxes with code points."""
    return bool((_find_glyphs(char)[1] >= 0).all())


def render_lines(
    lines: Sequence[str],
    columns: int,
    rows: int,
    height: int,
    ink: RGB,
    paper: RGB,
    keep: bool = True,
) -> np.ndarray:
    """Draw lines from the top left; text beyond `columns` and `rows` is cut off.

    Args:
        keep: whether to cache all Latin letters in these colours, for many screens. False:
            only the letters of these lines are coloured.
    """
    advance = measure_advance(height)
    visible_lines = [line[:columns].ljust(columns) for line in lines[:rows]]
    blank = " " * (columns * (rows - len(visible_lines)))
    glyphs, missing = _index_glyphs("".join(visible_lines) + blank)
    if keep and glyphs.size and glyphs.max() < _LATIN_GLYPHS:
        atlas = _make_atlas(height, ink, paper)
    else:
        kinds, glyphs = np.unique(glyphs, return_inverse=True)
        atlas = _color_glyphs(_render_glyphs(kinds, missing, height), ink, paper)
    # Each pixel row of a glyph is one item, so that `take` copies whole runs of bytes.
    start = glyphs.reshape(rows, 1, columns) * height
    picture = atlas.reshape(-1).take(start + np.arange(height).reshape(1, -1, 1))
    frame: np.ndarray = picture.view(np.uint8).reshape(rows * height, columns * advance, 3)
    for row, line in enumerate(visible_lines if missing and user_fonts.get_font_files() else ()):
        if _arrange_line(line)[1]:
            frame[row * height : (row + 1) * height] = make_shades(ink, paper)[
                render_coverage(line, height)
            ]
    return frame


def draw_line(image: np.ndarray, x: int, y: int, text: str, height: int, ink: RGB) -> int:
    """Blend a line of text into an array, clipped at its borders; return the x behind the text."""
    advance = measure_advance(height)
    end = x + len(text) * advance
    first = max(0, -x // advance)
    text = text[first : max(first, -((x - image.shape[1]) // advance))]
    top, bottom = max(0, y), min(image.shape[0], y + height)
    if not text or top >= bottom:
        return end
    x += first * advance
    left, right = max(0, x), min(image.shape[1], x + len(text) * advance)
    mask = render_coverage(text, height)[top - y : bottom - y, left - x : right - x]
    blend_ink(image[top:bottom, left:right], mask, ink)
    return end


def draw_lines(
    image: np.ndarray, x: int, y: int, lines: Sequence[str], height: int, ink: RGB
) -> int:
    """Blend lines below each other into an array; return the y below them."""
    for line in lines:
        draw_line(image, x, y, line, height, ink)
        y += height
    return y


def blend_ink(region: np.ndarray, mask: np.ndarray, ink: RGB) -> None:
    """Blend ink into a region, in place, with the opacity of a mask (0..255)."""
    blend_weighted_ink(region, *weight_ink(mask, ink))


def weight_ink(mask: np.ndarray, ink: RGB | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the weight (0..255) of what is below ink with this mask, and the weighted ink."""
    alpha = mask[..., None].astype(np.uint16)
    weighted = alpha * np.array(ink, np.uint16)
    weighted += 128  # so that what is divided is rounded
    return 255 - alpha, weighted


def blend_weighted_ink(region: np.ndarray, below: np.ndarray, ink: np.ndarray) -> None:
    """Blend ink into a region, in place, as `weight_ink` returns it."""
    mixture = region * below
    mixture += ink
    mixture += mixture >> 8
    mixture >>= 8  # divides by 255, rounded to the nearest integer
    region[...] = mixture


def truncate_line(text: str, columns: int) -> str:
    """Shorten a line to `columns` characters; "..." marks the cut."""
    return text if len(text) <= columns else text[: max(columns - 3, 0)] + "..."[:columns]


def wrap_lines(lines: Sequence[str], columns: int) -> Sequence[str]:
    """Wrap the lines that are longer than `columns`; return the same object if none is."""
    if all(len(line) <= columns for line in lines):
        return lines
    return [part for line in lines for part in wrap_text(line, columns)]


def wrap_text(text: str, columns: int) -> list[str]:
    """Wrap text to lines of at most `columns` characters, between words where possible."""
    columns = max(1, columns)
    lines: list[str] = []
    for raw in text.splitlines():
        line = raw
        if not line.isprintable():  # fast check: most lines contain nothing to remove
            line = _ESCAPE_SEQUENCES.sub("", line).expandtabs(TAB_WIDTH)
        line = line.rstrip(" ")
        if len(line) <= columns:
            lines.append(line)
        else:
            _break_line(line, columns, lines)
    return lines or [""]


def _break_line(line: str, columns: int, lines: list[str]) -> None:
    at, length = 0, len(line)
    while length - at > columns:
        cut = line.rfind(" ", at, at + columns + 1)
        part = line[at:cut].rstrip(" ") if cut > at else ""
        if part:
            at = cut
            while line[at] == " ":  # ends at a word: the line has no trailing space
                at += 1
        else:  # a word or an indent longer than a line
            cut = at + columns - (columns > 1 and line[at + columns] == user_fonts.WIDE_FILLER)
            part, at = line[at:cut], cut
        lines.append(part)
    if at < length:
        lines.append(line[at:])


def _load_array(name: str) -> np.ndarray:
    with np.load(_FONT_FILE, allow_pickle=False) as data:
        array: np.ndarray = data[name]
    return array


@functools.cache
def _load_codes() -> np.ndarray:
    return _load_array("codes")


@functools.cache
def _make_glyph_table() -> np.ndarray:
    """Return the glyph number of each code point below 0x10000; -1 means no glyph."""
    table = np.full(0x10000, -1, np.int32)
    codes = _load_codes()
    table[codes] = np.arange(len(codes))
    return table


def _find_glyphs(text: str) -> tuple[np.ndarray, np.ndarray]:
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    return codes, np.where(codes < 0x10000, _make_glyph_table()[codes & 0xFFFF], -1)


def _index_glyphs(text: str) -> tuple[np.ndarray, list[int]]:
    """Return the glyph numbers of a text; missing characters get numbers after the last glyph.

    The second value lists the code points of the missing characters.
    """
    codes, glyphs = _find_glyphs(text)
    if not text or glyphs.min() >= 0:
        return glyphs, []
    at = np.flatnonzero(glyphs < 0)
    missing, inverse = np.unique(codes[at], return_inverse=True)
    glyphs[at] = len(_load_codes()) + inverse
    return glyphs, missing.tolist()


@memoize
def _load_glyphs(height: int) -> np.ndarray:
    grey: np.ndarray = _load_array(f"grey{height}") * np.uint8(COVERAGE_STEP)
    return grey


def _select_glyphs(kinds: np.ndarray, height: int) -> np.ndarray:
    """Return the pictures of glyphs that the font has."""
    glyphs: np.ndarray
    if height <= _MAX_DRAWN_HEIGHT:
        glyphs = _load_glyphs(height)[kinds]
    else:
        glyphs = _load_glyphs(height // 2)[kinds].repeat(2, 1).repeat(2, 2)
    return glyphs


def _render_glyphs(kinds: np.ndarray, missing: Sequence[int], height: int) -> np.ndarray:
    """Return the pictures of sorted glyph numbers; the last are boxes for missing glyphs."""
    glyphs = _select_glyphs(kinds[: len(kinds) - len(missing)], height)
    return (
        np.concatenate([glyphs, [_draw_code_box(code, height) for code in missing]])
        if missing
        else glyphs
    )


def render_coverage(text: str, height: int) -> np.ndarray:
    """Return the coverage of a line of text: 0..255 in 16 levels."""
    text, runs = _arrange_line(text)
    glyphs, missing = _index_glyphs(text)
    kinds, glyphs = np.unique(glyphs, return_inverse=True)
    mask: np.ndarray = _render_glyphs(kinds, missing, height)[glyphs].transpose(1, 0, 2)
    flat: np.ndarray = mask.reshape(height, -1)
    cell = measure_advance(height)
    for run in runs:
        letters = user_fonts.render_run(run, user_fonts.get_font_files(), cell, height)
        left = run.start * cell
        flat[:, left : left + run.cells * cell] = letters // COVERAGE_STEP * COVERAGE_STEP
    return flat


def _arrange_line(text: str) -> tuple[str, list[user_fonts.LetterRun]]:
    """Return a line in visual order, and the runs of letters that the user's fonts draw."""
    if not user_fonts.get_font_files() or text.isascii() or has_glyph(text):
        return text, []
    return user_fonts.arrange_line(text, lambda char: not has_glyph(char))


@memoize
def render_line(text: str, height: int, ink: RGB, paper: RGB) -> np.ndarray:
    """Draw one line of text on its background, cached for lines that repeat, such as a status."""
    picture: np.ndarray = render_lines([text], len(text), 1, height, ink, paper)
    return picture


def make_shades(ink: RGB, paper: RGB) -> np.ndarray:
    """Return the colours of the 256 levels of coverage."""
    levels = np.arange(256)[:, None]
    shades: np.ndarray = (levels * np.array(ink) + (255 - levels) * np.array(paper) + 127) // 255
    return shades.astype(np.uint8)


@memoize
def _make_atlas(height: int, ink: RGB, paper: RGB) -> np.ndarray:
    return _color_glyphs(_select_glyphs(np.arange(_LATIN_GLYPHS), height), ink, paper)


def _color_glyphs(grey: np.ndarray, ink: RGB, paper: RGB) -> np.ndarray:
    """Return coloured glyphs as an array of glyph x pixel row, each row one item of raw bytes."""
    rows: np.ndarray = make_shades(ink, paper)[grey].reshape(*grey.shape[:2], -1)
    return rows.view(f"V{3 * grey.shape[2]}")[..., 0]


@memoize
def _draw_code_box(code: int, height: int) -> np.ndarray:
    """Draw a tinted cell that shows a code point, different for each."""
    if height > 28:  # large enough to enlarge a smaller box
        half: np.ndarray = _draw_code_box(code, height // 2)
        return half.repeat(2, 0).repeat(2, 1)
    advance = measure_advance(height)
    box = np.full((height, advance), _BOX_COVERAGE, np.uint8)
    plane, digits = code >> 16, f"{code & 0xFFFF:04X}"
    scale = 2 if advance >= 14 else 1
    gap = 1 if advance >= 7 else 0
    left = (advance - 6 * scale - gap) // 2
    top = {11: 0, 14: 2, 18: 4, 22: 6, 28: 6}[height]
    # In a narrow cell the digits touch, so their tones alternate.
    tones = (255, 255) if advance >= 9 else (255, _FAINT_COVERAGE)
    for i, digit in enumerate(digits):
        x = left + i % 2 * (3 * scale + gap)
        y = top + i // 2 * (5 * scale + 1)
        _draw_digit(box[y:, x:], digit, scale, tones[i % 2])
    if advance >= 9:
        box[-1], box[:, -1] = 0, 0
    if not plane:
        return box
    if height >= 22:
        for i, digit in enumerate(f"{plane:02X}"):
            _draw_digit(box[max(0, top - 6) :, (advance - 7) // 2 + 4 * i :], digit, 1, 255)
    else:  # no room for digits: dots show the plane in binary
        row = 5 if height == 11 else 0
        for bit in range(5):
            box[row, bit] = 255 if plane >> (4 - bit) & 1 else 0
    return box


def _draw_digit(area: np.ndarray, digit: str, scale: int, tone: int) -> None:
    dots = np.array(
        [[int(row) >> bit & 1 for bit in (2, 1, 0)] for row in _HEX_DIGITS[digit]], bool
    )
    large = dots.repeat(scale, 0).repeat(scale, 1)
    area[: large.shape[0], : large.shape[1]][large] = tone
