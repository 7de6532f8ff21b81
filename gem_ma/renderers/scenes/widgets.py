"""Renderers of the widgets of a Screen, each on its background, in the style of desktops."""

from __future__ import annotations

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.contrast import compute_contrast
from gem_ma.renderers.figures import FIGURES, make_mask
from gem_ma.renderers.scenes.grid import draw_tile
from gem_ma.renderers.scenes.shapes import draw_figure
from gem_ma.renderers.scenes.widget_paint import (
    choose_accent,
    choose_border_color,
    choose_field_color,
    choose_widget_ink,
    clear_corners,
    compute_bar_height,
    draw_bevel,
    draw_border,
    draw_widget_text,
    fill_area,
    find_ground,
    make_area,
    mix_bar_color,
    mix_colors,
)
from gem_ma.renderers.themes import RGB, Theme
from gem_ma.scene import COLORS, text_metrics
from gem_ma.scene.screen import (
    CHECKBOX_SIZE,
    FIELD_PADDING,
    SCROLLBAR_WIDTH,
    THUMB_WIDTH,
    Widget,
    compute_row_height,
    compute_text_shift,
    compute_thumb_x,
    find_shade_point,
)

Caret = tuple[int, ...]  # caret and anchor while the widget is being typed in; else empty


def draw_widget(
    one: Widget, theme: Theme, ground: RGB, look: str, at: Caret, hover: bool
) -> np.ndarray:
    """Draw one widget on its background."""
    area = make_area(max(one.w, 1), max(one.h, 1), ground)
    _WIDGET_RENDERERS.get(one.kind, _draw_label)(area, one, theme, look, at, hover, ground)
    return area


def _draw_label(
    area: np.ndarray, one: Widget, theme: Theme, look: str, at: Caret, hover: bool, ground: RGB
) -> None:
    ink = choose_widget_ink(ground, theme)
    if one.tone == "quiet":
        ink = mix_colors(ink, ground, 0.3)
    bold = one.kind == "title" or one.tone == "bold"
    draw_widget_text(
        area,
        0,
        text_metrics.truncate_to_width(one.text, one.type, one.w, bold),
        ink,
        one.type,
        bold=bold,
        on=ground,
    )


def _draw_note(
    area: np.ndarray, one: Widget, theme: Theme, look: str, at: Caret, hover: bool, ground: RGB
) -> None:
    color = find_ground(one, theme)
    fill_area(area, color)
    area[-1:] = choose_border_color(theme)
    for number, text in enumerate(one.text.split("\n")):
        y = 5 + text_metrics.LINE_HEIGHTS[one.type] * number
        draw_widget_text(area, 14, text, choose_widget_ink(color, theme), one.type, y=y, on=color)


def _draw_panel(
    area: np.ndarray, one: Widget, theme: Theme, look: str, at: Caret, hover: bool, ground: RGB
) -> None:
    fill_area(area, find_ground(one, theme))
    draw_border(area, choose_border_color(theme))
    if one.tone == "window":
        if look == "old":
            draw_bevel(area[1:-1, 1:-1], theme)
        head = area[2 : min(compute_bar_height(one), area.shape[0] - 1), 2:-2]
        head[:] = mix_bar_color(theme)


def _draw_line(
    area: np.ndarray, one: Widget, theme: Theme, look: str, at: Caret, hover: bool, ground: RGB
) -> None:
    area[:] = choose_border_color(theme)


def _draw_image(
    area: np.ndarray, one: Widget, theme: Theme, look: str, at: Caret, hover: bool, ground: RGB
) -> None:
    """Draw the figure or box of an image widget; `text` names the figure, `tone` its colour."""
    if one.text in FIGURES:
        side = min(one.w, one.h) - 2  # room for an outline
        left, top = (one.w - side) // 2, (one.h - side) // 2
        draw_figure(area, left, top, one.text, side, theme.color(one.tone or "gray"), 1)
    else:
        face = theme.color(one.tone) if one.tone in COLORS else theme.cell
        area[:] = face
        draw_border(area, choose_border_color(theme))
        draw_widget_text(area, 4, one.text, choose_widget_ink(face, theme), one.type)


