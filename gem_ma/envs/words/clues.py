"""Words and their clues for crosswords, at two levels."""

from __future__ import annotations

from gem_ma.envs.words.easy_clues import EASY_CLUES
from gem_ma.envs.words.hard_clues import HARD_CLUES


def _parse_clues(lines: str) -> tuple[tuple[str, str], ...]:
    pairs = (line.split(" ", 1) for line in lines.strip().splitlines())
    return tuple((word, clue) for word, clue in pairs)


EASY = _parse_clues(EASY_CLUES)
HARD = _parse_clues(HARD_CLUES)
