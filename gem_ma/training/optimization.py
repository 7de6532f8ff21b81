"""Steps of an optimiser on what a seat did, and how long they are."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gem_ma.validation.extras import require_extra
from gem_ma.validation.json_types import JSONMapping, JSONObject

with require_extra("hf"):
    import torch


def make_cosine_schedule(steps: int, *, warmup: int = 0, to: float = 0.0) -> Callable[[int], float]:
    """Return a schedule: which part of the highest learning rate a step takes.

    It goes up in `warmup` steps, and from there down along half a cosine until the last of `steps`,
    where `to` of it is left.

    Examples:
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
    """Steps of an optimiser on the clipped objective of PPO.

    Args:
        schedule: which part of the learning rate an update takes, such as `falling`; None: all of
            it.
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
    ):
        self.parameters = dict(parameters)
        if not self.parameters:
            raise ValueError(
                "no parameter to train: all are frozen, or the adapter has no such name"
            )
        self.optimizer = torch.optim.AdamW(
            self.parameters.values(), lr=lr, betas=betas, weight_decay=0.0
        )
        self.lr = lr
        self.schedule = schedule
        self.updates = 0  # so many have begun
        self.clip = clip
        self.epochs = epochs
        self.minibatch = minibatch
        self.max_norm = max_norm
        self.generator = torch.Generator().manual_seed(seed)

    def iter_minibatches(self, count: int) -> Iterator[list[int]]:
        """Yield the places that each step of an update is made of, every place once in an epoch."""
        share = 1.0 if self.schedule is None else self.schedule(self.updates)
        for group in self.optimizer.param_groups:
            group["lr"] = self.lr * share
        self.updates += 1
        size = self.minibatch or max(count, 1)
        for _ in range(self.epochs):
            places = torch.randperm(count, generator=self.generator).tolist()
            yield from (places[start : start + size] for start in range(0, count, size))

    def compute_objective(self, new: Any, old: Any, advantages: Any) -> Any:
        """Return for each token how much better it was made, no further than the clip."""
        ratio = (new - old).exp()
        clipped = ratio.clamp(1 - self.clip, 1 + self.clip)
        return torch.minimum(ratio * advantages, clipped * advantages)

    def step(self) -> float:
        """Take a step along the gradients, clear them, and return their norm."""
        norm = torch.nn.utils.clip_grad_norm_(self.parameters.values(), self.max_norm)
        self.optimizer.step()
        self.optimizer.zero_grad()
        return float(norm)

    def state_dict(self) -> JSONObject:
        return {
            "parameters": {n: one.detach().cpu().clone() for n, one in self.parameters.items()},
            "optimizer": copy.deepcopy(self.optimizer.state_dict()),
            "order": self.generator.get_state(),
            "updates": self.updates,
        }

    def load_state_dict(self, state: JSONMapping) -> None:
        if set(state["parameters"]) != set(self.parameters):
            raise ValueError("the checkpoint holds other parameters than those that are trained")
        with torch.no_grad():
            for name, one in self.parameters.items():
                one.copy_(state["parameters"][name])
        self.optimizer.load_state_dict(state["optimizer"])
        self.generator.set_state(state["order"])
        self.updates = state["updates"]
