"""How often a user shows each trait, found by rule in its messages and calls."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gem_ma.envs.tau.agents.users.message_parsing import (
    DETAIL_PATTERNS,
    IDENTITY_PATTERNS,
    AssistantMessage,
)
from gem_ma.envs.tau.agents.users.phone_actions import (
    SHOP_ACTIONS,
    USER_ACTIONS,
    UserAction,
    find_requests,
    trace_requests,
)
from gem_ma.envs.tau.agents.users.phrases import PHRASE_SETS, REFUEL, compile_phrases
from gem_ma.envs.tau.agents.users.traits import TRAITS
from gem_ma.envs.tau.agents.users.user_simulator import LONG_WORD
from gem_ma.envs.tau.fidelity import nearly
from gem_ma.envs.tau.talk import read_reply
from gem_ma.envs.tau.wants.compiled import Wants
from gem_ma.envs.tau.wants.wordings import find_content_words, is_told
from gem_ma.game import InvalidMove

_FORGOT = re.compile(
    r"\b(?:do not|don't|cannot|can't|couldn't) (?:remember|recall)|\bforgot(?:ten)?\b"
    r"|slipped my mind",
    re.I,
)
_WHY = re.compile(
    r"why do you need|what do you need|really have to know|who wants to know|why should i"
    r"|why (?:is|are) (?:that|it)|what for\?|for what\?",
    re.I,
)
_POLITE = re.compile(r"\bthank|\bappreciat|\bgrateful|kind of you|very helpful|\bcheers\b", re.I)
_DELAYS = {  # what a user says that delays
    "questioning": re.compile(
        r"what do you mean|how do you mean|do(?:n't| not) (?:quite )?(?:get|follow|understand)"
        r"|could you explain|say that again|\bmeaning(?: what)?\?"
        r"|how (?:do|can) i do (?:that|it|this)",
        re.I,
    ),
    "reluctant": re.compile(
        r"rather not|do i have to|not keen|must that be|prefer not to"
        r"|(?:won't|will not|don't want to|do not want to) (?:do|tell|say|touch|give)",
        re.I,
    ),
    "returning": re.compile(
        r"one moment|wait a (?:minute|moment)|hold on|few minutes|(?:right|be) back|have to go\b",
        re.I,
    ),
}
_CLAIM = re.compile(
    r"\bi(?:'ve| have)? (?:just |already |now )?(?:did|done|turned|switched|restarted|rebooted"
    r"|reset|re-?seated|disconnected|granted|allowed|changed|set|paid)\b|\bdid (?:it|that)\b"
    r"|\b(?:that's|that is|it's|it is|all) done\b|^done\b",
    re.I,
)
_WAVERS = re.compile(
    r"(?:do not|don't) want (?:that|it|this) after all|not sure any ?more|second thought"
    r"|reconsider|changed my mind",
    re.I,
)
_AGREES = re.compile(r"(?:yes|yeah|sure|ok|okay|correct|please do|go ahead)\b", re.I)
_CORRECTS = re.compile(
    r"real problem|wrong problem|(?:is not|isn't) the problem|forget what i said"
    r"|not (?:really )?my problem",
    re.I,
)
_IRRITATED = re.compile(
    r"quicker|all day|hurry|drags on|taking (?:so |too )?long|how much longer|getting anywhere"
    r"|annoy|frustrat|ridiculous|patience|unbelievable|fed up",
    re.I,
)
_GIVES_UP = re.compile(
    r"never mind|forget it|not worth the|i(?:'ll| will)? drop it|leads nowhere|i give up\b", re.I
)
_SENTENCE_MARKS = re.compile(  # subjects and verbs, which fragments lack
    r"\b(?:i|i'm|i've|my|me|you|your|we|us|it|it's|that|this|there|who|is|are|am|was|were|do|does"
    r"|did|don't|have|has|had|would|will|can|can't|cannot|could|shall|should|must)\b",
    re.I,
)
_YES_OR_NO = re.compile(r"\W*(?:yes|no)\b", re.I)
_GREETING = re.compile(r"^\W*(?:good \w+|\w+(?: t\w{4})?)[.!,]", re.I)  # even if misspelt
_LETTERS = re.compile(r"[a-z]{2}", re.I)
_OR = re.compile(r"\bor\b", re.I)
_WORD = re.compile(r"[a-z]{4,}")
_COMPLAINTS = tuple(  # phrases that are facts
    phrase
    for ways in PHRASE_SETS.values()
    for name in ("no_mms", "no_data", "no_service", "trouble")
    for phrase in ways[name]
)
_PLACE = re.compile(r"\b(?:abroad|at home)[\w ]*")
_TOKEN = re.compile(r"[\w@.+-]++")
_STOP = re.compile(r"###[A-Z-]+###")


class Shown(NamedTuple):
    """How often a trait could have shown, and how often it did."""

    chances: int = 0
    times: int = 0

    def __add__(self, other: Any) -> Shown:
        return Shown(self.chances + other.chances, self.times + other.times)

    @property
    def share(self) -> float:
        """The share of chances at which the trait showed; 0 without a chance."""
        return self.times / self.chances if self.chances else 0.0


class Talk(NamedTuple):
    """The messages of a user in an episode, and what came before each of them."""

    said: tuple[str, ...]
    heard: tuple[str, ...]  # the message before
    calls: tuple[frozenset[str], ...] = ()  # the tools called since the user's message before
    results: tuple[tuple[str, ...], ...] = ()  # their results


def remove_stop_marks(text: str) -> str:
    """Return a message without the marks that end a conversation."""
    return _STOP.sub("", text).strip()


def list_called_tools(reply: object, text: str) -> list[str] | None:
    """Return the names of the tools that a reply calls, or None if it is a message."""
    native = getattr(reply, "tool_calls", None)
    if native:
        return [str(one["function"]["name"]) for one in native]
    if not (text.lstrip()[:1] in ("{", "[") and '"name"' in text):
        return None
    try:
        calls = read_reply(text)
    except InvalidMove:
        return []
    return [] if isinstance(calls, str) else [str(one.name) for one in calls]


def traits_shown(talk: Talk, wants: Wants, tools: Collection[object] = ()) -> dict[str, Shown]:
    """Return how often each trait could have shown in a conversation, and how often it did.

    Args:
        tools: names of the tools that the user can call.
    """
    trait_counts = dict.fromkeys(TRAITS, Shown())
    words = _vocabulary(talk, wants)
    earlier_texts: list[str] = []
    earlier_requests: set[str] = set()
    results = talk.results or ((),) * len(talk.said)  # none without tools
    for text, before, shown in zip(talk.said, talk.heard, results, strict=True):
        if not text:
            continue
        message = AssistantMessage(before)
        trait_counts["polite"] += Shown(1, bool(_POLITE.search(text)))
        trait_counts["off_topic"] += Shown(1, bool(compile_phrases("aside").search(text)))
        if _has_own_words(text, (*_facts(wants), *shown)):
            trait_counts["typos"] += Shown(1, _misspelt(text, words))
        new = message.requests - earlier_requests
        held = {name: fact for name, fact in _answers(wants, message).items() if name in new}
        if held and earlier_texts:
            if not any(fact in one for fact in held.values() for one in earlier_texts):
                trait_counts["forgetful"] += Shown(1, bool(_FORGOT.search(text)))
                trait_counts["suspicious"] += Shown(1, bool(_WHY.search(text)))
                for name, pattern in _DELAYS.items():
                    trait_counts[name] += Shown(1, bool(pattern.search(text)))
                trait_counts["evasive"] += _evades(text, earlier_texts, wants, message, tools)
            earlier_requests |= set(held)
            trait_counts["talkative"] += _volunteered(text, earlier_texts, wants, message)
        if earlier_texts:
            trait_counts["irritable"] += Shown(1, bool(_IRRITATED.search(text)))
            trait_counts["fickle"] += _wavers(text, earlier_texts[-1], message)
            trait_counts["partial"] += _tells_half(text, earlier_texts, wants, message)
        earlier_texts.append(text)
    for name, one in _count_requests(talk, wants, tools):
        trait_counts[name] += one
    trait_counts["terse"] = _fragments(talk, wants, tools)
    corrects = any(map(_CORRECTS.search, talk.said[1:2]))
    trait_counts["misleading"] = Shown(int(len(talk.said) > 1), corrects)
    gave_up = bool(talk.said) and bool(_GIVES_UP.search(talk.said[-1]))
    trait_counts["leaving"] = Shown(int(len(talk.said) > 1), gave_up)
    trait_counts["mistaken"] = _mistaken(talk, wants)
    trait_counts["vague"], trait_counts["chaotic"] = _wishes(talk, wants)
    left = bool(talk.said) and bool(compile_phrases("leave").search(talk.said[-1]))
    trait_counts["impatient"] = Shown(1, left)
    return trait_counts


def _facts(wants: Wants) -> list[str]:
    facts = [*wants.known.values(), *wants.questions, *wants.demands]
    for wish in wants.wishes:
        facts += [wish.about, wish.brief, *wish.answers.values()]
    return facts


def _without(text: str, facts: Sequence[str]) -> str:
    for fact in sorted(facts, key=len, reverse=True):
        text = text.replace(fact, " ")
    return text


def _has_own_words(text: str, facts: Sequence[str]) -> bool:
    """Return whether a message has a word that could be misspelt: long, and in no fact."""
    return bool(LONG_WORD.search(_PLACE.sub(" ", _without(text, (*facts, *_COMPLAINTS)))))


def _vocabulary(talk: Talk, wants: Wants) -> frozenset[str]:
    texts = [phrase for ways in PHRASE_SETS.values() for all in ways.values() for phrase in all]
    texts += [*_facts(wants), *talk.heard, REFUEL]
    return frozenset(word for text in texts for word in _WORD.findall(text.lower()))


def _misspelt(said: str, words: frozenset[str]) -> bool:
    """Return whether swapping two adjacent letters of an unknown word makes it a known word."""
    return any(
        word not in words
        and any(
            word[:n] + word[n + 1] + word[n] + word[n + 2 :] in words for n in range(len(word) - 1)
        )
        for word in _WORD.findall(said.lower())
    )


def _answers(wants: Wants, heard: AssistantMessage) -> dict[str, str]:
    """Return the user's facts that answer the questions of a message."""
    answers = {name: wants.known[name] for name in heard.who if name in wants.known}
    for wish in wants.wishes:
        answers |= {name: wish.answers[name] for name in heard.about if name in wish.answers}
    answers.pop("name", None)  # a name is never withheld
    return answers


