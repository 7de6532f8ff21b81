"""A page of HTML with the same widgets in the same boxes, for a browser to do the same with."""

import base64
import functools
import html
from importlib.util import find_spec
from pathlib import Path

from gem_ma.envs.screens.ui import SIZE, shown
from gem_ma.scene.screen import TEXT_KINDS
from gem_ma.scene.text_metrics import LINE_HEIGHTS

STYLE = """
* {margin: 0; box-sizing: border-box; font: inherit; font-kerning: none !important;
   font-variant-ligatures: none !important; text-rendering: geometricPrecision}
body {position: relative; width: 448px; height: 448px; overflow: hidden; background: white;
   user-select: none}
.w {position: absolute; white-space: nowrap; overflow: hidden}
input.t, textarea {padding: 0 5px; border: 1px solid gray; outline: none}
textarea {padding: 5px; white-space: pre; resize: none; overflow: hidden}
option {height: 24px; line-height: 24px} .large option {height: 30px; line-height: 30px}
select {padding: 0; border: 1px solid gray} .list {border: 0}
option {padding: 0}
input[type=range] {appearance: none; background: none}
input[type=range]::-webkit-slider-thumb {appearance: none; width: 16px; height: 16px;
   background: blue}
.check, .radio {display: flex; align-items: center}
.check input, .radio input {width: 16px; height: 16px; flex: none}
summary {list-style: none; height: 100%; outline: none}
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
    else if (kind == 'fold') told.values[id] = one.open;
    else if (kind == 'scroll') told.values[id] = Math.round(one.scrollTop);
    else if (one.value !== undefined && one.tagName != 'BUTTON') told.values[id] = one.value;
  }
  const typed = document.activeElement;
  if (typed && typed.selectionStart !== null && typed.selectionStart !== undefined)
    told.marked = [typed.selectionStart, typed.selectionEnd];
  return told;
}"""
BOXES = """() => Object.fromEntries([...document.querySelectorAll('.w[id]')].map(one => {
  const box = one.getBoundingClientRect();
  return [one.id, [box.x, box.y, box.width, box.height]]}))"""

# Puts other widgets into the page, and does to them what a person has done: `done` says the
# widget with the keyboard, the marks in texts, and how far boxes are scrolled.
SHOW = """([body, done]) => {
  document.body.innerHTML = body;
  const get = id => document.getElementById(id), all = Object.entries;
  for (const [id, place] of all(done.chosen)) get(id).selectedIndex = place;
  for (const [id, far] of all(done.scrolled)) get(id).scrollTop = far;
  for (const [id, marks] of all(done.marked)) get(id).setSelectionRange(...marks);
  const has = get(done.focus);
  if (has) (has.querySelector('input, summary') ?? has).focus({preventScroll: true});
  if (has && done.focus in done.marked) has.setSelectionRange(...done.marked[done.focus]);
}"""
# Says which widget is hit at a point, if one is thought away.
UNDER = """([x, y, id]) => {
  const away = id && document.getElementById(id);
  if (away) away.style.visibility = 'hidden';
  const hit = document.elementFromPoint(x, y)?.closest('.w[id]')?.id ?? '';
  if (away) away.style.visibility = '';
  return hit;
}"""

# Drop-downs whose lists the browser draws itself, in our boxes.
LISTS = """
select, ::picker(select) {appearance: base-select}
select {min-height: 0; min-width: 0}
::picker(select) {margin: 0; padding: 0; border: 0; position-try-order: normal;
   max-block-size: none}
option {height: 24px; min-height: 0; padding: 0; margin: 0; width: anchor-size(width)}
option::checkmark, select::picker-icon {display: none}
"""
TELL_LISTS = """() => {
  const has = document.activeElement, open = document.querySelector('select:open');
  const box = one => {const b = one.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]};
  return {
    focus: has.closest('[id]')?.id ?? '', open: open?.id ?? '',
    marked: open ? [...open.options].indexOf(has) : -1,
    values: Object.fromEntries(
      [...document.querySelectorAll('select')].map(one => [one.id, one.selectedIndex])),
    boxes: open ? [...open.options].map(box) : [],
  };
}"""


@functools.cache
def font():
    """Return the font of screens as a URL that holds it."""
    folder = Path(find_spec("matplotlib").origin).parent
    data = (folder / "mpl-data" / "fonts" / "ttf" / "DejaVuSans.ttf").read_bytes()
    return f"data:font/ttf;base64,{base64.b64encode(data).decode()}"