def _draw_button(
    area: np.ndarray, one: Widget, theme: Theme, look: str, at: Caret, hover: bool, ground: RGB
) -> None:
    face = theme.cell
    if one.tone == "primary":
        face = mix_colors(theme.color("blue"), (0, 0, 0), 0.1)
    elif one.tone == "danger":
        face = mix_colors(theme.color("red"), (0, 0, 0), 0.15)
    elif one.tone in COLORS:
        face = theme.color(one.tone)
    if hover and not one.disabled:
        face = mix_colors(face, theme.ink, 0.08)
    fill_area(area, face)
    if look == "old":
        draw_bevel(area, theme)
    else:
        # only the border distinguishes the button from the background
        flat = compute_contrast(face, ground) < 1.05
        draw_border(area, mix_colors(face, theme.ink, 0.6 if flat else 0.35))
        clear_corners(area, ground)
    ink = (
        mix_colors(choose_widget_ink(face, theme), face, 0.55)
        if one.disabled
        else choose_widget_ink(face, theme)
    )
    _draw_centered_text(area, one, 8, ink, on=face)


def _draw_centered_text(
    area: np.ndarray, one: Widget, rim: int, ink: RGB, on: RGB | None = None
) -> None:
    text = text_metrics.truncate_to_width(one.text, one.type, one.w - rim)
    draw_widget_text(
        area,
        round((one.w - text_metrics.measure_width(text, one.type)) / 2),
        text,
        ink,
        one.type,
        on=on,
    )


def _draw_tab(
    area: np.ndarray, one: Widget, theme: Theme, look: str, at: Caret, hover: bool, ground: RGB
) -> None:
    face = ground if one.value else theme.cell
    fill_area(area, face)
    draw_border(area, choose_border_color(theme))
    if one.value:
        area[:3] = choose_accent(theme.paper, theme)
        area[-1:, 1:-1] = ground
    _draw_centered_text(area, one, 8, choose_widget_ink(face, theme))


def _draw_link(
    area: np.ndarray, one: Widget, theme: Theme, look: str, at: Caret, hover: bool, ground: RGB
) -> None:
    ink = choose_accent(ground, theme, 4.5)
    text = text_metrics.truncate_to_width(one.text, one.type, one.w)
    draw_widget_text(area, 0, text, ink, one.type, on=ground)
    under = (area.shape[0] + text_metrics.LINE_HEIGHTS[one.type]) // 2 - 3
    if under < area.shape[0]:
        area[under, : round(text_metrics.measure_width(text, one.type))] = ink


def _draw_field(
    area: np.ndarray, one: Widget, theme: Theme, look: str, at: Caret, hover: bool, ground: RGB
) -> None:
    color = choose_field_color(theme) if not one.disabled else theme.cell
    fill_area(area, color)
    rim = choose_accent(color, theme) if at else mix_colors(color, theme.ink, 0.45)
    draw_border(area, rim, 2 if at else 1)
    if look == "old" and not at:
        draw_bevel(area, theme, sunk=True)
    ink, value = choose_widget_ink(color, theme), str(one.value or "")
    inner = area[2:-2, FIELD_PADDING - 1 : -FIELD_PADDING + 1]
    if not value and one.text:
        draw_widget_text(inner, 1, one.text, mix_colors(ink, color, 0.45), one.type, on=color)
    text = "•" * len(value) if one.kind == "password" else value
    caret, anchor = at or (0, 0)
    shift = compute_text_shift(one, caret)
    wide = text_metrics.measure_edges(text, one.type)
    low, high = sorted((min(caret, len(text)), min(anchor, len(text))))
    if low != high:
        selection_color = mix_colors(color, theme.color("blue"), 0.4)
        inner[
            2:-2, max(0, round(wide[low]) - shift + 1) : max(0, round(wide[high]) - shift + 1)
        ] = selection_color
    draw_widget_text(inner, 1 - shift, text, ink, one.type, on=color if low == high else None)
    if at and low == high:
        x = round(wide[low]) - shift + 1
        inner[2:-2, max(0, x) : max(0, x) + 1] = ink