def _volunteered(said: str, told: Sequence[str], wants: Wants, heard: AssistantMessage) -> Shown:
    """Return whether an answer about a wish also told a fact that was not asked for."""
    chances = times = 0
    for wish in wants.wishes:
        mine = [one for name, one in wish.answers.items() if name in heard.about and one in said]
        more = [
            one
            for name, one in wish.answers.items()
            if name not in heard.about and one not in mine and not any(one in it for it in told)
        ]
        if mine and more:
            chances, times = 1, times or int(any(one in said for one in more))
    return Shown(chances, times)


def _mistaken(talk: Talk, wants: Wants) -> Shown:
    chances = times = 0
    for name, fact in wants.known.items():
        if name not in ("zip", "email", "user", "phone"):
            continue
        for text in talk.said:
            slip = _misstates(text, fact)
            if slip or fact in text:
                chances, times = chances + 1, times + slip
                break
    return Shown(chances, times)


def _misstates(text: str, fact: str) -> bool:
    """Return whether a text has the fact with one wrong character."""
    tokens = [one.strip(".-") for one in _TOKEN.findall(text)]
    return any(nearly(fact.lower(), one.lower()) for one in tokens)


def _wishes(talk: Talk, wants: Wants) -> tuple[Shown, Shown]:
    """Return how often wishes were told vaguely, and whether several were told at once."""
    vague = Shown()
    first = []
    for wish in wants.wishes:
        for place, text in enumerate(talk.said):
            whole = wish.about in text
            if whole or any(f"{wish.brief}{mark}" in text for mark in ".?!"):
                first.append(place)
                if wish.about != wish.brief:
                    vague += Shown(1, not whole)
                break
    chaotic = Shown(1, first.count(0) > 1) if len(first) > 1 else Shown()
    return vague, chaotic


