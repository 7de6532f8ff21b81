"""Environments by their ids, and by the classes that GEM has for them.

The games themselves are in `gem_ma.envs`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gem_ma.validation.lazy_imports import lazy_getattr

if TYPE_CHECKING:
    from gem_ma.gem.envs.registration import register

__all__ = ["register"]
__getattr__ = lazy_getattr(__name__, {"register": "registration"})
