"""Mechanical paraphrases of rules: shorter, longer, with synonyms, or with a null change."""

from __future__ import annotations

import re

from gem_ma.engine.seeding import derive_seed

PARAPHRASE_KINDS = ("short", "long", "words", "null")
_SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?](?!\s|$)[^.!?\n]*)*[.!?]?")
_REPLY = re.compile(r"\b(?:reply|answer|respond|send)\b", re.IGNORECASE)
# None of these occurs in a move of any game.
_SYNONYMS = (
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
_REPLY_PHRASES = ("Reply with", "Answer with", "Respond with")
_NULL_CHANGES = ("a line each", "two spaces", "Hello.", "Thank you.")


def parse_paraphrase(prompt: str) -> tuple[str, int]:
    """Return the kind of a prompt and its seed, or raise ValueError."""
    kind, colon, seed = prompt.partition(":") if isinstance(prompt, str) else ("", "", "")
    seeded = kind in ("words", "null")
    if kind not in PARAPHRASE_KINDS or (bool(colon) != seeded) or (seeded and not seed.isdecimal()):
        raise ValueError(f"prompt={prompt!r}: expected '', 'short', 'long', 'words:N' or 'null:N'")
    return kind, int(seed or 0)


def paraphrase_rules(rules: str, prompt: str) -> str:
    """Return the rules in the paraphrase that `prompt` names; "" leaves them unchanged.

    - `short`: only the first sentence and the sentences about how to reply.
    - `long`: one numbered sentence per line, then the sentences of `short` again.
    - `words`: some words replaced by synonyms that the seed selects.
    - `null`: a change without meaning, as a control.
    """
    if not prompt:
        return rules
    kind, seed = parse_paraphrase(prompt)
    sentences = [one.strip() for one in _SENTENCE.findall(rules) if one.strip()]
    first, how = sentences[:1], [one for one in sentences[1:] if _REPLY.search(one)]
    if kind == "short":
        return " ".join([*first, *how])
    if kind == "long":
        lines = [f"{number}. {one}" for number, one in enumerate(sentences, 1)]
        return "\n".join([*lines, "", "In short: " + " ".join([*first, *how])])
    if kind == "null":
        return _apply_null_change(rules, _NULL_CHANGES[derive_seed(seed, 1) % len(_NULL_CHANGES)])
    for place, (word, *others) in enumerate(_SYNONYMS):
        choice = [word, *others][derive_seed(seed, place) % (len(others) + 1)]
        rules = _replace_word(rules, word, choice)
    return rules.replace(
        _REPLY_PHRASES[0], _REPLY_PHRASES[derive_seed(seed, len(_SYNONYMS)) % len(_REPLY_PHRASES)]
    )


def _apply_null_change(rules: str, how: str) -> str:
    """Return rules with a change that leaves their words and their meaning."""
    if how.endswith("."):
        return f"{how} {rules}" if how == "Hello." else f"{rules} {how}"
    between = "\n" if how == "a line each" else "  "
    lines = (_SENTENCE.findall(line) for line in rules.split("\n"))
    return "\n".join(between.join(one.strip() for one in line) for line in lines)


def _replace_word(text: str, word: str, other: str) -> str:
    """Replace a whole word in a text, keeping the case of its first letter."""

    def match_case(found: re.Match[str]) -> str:
        return other[0].upper() + other[1:] if found[0][0].isupper() else other

    return re.sub(rf"\b{word}\b", match_case, text, flags=re.IGNORECASE)
