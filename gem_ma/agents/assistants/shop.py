"""An assistant of a shop who knows which changes are needed, and learns the rest from the user."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gem_ma.agents.assistants.desk import Desk, Task, method, read
from gem_ma.agents.assistants.flow import Flow, call

Record = Mapping[str, Any]
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]++\.[\w.]*\w")
_NAMED = re.compile(r"(?:name is|[Tt]his is|I am|I'm) ([A-Z][\w'-]+) ([A-Z][\w'-]+)")
_ZIP = re.compile(r"\b(\d{5})\b")
_NUMBER = re.compile(r"#?W\d{7}")
_CODE = re.compile(r"code is (\d{6})")
_WITH = re.compile(r"order with the ([^.;]*)")
_PARENS = re.compile(r"\(([^()]*)\)")
_REFERS = re.compile(r" to (?=the address (?:of|in) )")
_SWAP = r"\b(?:exchange|swap|change|switch) the (?!payment|address|passengers)"
_STATUS = {
    "return_delivered_order_items": "delivered",
    "exchange_delivered_order_items": "delivered",
}
LINES = ("address1", "address2", "city", "state", "country", "zip")


def serve_customer(task: Task, first: str) -> Flow:
    """Return what such an assistant says and calls."""
    return Shop(task, first).serve()


class Mention(NamedTuple):
    """A product that a text names: the options it has, and what is said of it after that."""

    name: str
    options: str
    rest: str


class Shop(Desk):
    """A talk with a customer."""

    sounds: Mapping[str, re.Pattern[str]] = {
        "cancel_pending_order": re.compile(r"\b(?:cancel|call off)\b", re.I),
        "return_delivered_order_items": re.compile(r"\b(?:return|send back)\b", re.I),
        "exchange_delivered_order_items": re.compile(_SWAP, re.I),
        "modify_pending_order_items": re.compile(_SWAP, re.I),
        "modify_pending_order_payment": re.compile(r"the payment of\b", re.I),
        "modify_pending_order_address": re.compile(r"(?:change|correct) the address of\b", re.I),
        "modify_user_address": re.compile(r"(?:change|correct) my default address", re.I),
        "reset_app": re.compile(r"\bapp\b", re.I),
    }

    last = ("modify_pending_order_items",)

    def greet(self) -> Flow:
        tried = set()
        while True:
            for asked in self._who():
                if asked in tried:
                    continue
                tried.add(asked)
                found = yield asked
                if not found.startswith("Error"):
                    self.id = found
                    self.user = read((yield call("get_user_details", user_id=found)))
                    self.orders: dict[str, Record] = {}
                    return
            again = "I cannot find you so. " if tried else ""
            yield from self.say(f"{again}Could you tell me your email, or your name and zip code?")

    def _who(self) -> Iterator[str]:
        """Yield the calls by which the user may be found, of what was heard last first."""
        named = next((one for text in self.heard for one in _NAMED.finditer(text)), None)
        for text in reversed(self.heard):
            for email in _EMAIL.findall(text):
                yield call("find_user_id_by_email", email=email)
            for code in _ZIP.findall(text) if named else ():
                given = {"first_name": named[1], "last_name": named[2]} if named else {}
                yield call("find_user_id_by_name_zip", **given, zip=code)

    def do(self, tool: str, wish: str) -> Flow:
        if tool == "reset_app":
            return (yield from self._phone())
        if tool == "modify_user_address":
            lines = yield from self._address(wish, "")
            return (yield from self._made(tool, "your default address", user_id=self.id, **lines))
        number = yield from self._order(tool, wish)
        if number is None:
            return False
        order = self.orders[number]
        if tool == "cancel_pending_order":
            why = yield from self.ask(f"What is the reason to cancel order {number}?", _reason)
            return (yield from self._made(tool, f"order {number}", order_id=number, reason=why))
        if tool == "modify_pending_order_address":
            lines = yield from self._address(wish, number)
            return (yield from self._made(tool, f"order {number}", order_id=number, **lines))
        given: dict[str, Any] = {"order_id": number}
        about = f"order {number}"
        if tool != "modify_pending_order_payment":
            chosen = yield from self._items(tool, wish, order)
            if chosen is None:
                return False
            given |= chosen
            ids = given["item_ids"]
            names = [item["name"] for item in order["items"] if item["item_id"] in ids]
            about = f"the {' and the '.join(names)} of order {number}"
        methods = self.user["payment_methods"]
        pays = yield from self.ask(
            f"Which payment method shall it be for {about}?",
            lambda text: method(methods, text),
            wish if tool == "modify_pending_order_payment" else "",
        )
        return (yield from self._made(tool, about, **given, payment_method_id=pays))

    def _made(self, tool: str, about: str, **given: Any) -> Flow:
        """Call a tool if the user agrees, and return whether it did what it should."""
        if None in given.values() or not (yield from self.sure(f"call {tool} for {about}")):
            return False
        answer = yield call(tool, **given)
        return not answer.startswith("Error")

    # -- which order -------------------------------------------------------------------------------

    def _order(self, tool: str, wish: str) -> Flow:
        """Return the number of the order that a wish is about."""
        status = _STATUS.get(tool, "pending")
        about = _REFERS.split(wish)[0] if "address" in tool else wish
        told = [about]
        for _ in range(5):
            for number in _numbers(told):
                order = yield from self._look_up(number)
                if order:
                    return number
            if not _numbers(told):
                for number in self.user["orders"]:
                    yield from self._look_up(number)
            found = self._that_fit(status, told)
            if len(found) < 2:
                return found[0] if found else None
            told.append(
                (
                    yield from self.say(
                        f'Which order do you mean by "{wish}" The number, or what is in it, please?'
                    )
                )
            )
        return None

    def _look_up(self, number: str) -> Flow:
        if number not in self.orders:
            self.orders[number] = read((yield call("get_order_details", order_id=number)))
        return self.orders[number]

    def _that_fit(self, status: str, told: Sequence[str]) -> list[str]:
        """Return the orders with all that was named; of those, the ones that were told whole."""
        orders = {
            number: order
            for number, order in self.orders.items()
            if order and order["status"].split(" ")[0] == status
        }
        for place, text in enumerate(told):
            fit = {number: one for number, one in orders.items() if _holds(one, self._of(text))}
            orders = fit if fit or not place else orders
            for whole in _WITH.findall(text):
                names = sorted(one.name for one in self._of(whole))
                same = [
                    number
                    for number, one in orders.items()
                    if sorted(item["name"] for item in one["items"]) == names
                ]
                orders = {number: orders[number] for number in same} or orders
            there = [
                number
                for number, one in orders.items()
                if f"goes to {one['address']['city']}" in text
            ]
            orders = {number: orders[number] for number in there} or orders
        return list(orders)

    def _of(self, text: str) -> list[Mention]:
        items = [item for order in self.orders.values() if order for item in order["items"]]
        return mentions(text, items)

    # -- which items -------------------------------------------------------------------------------

    def _items(self, tool: str, wish: str, order: Record) -> Flow:
        """Return which items a wish is about, and what takes their place."""
        named = mentions(wish, order["items"])
        places = _places(order["items"], named)
        if not places:
            named = yield from self.ask(
                "Which items are they?", lambda text: mentions(text, order["items"]) or None
            )
            places = _places(order["items"], named or [])
        if not places:
            return None
        old = [order["items"][place] for place in places]
        given: dict[str, Any] = {"item_ids": [item["item_id"] for item in old]}
        if tool == "return_delivered_order_items":
            return given
        variants = []
        for item in old:
            found = read((yield call("get_product_details", product_id=item["product_id"])))
            variants.append(found["variants"])
        new = _chosen(old, variants, named)
        if new is None:
            names = " and the ".join(item["name"] for item in old)
            new = yield from self.ask(
                f"Which options should the new {names} have?",
                lambda text: _chosen(old, variants, mentions(text, old)),
            )
        return None if new is None else given | {"new_item_ids": new}

    # -- the rest ----------------------------------------------------------------------------------

    def _address(self, wish: str, number: str) -> Flow:
        """Return the lines of the new address, from where it stands if it was not said."""
        answers = [wish]
        for _ in range(5):
            for text in answers[-1:]:
                lines = _lines(text)
                if lines:
                    return lines
                if "in my profile" in text:
                    return {key: self.user["address"][key] for key in LINES}
                if "the address of" in _after(text):
                    for one in self.user["orders"]:
                        yield from self._look_up(one)
                    found = self._referred(_after(text), number)
                    if found:
                        return {key: self.orders[found]["address"][key] for key in LINES}
            answers.append((yield from self.say("What is the new address, in full?")))
        return dict.fromkeys(LINES)

    def _referred(self, text: str, number: str) -> str:
        for one in _numbers([text]):
            return one
        names = sorted(one.name for one in self._of(text))
        orders = [
            id
            for id, one in self.orders.items()
            if one and id != number and sorted(item["name"] for item in one["items"]) == names
        ]
        there = [id for id in orders if f"goes to {self.orders[id]['address']['city']}" in text]
        fit = there or [id for id in orders if _holds(self.orders[id], self._of(text))] or orders
        return fit[0] if fit else ""

    def _phone(self) -> Flow:
        """Have the phone restarted, send a code, ask for it, and reset the app."""
        yield from self.say("Could you restart your phone, please?")
        yield call("send_code", user_id=self.id)
        code = yield from self.ask("Could you tell me the code that you got?", _code)
        answer = yield call("reset_app", user_id=self.id, code=code)
        return not answer.startswith("Error")


def mentions(text: str, items: Sequence[Record]) -> list[Mention]:
    """Return the products that a text names, in its order."""
    names = sorted({item["name"] for item in items}, key=len, reverse=True)
    if not names:
        return []
    found = list(re.finditer("|".join(map(re.escape, names)), text))
    told = []
    for place, one in enumerate(found):
        end = found[place + 1].start() if place + 1 < len(found) else len(text)
        rest = text[one.end() : end]
        inside = _PARENS.match(rest.lstrip())
        told.append(Mention(one[0], inside[1] if inside else "", rest))
    return told


def _numbers(texts: Sequence[str]) -> list[str]:
    """Return the orders that texts name by number, the last said first."""
    return [
        f"#{one.lstrip('#')}" for text in reversed(texts) for one in reversed(_NUMBER.findall(text))
    ]


def _holds(order: Record, named: Sequence[Mention]) -> bool:
    """Return whether an order has all that was named, with its options where they were said."""
    return len(_places(order["items"], named)) == len(named)


def _places(items: Sequence[Record], named: Sequence[Mention]) -> list[int]:
    """Return where in an order the named things are; one place for each, or fewer."""
    taken: list[int] = []
    for one in named:
        for place, item in enumerate(items):
            if item["name"] != one.name or place in taken:
                continue
            if not one.options or one.options == _spelt(item["options"]):
                taken.append(place)
                break
    return taken


def _spelt(options: Mapping[str, str]) -> str:
    return ", ".join(f"{key} {value}" for key, value in options.items())


def _chosen(
    old: Sequence[Record], variants: Sequence[Mapping[str, Any]], named: Sequence[Mention]
) -> list[str] | None:
    """Return the new item for each of the old ones, if it was said what it should be."""
    if len(named) < len(old):
        return None
    chosen = []
    for item, offered, one in zip(old, variants, named, strict=False):
        rest = _PARENS.sub("", one.rest)
        wanted = {
            key: value
            for variant in offered.values()
            for key, value in variant["options"].items()
            if re.search(rf"\b{re.escape(key)} {re.escape(value)}(?=[,.;]|\s+and the |\s*$)", rest)
        }
        if not wanted and "the same again" not in rest:
            return None
        target = {**item["options"], **wanted}
        fit = [id for id, it in offered.items() if it["options"] == target and it["available"]]
        if not fit:
            return None
        chosen.append(fit[0])
    return chosen


def _reason(text: str) -> str | None:
    if re.search(r"mistake|accident", text, re.I):
        return "ordered by mistake"
    return "no longer needed" if "no longer needed" in text.lower() else None


def _code(text: str) -> str | None:
    found = _CODE.findall(text)
    return found[-1] if found else None


def _after(text: str) -> str:
    """Return what a text says of where to, and not of what."""
    parts = _REFERS.split(text)
    return parts[-1] if len(parts) > 1 or text.startswith("The new one") else ""


def _lines(text: str) -> dict[str, str] | None:
    """Return the address that a text spells out."""
    for begin in (" to ", "one is ", "address is "):
        if begin not in text:
            continue
        parts = [part.strip() for part in text.rpartition(begin)[2].rstrip(".").split(",")]
        if len(parts) == len(LINES) - 1:
            parts.insert(1, "")
        if len(parts) == len(LINES) and re.fullmatch(r"\d{5}", parts[-1]):
            return dict(zip(LINES, parts, strict=True))
    return None