def page(widgets):
    """Return the page."""
    face = f"@font-face {{font-family: sans; src: url({font()})}}"
    return f"<!doctype html><meta charset=utf-8><style>{face}{STYLE}</style><body>{body(widgets)}"


def body(widgets):
    """Return what stands in the page: what lies behind a veil cannot be used."""
    inside = {one.id: [] for one in widgets if one.kind == "scroll"}
    scrolls = {one.id: one for one in widgets if one.kind == "scroll"}
    parts = []
    for one in widgets:
        scroll = scrolls.get(one.inside)
        if scroll:
            inside[one.inside].append((one, one.x - scroll.x, one.y - scroll.y))
    for one in widgets:
        if one.kind == "veil":
            parts = [f"<div inert>{''.join(parts)}</div>"]
        if not one.inside:
            parts.append(element(one, one.x, one.y, inside))
    return "".join(parts)


def element(one, x, y, inside):
    """Return the element of one widget."""
    font = f"font:{one.type}px/{LINE_HEIGHTS[one.type]}px sans"
    box = f'style="left:{x}px;top:{y}px;width:{one.w}px;height:{one.h}px;{font}"'
    large = " large" * (one.type > 14)
    same = f'id="{html.escape(one.id)}" data-kind="{one.kind}" class="w{large} {one.kind}" {box}'
    same += " disabled" * one.disabled
    text = html.escape(one.text)
    if one.kind in ("field", "password", "area"):
        return typed(one, same)
    if one.kind in ("select", "list"):
        return choice(one, same)
    match one.kind:
        case "button" | "tab":
            return f"<button {same}>{text}</button>"
        case "link":
            return f'<a href="#" onclick="return false" {same}>{text}</a>'
        case "check" | "radio":
            kind = "checkbox" if one.kind == "check" else "radio"
            on = "checked " * bool(one.value) + "disabled" * one.disabled
            name = html.escape(one.group or one.id)
            return f'<label {same}><input type={kind} name="{name}" {on}>{text}</label>'
        case "fold":
            return f"<details {same} {'open' * bool(one.value)}><summary>{text}</summary></details>"
        case "item":  # what is chosen from a menu leaves the keyboard where it is
            return f'<div {same} onmousedown="event.preventDefault()">{text}</div>'
        case "slider":
            low, high, step = one.options
            numbers = f"min={low} max={high} step={step} value={one.value}"
            return f"<input type=range {same} {numbers}>"
        case "scroll":
            within = "".join(element(other, left, top, {}) for other, left, top in inside[one.id])
            high = f'<div style="height:{one.options[0]}px"></div>'
            return f"<div {same}>{within}{high}</div>"
    return f"<div {same}>{text}</div>"


def typed(one, same):
    value = html.escape(str(one.value or ""))
    if one.kind == "area":
        return f"<textarea {same} spellcheck=false>\n{value}</textarea>"
    same = same.replace('class="w', 'class="w t')
    kind = "text" if one.kind == "field" else "password"
    return f'<input type={kind} {same} value="{value}" spellcheck=false maxlength=400>'


def choice(one, same):
    size = f"size={len(one.options)}" if one.kind == "list" else ""
    options = "".join(
        f"<option {'selected' if n == one.value else ''}>{html.escape(str(option))}"
        for n, option in enumerate(one.options)
    )
    return f"<select {same} {size}>{options}</select>"


def put_down(tab, widgets, ui, high=SIZE):
    """Show in the browser what a task shows, on a screen so high."""
    seen = shown(widgets, ui, high)
    texts = {one.id for one in widgets if one.kind in TEXT_KINDS}
    marks = {id: marked for id, marked in ui.left.items() if id in texts}
    if ui.focus in texts:
        marks[ui.focus] = ui.caret, ui.anchor
    done = {
        "focus": ui.focus,
        "marked": {
            id: (min(marked), max(marked), "backward" if marked[0] < marked[1] else "forward")
            for id, marked in marks.items()
        },
        "scrolled": {one.id: one.value for one in seen if one.kind == "scroll"},
        "chosen": {one.id: one.value for one in seen if one.kind in ("select", "list")},
    }
    values = {one.id: one.value for one in seen if one.kind != "scroll"}
    now = [one._replace(value=values.get(one.id, one.value)) for one in widgets]
    tab.evaluate(SHOW, [body(now), done])
    boxes = tab.evaluate(BOXES)
    for one in seen:
        if one.id in boxes and one.kind != "menu":
            ours = one.x, one.y, one.w, one.h
            assert max(abs(a - b) for a, b in zip(ours, boxes[one.id], strict=True)) <= 1, one
