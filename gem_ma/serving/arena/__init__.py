"""Matches of people and agents in a browser, which are saved after every move.

`match_session` is one match on disk, `lobby` manages all matches and their seats, and `web_app`
serves the pages and the WebSocket. `page/` has the files that a browser loads. The package builds
on rollouts and evaluation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gem_ma.validation.lazy_imports import lazy_getattr

if TYPE_CHECKING:
    from gem_ma.serving.arena.launcher import arena

__all__ = ["arena"]

__getattr__ = lazy_getattr(__name__, {"arena": "launcher"})
