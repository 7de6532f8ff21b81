"""The arguments of a change, inferred from a customer's words and records."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from gem_ma.validation.json_types import JSONMapping, JSONObject

RecordMapping = JSONMapping
T = TypeVar("T")
ADDRESS_FIELDS = ("address1", "address2", "city", "state", "country", "zip")
SENTENCE_BREAK = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(])")
_ORDER_NUMBER = re.compile(r"#?W\d{7}")
_ORDER_WITH = re.compile(r"order with the ([^.;]*)")
_PARENS = re.compile(r"\(([^()]*)\)")
_ADDRESS_REFERENCE = re.compile(r" to (?=the address (?:of|in) )")
_SWAP_PATTERN = (
    r"^(?!.*(?:payment of|address|passengers)).*\b(?:exchange|swap|change|switch|modify)\b"
)
_RETURN_TOOL, _EXCHANGE_TOOL = "return_delivered_order_items", "exchange_delivered_order_items"
_MODIFY_TOOL = "modify_pending_order_items"
_ORDER_STATUS = {_RETURN_TOOL: "delivered", _EXCHANGE_TOOL: "delivered"}
_END = r"(?=[,.;]|\s+and the |\s*$)"  # end of a value
WISH_PATTERNS: Mapping[str, re.Pattern[str]] = {  # patterns of a wish for each tool
    "cancel_pending_order": re.compile(r"\b(?:cancel|call off)", re.I),
    _RETURN_TOOL: re.compile(r"\b(?:return|send back)\b", re.I),
    _EXCHANGE_TOOL: re.compile(_SWAP_PATTERN, re.I),
    _MODIFY_TOOL: re.compile(_SWAP_PATTERN, re.I),
    "modify_pending_order_payment": re.compile(r"payment of\b", re.I),
    "modify_pending_order_address": re.compile(
        r"(?:change|correct) the address of\b|to another address", re.I
    ),
    "modify_user_address": re.compile(r"(?:change|correct) my default address", re.I),
    "reset_app": re.compile(r"\bapp\b", re.I),
}


class ProductMention(NamedTuple):
    """A product that a text names, its options, and the text after its name."""

    name: str
    options: str
    rest: str


class CustomerRecords:
    """The records of a customer that were looked up: user, orders and products, by id."""

    def __init__(self) -> None:
        self.user: RecordMapping = {}
        self.orders: dict[str, RecordMapping] = {}
        self.products: dict[str, RecordMapping] = {}

    def list_unseen(self, tool: str, texts: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield the orders and products to look up before the texts can be understood."""
        numbers = _list_numbers(texts)
        refers = "address" in tool and any("the address of" in _cut_after(text) for text in texts)
        if refers or (not numbers and tool != "modify_user_address"):
            numbers = [*numbers, *self.user["orders"]]
        for number in dict.fromkeys(numbers):
            if number not in self.orders:
                yield "order", number
        if tool in (_EXCHANGE_TOOL, _MODIFY_TOOL):
            for item in self.find_items(tool, texts):
                if item["product_id"] not in self.products:
                    yield "product", item["product_id"]

    def infer_arguments(self, tool: str, texts: Sequence[str]) -> JSONObject | None:
        """Return the arguments of a change; arguments that the texts do not tell are None.

        The result is None if no known order fits the texts.

        Args:
            texts: the wish, and the user's later answers about it.
        """
        if tool == "modify_user_address":
            return {"user_id": self.user["user_id"], **self._find_address(texts, "")}
        orders = self.find_orders(tool, texts)
        if not orders:
            return None
        number = orders[0] if len(orders) == 1 else None
        arguments: JSONObject = {"order_id": number}
        if tool == "cancel_pending_order":
            return arguments | {"reason": _find_last(_parse_reason, texts)}
        if tool == "modify_pending_order_address":
            return arguments | self._find_address(texts, number or "")
        if tool != "modify_pending_order_payment":
            items = self.find_items(tool, texts)
            arguments["item_ids"] = [item["item_id"] for item in items] or None
            if tool != _RETURN_TOOL:
                arguments["new_item_ids"] = self._choose_new_items(items, texts)
        methods = self.user["payment_methods"]
        pays = _find_last(lambda text: find_payment_method(methods, text), texts)
        return arguments | {"payment_method_id": pays}

    def find_orders(self, tool: str, texts: Sequence[str]) -> list[str]:
        """Return the orders that contain everything that the texts name."""
        status = _ORDER_STATUS.get(tool, "pending")
        relevant_texts = [_cut_before(text) for text in texts] if "address" in tool else texts
        orders = {
            number: order
            for number, order in self.orders.items()
            if order and order["status"].split(" ")[0] == status
        }
        named = [number for number in _list_numbers(relevant_texts) if self.orders.get(number)]
        if named:
            return [number for number in named if number in orders][:1]
        for place, text in enumerate(relevant_texts):
            fit = {
                number: one
                for number, one in orders.items()
                if _contains(one, self._find_mentions(text))
            }
            orders = fit if fit or not place else orders
            orders = self._match_whole(orders, text) or orders
        return list(orders)

    def _match_whole(
        self, orders: Mapping[str, RecordMapping], text: str
    ) -> dict[str, RecordMapping]:
        """Return the orders that a text describes by all their items or by their city."""
        for whole in _ORDER_WITH.findall(text):
            names = sorted(one.name for one in self._find_mentions(whole))
            same = {
                number: one
                for number, one in orders.items()
                if sorted(item["name"] for item in one["items"]) == names
            }
            orders = same or orders
        return {
            number: one
            for number, one in orders.items()
            if f"goes to {one['address']['city']}" in text
        } or dict(orders)

    def find_items(self, tool: str, texts: Sequence[str]) -> list[RecordMapping]:
        """Return the items that the texts name, if they fit one order only."""
        orders = self.find_orders(tool, texts)
        for text in texts if len(orders) == 1 else ():
            held = self.orders[orders[0]]["items"]
            places = _find_places(held, find_mentions(text, held))
            if places:
                return [held[place] for place in places]
        return []

    def _choose_new_items(
        self, items: Sequence[RecordMapping], texts: Sequence[str]
    ) -> list[str] | None:
        """Return the new item for each old one, or None if the texts do not tell it."""
        if not items or any(item["product_id"] not in self.products for item in items):
            return None
        variants = [self.products[item["product_id"]]["variants"] for item in items]
        sentences = [one for text in texts for one in SENTENCE_BREAK.split(text)]
        for one in reversed(sentences):
            chosen_variants = choose_variants(items, variants, find_mentions(one, items))
            if chosen_variants is not None:
                return chosen_variants
        return None

    def _find_address(self, texts: Sequence[str], number: str) -> JSONObject:
        """Return the new address that the texts spell out or refer to; None for unknown lines."""
        for text in reversed(texts):
            address = parse_address(text)
            if address:
                return dict(address)
            if "in my profile" in text:
                return {key: self.user["address"][key] for key in ADDRESS_FIELDS}
            order_id = (
                self._find_referred_order(_cut_after(text), number)
                if "the address of" in _cut_after(text)
                else ""
            )
            if self.orders.get(order_id):
                return {key: self.orders[order_id]["address"][key] for key in ADDRESS_FIELDS}
        return dict.fromkeys(ADDRESS_FIELDS)

    def _find_referred_order(self, text: str, number: str) -> str:
        """Return the order whose address a text refers to."""
        for one in _list_numbers([text]):
            return one
        others = {id: one for id, one in self.orders.items() if one and id != number}
        whole = self._match_whole(others, text)
        fit = [
            id for id, one in whole.items() if _contains(one, self._find_mentions(text))
        ] or list(whole)
        return fit[0] if fit else ""

    def _find_mentions(self, text: str) -> list[ProductMention]:
        items = [item for order in self.orders.values() if order for item in order["items"]]
        return find_mentions(text, items)


