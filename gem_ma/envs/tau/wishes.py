"""What a user of TAU-bench wants and knows, as facts in words, compiled from a task by rule.

The instruction says who the user is; the gold actions and the database say what each change is, in
words that the database has: things and options, and never an id that only tools show.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

Record = Mapping[str, Any]
Action = tuple[str, Mapping[str, Any]]
NOTHING: Mapping[str, str] = MappingProxyType({})


class Wish(NamedTuple):
    """A change that the user wants, and what it answers when asked about it."""

    tool: str  # what makes the change; never said
    about: str  # all of it
    brief: str  # what somebody vague says of it
    answers: Mapping[str, str] = NOTHING  # by what is asked for, such as "payment"
    choice: tuple[tuple[str, ...], ...] = ()  # flights, to be chosen where they are offered
    records: tuple[str, ...] = ()  # what it changes: two wishes for one keep their order
    marks: tuple[str, ...] = ()  # words in a question that is about it


class Wants(NamedTuple):
    """All that a user wants and knows."""

    known: Mapping[str, str] = NOTHING  # "name", "zip", "email", "user"
    wishes: tuple[Wish, ...] = ()
    questions: tuple[str, ...] = ()  # what it wants to be told
    demands: tuple[str, ...] = ()  # what else it asks for, which nobody is to do


def compiled(
    tables: Mapping[str, Mapping[str, Record]],
    user_id: str,
    instruction: str,
    actions: Iterable[Action],
    asks: bool,
) -> Wants:
    """Return what the user of a task wants.

    tables: of the database before the talk. actions: the gold ones that come to pass.
    asks: whether the assistant owes an answer to something.
    """
    from gem_ma.envs.tau import trips

    actions = tuple(actions)
    user_id = _owner(tables, actions) or user_id or _named(tables, instruction)
    user = tables.get("users", {}).get(user_id, {})
    wishes: tuple[Wish, ...] = ()
    kind = trips.Trips if "flights" in tables else Purchases if "orders" in tables else None
    if user and kind is not None:
        made = kind(tables, user, instruction)
        wishes = _apart([wish for name, given in actions if (wish := made.wish(name, given))])
    questions, demands = asked_for(instruction, {wish.tool for wish in wishes})
    if asks and not questions:
        questions = ("What does that come to, and what else should I know about it?",)
    return Wants(known(user_id, user, instruction), wishes, questions, demands)


def _owner(tables: Mapping[str, Mapping[str, Record]], actions: Sequence[Action]) -> str:
    """Return whose orders or reservations gold actions change: of some tasks another is named."""
    for _, given in actions:
        for table, key in (("orders", "order_id"), ("reservations", "reservation_id")):
            record = tables.get(table, {}).get(given.get(key, ""))
            if record is not None:
                return str(record["user_id"])
        if given.get("user_id") in tables.get("users", {}):
            return str(given["user_id"])
    return ""


def _named(tables: Mapping[str, Mapping[str, Record]], instruction: str) -> str:
    """Return the user whom an instruction names, by id, by email, or by name and zip code."""
    users = tables.get("users", {})
    for id, one in users.items():
        if id in instruction or one.get("email", "?") in instruction:
            return id
        name, code = one.get("name", {}), one.get("address", {}).get("zip", "?")
        if (
            code in instruction
            and f"{name.get('first_name')} {name.get('last_name')}" in instruction
        ):
            return str(id)
    return ""


def _apart(wishes: Sequence[Wish]) -> tuple[Wish, ...]:
    """Return wishes of which no two sound the same."""
    found: list[Wish] = []
    for wish in wishes:
        others = [one for one in wishes if one is not wish and one.tool == wish.tool]
        if any(one.about == wish.about for one in others) and "order" in wish.answers:
            where = wish.answers["order"].removeprefix("It is ").rstrip(".")
            wish = wish._replace(about=f"{wish.about} of {where}")
        if any(one.brief == wish.brief for one in others):
            wish = wish._replace(brief=wish.about)
        if wish not in found:
            found.append(wish)
    return tuple(found)


def known(user_id: str, user: Record, instruction: str) -> Mapping[str, str]:
    """Return who the user is, as far as the task says it; without that, as one knows oneself."""
    found = {}
    name = user.get("name")
    if isinstance(name, dict):
        found["name"] = f"{name['first_name']} {name['last_name']}"
    if user_id in instruction:
        found["user"] = user_id
    email, code = user.get("email", ""), user.get("address", {}).get("zip", "")
    if email and email in instruction:
        found["email"] = email
    if code and (code in instruction or not {"user", "email"} & set(found)):
        found["zip"] = code
    return MappingProxyType(found)


def listed(parts: Sequence[str]) -> str:
    """Return a list in words."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def optioned(options: Mapping[str, str]) -> str:
    return ", ".join(f"{key} {value}" for key, value in options.items())


