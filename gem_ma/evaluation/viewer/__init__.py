"""The page that `gem-ma view` writes, and its parts: files, pictures, and spectators.

The terminal viewer and the arena also use these parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gem_ma.validation.lazy_imports import lazy_getattr

if TYPE_CHECKING:
    from gem_ma.evaluation.viewer.page import ViewerPage, write_page

__all__ = ["ViewerPage", "write_page"]


__getattr__ = lazy_getattr(__name__, {"ViewerPage": "page", "write_page": "page"})
