"""Orders of armies and their parser: "ARD - CAL", "BIR S ARD - CAL", "DOR H"."""

import re
from typing import NamedTuple

from gem_ma.envs.parlour.diplomacy.board import NEAR, PROVINCES
from gem_ma.game import InvalidMove, clip_repr

LONGEST = 2000  # characters in a reply
MOST = 20  # orders in a reply
_WORDS = re.compile(r"[a-z]+|-+>?|[;\n,.]")
_SAME = {"to": "-", "->": "-", "--": "-", "-->": "-", "moves": "-", "move": "-", "hold": "h"}
_SAME |= {"holds": "h", "support": "s", "supports": "s"}
_NOISE = {"a", "army", "in", "of", "the", "orders", "order"}


class Order(NamedTuple):
    """An order of the army at `at`: hold, move to `to`, or support the army at `of`.

    For a support, `to` is the target of the supported army, or its own place if it does not move.
    """

    at: str
    to: str = ""
    of: str = ""

    def __str__(self):
        if not self.to:
            return f"{self.at} H"
        if not self.of:
            return f"{self.at} - {self.to}"
        return f"{self.at} S {self.of}" + (f" - {self.to}" if self.to != self.of else "")


def read(text, own, occupied):
    """Return the orders in a text for the armies at `own`, or raise InvalidMove."""
    orders = {}
    for words in clauses(text):
        order = _order(words, own, occupied)
        if order.at in orders:
            raise InvalidMove(f"there are two orders for {order.at}")
        orders[order.at] = order
    return tuple([orders[at] for at in sorted(orders)])


def clauses(text):
    """Return the words of each part of a reply."""
    if len(text) > LONGEST:
        raise InvalidMove(f"a reply has at most {LONGEST} characters, this one {len(text)}")
    parts: list[list[str]] = [[]]
    for token in _WORDS.findall(text.casefold()):
        if token in ";\n,.":
            parts.append([])
        elif token not in _NOISE:
            parts[-1].append(_SAME.get(token, token))
    parts = [words for words in parts if words]
    if not 1 <= len(parts) <= MOST:
        raise InvalidMove(f"expected 1 to {MOST} orders with ; between them, got {len(parts)}")
    return parts


def province(word):
    """Return the province with this name, or raise InvalidMove."""
    if word.upper() not in PROVINCES:
        raise InvalidMove(f"{clip_repr(word)} is no province: {', '.join(PROVINCES)}")
    return word.upper()


def _order(words, own, occupied):
    at, rest = province(words[0]), words[1:]
    if at not in own:
        raise InvalidMove(f"you have no army in {at}; you have: {', '.join(own) or 'none'}")
    if rest in ([], ["h"]):
        return Order(at)
    if rest[0] == "-" and len(rest) == 2:
        return Order(at, _near(at, province(rest[1])))
    if rest[0] == "s" and len(rest) in (2, 3) and rest[2:] in ([], ["h"]):
        other = province(rest[1])
        return _support(at, _near(at, other), other, occupied)
    if rest[0] == "s" and len(rest) == 4 and rest[2] == "-":
        other, to = province(rest[1]), province(rest[3])
        return _support(at, _near(at, _near(other, to)), other, occupied)
    raise InvalidMove(
        f"{clip_repr(' '.join(words))} is no order: expected ARD - CAL, ARD H, ARD S BIR or "
        "ARD S BIR - CAL"
    )


def _support(at, to, other, occupied):
    if other == at or to == at:
        raise InvalidMove(f"{at} cannot support itself, nor an attack on itself")
    if other not in occupied:
        raise InvalidMove(f"there is no army in {other} to support")
    return Order(at, to, other)


def _near(at, to):
    if to not in NEAR[at]:
        raise InvalidMove(f"{to} is not beside {at}: there are {', '.join(NEAR[at])}")
    return to


def every(at, occupied):
    """Return all orders that an army can have: hold, move, support."""
    orders = [Order(at), *(Order(at, to) for to in NEAR[at])]
    orders += [Order(at, other, other) for other in NEAR[at] if other in occupied]
    orders += [
        Order(at, to, other)
        for to in NEAR[at]
        for other in NEAR[to]
        if other in occupied and other != at
    ]
    return tuple(orders)
