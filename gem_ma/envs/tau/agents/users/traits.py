"""Traits of rule-based users, the kinds of users that have them, and their random decisions."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
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
    }
)
POPULATIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "train": ("plain", "talkative", "forgetful", "hurried", "muddled", "wary"),
        "held-out": ("rambling", "careless"),
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

    def pick_phrase(self, options: tuple[str, ...], *about: object) -> str:
        return options[int(self.sample_number("pick", *about) * len(options))]

    @property
    def patience(self) -> float:
        """How many questions the user answers before it leaves."""
        value = self.traits.get("impatient", 0.0)
        return round(30 - 24 * value) if value else float("inf")
