"""Optimiser steps on the PPO objective, learning rate schedules, and copies of learning weights."""

from __future__ import annotations

import copy
import math
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from gem_ma.chat.agent import notify_rollout_end
from gem_ma.chat.turn import Turn
from gem_ma.training.callbacks import TrainingCollapsed
from gem_ma.training.reference_trainer import Learner
from gem_ma.validation.extras import require_extra
from gem_ma.validation.json_types import JSONMapping, JSONObject

with require_extra("hf"):
    import torch

HALF_TYPES = (torch.float16, torch.bfloat16)
MAX_SKIPPED = 3  # updates with skipped steps and no step taken in between, which end training


def make_cosine_schedule(steps: int, *, warmup: int = 0, to: float = 0.0) -> Callable[[int], float]:
    """Return a schedule: a function from step number to a factor on the learning rate.

    The factor rises linearly to 1 in `warmup` steps. It then falls along half a cosine, and is `to`
    from step number `steps` on, counted from 0.

    Examples:
        >>> from gem_ma.training import make_cosine_schedule
        >>> [round(make_cosine_schedule(4, warmup=1, to=0.2)(step), 2) for step in range(5)]
        [1.0, 1.0, 0.8, 0.4, 0.2]
    """
    if not 0 <= warmup <= steps or not 0 <= to <= 1:
        raise ValueError(
            f"steps={steps}, warmup={warmup}, to={to}: expected warmup of 0 to steps, to of 0 to 1"
        )

    def compute_factor(step: int) -> float:
        if step < warmup:
            return (step + 1) / warmup
        way = min((step - warmup) / max(steps - warmup, 1), 1.0)
        return to + (1 - to) * (1 + math.cos(math.pi * way)) / 2

    return compute_factor


