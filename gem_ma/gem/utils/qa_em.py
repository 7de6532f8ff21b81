"""Comparison of short answers after normalisation."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable

from gem_ma.validation.arguments import check_type

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalize_answer(s: str) -> str:
    """Return a text in lower case, without punctuation, articles and extra spaces."""
    check_type(s, str, "s")
    return " ".join(_ARTICLES.sub(" ", s.lower().translate(_PUNCTUATION)).split())


def em_check(prediction: str, golden_answers: str | Iterable[str]) -> bool:
    """Return whether an answer equals a right answer, or one of several, after normalisation."""
    answers = [golden_answers] if isinstance(golden_answers, str) else golden_answers
    return normalize_answer(prediction) in map(normalize_answer, answers)
