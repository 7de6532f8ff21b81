"""The page that `gem-ma view` writes, and what it is made of: files, pictures, and spectators.

Who looks at episodes elsewhere, in a terminal or in the arena, takes these parts from here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gem_ma.validation.lazy_imports import lazy_getattr

if TYPE_CHECKING:
    from gem_ma.evaluation.viewer.page import ViewerPage, write_page

__all__ = ["ViewerPage", "write_page"]


__getattr__ = lazy_getattr(__name__, {"ViewerPage": "page", "write_page": "page"})