def _evades(
    said: str,
    told: Sequence[str],
    wants: Wants,
    heard: AssistantMessage,
    tools: Collection[object],
) -> Shown:
    """Return whether an answer tells something other than what was asked."""
    if "check_status_bar" in tools:
        return Shown(1, _tells_problem(said, wants) and not _tells_asked(said, wants, heard))
    wishes = [
        wish for wish in wants.wishes if any(wish.about in one or wish.brief in one for one in told)
    ]
    named = [wish for wish in wishes if any(mark in heard.text for mark in wish.marks)]
    others = [
        fact
        for wish in (named or wishes)[-1:]
        for name, fact in wish.answers.items()
        if name not in heard.requests and not any(fact in one for one in told)
    ]
    evades = any(fact in said for fact in others) and not _tells_asked(said, wants, heard)
    return Shown(int(bool(others)), evades)


def _tells_asked(said: str, wants: Wants, heard: AssistantMessage) -> bool:
    sources = [wants.known, *[wish.answers for wish in wants.wishes]]
    facts = [one[name] for one in sources for name in heard.requests if name in one]
    return any(_tells(said, fact) for fact in facts)


def _tells(said: str, fact: str) -> bool:
    """Return whether a message has a fact, perhaps with one wrong character."""
    return fact in said or _misstates(said, fact)


