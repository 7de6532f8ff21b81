"""A page of HTML with the same widgets in the same boxes, for a browser to do the same with."""

import base64
import functools
import html
from importlib.util import find_spec
from pathlib import Path

STYLE = """
* {margin: 0; box-sizing: border-box; font: 14px/18px sans; font-kerning: none;
   font-variant-ligatures: none; text-rendering: geometricPrecision}
body {position: relative; width: 448px; height: 448px; overflow: hidden; background: white;
   user-select: none}
.w {position: absolute; white-space: nowrap; overflow: hidden}
input.t, textarea {padding: 0 5px; border: 1px solid gray; outline: none}
textarea {padding: 5px; white-space: pre; resize: none; overflow: hidden}
select {padding: 0; border: 1px solid gray} option {height: 24px; padding: 0; line-height: 24px}
input[type=range] {appearance: none; background: none}
input[type=range]::-webkit-slider-thumb {appearance: none; width: 16px; height: 16px;
   background: blue}
.scroll {overflow-y: scroll; overflow-x: hidden}
.scroll::-webkit-scrollbar {width: 14px} .scroll::-webkit-scrollbar-thumb {background: gray}
"""
# What the page tells of itself, by the ids of widgets.
TELL = """() => {
  const told = {focus: document.activeElement.closest('[id]')?.id ?? '', values: {}};
  for (const one of document.querySelectorAll('[data-kind]')) {
    const kind = one.dataset.kind, id = one.id;
    if (kind == 'check' || kind == 'radio') told.values[id] = one.querySelector('input').checked;
    else if (kind == 'select' || kind == 'list') told.values[id] = one.selectedIndex;
    else if (kind == 'slider') told.values[id] = Number(one.value);
    else if (kind == 'scroll') told.values[id] = Math.round(one.scrollTop);
    else if (one.value !== undefined && kind != 'button') told.values[id] = one.value;
  }
  const typed = document.activeElement;
  if (typed && typed.selectionStart !== null && typed.selectionStart !== undefined)
    told.marked = [typed.selectionStart, typed.selectionEnd];
  return told;
}"""
BOXES = """() => Object.fromEntries([...document.querySelectorAll('.w[id]')].map(one => {
  const box = one.getBoundingClientRect();
  return [one.id, [box.x, box.y, box.width, box.height]]}))"""


@functools.cache
def font():
    """Return the font of screens as a URL that holds it."""
    folder = Path(find_spec("matplotlib").origin).parent
    data = (folder / "mpl-data" / "fonts" / "ttf" / "DejaVuSans.ttf").read_bytes()
    return f"data:font/ttf;base64,{base64.b64encode(data).decode()}"


def page(widgets):
    """Return the page."""
    inside = {one.id: [] for one in widgets if one.kind == "scroll"}
    outside = []
    scrolls = {one.id: one for one in widgets if one.kind == "scroll"}
    for one in widgets:
        scroll = scrolls.get(one.inside)
        x, y = (one.x - scroll.x, one.y - scroll.y) if scroll else (one.x, one.y)
        (inside[one.inside] if scroll else outside).append((one, x, y))
    body = "".join(element(one, x, y, inside) for one, x, y in outside)
    face = f"@font-face {{font-family: sans; src: url({font()})}}"
    return f"<!doctype html><meta charset=utf-8><style>{face}{STYLE}</style><body>{body}"


def element(one, x, y, inside):
    """Return the element of one widget."""
    box = f'style="left:{x}px;top:{y}px;width:{one.w}px;height:{one.h}px"'
    same = f'id="{one.id}" data-kind="{one.kind}" class="w {one.kind}" {box}'
    text, value = html.escape(one.text), html.escape(str(one.value or ""))
    typed = same.replace('class="w', 'class="w t')
    match one.kind:
        case "button":
            return f"<button {same}>{text}</button>"
        case "link":
            return f'<a href="#" onclick="return false" {same}>{text}</a>'
        case "field" | "password":
            kind = "text" if one.kind == "field" else "password"
            return f'<input type={kind} {typed} value="{value}" spellcheck=false maxlength=400>'
        case "area":
            return f"<textarea {same} spellcheck=false>\n{value}</textarea>"
        case "check" | "radio":
            kind = "checkbox" if one.kind == "check" else "radio"
            on = "checked" if one.value else ""
            return (
                f"<label {same}><input type={kind} name={one.group or one.id} {on}>{text}</label>"
            )
        case "select" | "list":
            size = f"size={len(one.options)}" if one.kind == "list" else ""
            options = "".join(
                f"<option {'selected' if n == one.value else ''}>{html.escape(str(option))}"
                for n, option in enumerate(one.options)
            )
            return f"<select {same} {size}>{options}</select>"
        case "slider":
            low, high, step = one.options
            numbers = f"min={low} max={high} step={step} value={one.value}"
            return f"<input type=range {same} {numbers}>"
        case "scroll":
            within = "".join(element(other, left, top, {}) for other, left, top in inside[one.id])
            high = f'<div style="height:{one.options[0]}px"></div>'
            return f"<div {same}>{within}{high}</div>"
    return f"<div {same}>{text}</div>"