def paid_with(methods: Mapping[str, Record], id: str, instruction: str) -> str:
    """Return a way to pay in words that tell it from the user's others."""
    method = methods.get(id)
    if method is None:
        return "another way to pay"
    source = method["source"]
    alike = [one for one in methods.values() if one["source"] == source]
    if len(alike) > 1 and id in instruction:
        return id
    if source == "credit_card":
        brands = [one["brand"] for one in alike]
        if len(alike) == 1:
            return "my credit card"
        if brands.count(method["brand"]) == 1:
            return f"my {method['brand']} credit card"
        return f"my {method['brand']} credit card that ends in {method['last_four']}"
    words = {"paypal": "PayPal", "gift_card": "my gift card", "certificate": "my certificate"}
    told = words.get(source) or str(source)
    amount = method.get("balance", method.get("amount"))
    return told if len(alike) == 1 or amount is None else f"{told} of ${amount}"


def address_of(record: Record) -> tuple[str, ...]:
    """Return the lines of an address."""
    keys = ("address1", "address2", "city", "state", "country", "zip")
    return tuple([str(record.get(key) or "") for key in keys])


class Purchases:
    """Wishes of a customer of a shop."""

    def __init__(self, tables: Mapping[str, Mapping[str, Record]], user: Record, instruction: str):
        self.products = tables["products"]
        self.user = user
        self.instruction = instruction
        self.orders = {id: tables["orders"][id] for id in user.get("orders", ())}

    def wish(self, tool: str, given: Record) -> Wish | None:
        """Return what a gold action is the answer to, or None for what only looks things up."""
        if tool == "modify_user_address":
            where = self._address(given)
            return Wish(
                tool,
                f"my default address to {where}",
                "my default address",
                {"address": f"The new one is {where}."},
                records=("user",),
                marks=("default address", "profile", "user address"),
            )
        if tool == "reset_app":
            stuck = "the app on my phone working again, which is stuck"
            return Wish(tool, stuck, "the app on my phone working again", marks=("app", "phone"))
        order = self.orders.get(given.get("order_id", ""))
        if tool not in _CHANGES or order is None:
            return None
        number, words = given["order_id"], self._order(given["order_id"])
        answers = {"order": f"It is {words}."}
        names = [item["name"] for item in order["items"]]
        marks: tuple[str, ...] = (number, number.lstrip("#"))
        if "payment_method_id" in given:
            pays = paid_with(
                self.user["payment_methods"], given["payment_method_id"], self.instruction
            )
            answers["payment"] = f"Please use {pays}."
        if tool == "cancel_pending_order":
            answers["reason"] = {
                "no longer needed": "It is no longer needed.",
                "ordered by mistake": "It was ordered by mistake.",
            }.get(given["reason"], f"{given['reason']}.")
            about = brief = words
            marks += tuple(names)
        elif tool == "modify_pending_order_payment":
            about, brief = f"the payment of {words} to {pays}", f"the payment of {words}"
        elif tool == "modify_pending_order_address":
            where = self._address(given, number)
            about, brief = f"the address of {words} to {where}", f"the address of {words}"
            answers["address"] = f"The new one is {where}."
        else:
            items = self._items(order, given["item_ids"])
            marks += tuple([item["name"] for item in items])
            about = brief = listed([f"the {item['name']}" for item in items])
            answers["items"] = f"The {listed([self._told(item) for item in items])}."
            if any(self._twins(item) for item in items):
                about = brief = listed([f"the {self._told(item)}" for item in items])
            if "new_item_ids" in given:
                about = self._swapped(items, given["new_item_ids"])
                answers["options"] = f"I want {about}."
        return Wish(tool, about, brief, answers, (), (number,), marks)

    def _items(self, order: Record, ids: Iterable[str]) -> list[Record]:
        return [next(item for item in order["items"] if item["item_id"] == id) for id in ids]

    def _told(self, item: Record) -> str:
        """Return an item as somebody describes it who has it."""
        return f"{item['name']} ({optioned(item['options'])})"

    def _twins(self, item: Record) -> bool:
        """Return whether the user has another item of that name, which is not the same."""
        return any(
            one["name"] == item["name"] and one["item_id"] != item["item_id"]
            for order in self.orders.values()
            for one in order["items"]
        )

    def _swapped(self, items: Sequence[Record], new: Sequence[str]) -> str:
        parts = []
        for item, id in zip(items, new, strict=True):
            wanted = self.products[item["product_id"]]["variants"][id]["options"]
            other = {key: one for key, one in wanted.items() if item["options"].get(key) != one}
            to = f"one with {optioned(other)}" if other else "the same again"
            told = self._told(item) if self._twins(item) else item["name"]
            parts.append(f"the {told} for {to}")
        return ", and ".join(parts)

    def _order(self, number: str) -> str:
        """Return an order as its owner names it, who may not know its number."""
        if number.lstrip("#W") in self.instruction:
            return f"order {number}"
        order = self.orders[number]
        others = [one for id, one in self.orders.items() if id != number]
        names = sorted(item["name"] for item in order["items"])
        same = [one for one in others if sorted(item["name"] for item in one["items"]) == names]
        if not same:
            return f"the order with the {listed([item['name'] for item in order['items']])}"
        told = f"the order with the {listed([self._told(item) for item in order['items']])}"
        city = order["address"]["city"]
        if any(one["address"]["city"] == city for one in same):
            return told
        return f"{told} that goes to {city}"

    def _address(self, given: Record, number: str = "") -> str:
        """Return an address, or where it stands, if the user may leave it at that."""
        lines = address_of(given)
        if lines[0] not in self.instruction:
            if number and lines == address_of(self.user["address"]):
                return "the address in my profile"
            for id, order in self.orders.items():
                if id != number and lines == address_of(order["address"]):
                    return f"the address of {self._order(id)}"
        return ", ".join(filter(None, lines))


