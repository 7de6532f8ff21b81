"""Numbers that describe a user's part of one conversation, found by rule in the messages.

They follow a study of 451 people on tau-bench (arXiv 2603.11245), which compares how users write,
what they tell when, how they clarify, how they react to errors, and how conversations end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from statistics import fmean, pstdev
from types import MappingProxyType

from gem_ma.envs.tau.agents.users.message_parsing import AssistantMessage
from gem_ma.envs.tau.agents.users.shown_traits import Talk
from gem_ma.envs.tau.wants.compiled import Wants
from gem_ma.envs.tau.wants.wordings import find_content_words, is_told

DIMENSIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "information": (
            *("told by message 1", "told by message 2", "told by message 4", "told at all"),
            "facts per message",
        ),
        "length": ("words per message", "words in message 1", "short messages", "spread of length"),
        "hedging": ("hedges", "is certain"),
        "questions": ("questions", "asks back"),
        "corrections": ("corrects itself", "objects", "repeats"),
        "cooperation": ("is polite", "agrees", "answers", "is annoyed"),
        "ending": ("messages", "solved", "way of ending"),
    }
)
"""The features of each dimension, by name."""
SHORT_LENGTH = 3  # words of a short message

FeatureValue = float | str

_PATTERNS = {  # each feature: the share of the user's messages that contain such words
    "hedges": re.compile(
        r"\b(?:maybe|perhaps|probably|possibly|i think|i guess|i suppose|i believe|not sure|unsure"
        r"|no idea|no clue|kind of(?! you)|sort of|might"
        r"|(?:do not|don't|cannot|can't|could not|couldn't)"
        r" (?:know|remember|recall|tell)|forgot|slipped my mind|i assume|as far as i know)\b",
        re.I,
    ),
    "is certain": re.compile(
        r"\b(?:definitely|certainly|absolutely|exactly|for sure|of course|no doubt|i am sure"
        r"|i'm sure|must|always|never)\b",
        re.I,
    ),
    "questions": re.compile(r"\?"),
    "asks back": re.compile(
        r"\bwhy\b|\bwhat (?:do you|does (?:that|this|it)) (?:mean|need)|\bwhat for\b"
        r"|\b(?:do|can|could) you (?:really have to know|explain|clarify|repeat)"
        r"|\bwho wants to know|\bwhich one\b|\bhow do i\b|\bwhere (?:do|can) i\b|\bhuh\b",
        re.I,
    ),
    "corrects itself": re.compile(
        r"\b(?:i meant|i mean|correction|mistyped|misspelled|misspelt|typo|my mistake|my bad"
        r"|i was wrong|that was wrong|let me correct|scratch that|on second thought|actually"
        r"|i misspoke|changed my mind)\b",
        re.I,
    ),
    "objects": re.compile(
        r"^\W*(?:no|nope|wait)\b(?! problem)|\bthat(?:'s| is) (?:not|wrong|incorrect)"
        r"|\bthis is (?:not|wrong|incorrect)|\bi (?:already|just) (?:told|said|gave)"
        r"|\bnot what i\b|\bare you sure\b|\bbut i\b|\bi disagree\b",
        re.I,
    ),
    "is polite": re.compile(
        r"\bplease\b|\bthank|\bthx\b|\bappreciat|\bgrateful|\bkind of you\b|\bhelpful\b"
        r"|\bcheers\b|\bexcuse me\b|\bpardon\b",
        re.I,
    ),
    "agrees": re.compile(
        r"^\W*(?:yes|yeah|yep|yup|sure|ok|okay|right|correct|exactly|fine|great|perfect|go ahead"
        r"|sounds good|please do)\b",
        re.I,
    ),
    "is annoyed": re.compile(
        r"!!|\bfrustrat|\bannoy|\bridiculous|\bunacceptable|\buseless"
        r"|\bwaste of\b|\btakes? too long|\bno time\b|\bso many questions|\bgive up\b"
        r"|\bhurry\b|\bcome on\b|\bseriously\b|\bangry\b|\bupset\b|\bfed up\b",
        re.I,
    ),
}


def extract_features(
    talk: Talk, wants: Wants, ending: str, solved: bool
) -> dict[str, FeatureValue]:
    """Return the features of a conversation by name, without those that it does not show.

    Args:
        talk: the user's messages; at least one is not empty.
        wants: the wishes and knowledge of the user's task.
        ending: by whom, and how, the conversation was ended.
    """
    pairs = [
        (said.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"), heard)  # as telephones write it
        for said, heard in zip(talk.said, talk.heard, strict=True)
        if said
    ]
    texts = [said for said, _ in pairs]
    lengths = [len(text.split()) for text in texts]
    mean = fmean(lengths)
    features: dict[str, FeatureValue] = {
        name: fmean(bool(pattern.search(text)) for text in texts)
        for name, pattern in _PATTERNS.items()
    }
    features |= {
        "words per message": mean,
        "words in message 1": float(lengths[0]),
        "short messages": fmean(length <= SHORT_LENGTH for length in lengths),
        "repeats": 1 - len({text.casefold() for text in texts}) / len(texts),
        "messages": float(len(texts)),
        "solved": float(solved),
        "way of ending": ending,
    }
    if mean and len(lengths) > 1:
        features["spread of length"] = pstdev(lengths) / mean
    return features | _describe_pacing(texts, wants) | _describe_answers(pairs, wants)


def _describe_pacing(texts: Sequence[str], wants: Wants) -> dict[str, FeatureValue]:
    """Return the shares of the task's facts that were told up to a message, or {} without facts."""
    words = [find_content_words(text) for text in texts]
    lowered = [text.lower() for text in texts]
    first_tellings = [
        next((place for place, text in enumerate(lowered) if fact.lower() in text), None)
        for fact in wants.known.values()
    ]
    details = [
        (find_content_words(text),) for wish in wants.wishes for text in wish.answers.values()
    ]
    for wordings in (*wants.wordings, *filter(any, details)):
        told = [any(is_told(one, [message]) for one in wordings) for message in words]
        first_tellings.append(told.index(True) if any(told) else None)
    if not first_tellings:
        return {}
    places = [place for place in first_tellings if place is not None]
    shares = {f"told by message {end}": sum(place < end for place in places) for end in (1, 2, 4)}
    shares["told at all"] = len(places)
    return {
        **{name: count / len(first_tellings) for name, count in shares.items()},
        "facts per message": len(places) / len(texts),
    }


def _describe_answers(pairs: Sequence[tuple[str, str]], wants: Wants) -> dict[str, FeatureValue]:
    """Return the share of requests for facts of the task that the next message answers."""
    answered: list[bool] = []
    told: set[str] = set()
    for said, heard in pairs:
        message, text = AssistantMessage(heard), said.lower()
        words = find_content_words(said)
        facts = {name: wants.known[name] for name in message.who if name in wants.known}
        for wish in wants.wishes:
            facts |= {name: wish.answers[name] for name in message.about if name in wish.answers}
        new = {name: fact for name, fact in facts.items() if fact not in told}
        now = {
            fact
            for fact in new.values()
            if fact.lower() in text or is_told(find_content_words(fact), [words])
        }
        if new:
            answered.append(bool(now))
        told |= now
    return {"answers": fmean(answered)} if answered else {}
