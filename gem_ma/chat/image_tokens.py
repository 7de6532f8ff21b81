"""Token counts of pictures, and the sizes at which models see them, by model family."""

from __future__ import annotations

import math
from difflib import get_close_matches

# Side of a square that becomes one token, minimum and maximum pixels: defaults of the processors.
_QWEN_LIMITS = {
    "qwen2-vl": (28, 56 * 56, 28 * 28 * 1280),
    "qwen2.5-vl": (28, 56 * 56, 28 * 28 * 1280),
    "qwen3-vl": (32, 65_536, 16_777_216),
}
_FIXED_SIZES = {"llava-1.5": (336, 576), "gemma-3": (896, 256)}  # side, tokens
_CLAUDE_LIMITS = {"claude": (1568, 1568), "claude-4.7": (2576, 4784)}  # longest side, most tokens
# Tokens of every picture, and of each tile of 512 pixels. OpenAI's guide "Images and vision",
# "Calculating costs": platform.openai.com/docs/guides/images-vision#calculating-costs; the same in
# github.com/srinathmkce/imagetoken, image_token/config.py. OpenAI's billing of gpt-4.1 agrees:
# community.openai.com/t/gpt-4-1-vision-price-calculations-incorrect-billing-on-full-model/1230130
_TILE_TOKENS = {"gpt-4o": (85, 170), "gpt-4.1": (85, 170), "gpt-5": (70, 140)}
# Tokens of a patch of 32 pixels, of which there are at most 1536: the same guide. For gpt-5-mini
# users measured 1.2 (OpenAI Developer Community, "GPT-5-mini image input token calculation
# discrepancy", June 2026); this table has the guide's larger number.
_PATCH_FACTORS = {
    "gpt-4.1-mini": 1.62,
    "gpt-4.1-nano": 2.46,
    "gpt-5-mini": 1.62,
    "gpt-5-nano": 2.46,
    "o4-mini": 1.72,
}
_MAX_PATCHES = 1536
# Gemini 2: 258 tokens up to 384 pixels a side, else 258 for each tile of 768 pixels:
# ai.google.dev/gemini-api/docs/tokens, "Multimodal tokens". Gemini 3: by media_resolution, not by
# size; the default is high: ai.google.dev/gemini-api/docs/gemini-3 and /media-resolution.
_GEMINI_TILE, _GEMINI_SMALL, _GEMINI_SIDE = 258, 384, 768
_GEMINI_3 = {"low": 280, "medium": 560, "high": 1120}
_GEMINI = "gemini-2", "gemini-3"
MODEL_FAMILIES = (
    *_QWEN_LIMITS,
    *_FIXED_SIZES,
    "internvl",
    *_TILE_TOKENS,
    *_PATCH_FACTORS,
    *_CLAUDE_LIMITS,
    *_GEMINI,
)