def _find_last(find: Callable[[str], T | None], texts: Sequence[str]) -> T | None:
    """Return the value found in the last text that has one, or None."""
    return next((value for text in reversed(texts) if (value := find(text)) is not None), None)


def find_mentions(text: str, items: Sequence[RecordMapping]) -> list[ProductMention]:
    """Return the products that a text names, in text order."""
    names = sorted({item["name"] for item in items}, key=len, reverse=True)
    if not names:
        return []
    matches = list(re.finditer("|".join(map(re.escape, names)), text))
    mentions = []
    for place, one in enumerate(matches):
        end = matches[place + 1].start() if place + 1 < len(matches) else len(text)
        rest = text[one.end() : end]
        inside = _PARENS.match(rest.lstrip())
        mentions.append(ProductMention(one[0], inside[1] if inside else "", rest))
    return mentions


def _list_numbers(texts: Sequence[str]) -> list[str]:
    """Return the order numbers in texts, latest first."""
    return [
        f"#{one.lstrip('#')}"
        for text in reversed(texts)
        for one in reversed(_ORDER_NUMBER.findall(text))
    ]


def _contains(order: RecordMapping, named: Sequence[ProductMention]) -> bool:
    """Return whether an order has all named products, with their options if the text tells them."""
    return len(_find_places(order["items"], named)) == len(named)


