"""Rollouts: many episodes at once, their records, and the processes and clusters that play them.

This package may import apis, agents and the packages below those. Training and evaluation read its
records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gem_ma.validation.lazy_imports import lazy_getattr

if TYPE_CHECKING:
    from gem_ma.rollouts.episode import Episode, EpisodeFailure
    from gem_ma.rollouts.formats.dataset import to_dataset
    from gem_ma.rollouts.prefix import EpisodePrefix
    from gem_ma.rollouts.progress import RolloutProgress
    from gem_ma.rollouts.records import (
        EpisodeFile,
        RecordError,
        load_episodes,
        save_episodes,
    )
    from gem_ma.rollouts.replay import ReplayError
    from gem_ma.rollouts.rollout import FailedEpisodesWarning, RolloutInterrupted, arollout
    from gem_ma.rollouts.run import TooManyErrors

__all__ = [
    "Episode",
    "EpisodeFailure",
    "EpisodeFile",
    "EpisodePrefix",
    "FailedEpisodesWarning",
    "RecordError",
    "ReplayError",
    "RolloutInterrupted",
    "RolloutProgress",
    "TooManyErrors",
    "arollout",
    "load_episodes",
    "save_episodes",
    "to_dataset",
]
__getattr__ = lazy_getattr(
    __name__,
    {
        "Episode": "episode",
        "EpisodeFailure": "episode",
        "EpisodeFile": "records",
        "EpisodePrefix": "prefix",
        "FailedEpisodesWarning": "rollout",
        "RecordError": "records",
        "ReplayError": "replay",
        "RolloutInterrupted": "rollout",
        "RolloutProgress": "progress",
        "TooManyErrors": "run",
        "arollout": "rollout",
        "load_episodes": "records",
        "save_episodes": "records",
        "to_dataset": "formats.dataset",
    },
)
