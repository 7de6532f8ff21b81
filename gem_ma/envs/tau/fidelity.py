"""How well a user kept to its task: six parts, each found by rule in the conversation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gem_ma.envs.tau.wants.compiled import Wants
from gem_ma.envs.tau.wants.wordings import find_content_words, is_told
from gem_ma.validation.json_types import JSONObject

AGAIN = 3  # a question asked more often than this needs no answer
PARTS = ("told", "facts", "answers", "pace", "ending", "role")
KINDS = {  # kinds of facts, with patterns of a fact and of a question for it
    "email": (r"(?<![\w.+-])[\w.+-]++@[\w-]++\.[\w.]*\w", r"e-?mail"),
    "zip": (r"(?<![\w#.$])\d{5}(?![\w.]*\d)", r"\bzip\b|postal"),
    "order": (r"#?\bW\d{7}\b", r"order (?:number|id)|which order|number of (?:the|your) order"),
    "user": (r"\b[a-z]+_[a-z]+_\d{4}\b", r"user id|customer id"),
    "payment": (
        r"\b(?:credit_card|paypal|gift_card|certificate)_\d+\b",
        r"payment method|refund to",
    ),
    "item": (r"\b\d{10}\b", r"item id"),
    "flight": (r"\bHAT\d{3}\b", r"flight number"),
    "phone": (r"\b\d{3}-\d{3}-\d{4}\b", r"phone number"),
    "reservation": (r"\b(?=[A-Z]*\d)(?=\d*[A-Z])[A-Z0-9]{6}\b", r"reservation (?:number|id|code)"),
}
_KINDS = {name: (re.compile(fact), re.compile(ask, re.I)) for name, (fact, ask) in KINDS.items()}
_ROLE = re.compile(
    r"how (?:can|may) i (?:help|assist)|(?:can|may) i (?:help|assist) you|anything else i can"
    r"|i(?:'ve| have) (?:now )?(?:processed|cancelled|canceled|updated|refunded|exchanged)"
    r"|your order has (?:now )?been|thank you for (?:contacting|calling)|as an ai|<tool_call>"
    r'|"name"\s*:\s*"\w+"\s*,\s*"(?:arguments|kwargs)"',
    re.I,
)
_WORD = re.compile(r"\w+")


class _Said(NamedTuple):
    who: str
    text: str
    facts: dict[str, set[str]]


def facts(text: str) -> dict[str, set[str]]:
    """Return the numbers, addresses and ids in a text, by kind."""
    facts_by_kind = {kind: set(fact.findall(text)) for kind, (fact, _) in _KINDS.items()}
    return {
        kind: {one.lstrip("#").lower() for one in facts_by_kind[kind]}
        for kind in facts_by_kind
        if facts_by_kind[kind]
    }


def judge(
    instruction: str, talk: Sequence[tuple[str, str]], how: str, reward: float, wants: Wants
) -> JSONObject:
    """Return the fidelity of a user to its task, its six parts, and a list of errors.

    All values are from 0 to 1, which is best. The fidelity is `told` times `answers` times the mean
    of the other parts, or 0 if the user stopped too soon.

    - `told`: the share of its wishes that the user told in its own words.
    - `facts`: 1 unless the user stated a fact that is neither in its task nor from the assistant.
    - `answers`: the share of questions for a fact of the task that the user answered. A repeated
      question counts once.
    - `pace`: 1 unless the user told the whole task at once.
    - `ending`: 0 if a limit ended the conversation, or if the user stopped an unfinished task while
      it had something left to say or to answer.
    - `role`: 1 unless the user talked like the assistant.
    """
    wrong: list[str] = []
    own = facts(instruction)
    messages = [_Said(who, text, facts(text)) for who, text in talk]
    share = share_told(wants, talk)
    if not share:
        wrong.append("told nothing of what it wants")
    parts = {
        "told": share,
        "facts": _facts(own, messages, wrong),
        "answers": _answers(own, messages, wrong),
        "pace": _pace(instruction, own, messages, wrong),
        "ending": _ending(messages, how, reward, share, wrong),
        "role": _role(messages, wrong),
    }
    early = how == "user" and parts["ending"] == 0.0
    information = 0.0 if early else parts["told"] * parts["answers"]
    manner = [parts[name] for name in ("facts", "pace", "ending", "role")]
    fault = not share or min(parts["facts"], parts["ending"], parts["role"]) < 1.0
    whole = information * sum(manner) / len(manner)
    return {"user": {"fidelity": whole, **parts}, "user_fault": fault, "user_errors": wrong}


def find_faults(
    instruction: str, talk: Sequence[tuple[str, str]], how: str, reward: float, wants: Wants
) -> list[str]:
    """Return the errors in `facts`, `ending` and `role`, which are faults of the user."""
    wrong: list[str] = []
    messages = [_Said(who, text, facts(text)) for who, text in talk]
    _facts(facts(instruction), messages, wrong)
    _ending(messages, how, reward, share_told(wants, talk), wrong)
    _role(messages, wrong)
    return wrong


def share_told(wants: Wants, talk: Sequence[tuple[str, str]]) -> float:
    """Return the share of its wishes that a user told.

    Identity facts do not count, nor do messages that repeat one of the assistant's.
    """
    assistant_texts: set[str] = set()
    messages = []
    for who, text in talk:
        if who == "assistant":
            assistant_texts.add(text)
        elif text not in assistant_texts:
            own = text.lower()
            for fact in wants.known.values():
                own = own.replace(fact.lower(), " ")
            messages.append(find_content_words(own))
    flags = [any(is_told(one, messages) for one in ways) for ways in wants.wordings]
    return sum(flags) / len(flags) if flags else 1.0


def _facts(own: Mapping[str, set[str]], talk: Sequence[_Said], wrong: list[str]) -> float:
    """Return 1.0, or 0.0 if a fact was invented or a slip of one character was not corrected."""
    known = {kind: set(values) for kind, values in own.items()}
    good = 1.0
    slips: list[tuple[str, str, str]] = []
    for who, _, message_facts in talk:
        for kind, values in message_facts.items():
            if who == "assistant":
                known.setdefault(kind, set()).update(values)
                continue
            slips = [slip for slip in slips if slip[2] not in values]
            for one in sorted(values - known.get(kind, set())):
                intended_value = next((it for it in own.get(kind, ()) if nearly(it, one)), None)
                if intended_value is not None:
                    slips.append((kind, one, intended_value))
                    continue
                wrong.append(f"invented the {kind} {one}")
                good = 0.0
    for kind, one, intended_value in slips:
        wrong.append(f"said the {kind} {one} for {intended_value}, and did not put it right")
        good = 0.0
    return good


def nearly(one: str, other: str) -> bool:
    """Return whether two facts of the same length differ in one character."""
    return len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) == 1


def _answers(own: Mapping[str, set[str]], talk: Sequence[_Said], wrong: list[str]) -> float:
    answered: dict[frozenset[str], bool] = {}
    user_facts: dict[str, set[str]] = {}
    question: set[str] = set()
    for who, text, named in talk:
        if who == "assistant":
            question = {
                kind for kind, (_, ask) in _KINDS.items() if "?" in text and ask.search(text)
            }
            continue
        for kind, values in named.items():
            user_facts.setdefault(kind, set()).update(values)
        held = frozenset(question & set(own))
        if held and not answered.get(held):
            answered[held] = any(user_facts.get(kind, set()) & own[kind] for kind in held) or (
                "payment" in held and any(_way(one) in text.lower() for one in own["payment"])
            )
        question = set()
    missed = [kinds for kinds, is_answered in answered.items() if not is_answered]
    wrong += [f"did not tell the {' or '.join(sorted(kinds))} when asked" for kinds in missed]
    return 1.0 - len(missed) / len(answered) if answered else 1.0


def _way(payment: str) -> str:
    """Return the everyday name of a payment method, made from its id."""
    return payment.rpartition("_")[0].replace("_", " ")


def _pace(
    instruction: str, own: Mapping[str, set[str]], talk: Sequence[_Said], wrong: list[str]
) -> float:
    words = _WORD.findall(instruction.lower())
    everything = {(kind, one) for kind, values in own.items() for one in values}
    for who, text, named in talk:
        if who != "user":
            continue
        message_facts = {(kind, one) for kind, values in named.items() for one in values}
        message_words = set(_WORD.findall(text.lower()))
        share = sum(word in message_words for word in words) / max(len(words), 1)
        if share > 0.85 or (len(everything) > 2 and everything <= message_facts):
            wrong.append("told everything at once")
            return 0.0
    return 1.0


def _ending(talk: Sequence[_Said], how: str, reward: float, told: float, wrong: list[str]) -> float:
    if how == "limit":
        wrong.append("did not come to an end")
        return 0.0
    if how != "user" or reward == 1.0:
        return 1.0
    assistant_texts = [text for who, text, _ in talk if who == "assistant"]
    if not assistant_texts or told < 1.0:
        wrong.append("stopped before it had told its task")
        return 0.0
    last = assistant_texts[-1]
    if "?" in last and "anything else" not in last.lower() and assistant_texts.count(last) <= AGAIN:
        wrong.append("stopped instead of answering")
        return 0.0
    return 1.0


def _role(talk: Sequence[_Said], wrong: list[str]) -> float:
    for who, text, _ in talk:
        match = _ROLE.search(text) if who == "user" else None
        if match:
            wrong.append(f"spoke as the assistant: {match[0]!r}")
            return 0.0
    return 1.0
