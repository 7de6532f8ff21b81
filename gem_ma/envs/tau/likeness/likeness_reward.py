"""A reward for a user in training: how much a conversation makes a batch more like people's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from gem_ma.apis.env import Env
from gem_ma.envs.tau.likeness.conversation_features import DIMENSIONS, FeatureValue
from gem_ma.envs.tau.likeness.recorded_conversations import (
    choose_people,
    find_exclusion,
    read_conversation,
    read_conversations,
)
from gem_ma.rollouts.episode import Episode
from gem_ma.validation.arguments import check_each

WORST = -1.0  # reward of an episode without a message of the user


class LikenessReward:
    """A reward for each conversation of a batch, for `extra_rewards` of a Trainer.

    A conversation earns more where people are and the batch is not. So the reward asks for all
    kinds of people, and not for an average one. It is 0 on average if the two cannot be told
    apart. It is the gradient of the energy distance (Szekely and Rizzo 2013), feature by feature;
    each feature and dimension has the same weight as in `compare_users`.

    Args:
        people: Episodes of `tau:` or `tau2:`. If people played the user in some, only these count.
        weight: What the reward is multiplied by. Without it, a conversation earns from -1 to 1.

    Raises:
        ValueError: There is no conversation among the episodes.

    Examples:
        >>> from gem_ma import rollout
        >>> from gem_ma.envs.tau import LikenessReward
        >>> def play(user):
        ...     agents = {"user": user, "assistant": "informed-assistant"}
        ...     return rollout("tau:shop", agents, 20, seed=0, progress=False)
        >>> reward = LikenessReward(play("users:train"))
        >>> rewards = reward(play("user:talkative"))["user"]
        >>> bool(sum(rewards) < 0)  # people are not all alike
        True
    """

    def __init__(self, people: Iterable[Episode], weight: float = 1.0):
        conversations, left_out = read_conversations(check_each(people, Episode, "people"))
        chosen, _ = choose_people(conversations)
        if not chosen:
            reasons = ", ".join(f"{count} {reason}" for reason, count in left_out.items())
            raise ValueError(
                "there is no conversation of people; expected episodes of tau: or tau2:, got "
                f"{reasons or 'none'}"
            )
        self.people = [one.features for one in chosen]
        self.weight = weight
        self._values = {  # of people, by feature, and their mean difference
            feature: (values, _compute_gaps(values, values).mean() or 1.0)
            for features in DIMENSIONS.values()
            for feature in features
            if (values := [one[feature] for one in self.people if feature in one])
        }
        self._envs: dict[str, Env] = {}

    def __call__(self, episodes: Sequence[Episode]) -> dict[str, list[float]]:
        """Return the rewards of the user's seat, one for each episode."""
        shown = [
            None if find_exclusion(one) else read_conversation(one, self._envs).features
            for one in episodes
        ]
        own = [one for one in shown if one is not None]
        parts = [
            np.mean([self._compare(feature, own) for feature in features], axis=0)
            for features in DIMENSIONS.values()
        ]
        rewards = iter(np.mean(parts, axis=0).tolist() if own else ())
        return {
            "user": [
                self.weight * (WORST if one is None else float(next(rewards))) for one in shown
            ]
        }

    def _compare(self, feature: str, own: Sequence[Mapping[str, FeatureValue]]) -> np.ndarray:
        """Return what each conversation earns by one feature, 0 where it does not have it."""
        places = [place for place, one in enumerate(own) if feature in one]
        earned = np.zeros(len(own))
        if feature in self._values and places:
            theirs, scale = self._values[feature]
            values = [own[place][feature] for place in places]
            far = _compute_gaps(values, theirs).mean(axis=1)
            among = _compute_gaps(values, values).sum(axis=1) / max(1, len(values) - 1)
            earned[places] = np.clip((among - far) / scale, -1, 1)
        return earned


def _compute_gaps(ones: Sequence[FeatureValue], others: Sequence[FeatureValue]) -> np.ndarray:
    """Return the difference of each of the first from each of the others; 1 between categories."""
    if isinstance(ones[0], str):
        return np.array([[float(one != other) for other in others] for one in ones])
    return np.abs(np.subtract.outer(np.array(ones, float), np.array(others, float)))