def count_image_tokens(
    width: int,
    height: int,
    family: str,
    *,
    min_pixels: int | None = None,
    max_pixels: int | None = None,
    detail: str = "high",
) -> int:
    """Return the number of tokens of a picture, without surrounding tokens such as start and end.

    Args:
        width: The width of the picture in pixels.
        height: The height of the picture in pixels.
        family: One of MODEL_FAMILIES. For Qwen, LLaVA, Gemma and InternVL, the count equals that of
            their processors. For OpenAI, Anthropic and Google, it follows the vendors'
            documentation: exact within the size limits, approximate for larger pictures, where the
            vendors' rounding matters. "claude" has the standard resolution, "claude-4.7" the high
            resolution of Claude 4.7 and later.
        min_pixels: The minimum of the Qwen families, if preprocessor_config.json of the checkpoint
            differs from the default of transformers; None: the default.
        max_pixels: The maximum of the Qwen families, in the same way. Qwen2-VL's own file has
            12,845,056.
        detail: "low" for OpenAI's low detail; "low", "medium" or "high" for the media resolution of
            "gemini-3".
    """
    width, height = _compute_seen_size(width, height, family, min_pixels, max_pixels, detail)
    if family in _QWEN_LIMITS:
        return (width // _QWEN_LIMITS[family][0]) * (height // _QWEN_LIMITS[family][0])
    if family in _FIXED_SIZES:
        return _FIXED_SIZES[family][1]
    if family == "internvl":
        tiles = (width // 448) * (height // 448)
        return 256 * (tiles + (tiles > 1))  # several tiles come with a thumbnail
    return _count_vendor_tokens(width, height, family, detail)


def _count_vendor_tokens(width: int, height: int, family: str, detail: str) -> int:
    """Return the tokens of a picture of a seen size, by the vendors' documentation."""
    if family in _TILE_TOKENS:
        base, tile = _TILE_TOKENS[family]
        tiles = math.ceil(width / 512) * math.ceil(height / 512)
        return base if detail == "low" else base + tile * tiles
    if family in _PATCH_FACTORS:
        return math.ceil(_PATCH_FACTORS[family] * _count_patches(width, height, 32))
    if family == "gemini-2":
        tiles = math.ceil(width / _GEMINI_SIDE) * math.ceil(height / _GEMINI_SIDE)
        return _GEMINI_TILE * tiles
    if family == "gemini-3":
        if detail not in _GEMINI_3:
            raise ValueError(f"detail={detail!r}: expected {', '.join(_GEMINI_3)} for {family}")
        return _GEMINI_3[detail]
    return _count_patches(width, height)


def snap_image_size(
    width: int,
    height: int,
    family: str,
    *,
    min_pixels: int | None = None,
    max_pixels: int | None = None,
) -> tuple[int, int]:
    """Return the size nearest to this one at which the family does not resample a picture.

    For InternVL this holds for its tiles; its additional thumbnail is always smaller.
    """
    return _compute_seen_size(width, height, family, min_pixels, max_pixels)


def _compute_seen_size(
    width: int,
    height: int,
    family: str,
    min_pixels: int | None = None,
    max_pixels: int | None = None,
    detail: str = "high",
) -> tuple[int, int]:
    """Return the size at which a family sees a picture; returned sizes map to themselves."""
    if width < 1 or height < 1:
        raise ValueError(f"a picture needs at least one pixel, got {width} x {height}")
    if family not in MODEL_FAMILIES:
        near = get_close_matches(str(family).lower(), MODEL_FAMILIES, 1, 0.3)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise ValueError(f"unknown family {family!r}; {hint}known: {', '.join(MODEL_FAMILIES)}")
    if family in _QWEN_LIMITS:
        unit, least, most = _QWEN_LIMITS[family]
        least = least if min_pixels is None else min_pixels
        most = most if max_pixels is None else max_pixels
        if not (least >= 0 and most >= 1):
            raise ValueError(
                f"min_pixels={least}, max_pixels={most}: expected min_pixels of at least 0 and "
                "max_pixels of at least 1"
            )
        return _round_to_units(width, height, unit, least, most)
    if min_pixels is not None or max_pixels is not None:
        raise ValueError(
            f"min_pixels and max_pixels are for {', '.join(_QWEN_LIMITS)}; leave them out for "
            f"{family!r}"
        )
    if family in _FIXED_SIZES:
        return _FIXED_SIZES[family][0], _FIXED_SIZES[family][0]
    if family == "internvl":
        columns, rows = _choose_tiles(width, height)
        return 448 * columns, 448 * rows
    return _compute_vendor_size(width, height, family, detail)


def _compute_vendor_size(width: int, height: int, family: str, detail: str) -> tuple[int, int]:
    if family in _TILE_TOKENS:
        if detail == "low":
            return min(width, 512), min(height, 512)
        width, height = _shrink_size(width, height, 2048 / max(width, height))
        return _shrink_size(width, height, 768 / min(width, height))
    if family in _PATCH_FACTORS:
        return _fit_patches(width, height)
    if family in _GEMINI:
        if family == "gemini-3" or max(width, height) <= _GEMINI_SMALL:
            return width, height
        across, down = (math.ceil(side / _GEMINI_SIDE) for side in (width, height))
        return _GEMINI_SIDE * across, _GEMINI_SIDE * down
    return _fit_limits(width, height, *_CLAUDE_LIMITS[family])


def _fit_patches(width: int, height: int) -> tuple[int, int]:
    """Return the size within OpenAI's patch limit; if shrunk, one side is in whole patches."""
    if _count_patches(width, height, 32) <= _MAX_PATCHES:
        return width, height
    scale = math.sqrt(_MAX_PATCHES * 32 * 32 / (width * height))
    scale = min(scale, 32 * _MAX_PATCHES / max(width, height))  # for pictures narrower than a patch
    sides = [side * scale / 32 for side in (width, height)]
    scale *= min(math.floor(side) / side for side in sides if side >= 1)
    return max(1, round(width * scale)), max(1, round(height * scale))


def _round_to_units(width: int, height: int, unit: int, least: int, most: int) -> tuple[int, int]:
    """Round both sides to whole units, and scale if there are too few or too many pixels."""
    if max(width, height) > 200 * min(width, height):
        raise ValueError(
            f"{width} x {height}: one side is more than 200 times the other; Qwen's processors "
            "take at most 200 times"
        )
    # The same floating point operations as in transformers, which matter in edge cases.
    across, down = round(width / unit) * unit, round(height / unit) * unit
    if across * down > most:
        beta = math.sqrt((height * width) / most)
        across = max(unit, math.floor(width / beta / unit) * unit)
        down = max(unit, math.floor(height / beta / unit) * unit)
    elif across * down < least:
        beta = math.sqrt(least / (height * width))
        across = math.ceil(width * beta / unit) * unit
        down = math.ceil(height * beta / unit) * unit
    return across, down


def _choose_tiles(width: int, height: int) -> tuple[int, int]:
    """Return InternVL's grid of at most 12 tiles of 448 pixels with the nearest aspect ratio."""
    grids = [(i, j) for i in range(1, 13) for j in range(1, 13) if i * j <= 12]
    best, nearest = (1, 1), math.inf
    for columns, rows in sorted(grids, key=lambda grid: grid[0] * grid[1]):
        distance = abs(width / height - columns / rows)
        # At equal ratios, the larger grid wins if the picture has more than half of its pixels.
        if distance < nearest or (
            distance == nearest and width * height > 0.5 * 448 * 448 * columns * rows
        ):
            best, nearest = (columns, rows), distance
    return best


def _shrink_size(width: int, height: int, scale: float) -> tuple[int, int]:
    scale = min(1.0, scale)
    return max(1, round(width * scale)), max(1, round(height * scale))


def _count_patches(width: int, height: int, side: int = 28) -> int:
    return math.ceil(width / side) * math.ceil(height / side)


def _fit_limits(width: int, height: int, side: int, most: int) -> tuple[int, int]:
    """Return the largest size of the same shape within Claude's limits of side and tokens."""
    across, down = width, height
    for longest in range(min(side, max(width, height)), 0, -1):
        if max(across, down) <= side and _count_patches(across, down) <= most:
            break
        across, down = _shrink_size(width, height, longest / max(width, height))
    return across, down
