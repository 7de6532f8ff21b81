"""The bank's documents, and a search in them by BM25, as in the original."""

from __future__ import annotations

import collections
import math
from collections.abc import Iterable
from typing import NamedTuple

_K1, _B, _EPSILON = 1.5, 0.75, 0.25
_MOST = 10  # maximum number of documents in a result


class Document(NamedTuple):
    id: str
    title: str
    content: str


class Search:
    """An index of documents; equal queries give equal results."""

    def __init__(self, documents: Iterable[Document]):
        self.documents = tuple(documents)
        words = [collections.Counter(_words(one.content)) for one in self.documents]
        sizes = [one.total() for one in words]
        mean = sum(sizes) / len(sizes)
        # For each word: (document, number of occurrences).
        postings: dict[str, list[tuple[int, int]]] = {}
        for number, counted in enumerate(words):
            for word, count in counted.items():
                postings.setdefault(word, []).append((number, count))
        much = len(words)
        weights = {
            word: math.log(much - len(at) + 0.5) - math.log(len(at) + 0.5)
            for word, at in postings.items()
        }
        least = _EPSILON * sum(weights.values()) / len(weights)  # for very common words
        self._worth = {
            word: [
                (
                    number,
                    (least if weights[word] < 0 else weights[word])
                    * (count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * sizes[number] / mean))),
                )
                for number, count in at
            ]
            for word, at in postings.items()
        }

    def best(self, query: str) -> list[tuple[Document, float]]:
        """Return the best documents with scores; among equal scores, the earlier is first."""
        scores = [0.0] * len(self.documents)
        for word in _words(query):
            for number, worth in self._worth.get(word, ()):
                scores[number] += worth
        return select_best(zip(self.documents, scores, strict=True))

    def listing(self, query: str, most: int | None = None) -> str:
        """Return the full text of the best documents, as the tool prints them."""
        best = self.best(query)[:most] if query and query.strip() else []
        return list_documents(best) if best else "No relevant documents found."


def select_best(scored: Iterable[tuple[Document, float]]) -> list[tuple[Document, float]]:
    """Return the documents with the highest scores; among equal scores, the earlier is first."""
    return sorted(scored, key=lambda one: one[1], reverse=True)[:_MOST]


def list_documents(scored: Iterable[tuple[Document, float]]) -> str:
    """Return the full text of documents, as the tools print them."""
    return "\n".join(
        f"{place}. {one.title}\n   ID: {one.id}\n   Score: {score:.4f}\n   Content: {one.content}\n"
        for place, (one, score) in enumerate(scored, 1)
    )


def _words(text: str) -> list[str]:
    return text.lower().split()
