"""Draw the glyph atlases of gem_ma.renderers.font from the DejaVu fonts.

Run this by hand when the set of characters changes. The output is part of the package, so that no
installation needs a font:

    python scripts/build_font.py DejaVuSansMono.ttf DejaVuSans.ttf gem_ma/renderers/fonts
    python scripts/build_font.py DejaVuSansMono.ttf DejaVuSans.ttf gem_ma/renderers/fonts --screens

The second command writes the proportional letters of screens. It prints their advances, which
belong into gem_ma/scene/text_metrics.py.
"""

from __future__ import annotations

import argparse
import sys
import unicodedata
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

# Height and width of a cell, type size, and row of the baseline. The widths are the advances of the
# type at these sizes, so that box-drawing lines join.
CELLS = [
    (11, 6, 10, 9),
    (14, 7, 12, 11),
    (18, 9, 15, 14),
    (22, 11, 18, 17),
    (28, 14, 24, 22),
    (36, 18, 30, 28),
    (44, 22, 37, 35),
    (56, 28, 47, 44),
]
BLOCKS = [
    (0x0020, 0x024F),  # ASCII, Latin-1, Latin Extended-A and -B
    (0x0370, 0x052F),  # Greek, Cyrillic
    (0x1E00, 0x1EFF),  # Vietnamese and other Latin letters
    (0x2000, 0x214F),  # punctuation, superscripts, currency, letter-like symbols
    (0x2150, 0x218F),  # fractions
    (0x2190, 0x22FF),  # arrows, mathematical operators
    (0x2300, 0x2335),  # some technical signs
    (0x2500, 0x25FF),  # box drawing, blocks, geometric shapes
    (0x2600, 0x2606),  # stars and weather
    (0x2639, 0x2642),  # faces, sexes
    (0x2654, 0x2667),  # chess pieces, card suits
    (0x2669, 0x266F),  # music
    (0x2680, 0x2685),  # dice
    (0x2690, 0x2691),  # flags
    (0x2713, 0x2718),  # check marks
    (0x2780, 0x2793),  # numbers in discs
    (0xFFFD, 0xFFFD),  # the replacement character for undecodable bytes
]
JOINED = [(0x2500, 0x2503), (0x250C, 0x254B), (0x2550, 0x2570), (0x2574, 0x257F), (0x2588, 0x2588)]
# Letters of screens: type size, line height, and row of the baseline.
LINES = [(12, 16, 12), (14, 18, 14), (16, 21, 16), (18, 24, 18), (24, 32, 25), (48, 60, 47)]
SCREENS = [*range(0x20, 0x7F), *range(0xA0, 0x100), *(0x2026, 0x2013, 0x2022, 0x2190, 0x2192)]
LEVELS = 16  # of grey; more make the file larger and no letter clearer