_CHANGES = {
    "cancel_pending_order",
    "exchange_delivered_order_items",
    "modify_pending_order_address",
    "modify_pending_order_items",
    "modify_pending_order_payment",
    "return_delivered_order_items",
}


# -- what the instruction asks for beside ----------------------------------------------------------

_SENTENCE = re.compile(r"(?<=[.;!?])\s+|\n+")
_ASKS = re.compile(
    r"\byou (?:\w+ ){0,2}(?:want|wish|need|like) (?:also )?to (?:know|check|ask|find out|figure out"
    r"|confirm|see)\b|\byou(?:'d| would)? (?:\w+ )?(?:wonder|ask) |\bask the agent\b"
    r"|how (?:much|many)|tracking number|inquire|get the total",
    re.I,
)
_WANTS = re.compile(
    r"\byou(?:'d| would|r)? (?:\w+ )?(?:want|wish|like|would like|try|need)|for #W\d{7}"
    r"|you are trying|undo|complain|tell the agent",
    re.I,
)
_STAGE = re.compile(  # directions to the one who plays
    r"^if\b|do(?:n't| not) (?:want to )?(?:mention|reveal|provide|say|talk)|make sure|mention"
    r"|the agent asks|do(?:n't| not) remember|say that|speak|paraphrase|like to (?:say|do|talk)"
    r"|\binsist|persistent|interacting|joke|lonely|tactics|natural|not good at|^\(",
    re.I,
)
_MOOD = re.compile(r"\bif\b|reactive|prefer|willing|emotional|don't accept", re.I)  # no demand
_VERBS = {  # how a sentence sounds that a wish for one of these tools covers
    r"\bcancel": ("cancel_pending_order", "cancel_reservation"),
    r"\b(?:return|refund|send back)": ("return_delivered_order_items", "cancel_reservation"),
    r"\b(?:exchang|modif|chang|switch|swap|replac|adjust|upgrad|downgrad|correct|push|mov|delay"
    r"|remov|add)": (
        "exchange_delivered_order_items",
        "modify_pending_order_items",
        "modify_pending_order_address",
        "modify_pending_order_payment",
        "modify_user_address",
        "update_reservation_flights",
        "update_reservation_passengers",
        "update_reservation_baggages",
    ),
    r"\bbook": ("book_reservation",),
    r"\b(?:compensat|complain|delay|voucher|frustrat)": ("send_certificate",),
    r"\bapp\b": ("reset_app",),
    r"\baddress\b": ("modify_pending_order_address", "modify_user_address"),
}
_COVERED = [(re.compile(verb, re.I), set(tools)) for verb, tools in _VERBS.items()]
_PERSON = (  # from the second person to the first
    (r"\bask the agent (?:explicitly )?(?:about|for)\b", "please tell me"),
    (r"\bask the agent (?:explicitly )?(?:to )?", "please "),
    (r"\byou are\b", "I am"),
    (r"\byou're\b", "I'm"),
    (r"\b(for|to|gives?|tells?|refund|let|of|with|charge|saves?|helps?|from) you\b", r"\1 me"),
    (r"\byourself\b", "myself"),
    (r"\byou\b", "I"),
    (r"\byour\b", "my"),
    (r"\byours\b", "mine"),
)
_FIRST = [(re.compile(one, re.I), other) for one, other in _PERSON]


def asked_for(instruction: str, tools: set[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what an instruction wants to be told, and what it asks for that no wish covers."""
    questions, demands = [], []
    for one in map(str.strip, _SENTENCE.split(instruction)):
        if not one or _STAGE.search(one):
            continue
        if _ASKS.search(one):
            questions.append(first_person(one))
        elif (
            _WANTS.search(one)
            and not _MOOD.search(one)
            and not any(verb.search(one) and covering & tools for verb, covering in _COVERED)
        ):
            demands.append(first_person(one))
    return tuple(questions), tuple(demands)


def first_person(text: str) -> str:
    """Return what is said to somebody as that one would say it."""
    for pattern, other in _FIRST:
        text = pattern.sub(other, text)
    return text[:1].upper() + text[1:]
