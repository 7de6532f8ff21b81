"""Pictures of the pages of a web shop."""

from __future__ import annotations

from gem_ma.envs.webshop import pages
from gem_ma.envs.webshop.drawings import draw_product
from gem_ma.envs.webshop.pages import ShopPage
from gem_ma.envs.webshop.products import Product
from gem_ma.scene import COLORS
from gem_ma.scene.screen import Screen, Widget
from gem_ma.scene.text_metrics import LINE_HEIGHTS, measure_width, wrap_to_width

SIDE = 560  # pixels
_EDGE, _TOP = 16, 96  # the margin, and where the content begins
_BOTTOM = SIDE - 8
_CARD_HEIGHT = 90
_BUTTON_HEIGHT = 26
_PHOTO = 190  # the side of the drawing on the page of a product
_PLAIN_COLORS = ("purple", "green", "orange", "blue", "brown", "red")  # without an own colour


class _PageDrawer:
    """Collects the widgets of a page."""

    def __init__(self) -> None:
        self.widgets: list[Widget] = []

    def add(
        self, kind: str, x: int, y: int, w: int, h: int, text: str = "", **more: object
    ) -> None:
        fields: dict[str, object] = {"tone": "", "type": 14, **more}
        self.widgets.append(Widget(f"w{len(self.widgets)}", kind, x, y, w, h, text, **fields))  # type: ignore[arg-type]

    def add_button(self, x: int, y: int, text: str, tone: str = "") -> int:
        """Add a button, and return the x behind it."""
        width = round(measure_width(text, 14)) + 18
        self.add("button", x, y, width, _BUTTON_HEIGHT, text, tone=tone)
        return x + width + 6

    def add_lines(
        self, x: int, y: int, width: int, text: str, size: int, tone: str = "", most: int = 99
    ) -> int:
        """Add a text in lines, and return the y below it; what has no room ends in an ellipsis."""
        height = LINE_HEIGHTS[size]
        lines = wrap_to_width(text, size, width, tone == "bold")
        most = min(most, max(1, (_BOTTOM - y) // height))
        for number, line in enumerate(lines[:most]):
            cut = " …" if number == most - 1 < len(lines) - 1 else ""
            self.add("label", x, y, width + 12, height, line + cut, type=size, tone=tone)
            y += height
        return y


def draw_page(page: ShopPage, status: str, notes: tuple[str, ...] = ()) -> Screen:
    """Return a page as a screen, with a line of status, and with notes above the page."""
    drawer = _PageDrawer()
    drawer.add("box", 0, 0, SIDE, 44, tone="blue")
    drawer.add("title", _EDGE, 10, 116, 24, "Web Shop", type=18)
    if page.kind == "search":
        _draw_search(drawer)
    elif page.kind == "done":
        drawer.add("title", _EDGE, 200, SIDE - 2 * _EDGE, 24, "Thank you for your order!", type=18)
        text = f"Your score (0 to 1): {page.score:.2f}"
        drawer.add_lines(_EDGE, 236, SIDE - 2 * _EDGE, text, 14)
    else:
        drawer.add("field", 140, 9, 320, 26, "Search", value=page.keywords)
        drawer.add("button", 468, 9, 76, 26, "Search")
        x = drawer.add_button(_EDGE, 56, "Back to Search")
        if page.kind != "results" or page.number > 1:
            x = drawer.add_button(x, 56, "< Prev")
        if pages.NEXT in page.buttons:
            x = drawer.add_button(x, 56, "Next >")
        if page.kind == "results":
            head = f"Page {page.number}, {page.total} results"
            drawer.add("label", x + 8, 58, 180, 22, head)
            _draw_results(drawer, page)
        else:
            _draw_item(drawer, page)
    width = round(measure_width(status, 12)) + 2
    drawer.add("label", SIDE - _EDGE - width, 60, width + 2, 18, status, tone="quiet", type=12)
    text = "\n".join("\n".join(wrap_to_width(one, 12, SIDE - 2 * _EDGE)) for one in notes)
    height = 10 + LINE_HEIGHTS[12] * len(text.splitlines()) if text else 0
    widgets = [one._replace(y=one.y + height) for one in drawer.widgets]
    if text:
        widgets.insert(0, Widget("notes", "note", 0, 0, SIDE, height, text, type=12))
    return Screen(tuple(widgets), SIDE, SIDE + height)


def _draw_search(drawer: _PageDrawer) -> None:
    drawer.add("view", 240, 150, 80, 80, value=draw_product("bag", "orange"))
    drawer.add("title", 190, 240, 200, 24, "What do you need?", type=18)
    drawer.add("field", 90, 280, 290, 32, "Search")
    drawer.add("button", 386, 280, 84, 32, "Search", tone="primary")


def _choose_color(product: Product, chosen: tuple[tuple[str, str], ...] = ()) -> str:
    """Return the colour of a product: a chosen one, the first it has, or one by its number."""
    own = [value for name, values in product.options if name == "color" for value in values]
    values = [value for name, value in chosen if name == "color"] + own
    plain = _PLAIN_COLORS[sum(map(ord, product.asin)) % len(_PLAIN_COLORS)]
    return next((value for value in values if value in COLORS), plain)


def _draw_results(drawer: _PageDrawer, page: ShopPage) -> None:
    width = (SIDE - 2 * _EDGE - 8) // 2
    for number, one in enumerate(page.products):
        x = _EDGE + number % 2 * (width + 8)
        y = _TOP - 2 + number // 2 * (_CARD_HEIGHT + 2)
        drawer.add("box", x, y, width, _CARD_HEIGHT)
        if one.asin in page.opened:
            drawer.add("label", x + 22, y + 70, 40, 16, "seen", tone="quiet", type=12)
        drawer.add("view", x + 4, y + 8, 62, 62, value=draw_product(one.figure, _choose_color(one)))
        room = width - 76
        drawer.add("link", x + 72, y + 5, 116, 18, one.asin)
        tag = round(measure_width(one.price_tag, 14, True)) + 4
        drawer.add("label", x + width - tag - 6, y + 5, tag, 18, one.price_tag, tone="bold")
        drawer.add_lines(x + 72, y + 23, room - 12, one.title, 12, most=4)
    if not page.products:
        drawer.add_lines(_EDGE, _TOP, SIDE - 2 * _EDGE, "Nothing found. Try other words.", 14)


def _draw_item(drawer: _PageDrawer, page: ShopPage) -> None:
    product = page.product
    view = draw_product(product.figure, _choose_color(product, page.chosen))
    drawer.add("view", _EDGE, _TOP, _PHOTO, _PHOTO, value=view)
    left = 2 * _EDGE + _PHOTO
    width = SIDE - left - _EDGE - 12
    y = drawer.add_lines(left, _TOP, width, product.title, 14, "bold", most=4)
    y = drawer.add_lines(left, y + 8, width, f"Price: {product.price_tag}", 18)
    y = drawer.add_lines(left, y + 2, width, f"Rating: {product.rating}", 14)
    if page.kind != "item":
        _draw_details(drawer, page, _TOP + _PHOTO + 16)
        return
    x = left
    for name in pages.DETAILS[: 4 if page.show_attributes else 3]:
        x = drawer.add_button(x, y + 8, name.capitalize())
    drawer.add_button(left, y + 42, "Buy Now", "primary")

    y = _TOP + _PHOTO + 16
    for name, values in product.options:
        if y + _BUTTON_HEIGHT > _BOTTOM:
            break
        drawer.add("label", _EDGE, y + 3, 96, 20, name, tone="bold")
        x = 116
        for number, value in enumerate(values):
            if x + measure_width(value, 14) + 24 > SIDE - _EDGE and x > 116:
                x, y = 116, y + _BUTTON_HEIGHT + 4
                if y + _BUTTON_HEIGHT > _BOTTOM:
                    left_out = f"and {len(values) - number} more"
                    drawer.add("label", _EDGE, _BOTTOM - 16, 96, 16, left_out, type=12)
                    break
            x = drawer.add_button(x, y, value, "primary" if (name, value) in page.chosen else "")
        y += _BUTTON_HEIGHT + 12


def _draw_details(drawer: _PageDrawer, page: ShopPage, y: int) -> None:
    drawer.add("title", _EDGE, y, 300, 24, page.kind.capitalize(), type=18)
    y += 32
    mark = "• " if page.kind in ("features", "attributes") else ""
    for part in pages.list_parts(page)[2:]:
        if y >= _BOTTOM:
            break
        tone = "bold" if part.kind == "head" else ""
        y = drawer.add_lines(_EDGE, y, SIDE - 2 * _EDGE - 12, mark + part.text, 14, tone) + (
            2 if tone else 8
        )
