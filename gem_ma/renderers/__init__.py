"""Renderers: a Scene in, a picture of the given size out."""

from __future__ import annotations

from typing import Any

import numpy as np

from gem_ma.renderers import terminal
from gem_ma.scene import Terminal

_RENDERERS = {Terminal: terminal.draw}


def draw(scene: Any, size: tuple[int, int]) -> np.ndarray:
    """Return the scene as a new array of height x width x 3 bytes."""
    renderer = _RENDERERS.get(type(scene))
    if renderer is None:
        known = ", ".join(cls.__name__ for cls in _RENDERERS)
        raise TypeError(f"no renderer for {type(scene).__name__}; there are some for: {known}")
    return renderer(scene, size)