def _find_places(items: Sequence[RecordMapping], named: Sequence[ProductMention]) -> list[int]:
    """Return the positions of the named products in an order, at most one for each."""
    places: list[int] = []
    for one in named:
        for place, item in enumerate(items):
            if item["name"] != one.name or place in places:
                continue
            if not one.options or one.options == _format_options(item["options"]):
                places.append(place)
                break
    return places


def _format_options(options: Mapping[str, str]) -> str:
    return ", ".join(f"{key} {value}" for key, value in options.items())


def choose_variants(
    old: Sequence[RecordMapping], variants: Sequence[JSONMapping], named: Sequence[ProductMention]
) -> list[str] | None:
    """Return the new item for each old one, or None if the mentions do not tell it."""
    if len(named) < len(old):
        return None
    chosen = []
    for item, offered, one in zip(old, variants, named, strict=False):
        rest = _PARENS.sub("", one.rest)
        options = {
            key: value
            for variant in offered.values()
            for key, value in variant["options"].items()
            if re.search(
                rf"\b{re.escape(key)}:? {re.escape(value)}(?=[,.;]|\s+and the |\s*$)", rest
            )
        }
        if not options and "the same again" not in rest:
            return None
        target = {**item["options"], **options}
        fit = [id for id, it in offered.items() if it["options"] == target and it["available"]]
        if not fit:
            return None
        chosen.append(fit[0])
    return chosen


def _parse_reason(text: str) -> str | None:
    if re.search(r"by mistake|accident", text, re.I):
        return "ordered by mistake"
    return "no longer needed" if re.search(r"no longer need|no need for", text, re.I) else None


def _cut_before(text: str) -> str:
    """Return the part of a text before the destination address."""
    return "" if "he new one is" in text else _ADDRESS_REFERENCE.split(text)[0]


def _cut_after(text: str) -> str:
    """Return the part of a text that tells the destination address."""
    parts = _ADDRESS_REFERENCE.split(text)
    return parts[-1] if len(parts) > 1 or "he new one is" in text else ""


def parse_address(text: str) -> dict[str, str] | None:
    """Return the address that a text spells out, or None."""
    for begin in ("address: ", " to ", "one is ", "address is "):
        if begin not in text:
            continue
        parts = [part.strip() for part in text.rpartition(begin)[2].rstrip(".").split(",")]
        if len(parts) == len(ADDRESS_FIELDS) - 1:
            parts.insert(1, "")
        if len(parts) == len(ADDRESS_FIELDS) and re.fullmatch(r"\d{5}", parts[-1]):
            return dict(zip(ADDRESS_FIELDS, parts, strict=True))
    return None


def find_payment_method(methods: Mapping[str, JSONMapping], text: str) -> str | None:
    """Return the payment method that a text names, or None if it is not clear."""
    for id in methods:
        if id in text:
            return id
    low = text.lower()
    words = {
        "paypal": "paypal",
        "gift_card": "gift card",
        "credit_card": "credit card",
        "certificate": "certificate",
    }
    method_ids = [id for id, one in methods.items() if words.get(one["source"], "?") in low]
    for name in ("brand", "last_four"):
        matching_ids = [id for id in method_ids if str(methods[id].get(name, "?")).lower() in low]
        method_ids = matching_ids or method_ids
    if len(method_ids) > 1:
        amounts = {id: methods[id].get("balance", methods[id].get("amount")) for id in method_ids}
        matching_ids = [
            id for id, one in amounts.items() if re.search(rf"\${re.escape(str(one))}\b", text)
        ]
        if matching_ids and len({amounts[id] for id in matching_ids}) == 1:
            return matching_ids[0]  # equal amounts: either method will do
    return method_ids[0] if len(method_ids) == 1 else None
