"""Traits of rule-based users, the kinds of users that have them, and their random decisions."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from gem_ma.engine.seeding import derive_seed

TRAITS: Mapping[str, str] = MappingProxyType(
    {  # effect of each trait; its value, from 0 to 1, is a frequency
        "talkative": "answers, and tells something beside that was not asked",
        "forgetful": "does not remember what it is asked for, and finds it when asked again",
        "mistaken": "first tells its email, user id, zip code or phone number with a digit wrong",
        "impatient": "leaves after so many questions: 30 at nearly 0, 6 at 1",
        "vague": "says which thing it is about, and what is to become of it only when asked",
        "chaotic": "tells all wishes at once, in another order",
        "suspicious": "asks what a fact is needed for before telling it",
        "polite": "says please and thank you",
        "off_topic": "talks about something else too",
        "typos": "has a word wrong; never in a fact",
        "overclaiming": "says that it did something with its phone, and did not",
        "partial": "does or tells half of what it is asked for at once, the rest when asked again",
        "evasive": "answers another question than the one it is asked, until it is asked again",
        "questioning": "asks what is meant before it does or tells something",
        "reluctant": "refuses to do or tell something, until it is asked again",
        "returning": "has to leave for a moment before it does or tells something",
        "fickle": "does not want a change any more when it is to agree to it, and then does",
        "misleading": "begins with a wrong problem, and tells the right one in its next message",
        "irritable": "says that it loses its patience, in stronger words with each turn",
        "terse": "writes in fragments",
        "leaving": "gives up after its first or second message",
    }
)
KINDS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "plain": {},
        "talkative": {"talkative": 0.8, "polite": 0.5},
        "forgetful": {"forgetful": 0.5},
        "hurried": {"vague": 0.7, "impatient": 0.4},
        "muddled": {"chaotic": 0.8, "typos": 0.4},
        "wary": {"suspicious": 0.6, "vague": 0.3},
        "rambling": {"off_topic": 0.6, "talkative": 0.4, "polite": 0.3, "typos": 0.3},
        "careless": {"mistaken": 0.6, "forgetful": 0.3, "chaotic": 0.4},
        "bluffing": {"overclaiming": 0.5, "partial": 0.4, "terse": 0.3},
        "contrary": {"reluctant": 0.5, "questioning": 0.4, "irritable": 0.4},
        "scattered": {"misleading": 0.5, "evasive": 0.4, "fickle": 0.3},
        "restless": {"returning": 0.4, "irritable": 0.5, "terse": 0.5, "leaving": 0.1},
    }
)
POPULATIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "train": ("plain", "talkative", "forgetful", "hurried", "muddled", "wary"),
        "held-out": ("rambling", "careless"),
        "realistic": ("bluffing", "contrary", "scattered", "restless"),
    }
)


def resolve_traits(kind: str, given: Mapping[str, float | None]) -> dict[str, float]:
    """Return the traits of a kind with some values replaced; all values must be from 0 to 1."""
    if kind not in KINDS:
        raise ValueError(f"no user {kind!r}; there are {', '.join(KINDS)}")
    traits = {**KINDS[kind], **{name: one for name, one in given.items() if one is not None}}
    for name, value in traits.items():
        if not 0 <= value <= 1:
            raise ValueError(f"{name}={value}: expected 0 to 1")
    return traits


_TRAIT_DESCRIPTIONS = {  # prompts for a model that plays the user
    "talkative": "when you answer a question, you tell something else that belongs to it too",
    "forgetful": "when you are asked for a fact you say at first that you do not remember it, and "
    "find it when you are asked again",
    "mistaken": "the first time that you tell who you are, one digit is wrong; when it is not "
    "found, you put it right",
    "impatient": "after too many questions you say that this takes too long, and leave",
    "vague": "you say first what it is about, and what is to become of it only when asked",
    "chaotic": "you tell all that you want in your first message, in another order",
    "suspicious": "before you tell a fact you ask what it is needed for, once",
    "polite": "you say please and thank you",
    "off_topic": "you also talk about something that has nothing to do with it",
    "typos": "one of your words is misspelt, but no fact is",
    "overclaiming": "when you are told to do something with your phone, you say that you did it "
    "and do not; you do it when you are told again",
    "partial": "when you are asked for several things at once, you do or tell half of them, and "
    "the rest when you are asked again",
    "evasive": "when you are asked something, you answer another question at first",
    "questioning": "before you do or tell something you ask what is meant, once",
    "reluctant": "when you are asked to do or tell something you refuse at first, and agree when "
    "you are asked again",
    "returning": "before you do or tell something you say that you have to leave for a moment, and "
    "then that you are back",
    "fickle": "when you are to agree to a change you say at first that you do not want it any "
    "more, and then that you do",
    "misleading": "you begin with a problem that is not yours, and tell the right one in your "
    "second message",
    "irritable": "you say that you lose your patience, in stronger words with each message",
    "terse": "you write in fragments, not in sentences",
    "leaving": "you give up after your first or second message, and end the conversation",
}
_FREQUENCY_WORDS = ((0.8, "Nearly always"), (0.55, "Mostly"), (0.3, "Often"), (0.0, "Now and then"))


def describe_persona(traits: Mapping[str, float]) -> str:
    """Return the prompt for a model that plays a user with these traits; "" without traits."""
    lines = [
        f"- {next(often for least, often in _FREQUENCY_WORDS if value > least)} "
        f"{_TRAIT_DESCRIPTIONS[name]}."
        for name, value in traits.items()
        if value > 0
    ]
    return "\n".join(["What you are like:", *lines]) if lines else ""


class TraitSampler:
    """Random decisions of one user in one episode; the same arguments give the same decision."""

    def __init__(self, traits: Mapping[str, float], *names: object):
        self.traits = traits
        self.seed = zlib.crc32("/".join(map(str, names)).encode("utf-8", "replace"))

    def sample_number(self, *about: object) -> float:
        """Return a number from 0 to 1 that depends on the seed and the arguments only."""
        return derive_seed(self.seed, zlib.crc32(repr(about).encode("utf-8", "replace"))) / (
            1 << 63
        )

    def shows_trait(self, trait: str, *about: object) -> bool:
        """Return whether a trait shows in the situation that the arguments name."""
        value = self.traits.get(trait, 0.0)
        return value > 0 and self.sample_number(trait, *about) < value

    def has_any_trait(self, traits: Iterable[str]) -> bool:
        """Return whether one of these traits can show."""
        return any(self.traits.get(trait, 0.0) > 0 for trait in traits)

    def pick_phrase(self, options: tuple[str, ...], *about: object) -> str:
        return options[int(self.sample_number("pick", *about) * len(options))]

    @property
    def patience(self) -> float:
        """How many questions the user answers before it leaves."""
        value = self.traits.get("impatient", 0.0)
        return round(30 - 24 * value) if value else float("inf")
