"""Conversations of users in recorded episodes: which of them count, and their features."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

from gem_ma.apis.env import Env
from gem_ma.apis.factory import make
from gem_ma.envs.registry import BadArgument, UntrustedSpec
from gem_ma.envs.tau.likeness.conversation_features import FeatureValue, extract_features
from gem_ma.envs.tau.user_metrics import SUCCESS, talk_of
from gem_ma.envs.tau.wants.compiled import Wants
from gem_ma.evaluation.viewer.episode_files import find_episode_files
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.records import load_episodes

# Agents of people: of gem-ma play, of the arena, as human:NAME, and of Python.
PEOPLE = ("human", "HumanAgent()")
_LEFT = "Left"  # failure of a match of the arena that a player left


@runtime_checkable
class UserTaskGame(Protocol):
    """A game whose tasks are those of a user."""

    def wants(self, task: object) -> Wants: ...


class RecordedConversation(NamedTuple):
    """One conversation of a user.

    Attributes:
        task: the number or name of the task; "" if the record does not say it.
        player: the agent of the user's seat, such as human:Ada.
    """

    env: str
    task: str
    player: str
    features: Mapping[str, FeatureValue]

    @property
    def by_person(self) -> bool:
        """Whether the record says that a person played the user."""
        return self.player.partition(":")[0] in PEOPLE


def load_recorded_episodes(path: str | os.PathLike[str]) -> list[Episode]:
    """Return the episodes of a file, of the folder of an arena, or of another folder with files.

    Raises:
        RecordError: There is no file of episodes.
    """
    matches = Path(path) / "episodes.jsonl"  # the arena's other files repeat these episodes
    files = [matches] if matches.is_file() else find_episode_files(Path(path))
    return [episode for file in files for episode in load_episodes(file)]


def read_conversations(
    episodes: Iterable[Episode],
) -> tuple[list[RecordedConversation], Counter[str]]:
    """Return the conversations that count, and how many others there are, by reason.

    Raises:
        ValueError: The task of an episode cannot be made again.
    """
    conversations: list[RecordedConversation] = []
    left_out: Counter[str] = Counter()
    envs: dict[str, Env] = {}
    for episode in episodes:
        if reason := find_exclusion(episode):
            left_out[reason] += 1
        else:
            conversations.append(read_conversation(episode, envs))
    return conversations, left_out


def read_conversation(episode: Episode, envs: dict[str, Env]) -> RecordedConversation:
    """Return the conversation of an episode that `find_exclusion` does not exclude.

    Args:
        envs: environments that were made for other episodes; a new one is added.

    Raises:
        ValueError: Its task cannot be made again.
    """
    report, spec = episode.report, repr(episode.spec)
    try:
        if spec not in envs:
            envs[spec] = make(episode.spec)
        env = envs[spec]
        if not isinstance(env.game, UserTaskGame):
            raise ValueError(f"{type(env.game).__name__} has no user with a task")
        env.reset(seed=episode.seed, options=episode.options)
        wants = env.game.wants(env.match.state.task)
    except (BadArgument, LookupError, UntrustedSpec, ValueError) as error:
        raise ValueError(
            f"episode {episode.id} of {episode.spec.id!r}: its task cannot be made again: {error}"
        ) from error
    reward = report.get("reward")
    solved = isinstance(reward, int | float) and reward >= SUCCESS
    ending = "left" if episode.failure else str(report.get("ended", episode.ended))
    return RecordedConversation(
        episode.spec.id,
        str(report.get("task", "")),
        episode.agents["user"],
        extract_features(talk_of(episode), wants, ending, solved),
    )


def find_exclusion(episode: Episode) -> str:
    """Return why an episode does not show how its user's player behaves, or ""."""
    failure = episode.failure
    if not episode.spec.id.startswith(("tau:", "tau2:")) or "user" not in episode.agents:
        return "without a user of tau: or tau2:"
    if failure is not None and (failure.kind, failure.seat) != (_LEFT, "user"):
        return "failed"
    if episode.begun:
        return "continued from another record"
    late = episode.report.get("out of time")
    if isinstance(late, Mapping) and "user" in late:
        return "with a move of the clock"
    return "" if any(talk_of(episode).said) else "without a message of the user"


def choose_people(
    conversations: Sequence[RecordedConversation],
) -> tuple[list[RecordedConversation], int]:
    """Return the conversations of people, and the number of others.

    If none has a person as its user, all stand in for people.
    """
    people = [one for one in conversations if one.by_person]
    chosen = people or list(conversations)
    return chosen, len(conversations) - len(chosen)
