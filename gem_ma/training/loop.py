"""A small trainer to read: play, judge every turn, take a step; in one process and plain torch.

What learns is a Learner in a seat: HFLearner for a model of transformers, a Chooser (see
`gem_ma.training.chooser`) for a network of one's own. The same learner in several seats shares its
parameters, different ones have their own, and all other agents just play. For large runs take a
trainer that is made for them.

    learner = HFLearner(model, processor, lr=1e-5, max_new_tokens=32)
    trainer = Trainer("game:GuessTheNumber-v0", {"player": learner}, rebn)
    trainer.run(100, "run/checkpoint.pt")
"""

from __future__ import annotations

import contextlib
import copy
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from gem_ma.agents.hf import HFAgent
from gem_ma.match.seeding import mix
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.rollout import rollout
from gem_ma.talk.asking import Agent
from gem_ma.talk.reply import Reply
from gem_ma.talk.turns import Turn
from gem_ma.training.advantages import Turns, rae, turns
from gem_ma.training.keeping import write_whole
from gem_ma.training.samples import Sample, samples

try:
    import torch
except ImportError as error:
    raise ImportError("gem_ma.training.loop needs torch: pip install 'gem-ma[hf]'") from error

_FORMAT = 1  # of checkpoints


class Part(NamedTuple):
    """One seat's part in an episode, and what each of its turns is worth."""

    episode: Episode
    seat: str
    advantages: Sequence[float]


@runtime_checkable
class Learner(Agent, Protocol):
    """An agent that learns from what it did."""

    seed: int  # decides its draws; the trainer sets it before every update

    def update(self, parts: Sequence[Part]) -> Mapping[str, float]:
        """Learn from these, and return numbers for the history."""

    def state_dict(self) -> dict[str, Any]:
        """Return all that it takes to go on exactly: tensors, numbers, texts, lists, dicts."""

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from such a state."""


class Trainer:
    """Plays episodes and lets the learners among the agents learn from them, again and again.

    env: an id, an environment or several of them, as `rollout` takes it.
    agents: who sits in each seat. What they draw is decided by the `seed`, which it sets anew for
        each update in all that have one.
    advantages: returns what each of some Turns is worth, such as `rebn`, or another of
        `gem_ma.training.advantages` with its arguments in a functools.partial. It gets the turns of
        one learner at a time. What it remembers (see RoleBaselines) is in the checkpoints.
    episodes: for each update. group: so many in a row have the same start.
    train: the seats whose learners learn; None: all that can.
    starts: a seed, if all updates are to begin from the same starts.
    measure: returns numbers of an episode, whose means belong into the history.
    rollout: further arguments of `rollout`, those that make the environment among them.
    """

    def __init__(
        self,
        env: Any,
        agents: Mapping[str, Any],
        advantages: Callable[[Turns], Any],
        *,
        episodes: int = 64,
        group: int = 1,
        seed: int = 0,
        train: Sequence[str] | None = None,
        starts: int | None = None,
        measure: Callable[[Episode], Mapping[str, float]] | None = None,
        rollout: Mapping[str, Any] | None = None,
    ):
        self.env = env
        self.agents = dict(agents)
        self.advantages = advantages
        self.episodes = episodes
        self.group = group
        self.seed = seed
        self.starts = starts
        self.measure = measure
        self.rollout = {"max_errors": 0, "progress": False, **(rollout or {})}
        able = [seat for seat, agent in self.agents.items() if isinstance(agent, Learner)]
        self.train = tuple(able if train is None else train)
        unable = [seat for seat in self.train if seat not in able]
        if unable or not self.train:
            raise ValueError(
                f"cannot train {', '.join(unable) or 'nobody'}; the seats with learners are "
                f"{', '.join(able) or 'none'}"
            )
        self.step = 0
        self.history: list[dict[str, float]] = []

    def run(
        self,
        updates: int,
        path: str | os.PathLike[str] | None = None,
        *,
        every: int = 10,
        after: Callable[[Trainer], None] | Sequence[Callable[[Trainer], None]] = (),
    ) -> list[dict[str, float]]:
        """Train until so many updates are made, and return the history.

        path: a checkpoint, written after `every` so many updates; if it is there, training goes on
            from it, and gives what it would have given had it never stopped.
        after: called after each update, one or several: to evaluate, to give opponents a new state,
            or to stop what goes wrong (see `gem_ma.training.health`).
        """
        calls = [after] if callable(after) else list(after or ())
        if path is not None and Path(path).exists():
            self.load(path)
        while self.step < updates:
            self.update()
            for call in calls:
                call(self)
            if path is not None and (self.step % every == 0 or self.step == updates):
                self.save(path)
        return self.history

    def update(self) -> dict[str, float]:
        """Play, let every learner learn, and return the row that this adds to the history."""
        for agent, _ in _distinct(self.agents):
            if hasattr(agent, "seed"):
                agent.seed = mix(self.seed, self.step, 1)
        episodes = rollout(
            self.env,
            self.agents,
            self.episodes,
            group=self.group,
            seed=mix(self.seed, self.step) if self.starts is None else self.starts,
            **self.rollout,
        )
        played = [episode for episode in episodes if episode.failure is None]
        row: dict[str, float] = {"step": self.step}
        for seat in self.agents:
            row[f"return/{seat}"] = _mean([e.returns[seat] for e in played])
            own = [step for e in played for step in e.steps if step.agent == seat]
            row[f"invalid/{seat}"] = _mean([step.invalid is not None for step in own])
        row["turns"] = _mean([len(e.steps) for e in played])
        measured = [self.measure(episode) for episode in played] if self.measure else []
        for name in measured[0] if measured else ():
            row[name] = _mean([one[name] for one in measured])
        trained = {seat: self.agents[seat] for seat in self.train}
        for learner, seats in _distinct(trained):
            told = learner.update(self.judge(played, seats))
            row |= {f"{name}/{seats[0]}": float(value) for name, value in told.items()}
        self.step += 1
        self.history.append(row)
        return row

    def judge(self, episodes: Sequence[Episode], seats: Sequence[str]) -> list[Part]:
        """Return what these seats did, with one advantage for each turn."""
        rows = turns(episodes)
        rows = rows[np.isin(rows.seat, seats)]
        found: dict[tuple[str, str], list[float]] = {}
        values = np.asarray(self.advantages(rows)).tolist()
        for *key, value in zip(rows.episode.tolist(), rows.seat.tolist(), values, strict=True):
            found.setdefault(tuple(key), []).append(value)
        by_id = {episode.id: episode for episode in episodes}
        return [Part(by_id[id], seat, worth) for (id, seat), worth in found.items()]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a checkpoint; a process that is killed here leaves the one before."""
        state = {
            "settings": self._settings(),
            "step": self.step,
            "history": self.history,
            "advantages": self._memory(),
            "agents": {
                seats[0]: agent.state_dict()
                for agent, seats in _distinct(self.agents)
                if hasattr(agent, "state_dict")
            },
        }
        write_whole(path, state)

    def load(self, path: str | os.PathLike[str]) -> None:
        """Go on from a checkpoint of the same training."""
        state = torch.load(path, map_location="cpu", weights_only=True)
        settings = self._settings()
        if state["settings"] != settings:
            raise ValueError(
                f"{path} comes from another training: {state['settings']}, and this is {settings}"
            )
        self.step, self.history = state["step"], state["history"]
        if state["advantages"] is not None:
            self.advantages.load_state_dict(state["advantages"])  # type: ignore[attr-defined]
        for agent, seats in _distinct(self.agents):
            if hasattr(agent, "state_dict"):
                agent.load_state_dict(state["agents"][seats[0]])

    def _memory(self) -> Any:
        return self.advantages.state_dict() if hasattr(self.advantages, "state_dict") else None

    def _settings(self) -> dict[str, Any]:
        names = ("episodes", "group", "seed", "starts", "train")
        envs = self.env if isinstance(self.env, list | tuple) else [self.env]
        given = {name: getattr(self, name) for name in names}
        return {"format": _FORMAT, "envs": [str(env) for env in envs], **given}


