"""Guided decoding: at each token only those are left that a legal reply goes on with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import torch

TokenTrie: TypeAlias = "dict[int, TokenTrie]"
"""Sequences of tokens by their beginnings: from the next token to what may follow it."""


def build_token_trie(replies: Iterable[Sequence[int]], ends: Sequence[int]) -> TokenTrie:
    """Return the trie of some replies, each of which one of several tokens ends.

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
    """Which tokens may come next in each row of a batch.

    Args:
        tries: For each row what its reply may be; None: anything.
    """

    def __init__(self, tries: Sequence[TokenTrie | None]):
        self.nodes = list(tries)
        self.allowed_ids: list[list[list[int]]] = [[] for _ in tries]  # by row and token

    def mask_scores(self, scores: torch.Tensor, rows: Sequence[int]) -> torch.Tensor:
        """Return the scores of the next token of some rows, without what no reply goes on with.

        A row that has ended, or is free, is left as it is.
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
        """Go on behind the tokens that were chosen for some rows."""
        for row, token in zip(rows, chosen, strict=True):
            node = self.nodes[row]
            if node:
                self.nodes[row] = node.get(token)