class PolicyOptimizer:
    """AdamW on the clipped objective of PPO.

    Args:
        parameters: the parameters to train, by name.
        lr: learning rate.
        clip: clipping range of the ratio of new to old probability.
        epochs: passes over the samples of an update.
        minibatch: samples per optimiser step; None: all of an update.
        max_norm: gradient norm above which gradients are clipped.
        seed: decides the order of the samples.
        schedule: factor on the learning rate by number of the update, such as that of
            `make_cosine_schedule`; None: always 1.
        betas: AdamW's decay rates of the moment estimates.
        max_importance: truncation limit of the importance weights of stale tokens.
    """

    def __init__(
        self,
        parameters: Mapping[str, Any],
        *,
        lr: float,
        clip: float,
        epochs: int,
        minibatch: int | None,
        max_norm: float,
        seed: int,
        schedule: Callable[[int], float] | None = None,
        betas: tuple[float, float] = (0.9, 0.999),
        max_importance: float = 2.0,
    ):
        if not max_importance > 0:
            raise ValueError(f"max_importance={max_importance}: expected more than 0")
        self.parameters = dict(parameters)
        if not self.parameters:
            raise ValueError(
                "no parameter to train: all are frozen, or the model has no adapter of this name"
            )
        if half := [name for name, one in self.parameters.items() if one.dtype in HALF_TYPES]:
            raise ValueError(
                f"{half[0]} is {self.parameters[half[0]].dtype}, which loses small steps: trained "
                "weights must be float32; network.float() converts them"
            )
        self.optimizer = torch.optim.AdamW(
            self.parameters.values(), lr=lr, betas=betas, weight_decay=0.0
        )
        self.lr = lr
        self.schedule = schedule
        self.updates = 0  # number of updates begun
        self._skipped_updates: set[int] = set()  # since the last step taken
        self.clip = clip
        self.epochs = epochs
        self.minibatch = minibatch
        self.max_norm = max_norm
        self.max_importance = max_importance
        self.generator = torch.Generator().manual_seed(seed)

    def iter_minibatches(self, count: int) -> Iterator[list[int]]:
        """Yield the sample indices of each step of an update, in random order in each epoch."""
        share = 1.0 if self.schedule is None else self.schedule(self.updates)
        for group in self.optimizer.param_groups:
            group["lr"] = self.lr * share
        self.updates += 1
        size = self.minibatch or max(count, 1)
        for _ in range(self.epochs):
            places = torch.randperm(count, generator=self.generator).tolist()
            yield from (places[start : start + size] for start in range(0, count, size))

    def compute_objective(
        self, new: Any, old: Any, advantages: Any, drawn: Any | None = None
    ) -> Any:
        """Return the clipped objective of PPO for each token.

        Args:
            new: Log-probabilities under the current weights.
            old: Log-probabilities under the weights at the start of the update.
            advantages: Advantage of each token.
            drawn: Log-probabilities under older weights that drew the tokens; None: `old` drew
                them. Each token's objective is then multiplied by the ratio of old to drawn
                probability, truncated at `max_importance` (truncated importance sampling).
        """
        ratio = (new - old).exp()
        clipped = ratio.clamp(1 - self.clip, 1 + self.clip)
        objective = torch.minimum(ratio * advantages, clipped * advantages)
        if drawn is None:
            return objective
        return (old - drawn).exp().clamp(max=self.max_importance) * objective

    def step(self) -> float | None:
        """Take an optimiser step, clear the gradients, and return their norm.

        If gradients are not finite, clear them without a step and return None.

        Raises:
            TrainingCollapsed: `MAX_SKIPPED` updates skipped steps, and none was taken in between.
        """
        norm = take_finite_step(self.optimizer, self.parameters.values(), self.max_norm)
        if norm is not None:
            self._skipped_updates.clear()
            return norm
        self._skipped_updates.add(self.updates)
        if len(self._skipped_updates) >= MAX_SKIPPED:
            raise TrainingCollapsed(
                f"{len(self._skipped_updates)} updates in a row had gradients that are not finite, "
                "and were skipped: check for advantages that are not finite and for tokens that "
                "are far more likely now than when they were drawn, or use a lower lr"
            )
        return None

    def state_dict(self) -> JSONObject:
        return {
            "parameters": export_weights(self.parameters),
            "optimizer": copy.deepcopy(self.optimizer.state_dict()),
            "order": self.generator.get_state(),
            "updates": self.updates,
            "skipped": sorted(self._skipped_updates),
        }

    def load_state_dict(self, state: JSONMapping) -> None:
        if set(state["parameters"]) != set(self.parameters):
            raise ValueError(
                "the checkpoint and the learner do not have the same parameters, they differ in "
                f"{_list_some(set(state['parameters']) ^ set(self.parameters))}: load it into a "
                "learner of the same model and adapter"
            )
        _load_weights(self.parameters, state["parameters"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.generator.set_state(state["order"])
        self.updates = state["updates"]
        self._skipped_updates = set(state.get("skipped", ()))


class PolicySnapshot:
    """An agent that plays with the weights that a learner had when the snapshot was made.

    Weights that learn are copied: with a LoRA adapter, only those of the adapter. All other weights
    are shared with the learner. The optimiser is not kept.

    Args:
        player: an agent that plays with `network`.
        network: the result of `copy_network`.
        names: names of the copied weights.
    """

    def __init__(self, player: Learner, network: Any, names: Iterable[str]):
        self.player = player
        copied = frozenset(names)
        self.parameters = {n: one for n, one in network.named_parameters() if n in copied}

    @property
    def seed(self) -> int:
        """The seed of the draws."""
        return self.player.seed

    @seed.setter
    def seed(self, seed: int) -> None:
        self.player.seed = seed

    def act(self, turns: list[Turn]) -> Sequence[str] | Awaitable[Sequence[str]]:
        return self.player.act(turns)

    def on_rollout_end(self) -> None:
        """Notify the player that a rollout is over."""
        notify_rollout_end(self.player)

    def make_snapshot(self) -> PolicySnapshot:
        """Return the snapshot itself, since it never changes."""
        return self

    def state_dict(self) -> JSONObject:
        return {"parameters": export_weights(self.parameters), "seed": self.player.seed}

    def load_state_dict(self, state: JSONMapping) -> None:
        """Restore a state of a snapshot or of a learner."""
        saved = state["parameters"] if "parameters" in state else state["descent"]["parameters"]
        if not set(self.parameters) <= set(saved):
            raise ValueError(
                f"the checkpoint lacks {_list_some(set(self.parameters) - set(saved))}: load it "
                "into a snapshot of the same model and adapter"
            )
        _load_weights(self.parameters, saved)
        self.player.seed = state["seed"]

    def __repr__(self) -> str:
        return f"PolicySnapshot({self.player!r})"


def copy_network(network: Any, learning: Iterable[Any]) -> Any:
    """Return a network with copies of the weights that learn; all others are shared."""
    own = {id(one) for one in learning}
    # In training mode buffers change as well, such as the means of batch normalisation.
    others = [*network.parameters(), *(() if network.training else network.buffers())]
    return copy.deepcopy(network, {id(one): one for one in others if id(one) not in own})


def take_finite_step(optimizer: Any, parameters: Iterable[Any], max_norm: float) -> float | None:
    """Clip gradients to a norm, take a step, clear them, and return the norm before clipping.

    If the norm is not finite, take no step and return None: a step would make all weights
    non-finite.
    """
    norm = float(torch.nn.utils.clip_grad_norm_(list(parameters), max_norm))
    finite = math.isfinite(norm)
    if finite:
        optimizer.step()
    optimizer.zero_grad()
    return norm if finite else None


def find_broken_weight(weights: Mapping[str, Any]) -> str | None:
    """Return the name of the first tensor with a value that is not finite, or None."""
    for name, one in weights.items():
        if one.is_floating_point() and not torch.isfinite(one).all():
            return name
    return None


def check_weights(weights: Mapping[str, Any]) -> None:
    """Raise TrainingCollapsed unless all weights to save are finite."""
    if name := find_broken_weight(weights):
        raise TrainingCollapsed(
            f"{name} has weights that are not finite, so they are not saved; the previous "
            "checkpoint is kept"
        )


def _list_some(names: set[str]) -> str:
    listed = sorted(names)
    return ", ".join(listed[:3]) + f" and {len(listed) - 3} more" * (len(listed) > 3)


def export_weights(weights: Mapping[str, Any]) -> dict[str, Any]:
    """Return copies of weights on the CPU; raise TrainingCollapsed if any is not finite."""
    check_weights(weights)
    return {name: one.detach().cpu().clone() for name, one in weights.items()}


def _load_weights(weights: Mapping[str, Any], saved: Mapping[str, Any]) -> None:
    with torch.no_grad():
        for name, one in weights.items():
            one.copy_(saved[name])
