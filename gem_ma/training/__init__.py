"""From episodes to what trainers take."""

from gem_ma.training.samples import Sample, Span, samples

__all__ = ["Sample", "Span", "samples"]