class RoleBaselines:
    """Role-conditioned advantages (`rae`), with the baselines that they remember."""

    def __init__(self, decay: float = 0.95, by: Sequence[str] = ("env", "seat")):
        self.decay = decay
        self.by = by
        self.baselines: dict[str, float] = {}

    def __call__(self, rows: Turns) -> Any:
        advantages, self.baselines = rae(rows, self.baselines, self.decay, self.by)
        return advantages

    def state_dict(self) -> dict[str, float]:
        return self.baselines

    def load_state_dict(self, state: Mapping[str, float]) -> None:
        self.baselines = dict(state)


def _distinct(agents: Mapping[str, Any]) -> list[tuple[Any, list[str]]]:
    """Return each agent once, with its seats."""
    found: dict[int, tuple[Any, list[str]]] = {}
    for seat, agent in agents.items():
        found.setdefault(id(agent), (agent, []))[1].append(seat)
    return list(found.values())


def _mean(numbers: Sequence[float]) -> float:
    return math.fsum(numbers) / len(numbers) if numbers else math.nan


class Descent:
    """Steps of an optimiser on the clipped objective of PPO."""

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
    ):
        self.parameters = dict(parameters)
        if not self.parameters:
            raise ValueError(
                "no parameter to train: all are frozen, or the adapter has no such name"
            )
        self.optimizer = torch.optim.AdamW(self.parameters.values(), lr=lr, weight_decay=0.0)
        self.clip = clip
        self.epochs = epochs
        self.minibatch = minibatch
        self.max_norm = max_norm
        self.order = torch.Generator().manual_seed(seed)

    def batches(self, count: int) -> Iterator[list[int]]:
        """Yield the places that each step is made of, every place once in an epoch."""
        size = self.minibatch or max(count, 1)
        for _ in range(self.epochs):
            places = torch.randperm(count, generator=self.order).tolist()
            yield from (places[start : start + size] for start in range(0, count, size))

    def objective(self, new: Any, old: Any, advantages: Any) -> Any:
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

    def state_dict(self) -> dict[str, Any]:
        return {
            "parameters": {n: one.detach().cpu().clone() for n, one in self.parameters.items()},
            "optimizer": copy.deepcopy(self.optimizer.state_dict()),
            "order": self.order.get_state(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        if set(state["parameters"]) != set(self.parameters):
            raise ValueError("the checkpoint holds other parameters than those that are trained")
        with torch.no_grad():
            for name, one in self.parameters.items():
                one.copy_(state["parameters"][name])
        self.optimizer.load_state_dict(state["optimizer"])
        self.order.set_state(state["order"])


class HFLearner(HFAgent):
    """A model of transformers that learns from the very tokens it drew, texts and pictures.

    clip: of the ratio of new to old probability. kl: the weight of the distance to the model as it
        was at first, without its adapter if it has one. entropy: the weight of that of its tokens,
        which keeps it from settling too soon.
    epochs: how often an update goes through its samples. minibatch: the samples of one step of the
        optimiser, None for all; they go through the model `microbatch` at a time.
    adapter: the LoRA adapter to train, of a model of peft (see `adapters`); None: all parameters
        that are not frozen.
    agent: further arguments of HFAgent.

    The model stays in eval mode: with dropout, what is updated would not be what played.
    """

    blocking = False  # in a thread, what makes up a batch would depend on the clock

    def __init__(
        self,
        model: Any,
        processor: Any = None,
        *,
        lr: float = 1e-5,
        clip: float = 0.2,
        kl: float = 0.0,
        entropy: float = 0.0,
        epochs: int = 1,
        minibatch: int | None = None,
        microbatch: int = 8,
        max_norm: float = 1.0,
        adapter: str | None = None,
        seed: int = 0,
        **agent: Any,
    ):
        super().__init__(model, processor, seed=seed, **agent)
        if self.temperature == 0:
            raise ValueError("temperature=0 draws nothing to learn from; use 1.0")
        self.adapter = adapter
        self.kl = kl
        self.entropy = entropy
        self.microbatch = microbatch
        self._choose_adapter()
        self.descent = Descent(
            {
                name: one
                for name, one in self.model.named_parameters()
                if one.requires_grad and (adapter is None or f".{adapter}." in name)
            },
            lr=lr,
            clip=clip,
            epochs=epochs,
            minibatch=minibatch,
            max_norm=max_norm,
            seed=seed,
        )
        self.reference: Any = None
        if kl and adapter is None:
            self.reference = copy.deepcopy(self.model).requires_grad_(False)

    def act(self, turns: list[Turn]) -> list[Reply]:
        self._choose_adapter()
        return super().act(turns)

    def update(self, parts: Sequence[Part]) -> dict[str, float]:
        self._choose_adapter()
        work = [pair for part in parts for pair in self._weighted(part)]
        told = dict.fromkeys(("loss", "kl", "entropy", "clipped", "gradient"), 0.0)
        told["disagreement"] = 0.0
        steps = 0
        for places in self.descent.batches(len(work)):
            tokens = sum(sum(work[place][0].mask) for place in places)
            for start in range(0, len(places), self.microbatch):
                batch = [work[place] for place in places[start : start + self.microbatch]]
                loss, found = self._loss(batch, tokens)
                loss.backward()
                told["loss"] += loss.item()
                if steps == 0:  # the model is still the one that played
                    told["disagreement"] = max(told["disagreement"], found.pop("disagreement"))
                for name in ("kl", "entropy", "clipped"):
                    told[name] += found[name]
            told["gradient"] += self.descent.step()
            steps += 1
        for name in told.keys() - {"disagreement"}:
            told[name] /= max(steps, 1)
        replies = [span for sample, _ in work for span in sample.spans]
        told["length"] = _mean([span.end - span.start for span in replies])
        return told

    def _weighted(self, part: Part) -> Iterator[tuple[Sample, list[float]]]:
        """Yield the samples of a part, each with the advantage of every token."""
        places = [i for i, step in enumerate(part.episode.steps) if step.agent == part.seat]
        worth = dict(zip(places, part.advantages, strict=True))
        for sample in samples(part.episode, part.seat, self.tokens):
            if not sample.exact:
                raise ValueError(f"{part.seat} said what its model did not draw: {sample.notes}")
            drawn = [x for x, own in zip(sample.logprobs, sample.mask, strict=True) if own]
            if any(map(math.isnan, drawn)):
                raise ValueError(f"{part.seat} has replies without log-probabilities")
            weights = [0.0] * len(sample.ids)
            for span in sample.spans:
                weights[span.start : span.end] = [worth[span.step]] * (span.end - span.start)
            yield sample, weights

    def _loss(
        self, batch: list[tuple[Sample, list[float]]], tokens: int
    ) -> tuple[Any, dict[str, float]]:
        """Return the batch's part of the mean over tokens, and what there is to tell of it."""
        found = [sample for sample, _ in batch]
        mask = self._rows([sample.mask for sample in found])[:, 1:]  # nothing says the first token
        old = self._rows([sample.logprobs for sample in found])[:, 1:].nan_to_num() * mask
        advantages = self._rows([weights for _, weights in batch])[:, 1:]
        new, entropy = self._read(found)
        new = new * mask
        gain = (self.descent.objective(new, old, advantages) * mask).sum()
        distance = torch.zeros_like(gain)
        if self.kl:
            with torch.no_grad():
                before = self._read(found, reference=True)[0] * mask
            apart = before - new
            distance = ((apart.exp() - apart - 1) * mask).sum()
        entropy = (entropy * mask).sum()
        ratio = ((new - old).detach().exp() - 1).abs()
        told = {
            "kl": distance.item() / tokens,
            "entropy": entropy.item() / tokens,
            "clipped": (ratio > self.descent.clip).sum().item() / tokens,
            "disagreement": ratio.max().item(),
        }
        return (self.kl * distance - self.entropy * entropy - gain) / tokens, told

    def logprobs(self, found: Sequence[Sample], *, reference: bool = False) -> Any:
        """Return the log-probability of each token but the first, at the agent's temperature."""
        return self._read(found, reference=reference)[0]

    def _read(self, found: Sequence[Sample], *, reference: bool = False) -> tuple[Any, Any]:
        """Return how likely each token but the first was, and the entropy of what it came from."""
        ids = self._rows([sample.ids for sample in found], torch.long)
        kept = self._rows([[1] * len(sample.ids) for sample in found], torch.long)
        inputs = {"input_ids": ids, "attention_mask": kept}
        for name in sorted({name for sample in found for name in sample.marks}):
            rows = [sample.marks.get(name, [0] * len(sample.ids)) for sample in found]
            inputs[name] = self._rows(rows, torch.long)
        for name in sorted({name for sample in found for name in sample.tensors}):
            shown = [sample.tensors[name] for sample in found if name in sample.tensors]
            inputs[name] = torch.cat(shown).to(self.model.device)
        with self._as_at_first() if reference else contextlib.nullcontext(self.model) as model:
            logits = model(**inputs).logits[:, :-1].float() / self.temperature
        whole = logits.logsumexp(-1)
        entropy = whole - (torch.exp(logits - whole[..., None]) * logits).sum(-1)
        return logits.gather(-1, ids[:, 1:, None])[..., 0] - whole, entropy

    def _rows(self, rows: Sequence[Sequence[float]], kind: Any = torch.float32) -> Any:
        """Return rows padded at the right, so that no token's position changes."""
        longest = max(map(len, rows))
        padded = [[*row, *[0] * (longest - len(row))] for row in rows]
        return torch.tensor(padded, dtype=kind, device=self.model.device)

    @contextlib.contextmanager
    def _as_at_first(self) -> Iterator[Any]:
        if self.adapter is None:
            yield self.reference
        else:
            with self.model.disable_adapter():
                yield self.model

    def _choose_adapter(self) -> None:
        if self.adapter is not None:
            self.model.set_adapter(self.adapter)

    def state_dict(self) -> dict[str, Any]:
        state = {"descent": self.descent.state_dict(), "seed": self.seed}
        if self.reference is not None:
            state["reference"] = self.reference.state_dict()
        return state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.descent.load_state_dict(state["descent"])
        self.seed = state["seed"]
        if self.reference is not None:
            self.reference.load_state_dict(state["reference"])


def adapters(model: Any, names: Sequence[str], **config: Any) -> Any:
    """Return a model with a LoRA adapter of each name, for one HFLearner each; needs peft.

    config: arguments of peft's LoraConfig: r=8, target_modules="all-linear", ...
    """
    try:
        import peft  # type: ignore[import-not-found, unused-ignore]
    except ImportError as error:
        raise ImportError("LoRA adapters need peft: pip install peft") from error
    first, *others = names
    model = peft.get_peft_model(model, peft.LoraConfig(**config), adapter_name=first)
    for name in others:
        model.add_adapter(name, peft.LoraConfig(**config))
    return model
