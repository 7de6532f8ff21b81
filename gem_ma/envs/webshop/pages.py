"""The pages of a web shop, and how they are told: as a text, with marked buttons, or as HTML."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import NamedTuple

from gem_ma.envs.webshop.products import Product

PAGE_SIZE = 10  # products on a page of results, as in WebShop
OBSERVATION_MODES = ("text", "text_rich", "html")
BACK, NEXT, PREVIOUS, BUY = "back to search", "next >", "< prev", "buy now"
DETAILS = ("description", "features", "reviews", "attributes")  # pages of a product
SEPARATOR = " [SEP] "


@dataclass(frozen=True, slots=True)
class ShopPage:
    """What a buyer sees.

    Attributes:
        kind: "search", "results", "item", one of DETAILS, or "done".
        keywords: The words of the last search.
        number: The number of the page of results, from 1.
        total: The number of results.
        products: The products on a page of results, or the one that is looked at.
        chosen: Option and value of each choice.
        opened: The products that were looked at.
        show_attributes: Whether products have a page with their attributes.
        score: The reward, on the last page.
    """

    kind: str = "search"
    keywords: str = ""
    number: int = 1
    total: int = 0
    products: tuple[Product, ...] = ()
    chosen: tuple[tuple[str, str], ...] = ()
    opened: tuple[str, ...] = ()
    show_attributes: bool = False
    score: float | None = None

    @property
    def product(self) -> Product:
        """The product that is looked at."""
        return self.products[0]

    @property
    def buttons(self) -> tuple[str, ...]:
        """What can be clicked, in lower case and in the order of the page."""
        kinds = ("button", "link", "option")
        names = [part.text.lower() for part in list_parts(self) if part.kind in kinds]
        return tuple(dict.fromkeys(names))


class PagePart(NamedTuple):
    """A part of a page: a "button", a "link" to a product, an "option", a "head" or a "line"."""

    kind: str
    text: str
    marked: bool = False  # a chosen option, or a product that was looked at
    group: str = ""  # the name of the option


def list_parts(page: ShopPage) -> list[PagePart]:
    """Return the parts of a page below the instruction, from top to bottom."""
    if page.kind == "search":
        return []
    if page.kind == "done":
        return [
            PagePart("head", "Thank you for your order!"),
            PagePart("line", f"Your score (0 to 1): {page.score:.2f}"),
        ]
    parts = [PagePart("button", "Back to Search")]
    if page.kind == "results":
        parts.append(PagePart("head", f"Page {page.number} (Total results: {page.total})"))
        if page.number > 1:
            parts.append(PagePart("button", "< Prev"))
        if page.number * PAGE_SIZE < page.total:
            parts.append(PagePart("button", "Next >"))
        for one in page.products:
            parts += [
                PagePart("link", one.asin, one.asin in page.opened),
                PagePart("line", one.title),
                PagePart("line", one.price_tag),
            ]
        return parts
    parts.append(PagePart("button", "< Prev"))
    return parts + (_list_item(page) if page.kind == "item" else _list_details(page))


def _list_item(page: ShopPage) -> list[PagePart]:
    product, parts = page.product, []
    for name, values in product.options:
        parts.append(PagePart("head", name))
        parts += [PagePart("option", one, (name, one) in page.chosen, name) for one in values]
    parts += [
        PagePart("head", product.title),
        PagePart("line", f"Price: {product.price_tag}"),
        PagePart("line", f"Rating: {product.rating}"),
        *(PagePart("button", name.capitalize()) for name in DETAILS[:3]),
    ]
    if page.show_attributes:
        parts.append(PagePart("button", "Attributes"))
    return [*parts, PagePart("button", "Buy Now")]


def _list_details(page: ShopPage) -> list[PagePart]:
    product = page.product
    if page.kind == "description":
        return [PagePart("line", product.description)]
    if page.kind == "features":
        return [PagePart("line", one) for one in product.features]
    if page.kind == "attributes":
        words = *product.attributes, product.query, product.categories
        return [PagePart("line", one) for one in words]
    return [
        PagePart(kind, text)
        for title, stars, body in product.reviews
        for kind, text in (("head", f'"{title}"'), ("line", f"{stars} of 5 stars"), ("line", body))
    ]


def tell_page(page: ShopPage, mode: str) -> str:
    """Return a page in one of OBSERVATION_MODES."""
    return {"text": _tell_text, "text_rich": _tell_rich_text, "html": _tell_html}[mode](page)


def _tell_text(page: ShopPage) -> str:
    return SEPARATOR.join(part.text for part in list_parts(page)) or "Search"


def _tell_rich_text(page: ShopPage) -> str:
    lines = [f"You have clicked {value}." for _, value in reversed(page.chosen)]
    for kind, text, marked, _ in list_parts(page):
        if kind not in ("button", "link", "option"):
            lines.append(text)
            continue
        word = "clicked button" if marked else "button"
        indent = "  " if kind == "option" else ""
        lines.append(f"{indent}[{word}] {text} [{word}_]")
    return "\n".join(lines) or "[button] Search [button_]"


def _tell_html(page: ShopPage) -> str:
    lines = ["<html>", "<body>"]
    if page.kind == "search":
        lines.append('<input id="search_input" type="text"><button class="btn">Search</button>')
    for kind, text, marked, group in list_parts(page):
        shown = html.escape(text)
        if kind == "button":
            lines.append(f'<button class="btn">{shown}</button>')
        elif kind == "link":
            lines.append(f'<a class="product-link" href="{shown}">{shown}</a>')
        elif kind == "option":
            checked = " checked" if marked else ""
            name = html.escape(group)
            lines.append(
                f'<label><input type="radio" name="{name}" value="{shown}"{checked}>{shown}</label>'
            )
        else:
            lines.append(f"<h4>{shown}</h4>" if kind == "head" else f"<p>{shown}</p>")
    return "\n".join((*lines, "</body>", "</html>"))