def _tells_problem(said: str, wants: Wants) -> bool:
    """Return whether a message tells again what is wrong with the user's phone."""
    if compile_phrases("no_mms", "no_data", "no_service", "trouble").search(said):
        return True
    words = [find_content_words(said)]
    return any(is_told(one, words) for ways in wants.wordings for one in ways)


def _wavers(said: str, before: str, heard: AssistantMessage) -> Shown:
    """Return whether the user takes a wish back where it could agree."""
    wavers = bool(_WAVERS.search(said))
    if not heard.confirms or _WAVERS.search(before) or not (wavers or _AGREES.match(said)):
        return Shown()
    return Shown(1, wavers)


def _tells_half(said: str, told: Sequence[str], wants: Wants, heard: AssistantMessage) -> Shown:
    """Return whether an answer tells some of several facts that were asked for together."""
    sources: list[Mapping[str, str]] = [wants.known, *[wish.answers for wish in wants.wishes]]
    patterns = {**IDENTITY_PATTERNS, **DETAIL_PATTERNS}
    for facts in sources:
        asked = {name: facts[name] for name in heard.requests if name in facts}
        if len(asked) < 2 or any(_tells(text, one) for one in asked.values() for text in told):
            continue
        if not any(_tells(said, one) for one in asked.values()):
            continue
        alternatives = [
            [facts.get(name) for name in heard.requests if patterns[name].search(part)]
            for part in _OR.split(heard.asking)
        ]
        whole = any(all(one and _tells(said, one) for one in part) for part in alternatives if part)
        return Shown(1, not whole)
    return Shown()


def list_user_actions(tools: Collection[object]) -> tuple[UserAction, ...]:
    """Return the actions that an assistant may ask a user with these tools for."""
    known = (USER_ACTIONS, SHOP_ACTIONS)
    return next((ways for ways in known if any(one.tool in tools for one in ways)), ())


def claims_falsely(talk: Talk, place: int, tools: Collection[object]) -> bool:
    """Return whether a message says that the user did what it was asked for, and it did not.

    What it did just before the message before counts as done.
    """
    requests = find_requests(talk.heard[place], list_user_actions(tools))
    done = talk.calls[place].union(*talk.calls[max(place - 1, 0) : place])
    undone = any(one.changes_phone and one.tool not in done for one in requests)
    return undone and bool(_CLAIM.search(talk.said[place]))


def _count_requests(
    talk: Talk, wants: Wants, tools: Collection[object]
) -> Iterator[tuple[str, Shown]]:
    """Yield what the user did each time when it was asked to use its phone."""
    actions = list_user_actions(tools)
    for place, (said, heard) in enumerate(zip(talk.said, talk.heard, strict=True)):
        requests = find_requests(heard, actions) if actions else ()
        if not requests:
            continue
        earlier = talk.heard[:place]
        called = talk.calls[place]
        asked = {one.tool for one in requests}
        if len(requests) > 1 and called and heard not in earlier:
            yield "partial", Shown(1, bool(asked - called))
        if trace_requests(requests, earlier, talk.calls[:place], actions).vain or not said:
            continue
        if any(one.changes_phone for one in requests):
            yield "overclaiming", Shown(1, claims_falsely(talk, place, tools))
            yield "reluctant", Shown(1, not called and bool(_DELAYS["reluctant"].search(said)))
        for name in ("questioning", "returning"):
            yield name, Shown(1, not called and bool(_DELAYS[name].search(said)))
        if actions == USER_ACTIONS:
            yield "evasive", Shown(1, not called and _tells_problem(said, wants))


def _fragments(talk: Talk, wants: Wants, tools: Collection[object]) -> Shown:
    """Return how many messages have words of the user's own, and how many are fragments."""
    # A user with a phone tells its scenario in its own words.
    facts = list(wants.known.values()) if "check_status_bar" in tools else _facts(wants)
    requests = [  # such as "have the app working again", whose verb makes no sentence
        way.format(fact)
        for wish in wants.wishes
        for ways in PHRASE_SETS.values()
        for way in ways.get(wish.tool, ())
        for fact in (wish.about, wish.brief)
    ]
    aside = compile_phrases("please", "aside", "annoyed", "angry", "furious")
    chances = times = 0
    for place, (text, results) in enumerate(zip(talk.said, talk.results, strict=True)):
        rest = text if place else _GREETING.sub("", text)
        told = [*facts, *filter(None, results)]
        if _YES_OR_NO.match(text) or not _LETTERS.search(aside.sub(" ", _without(rest, told))):
            continue
        rest = aside.sub(" ", _without(rest, [*requests, *told]))
        chances, times = chances + 1, times + (not _SENTENCE_MARKS.search(rest))
    return Shown(chances, times)
