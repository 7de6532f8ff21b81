"""Guided decoding: at each token, only tokens that continue a legal reply are allowed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import torch

TokenTrie: TypeAlias = "dict[int, TokenTrie]"
"""A trie of token sequences: a mapping from the next token to the trie of what may follow it."""


def build_token_trie(replies: Iterable[Sequence[int]], ends: Sequence[int]) -> TokenTrie:
    """Return the trie of some replies, each ended by any of the end tokens.

    Args:
        replies: The tokens of each reply.
        ends: The tokens that end a reply.
    """
    root: TokenTrie = {}
    for ids in replies:
        node = root
        for token in ids:
            node = node.setdefault(token, {})
        for end in ends:
            node.setdefault(end, {})
    return root


class DecodingGuide:
    """The tokens that may come next in each row of a batch.

    Args:
        tries: The trie of legal replies for each row; None: the row is not guided.
    """

    def __init__(self, tries: Sequence[TokenTrie | None]):
        self.nodes = list(tries)
        self.allowed_ids: list[list[list[int]]] = [[] for _ in tries]  # by row, then by token

    def mask_scores(self, scores: torch.Tensor, rows: Sequence[int]) -> torch.Tensor:
        """Return the scores of the next token of some rows, with -inf for forbidden tokens.

        A row that has ended or is not guided keeps its scores.
        """
        import torch

        masked = torch.full_like(scores, -torch.inf)
        for place, row in enumerate(rows):
            node = self.nodes[row]
            if node:
                ids = list(node)
                self.allowed_ids[row].append(ids)
                masked[place, ids] = scores[place, ids]
            else:
                masked[place] = scores[place]
        return masked

    def advance(self, rows: Sequence[int], chosen: Sequence[int]) -> None:
        """Advance the guides of some rows by the tokens that were chosen."""
        for row, token in zip(rows, chosen, strict=True):
            node = self.nodes[row]
            if node:
                self.nodes[row] = node.get(token)