def _draw_text_area(
    area: np.ndarray, one: Widget, theme: Theme, look: str, at: Caret, hover: bool, ground: RGB
) -> None:
    color = choose_field_color(theme)
    fill_area(area, color)
    rim = choose_accent(color, theme) if at else mix_colors(color, theme.ink, 0.45)
    draw_border(area, rim, 2 if at else 1)
    ink, value = choose_widget_ink(color, theme), str(one.value or "")
    caret, anchor = at or (0, 0)
    low, high = sorted((min(caret, len(value)), min(anchor, len(value))))
    start, line_height = 0, text_metrics.LINE_HEIGHTS[one.type]
    for number, text in enumerate(value.split("\n")):
        y, wide = FIELD_PADDING + line_height * number, text_metrics.measure_edges(text, one.type)
        first, last = max(0, low - start), min(len(text), high - start)
        if low != high and first <= len(text) and last >= 0 and first < last:
            selection_color = mix_colors(color, theme.color("blue"), 0.4)
            area[
                y : y + line_height,
                FIELD_PADDING + round(wide[first]) : FIELD_PADDING + round(wide[last]),
            ] = selection_color
        draw_widget_text(area[:, : -FIELD_PADDING + 1], FIELD_PADDING, text, ink, one.type, y=y)
        if at and low == high and 0 <= caret - start <= len(text):
            x = FIELD_PADDING + round(wide[caret - start])
            area[y + 1 : y + line_height - 1, x : x + 1] = ink
        start += len(text) + 1


def _draw_check_box(
    area: np.ndarray, one: Widget, theme: Theme, look: str, at: Caret, hover: bool, ground: RGB
) -> None:
    top = (one.h - CHECKBOX_SIZE) // 2
    box = area[top : top + CHECKBOX_SIZE, :CHECKBOX_SIZE]
    ink = choose_widget_ink(ground, theme)
    on = mix_colors(theme.color("blue"), (0, 0, 0), 0.1)
    if one.kind == "check":
        box[:] = on if one.value else choose_field_color(theme)
        draw_border(box, on if one.value else mix_colors(choose_field_color(theme), theme.ink, 0.5))
        if one.value:
            for x, y in ((4, 8), (5, 9), (6, 10), (7, 9), (8, 8), (9, 7), (10, 6), (11, 5)):
                box[y - 1 : y + 2, x] = (255, 255, 255)
    else:
        font.blend_ink(
            box,
            make_mask("disc", CHECKBOX_SIZE),
            mix_colors(choose_field_color(theme), theme.ink, 0.5),
        )
        font.blend_ink(
            box[1:-1, 1:-1], make_mask("disc", CHECKBOX_SIZE - 2), choose_field_color(theme)
        )
        if one.value:
            font.blend_ink(box[3:-3, 3:-3], make_mask("disc", CHECKBOX_SIZE - 6), on)
    draw_widget_text(
        area,
        CHECKBOX_SIZE + 7,
        text_metrics.truncate_to_width(one.text, one.type, one.w - CHECKBOX_SIZE - 7),
        ink,
        one.type,
        on=ground,
    )


