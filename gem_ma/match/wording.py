"""Rules in other words, by rule: shorter, longer, with synonyms, or the same with a null change."""

from __future__ import annotations

import re

from gem_ma.match.seeding import mix

KINDS = ("short", "long", "words", "null")
_SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?](?!\s|$)[^.!?\n]*)*[.!?]?")
_REPLY = re.compile(r"\b(?:reply|answer|respond|send)\b", re.IGNORECASE)
# None of these is a move, or a part of one, in any game.
_WORDS = (
    ("You are playing", "You take part in", "The game is"),
    ("at the same time", "simultaneously", "at once"),
    ("whole number", "integer"),
    ("opponent", "rival", "other side"),
    ("begins", "starts", "goes first"),
    ("earns", "gets", "is paid"),
    ("cannot", "can not", "is not able to"),
    ("whether", "if"),
    ("beside", "next to"),
    ("each", "every"),
    ("may", "can"),
    ("must", "has to"),
    ("within", "in"),
)
_WAYS = ("Reply with", "Answer with", "Respond with")
_NULL = ("a line each", "two spaces", "Hello.", "Thank you.")


def parse(prompt: str) -> tuple[str, int]:
    """Return the kind of a prompt and its seed, or raise ValueError."""
    kind, colon, seed = prompt.partition(":") if isinstance(prompt, str) else ("", "", "")
    seeded = kind in ("words", "null")
    if kind not in KINDS or (bool(colon) != seeded) or (seeded and not seed.isdecimal()):
        raise ValueError(f"prompt={prompt!r}: expected '', 'short', 'long', 'words:N' or 'null:N'")
    return kind, int(seed or 0)


def reworded(rules: str, prompt: str) -> str:
    """Return rules as a prompt has them.

    short: what the game is, and how to reply. long: a sentence in each line, and the first and the
    last thing once more. words: with other words, as a seed draws them. null: with a change that
    says nothing, as a control.
    """
    if not prompt:
        return rules
    kind, seed = parse(prompt)
    sentences = [one.strip() for one in _SENTENCE.findall(rules) if one.strip()]
    first, how = sentences[:1], [one for one in sentences[1:] if _REPLY.search(one)]
    if kind == "short":
        return " ".join([*first, *how])
    if kind == "long":
        lines = [f"{number}. {one}" for number, one in enumerate(sentences, 1)]
        return "\n".join([*lines, "", "In short: " + " ".join([*first, *how])])
    if kind == "null":
        return _unchanged(rules, _NULL[mix(seed, 1) % len(_NULL)])
    for place, (word, *others) in enumerate(_WORDS):
        choice = [word, *others][mix(seed, place) % (len(others) + 1)]
        rules = _exchanged(rules, word, choice)
    return rules.replace(_WAYS[0], _WAYS[mix(seed, len(_WORDS)) % len(_WAYS)])


def _unchanged(rules: str, how: str) -> str:
    """Return rules that say the same in the same words."""
    if how.endswith("."):
        return f"{how} {rules}" if how == "Hello." else f"{rules} {how}"
    between = "\n" if how == "a line each" else "  "
    lines = (_SENTENCE.findall(line) for line in rules.split("\n"))
    return "\n".join(between.join(one.strip() for one in line) for line in lines)


def _exchanged(text: str, word: str, other: str) -> str:
    """Return a text with another word, whole and with the same first letter in size."""

    def same(found: re.Match[str]) -> str:
        return other[0].upper() + other[1:] if found[0][0].isupper() else other

    return re.sub(rf"\b{word}\b", same, text, flags=re.IGNORECASE)
