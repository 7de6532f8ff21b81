"""People and agents at tables in a browser: matches that are kept at every move.

`match_session` is one match on disk, `lobby` all of them and who may sit where, `web_app` the pages
and the WebSocket; `page/` is what a browser loads. It stands above rollouts and evaluation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gem_ma.validation.lazy_imports import lazy_getattr

if TYPE_CHECKING:
    from gem_ma.serving.arena.launcher import arena

__all__ = ["arena"]

__getattr__ = lazy_getattr(__name__, {"arena": "launcher"})
