"""From episodes to what trainers take: samples, advantages, a reference trainer, self-play.

`adapters` has one file for each trainer of others. It may import rollouts and all below them, and
reads episodes by what `chat` says of them; only the files that need torch import it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gem_ma.validation.lazy_imports import lazy_getattr

if TYPE_CHECKING:
    from gem_ma.training.token_samples import Sample, Span, samples

__all__ = ["Sample", "Span", "samples"]
__getattr__ = lazy_getattr(
    __name__, {"Sample": "token_samples", "Span": "token_samples", "samples": "token_samples"}
)
