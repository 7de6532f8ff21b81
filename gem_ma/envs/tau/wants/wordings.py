"""Recognition of wishes in messages, by the words of a task that are not everyday words."""

from __future__ import annotations

import re
from collections.abc import Iterable

STEM = 5  # compared letters of a word: "exchanged" equals "exchange"
ENOUGH = 2  # words of a wording that one message has to contain
_WORD = re.compile(r"\w{3,}")
# Words of any conversation, and words by which people identify themselves.
_COMMON_WORD_LIST = """
    about actually after again agent all also always and another any anybody anyone anything are
    ask asked asking assistant because been before being but bye can cannot code could customer day
    dear did different does doing don done each else email ever every everything fine for forget
    forgot from get gets getting give given goes going good goodbye got great had happy has have
    having hello help helped helping her here him his hope how however idea instead into isn its
    itself just kind know known let like liked likes look make makes many matter may maybe mention
    might mine more most much must myself name need needed needs never next nice not nothing now
    number off okay once one only other others our out over own perhaps person please possible
    provide really recall regarding remember representative right said same say says see she should
    since some somebody someone something soon sorry sound speak still such support sure take talk
    tell than thank thanks that the their them then there these they thing things think this those
    though through told too try trying understand until use user very wait want wanted wants was
    way welcome well were what when where whether which while who why will wish with without won
    wonder wondering would yes yet you your yours yourself zip
"""
_COMMON_WORDS = frozenset(_COMMON_WORD_LIST.split())


def find_content_words(text: str) -> frozenset[str]:
    """Return the stems of the words that say what a text is about."""
    return frozenset(
        word if any(map(str.isdigit, word)) else word[:STEM]
        for word in _WORD.findall(text.lower())
        if word not in _COMMON_WORDS
    )


def is_told(wording: frozenset[str], messages: Iterable[frozenset[str]]) -> bool:
    """Return whether a message tells a wording; both are given as content words."""
    return bool(wording) and any(
        len(wording & message) >= min(ENOUGH, len(wording)) for message in messages
    )