def _draw_select(
    area: np.ndarray, one: Widget, theme: Theme, look: str, at: Caret, hover: bool, ground: RGB
) -> None:
    color = choose_field_color(theme)
    fill_area(area, color)
    draw_border(area, mix_colors(color, theme.ink, 0.45))
    if look == "old":
        draw_bevel(area, theme, sunk=True)
    ink = choose_widget_ink(color, theme)
    text = str(one.options[one.value]) if 0 <= one.value < len(one.options) else ""
    draw_widget_text(
        area,
        FIELD_PADDING,
        text_metrics.truncate_to_width(text, one.type, one.w - 34),
        ink,
        one.type,
    )
    x, y = one.w - 20, one.h // 2 - 2
    for n in range(5):
        area[y + n, x + n : x + 10 - n] = ink


def _draw_list(
    area: np.ndarray, one: Widget, theme: Theme, look: str, at: Caret, hover: bool, ground: RGB
) -> None:
    color = choose_field_color(theme)
    fill_area(area, color)
    high = compute_row_height(one)
    for number, option in enumerate(one.options):
        line = area[number * high : number * high + high]
        ground = color
        if number == one.value:
            ground = mix_colors(theme.color("blue"), (0, 0, 0), 0.1)
            fill_area(line, ground)
        text = text_metrics.truncate_to_width(str(option), one.type, one.w - 2 * FIELD_PADDING)
        draw_widget_text(
            line, FIELD_PADDING, text, choose_widget_ink(ground, theme), one.type, on=ground
        )
    draw_border(area, mix_colors(color, theme.ink, 0.45))


def _draw_item(
    area: np.ndarray, one: Widget, theme: Theme, look: str, at: Caret, hover: bool, ground: RGB
) -> None:
    face = ground if one.tone == "bare" else choose_field_color(theme)
    if one.value is True:
        face = mix_colors(face, theme.color("blue"), 0.3)
    elif hover:
        face = mix_colors(face, theme.ink, 0.1)
    fill_area(area, face)
    if one.kind == "cell":
        if one.tone in COLORS:
            face = theme.color(one.tone)
            area[:] = face
        draw_border(area, choose_border_color(theme))
    text = text_metrics.truncate_to_width(one.text, one.type, one.w - 2 * FIELD_PADDING)
    draw_widget_text(area, FIELD_PADDING, text, choose_widget_ink(face, theme), one.type, on=face)


def _draw_square(
    area: np.ndarray, one: Widget, theme: Theme, look: str, at: Caret, hover: bool, ground: RGB
) -> None:
    tile, is_marked = one.value
    side = min(one.w, one.h)
    area[:side, :side] = draw_tile(tile, side, theme, is_marked)


def _draw_menu(
    area: np.ndarray, one: Widget, theme: Theme, look: str, at: Caret, hover: bool, ground: RGB
) -> None:
    fill_area(area, choose_field_color(theme))
    draw_border(area, choose_border_color(theme))


def _draw_slider(
    area: np.ndarray, one: Widget, theme: Theme, look: str, at: Caret, hover: bool, ground: RGB
) -> None:
    middle, half = one.h // 2, THUMB_WIDTH // 2
    x = compute_thumb_x(one)
    blue = theme.color("blue")
    area[middle - 2 : middle + 2, half : one.w - half] = mix_colors(ground, theme.ink, 0.35)
    area[middle - 2 : middle + 2, half:x] = blue
    font.blend_ink(
        area[middle - half : middle + half, x - half : x + half],
        make_mask("disc", THUMB_WIDTH),
        blue,
    )


def _draw_fold(
    area: np.ndarray, one: Widget, theme: Theme, look: str, at: Caret, hover: bool, ground: RGB
) -> None:
    fill_area(area, theme.cell)
    draw_border(area, choose_border_color(theme))
    ink, y = choose_widget_ink(theme.cell, theme), one.h // 2
    for n in range(5):
        if one.value:
            area[y - 2 + n, 8 + n : 18 - n] = ink
        else:
            area[y - 5 + n : y + 5 - n, 10 + n] = ink
    draw_widget_text(
        area, 26, text_metrics.truncate_to_width(one.text, one.type, one.w - 30), ink, one.type
    )