def main(mono: Path, sans: Path, folder: Path) -> None:
    """Write folder/dejavu.npz."""
    codes = [code for first, last in BLOCKS for code in range(first, last + 1) if _printable(code)]
    probes = [_face(mono, 48), _face(sans, 48)]
    fonts = [[_has(probe, chr(code)) for code in codes] for probe in probes]
    which = {code: 0 if a else 1 for code, a, b in zip(codes, *fonts, strict=True) if a or b}
    tables = {"codes": np.array(list(which), np.uint32)}
    for height, width, size, baseline in CELLS:
        shapes = [
            _upright(chr(code), _face(mono, size), height, width, baseline)
            if font == 0
            else _squeezed(chr(code), sans, size, height, width, baseline)
            for code, font in which.items()
        ]
        grey = np.stack(shapes).astype(np.uint16)
        tables[f"grey{height}"] = ((grey * (LEVELS - 1) + 127) // 255).astype(np.uint8)
    target = folder / "dejavu.npz"
    np.savez_compressed(target, **tables)
    missing = " ".join(f"{code:04X}" for code in codes if code not in which)
    sys.stdout.write(f"{len(which)} glyphs, {target.stat().st_size} bytes; in no font: {missing}\n")


def screens(sans: Path, folder: Path) -> None:
    """Write folder/sans.npz, and print the widths of letters, in 2048ths of the type size."""
    tables = {"codes": np.array(SCREENS, np.uint32)}
    for weight in ("", "-Bold"):
        path = sans.with_name(f"{sans.stem}{weight}{sans.suffix}")
        whole = _face(path, 2048)
        wide = [round(whole.getlength(chr(code))) for code in SCREENS]
        sys.stdout.write(f"{weight or 'regular'}: {' '.join(map(str, wide))}\n")
        for size, height, baseline in LINES:
            face = _face(path, size)
            for code in SCREENS:
                left, _, right, _ = face.getbbox(chr(code), anchor="ls")
                before = max(0, -int(left))
                image = Image.new("L", (max(1, before + int(right)), height))
                ImageDraw.Draw(image).text(
                    (before, baseline), chr(code), fill=255, font=face, anchor="ls"
                )
                grey = np.asarray(image).astype(np.uint16)
                levels = ((grey * (LEVELS - 1) + 127) // 255).astype(np.uint8)
                tables[f"{size}{weight}:{code}:{before}"] = levels
    _write(folder / "sans.npz", tables)


def _write(target: Path, tables: dict[str, np.ndarray]) -> None:
    """Write all glyphs of a size as one strip, because a file of many arrays is large and slow."""
    found: dict[str, np.ndarray] = {"codes": tables.pop("codes")}
    sizes = dict.fromkeys(name.partition(":")[0] for name in tables)
    for size in sizes:
        mine = {name: one for name, one in tables.items() if name.partition(":")[0] == size}
        found[size] = np.concatenate(list(mine.values()), axis=1)
        found[f"{size} widths"] = np.array([one.shape[1] for one in mine.values()], np.uint8)
        found[f"{size} before"] = np.array(
            [int(name.rpartition(":")[2]) for name in mine], np.uint8
        )
    np.savez_compressed(target, **found)


def _printable(code: int) -> bool:
    # Combining marks and signs that only affect the layout have no cell: the engine shows their
    # code points, so that they are visible.
    return unicodedata.category(chr(code))[0] not in "CM" and code not in (0x2028, 0x2029)


def _face(path: Path, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(path), size, layout_engine=ImageFont.Layout.BASIC)


def _has(face: ImageFont.FreeTypeFont, char: str) -> bool:
    return char.isspace() or bytes(face.getmask(char)) != bytes(face.getmask("\U0010fff0"))


def _upright(
    char: str, face: ImageFont.FreeTypeFont, height: int, width: int, baseline: int
) -> np.ndarray:
    if not 0x2500 <= ord(char) <= 0x259F:  # lines and blocks extend beyond the cell
        _, top, _, bottom = face.getbbox(char, anchor="ls")
        # A stack of accents that starts above the cell moves down instead of losing its top.
        baseline = max(baseline, min(-int(top), height - int(bottom)))
    image = Image.new("L", (width, height))
    ImageDraw.Draw(image).text((0, baseline), char, fill=255, font=face, anchor="ls")
    grey = np.array(image)
    if any(first <= ord(char) <= last for first, last in JOINED):
        # A cell is not exactly as large as the type. A line that would end in a paler pixel at
        # the border is extended, because frames would otherwise look dotted.
        for edge, inner in ((0, 1), (-1, -2)):
            grey[edge] = np.maximum(grey[edge], grey[inner])
            grey[:, edge] = np.maximum(grey[:, edge], grey[:, inner])
    return grey


def _squeezed(
    char: str, path: Path, size: int, height: int, width: int, baseline: int
) -> np.ndarray:
    """Draw a proportional glyph as large as the cell allows, centred."""
    for smaller in range(size, 3, -1):
        face = _face(path, smaller)
        left, top, right, bottom = face.getbbox(char, anchor="ls")
        if right - left <= width and bottom - top <= height:
            break
    # A figure that shrank would sit too low, so glyphs narrower than a letter keep the baseline.
    down = baseline if smaller == size else round((height - (bottom - top)) / 2 - top)
    down = min(max(down, int(-top)), height - int(bottom))
    image = Image.new("L", (width, height))
    at = ((width - int(right - left)) // 2 - left, down)
    ImageDraw.Draw(image).text(at, char, fill=255, font=face, anchor="ls")
    return np.asarray(image)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for argument in ("mono", "sans", "folder"):
        parser.add_argument(argument, type=Path)
    parser.add_argument("--screens", action="store_true")
    args = parser.parse_args()
    if args.screens:
        screens(args.sans, args.folder)
    else:
        main(args.mono, args.sans, args.folder)
