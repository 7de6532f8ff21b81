"""From episodes to what trainers take: samples, advantages, a reference trainer, self-play.

`adapters` has one file for each trainer of others. It may import rollouts and all below them, and
reads episodes by what `talk` says of them; only the files that need torch import it.
"""

from gem_ma.training.samples import Sample, Span, samples

__all__ = ["Sample", "Span", "samples"]
