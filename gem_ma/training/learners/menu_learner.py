"""MenuLearner: a learner with your own network that chooses replies from a menu."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gem_ma.chat.messages import ChatMessage
from gem_ma.chat.reply import Reply
from gem_ma.chat.turn import Turn
from gem_ma.engine.seeding import derive_seed
from gem_ma.training.learners.optimization import PolicyOptimizer, PolicySnapshot, copy_network
from gem_ma.training.reference_trainer import SeatTrajectory
from gem_ma.validation.extras import require_extra
from gem_ma.validation.json_types import JSONMapping, JSONObject

with require_extra("hf"):
    import torch


class MenuLearner:
    """A learner whose network chooses each reply from a menu, in one or several choices.

    If the menu is shorter than the scores, the last scores are ignored. The token ids of a reply
    are the indices of its menu entries. Equal inputs pass through the network once per batch.
    Everything runs on the CPU.

    Args:
        network: maps a batch of feature arrays of `read` to scores: one per menu entry, or one per
            choice and menu entry if a reply consists of several choices.
        read: maps the messages of a seat's chat so far to a feature array, always of the same
            shape, and the menu. A reply is the concatenation of the chosen entries.
        lr: learning rate.
        clip: clipping range of the ratio of new to old probability (PPO).
        entropy: weight of the entropy bonus, which delays convergence to one reply.
        epochs: passes over the turns of an update.
        minibatch: turns per optimiser step; None: all of an update.
        max_norm: gradient norm above which gradients are clipped.
        max_importance: truncation limit of the importance weights of stale replies, which older
            weights chose (see `max_staleness` of Trainer).
        seed: decides the order of minibatches, and the draws until a Trainer sets another seed.
    """

    def __init__(
        self,
        network: Any,
        read: Callable[[Sequence[ChatMessage]], tuple[np.ndarray, Sequence[str]]],
        *,
        lr: float = 2e-3,
        clip: float = 0.2,
        entropy: float = 0.01,
        epochs: int = 4,
        minibatch: int | None = None,
        max_norm: float = 1.0,
        max_importance: float = 2.0,
        seed: int = 0,
    ):
        self.network = network
        self.read = read
        self.entropy = entropy
        self.seed = seed
        self.policy_optimizer = PolicyOptimizer(
            dict(network.named_parameters()),
            lr=lr,
            clip=clip,
            epochs=epochs,
            minibatch=minibatch,
            max_norm=max_norm,
            seed=seed,
            max_importance=max_importance,
        )

    def act(self, turns: list[Turn]) -> list[Reply]:
        seen, menus = zip(*[self.read(turn.messages) for turn in turns], strict=True)
        with torch.no_grad():
            logprobs = self._compute_logprobs(seen, [len(menu) for menu in menus])
        sums = logprobs.exp().double().cumsum(-1)
        drawn = torch.tensor(
            [
                [derive_seed(self.seed, t.seed, n) / 2**63 for n in range(sums.shape[1])]
                for t in turns
            ],
            dtype=torch.float64,
        )
        chosen = torch.searchsorted(sums, drawn[..., None] * sums[..., -1:], right=True)
        lengths = torch.tensor([len(menu) for menu in menus])[:, None, None]
        chosen = torch.minimum(chosen, lengths - 1)
        likely = logprobs.gather(-1, chosen)[..., 0].tolist()
        return [
            Reply("".join([menu[place] for place in row]), token_ids=row, logprobs=told)
            for menu, row, told in zip(menus, chosen[..., 0].tolist(), likely, strict=True)
        ]

    def update(self, parts: Sequence[SeatTrajectory]) -> dict[str, float]:
        seen, sizes, worth = [], [], []
        replies: list[Any] = []
        for part in parts:
            chat = part.episode.chat(part.seat)
            for number in range(
                len(chat.steps) - len(part.episode.list_own_steps(part.seat)), len(chat.steps)
            ):
                step = chat.steps[number]
                features, menu = self.read(chat.build_messages(number))
                seen.append(features)
                sizes.append(len(menu))
                replies.append(step.reply)
            worth += list(part.advantages)
        chosen = torch.tensor([reply.token_ids for reply in replies])[..., None]
        drawn = old = torch.tensor([reply.logprobs for reply in replies])
        stale = any(any(part.staleness) for part in parts)
        if stale:
            with torch.no_grad():
                old = self._compute_logprobs(seen, sizes).gather(-1, chosen)[..., 0]
        advantages = torch.tensor(np.array(worth), dtype=torch.float32)[:, None]
        metrics = {"loss": 0.0, "entropy": 0.0, "gradient": 0.0}
        steps = skipped = 0
        for places in self.policy_optimizer.iter_minibatches(len(seen)):
            logprobs = self._compute_logprobs([seen[i] for i in places], [sizes[i] for i in places])
            new = logprobs.gather(-1, chosen[places])[..., 0]
            gain = self.policy_optimizer.compute_objective(
                new, old[places], advantages[places], drawn[places] if stale else None
            ).mean()
            entropy = -(logprobs.exp() * logprobs.clamp(min=-1e4)).sum(-1).mean()
            loss = -gain - self.entropy * entropy
            loss.backward()
            gradient = self.policy_optimizer.step()
            if gradient is None:
                skipped += 1
                continue
            metrics["gradient"] += gradient
            metrics["loss"] += loss.item()
            metrics["entropy"] += entropy.item()
            steps += 1
        if skipped and not steps:  # there are no other metrics
            return {"skipped": skipped}
        means = {name: value / max(steps, 1) for name, value in metrics.items()}
        return {**means, "skipped": skipped}

    def make_snapshot(self) -> PolicySnapshot:
        """Return an agent that keeps playing with the current weights."""
        player, learning = copy.copy(self), self.policy_optimizer.parameters
        player.network = copy_network(self.network, learning.values())
        del player.policy_optimizer
        return PolicySnapshot(player, player.network, learning)

    def _compute_logprobs(self, seen: Sequence[np.ndarray], sizes: Sequence[int]) -> Any:
        """Return log-probabilities of the shape rows x choices x entries."""
        places: dict[tuple[bytes, int], int] = {}
        rows: list[int] = []
        first: list[int] = []
        for number, (features, size) in enumerate(zip(seen, sizes, strict=True)):
            key = features.tobytes(), size
            if key not in places:
                places[key] = len(first)
                first.append(number)
            rows.append(places[key])
        scores = self.network(torch.from_numpy(np.stack([seen[number] for number in first])))
        scores = scores if scores.ndim == 3 else scores[:, None]
        beyond = torch.arange(scores.shape[-1]) >= torch.tensor([sizes[n] for n in first])[:, None]
        scores = scores.masked_fill(beyond[:, None], -torch.inf)
        return torch.log_softmax(scores, -1)[rows]

    def state_dict(self) -> JSONObject:
        return {"descent": self.policy_optimizer.state_dict(), "seed": self.seed}

    def load_state_dict(self, state: JSONMapping) -> None:
        self.policy_optimizer.load_state_dict(state["descent"])
        self.seed = state["seed"]