def _draw_scroll(
    area: np.ndarray, one: Widget, theme: Theme, look: str, at: Caret, hover: bool, ground: RGB
) -> None:
    fill_area(area, find_ground(one, theme))
    content = max(one.options[0], one.h)
    long = max(20, one.h * one.h // content)
    most = content - one.h
    top = (one.h - long) * one.value // most if most else 0
    rail = area[:, -SCROLLBAR_WIDTH:]
    rail[:] = theme.cell
    if most:
        rail[top : top + long, 3:-3] = mix_colors(
            theme.cell, choose_widget_ink(theme.cell, theme), 0.45
        )
    draw_border(area, choose_border_color(theme))


def _draw_handle(
    area: np.ndarray, one: Widget, theme: Theme, look: str, at: Caret, hover: bool, ground: RGB
) -> None:
    if one.text in FIGURES:
        _draw_image(area, one, theme, look, at, hover, ground)
        return
    face = theme.color(one.tone) if one.tone in COLORS else theme.cell
    if one.tone == "bar":
        fill_area(area, mix_bar_color(theme))
        draw_border(area, choose_border_color(theme))
        ink = choose_widget_ink(mix_bar_color(theme), theme)
        draw_widget_text(
            area,
            10,
            text_metrics.truncate_to_width(one.text, one.type, one.w - 14, True),
            ink,
            one.type,
            True,
        )
        return
    fill_area(area, face)
    draw_border(area, mix_colors(face, theme.ink, 0.4))
    clear_corners(area, ground)
    _draw_centered_text(area, one, 4, choose_widget_ink(face, theme))


def _draw_color_picker(
    area: np.ndarray, one: Widget, theme: Theme, look: str, at: Caret, hover: bool, ground: RGB
) -> None:
    """Draw a colour picker's strip of hues, square of shades, or mixed colour."""
    kind, *hue = one.options
    down, across = np.linspace(255, 0, one.h), np.linspace(0, 1, one.w)
    for part, n in enumerate((5, 3, 1)):  # red, green and blue
        k = (n + (across * 359 if kind == "hue" else hue[0]) / 60) % 6
        share = np.clip(np.minimum(k, 4 - k), 0, 1)
        if kind == "hue":
            area[:, :, part] = 255 * (1 - share)
        elif kind == "shade":
            area[:, :, part] = np.outer(down, 1 - across * share)
        else:
            area[:, :, part] = 2.55 * one.value[1] * (1 - one.value[0] / 100 * share)
    draw_border(area, choose_border_color(theme))
    if kind != "mixed":
        _draw_knob(area, *find_shade_point(one))


def _draw_knob(area: np.ndarray, x: int, y: int) -> None:
    """Draw a ring around the chosen shade."""
    left, top = max(0, x - 8), max(0, y - 8)
    near = area[top : y + 9, left : x + 9]
    rows, columns = np.ogrid[: near.shape[0], : near.shape[1]]
    away = (rows + top - y) ** 2 + (columns + left - x) ** 2
    near[(away >= 16) & (away < 36)] = (0, 0, 0)
    near[(away >= 36) & (away < 60)] = (255, 255, 255)


_WIDGET_RENDERERS = {
    "note": _draw_note,
    "box": _draw_panel,
    "line": _draw_line,
    "image": _draw_image,
    "button": _draw_button,
    "tab": _draw_tab,
    "link": _draw_link,
    "field": _draw_field,
    "password": _draw_field,
    "area": _draw_text_area,
    "check": _draw_check_box,
    "radio": _draw_check_box,
    "select": _draw_select,
    "list": _draw_list,
    "item": _draw_item,
    "cell": _draw_item,
    "menu": _draw_menu,
    "slider": _draw_slider,
    "fold": _draw_fold,
    "scroll": _draw_scroll,
    "handle": _draw_handle,
    "square": _draw_square,
    "shade": _draw_color_picker,
    "tile": _draw_square,
}
