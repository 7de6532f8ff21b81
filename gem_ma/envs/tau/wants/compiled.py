"""The wishes and knowledge of a user of TAU-bench, compiled from a task by rule.

The instruction says who the user is. The gold actions and the database describe the changes, in
words of the database: things and options, and never an id that only tools show.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from gem_ma.envs.tau.wants.purchases import Purchases
from gem_ma.envs.tau.wants.trips import Trips
from gem_ma.envs.tau.wants.wish import NOTHING, Record, Wish
from gem_ma.envs.tau.wants.wordings import ENOUGH, find_content_words
from gem_ma.validation.json_types import JSONMapping

Action = tuple[str, JSONMapping]


class Wants(NamedTuple):
    """The wishes and knowledge of a user."""

    known: Mapping[str, str] = NOTHING  # "name", "zip", "email", "user"
    wishes: tuple[Wish, ...] = ()
    questions: tuple[str, ...] = ()  # questions to the assistant
    demands: tuple[str, ...] = ()  # other requests, which nobody has to fulfil
    wordings: tuple[tuple[frozenset[str], ...], ...] = ()  # of each wish, as content words


def compiled(
    tables: Mapping[str, Mapping[str, Record]],
    user_id: str,
    instruction: str,
    actions: Iterable[Action],
    asks: bool,
) -> Wants:
    """Return the wishes and knowledge of a task's user.

    Args:
        tables: tables of the database before the conversation.
        actions: the gold actions that succeed.
        asks: whether the assistant has to answer a question.
    """
    actions = tuple(actions)
    user_id = _owner(tables, actions) or user_id or _named(tables, instruction)
    user = tables.get("users", {}).get(user_id, {})
    wishes: tuple[Wish, ...] = ()
    kind = Trips if "flights" in tables else Purchases if "orders" in tables else None
    if user and kind is not None:
        wish_compiler = kind(tables, user, instruction)
        wishes = _apart(
            [wish for name, arguments in actions if (wish := wish_compiler.wish(name, arguments))]
        )
    facts = known(user_id, user, instruction)
    sentences = _list_sentences(instruction, facts)
    questions, demands = asked_for(instruction, {wish.tool for wish in wishes})
    if not (wishes or questions or demands):
        demands = tuple(map(first_person, sentences))
    if asks and not questions:
        questions = ("What does that come to, and what else should I know about it?",)
    namings: Iterable[Sequence[str]] = [wish.marks for wish in wishes]
    if not wishes or kind is Trips:  # a trip can be named in many ways
        namings = ((*sentences, *[wish.about for wish in wishes]),)
    wordings = tuple([tuple(map(find_content_words, names)) for names in namings])
    return Wants(facts, wishes, questions, demands, wordings)


def _list_sentences(instruction: str, facts: Mapping[str, str]) -> list[str]:
    """Return the sentences of an instruction that say more than who the user is."""
    sentences = list(filter(None, map(str.strip, _SENTENCE.split(instruction))))
    own = find_content_words(" ".join(facts.values()))
    telling = [
        one
        for one in sentences
        if not _STAGE.search(one)
        and not _HEADING.search(one)
        and len(find_content_words(one) - own) >= ENOUGH
    ]
    return telling or sentences


def _owner(tables: Mapping[str, Mapping[str, Record]], actions: Sequence[Action]) -> str:
    """Return the user whose records the gold actions change; a few tasks name another user."""
    for _, arguments in actions:
        for table, key in (("orders", "order_id"), ("reservations", "reservation_id")):
            record = tables.get(table, {}).get(arguments.get(key, ""))
            if record is not None:
                return str(record["user_id"])
        if arguments.get("user_id") in tables.get("users", {}):
            return str(arguments["user_id"])
    return ""


def _named(tables: Mapping[str, Mapping[str, Record]], instruction: str) -> str:
    """Return the user that an instruction names: by id, by email, or by name and zip code."""
    users = tables.get("users", {})
    for id, one in users.items():
        if (id in instruction and not id.isdigit()) or one.get("email", "?") in instruction:
            return id
        if (_zip_code(one) or "?") in instruction and _full_name(one) in instruction:
            return str(id)
    return ""


def _full_name(user: Record) -> str:
    """Return first and last name, which banking stores as one text."""
    name = user.get("name", "")
    return name if isinstance(name, str) else f"{name['first_name']} {name['last_name']}"


def _zip_code(user: Record) -> str:
    """Return the zip code of an address, or "" if the address is a single line."""
    address = user.get("address", {})
    return str(address.get("zip", "")) if isinstance(address, Mapping) else ""


def _apart(wishes: Sequence[Wish]) -> tuple[Wish, ...]:
    """Return the wishes, with texts changed so that no two are the same."""
    distinct_wishes: list[Wish] = []
    for wish in wishes:
        others = [one for one in wishes if one is not wish and one.tool == wish.tool]
        if any(one.about == wish.about for one in others) and "order" in wish.answers:
            where = wish.answers["order"].removeprefix("It is ").rstrip(".")
            wish = wish._replace(about=f"{wish.about} of {where}")
        if any(one.brief == wish.brief for one in others):
            wish = wish._replace(brief=wish.about)
        if wish not in distinct_wishes:
            distinct_wishes.append(wish)
    return tuple(distinct_wishes)


def known(user_id: str, user: Record, instruction: str) -> Mapping[str, str]:
    """Return the identity facts that the task states; without id and email, also the zip code."""
    facts = {}
    if _full_name(user):
        facts["name"] = _full_name(user)
    if user_id and user_id in instruction:
        facts["user"] = user_id
    email, code = user.get("email", ""), _zip_code(user)
    if email and email in instruction:
        facts["email"] = email
    if code and (code in instruction or not {"user", "email"} & set(facts)):
        facts["zip"] = code
    return MappingProxyType(facts)


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
_STAGE = re.compile(  # directions on how to play the user
    r"^if\b|do(?:n't| not) (?:want to )?(?:mention|reveal|provide|say|talk)|make sure|mention"
    r"|the agent asks|do(?:n't| not) remember|say that|speak|paraphrase|like to (?:say|do|talk)"
    r"|\binsist|persistent|interacting|joke|lonely|tactics|natural|not good at|^\(",
    re.I,
)
_HEADING = re.compile(r":$|^domain: \w+$", re.I)
_MOOD = re.compile(r"\bif\b|reactive|prefer|willing|emotional|don't accept", re.I)  # not a demand
_VERBS = {  # patterns of sentences that a wish for one of these tools covers
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
    """Return the questions in an instruction, and its requests that no wish covers."""
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
    """Return a text in the second person, rewritten in the first person."""
    for pattern, other in _FIRST:
        text = pattern.sub(other, text)
    return text[:1].upper() + text[1:]
