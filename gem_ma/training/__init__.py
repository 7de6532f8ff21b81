"""From episodes to what trainers take: samples, advantages, a reference trainer, self-play.

`trainers` has one file for each trainer of others. It may import rollouts and all below them, and
reads episodes by what `chat` says of them; only the files that need torch import it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gem_ma.validation.lazy_imports import lazy_getattr

if TYPE_CHECKING:
    from gem_ma.training.token_samples import ReplySpan, TokenSample, build_samples

__all__ = ["ReplySpan", "TokenSample", "build_samples"]
__getattr__ = lazy_getattr(
    __name__,
    {
        "TokenSample": "token_samples",
        "ReplySpan": "token_samples",
        "build_samples": "token_samples",
    },
)
