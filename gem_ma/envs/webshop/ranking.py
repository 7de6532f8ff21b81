"""The ranking of a shop's search: BM25 as in `gem_ma.tools.SearchIndex`, without its library."""

from __future__ import annotations

import heapq
import math
import re
from array import array
from collections import Counter
from collections.abc import Iterable

_TERM = re.compile(r"[^\W_]+")
_SATURATION, _LENGTH_SHARE = 1.5, 0.75  # k1 and b, as in the search tool


class ProductIndex:
    """A BM25 index of short texts."""

    def __init__(self, texts: Iterable[str]):
        lengths, rows = array("l"), []
        for text in texts:
            counts = Counter(_TERM.findall(text.lower()))
            lengths.append(counts.total())
            rows.append(counts)
        mean = sum(lengths) / max(1, len(lengths)) or 1.0
        self._numbers: dict[str, array[int]] = {}
        self._scores: dict[str, array[float]] = {}
        for number, counts in enumerate(rows):
            norm = _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * lengths[number] / mean)
            for term, count in counts.items():
                self._numbers.setdefault(term, array("l")).append(number)
                self._scores.setdefault(term, array("d")).append(count / (count + norm))
        for term, scores in self._scores.items():
            rarity = math.log(1 + (len(rows) - len(scores) + 0.5) / (len(scores) + 0.5))
            self._scores[term] = array("d", [rarity * score for score in scores])

    def search(self, words: str, most: int) -> list[int]:
        """Return the numbers of the best texts; of equal scores, the earlier text first."""
        totals: dict[int, float] = {}
        for term in _TERM.findall(words.lower()):
            for number, score in zip(
                self._numbers.get(term, ()), self._scores.get(term, ()), strict=True
            ):
                totals[number] = totals.get(number, 0.0) + score
        return heapq.nsmallest(most, totals, key=lambda number: (-totals[number], number))
