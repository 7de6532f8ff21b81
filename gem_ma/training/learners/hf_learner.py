"""HFLearner: a transformers model that learns from the tokens it drew, in one or several seats."""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from gem_ma.agents.hf import HFAgent
from gem_ma.chat.reply import Reply
from gem_ma.chat.turn import Turn
from gem_ma.training.learners.forward_pass import PREFIX_KEY_LENGTH, collate_samples, forward_logits
from gem_ma.training.learners.optimization import (
    HALF_TYPES,
    PolicyOptimizer,
    PolicySnapshot,
    copy_network,
)
from gem_ma.training.reference_trainer import SeatTrajectory
from gem_ma.training.token_samples import TokenSample, build_samples
from gem_ma.validation.extras import require_extra
from gem_ma.validation.json_types import JSONMapping, JSONObject

with require_extra("hf"):
    import torch

# A low beta2 forgets small gradients quickly; else the first large one makes too large a step.
_ADAM_BETAS = 0.9, 0.95


class WeightedSample(NamedTuple):
    """A sample with the advantages of its own tokens and the critic's targets of its turns."""

    sample: TokenSample
    advantages: list[float]
    targets: list[float]  # one for each span, for a critic
    old_logprobs: list[float] | None = None  # at the start of the update, if older weights drew it


class HFLearner(HFAgent):
    """A transformers model that learns from the tokens it drew, with texts and pictures.

    The model stays in eval mode: with dropout, the updated policy would differ from the one that
    played. Weights that learn are converted to float32, because 16-bit weights lose small steps.

    Args:
        model: the model, as HFAgent takes it.
        processor: its tokenizer or processor, as HFAgent takes it.
        lr: highest learning rate.
        clip: clipping range of the ratio of new to old probability (PPO).
        kl: weight of the KL divergence to the model at the start, without its adapter if it has
            one.
        entropy: weight of the entropy bonus, which delays convergence to one reply.
        critic: weight of the squared error of a value head over the model's hidden states, which
            PPO needs (see `gem_ma.training.advantages.ppo`); 0: no value head.
        schedule: factor on `lr` by number of the update, such as that of `make_cosine_schedule`;
            None: always 1.
        epochs: passes over the samples of an update.
        minibatch: samples per optimiser step; None: all of an update.
        microbatch: samples per forward pass.
        max_norm: gradient norm above which gradients are clipped.
        max_importance: truncation limit of the importance weights of stale tokens, which older
            weights drew (see `max_staleness` of Trainer).
        precision: "mixed" plays and learns with bfloat16 autocast, and keeps the type of weights
            that do not learn; "full" uses float32 throughout. None: "mixed" on a CUDA device, or if
            weights that do not learn have 16 bits; "full" otherwise.
        adapter: the LoRA adapter to train, of a peft model (see `add_lora_adapters`); None: all
            parameters that are not frozen.
        lora: arguments of peft's LoraConfig, such as {"r": 16}, to add a new adapter to a model
            without adapters and train only the adapter; None: add none.
        seed: decides the order of the samples, and the draws until a Trainer sets another seed.
        dtype: type in which the weights of a folder are loaded. None: float32, or the folder's own
            type with `lora`.
        **agent: further arguments of HFAgent.
    """

    blocking = False  # in a thread, the composition of batches would depend on timing

    def __init__(
        self,
        model: Any,
        processor: Any = None,
        *,
        lr: float = 1e-5,
        clip: float = 0.2,
        kl: float = 0.0,
        entropy: float = 0.0,
        critic: float = 0.0,
        schedule: Callable[[int], float] | None = None,
        epochs: int = 1,
        minibatch: int | None = None,
        microbatch: int = 8,
        max_norm: float = 1.0,
        max_importance: float = 2.0,
        precision: Literal["full", "mixed"] | None = None,
        adapter: str | None = None,
        lora: JSONMapping | None = None,
        seed: int = 0,
        dtype: str | None = None,
        **agent: Any,
    ):
        dtype = dtype or ("float32" if lora is None else "auto")
        super().__init__(model, processor, seed=seed, dtype=dtype, **agent)
        if lora is not None:
            if adapter is not None:
                raise ValueError(
                    f"got lora= for a new adapter and adapter={adapter!r} for one that exists; "
                    "pass one of them"
                )
            adapter = "default"
            self.model = add_lora_adapters(self.model, [adapter], **lora).eval()
        if self.temperature == 0:
            raise ValueError(
                "temperature=0 does not sample, so there is nothing to learn; expected more than "
                "0, such as 1.0"
            )
        if precision not in ("full", "mixed", None):
            raise ValueError(f"precision={precision!r}: expected 'full' or 'mixed'")
        self.adapter = adapter
        self.kl = kl
        self.entropy = entropy
        self.critic = critic
        self.microbatch = microbatch
        self._activate_adapter()
        trained = {
            name: one
            for name, one in self.model.named_parameters()
            if one.requires_grad and (adapter is None or f".{adapter}." in name)
        }
        self.precision = _widen_weights(self.model, list(trained.values()), precision)
        self.value_head: Any = None
        if critic and trained:
            width = self.model.get_output_embeddings().weight.shape[1]
            self.value_head = torch.nn.Linear(width, 1, device=self.model.device)
            for name, one in self.value_head.named_parameters():
                torch.nn.init.zeros_(one)
                trained[f"critic.{name}"] = one
        self.policy_optimizer = PolicyOptimizer(
            trained,
            lr=lr,
            clip=clip,
            epochs=epochs,
            minibatch=minibatch,
            max_norm=max_norm,
            seed=seed,
            schedule=schedule,
            betas=_ADAM_BETAS,
            max_importance=max_importance,
        )
        self.reference_model: Any = None
        if kl and adapter is None:
            reference = copy_network(self.model, trained.values())
            self.reference_model = reference.requires_grad_(False)

    def act(self, turns: list[Turn]) -> list[Reply]:
        self._activate_adapter()
        with self._autocast():
            return super().act(turns)

    def compute_probabilities(
        self, turns: Sequence[Turn], replies: Sequence[Sequence[str]] | None = None
    ) -> list[list[float]]:
        self._activate_adapter()
        with self._autocast():
            return super().compute_probabilities(turns, replies)

    def values(self, parts: Sequence[SeatTrajectory]) -> list[list[float]] | None:
        """Return the critic's values of the turns of each trajectory; None without a critic."""
        if self.value_head is None:
            return None
        self._activate_adapter()
        found = [work for part in parts for work in self._weight_samples(part)]
        expected: dict[tuple[str, str, int], float] = {}
        with torch.no_grad():
            for batch in self._iter_microbatches(found, range(len(found))):
                _, _, values = self._forward_samples([work.sample for work in batch])
                values_left = iter(values.tolist())
                for sample, *_ in batch:
                    for span in sample.spans:
                        expected[sample.episode, sample.seat, span.step] = next(values_left)
        return [
            [
                expected[part.episode.id, part.seat, place]
                for place in part.episode.list_own_steps(part.seat)
            ]
            for part in parts
        ]

    def update(self, parts: Sequence[SeatTrajectory]) -> dict[str, float]:
        self._activate_adapter()
        found = [work for part in parts for work in self._weight_samples(part)]
        names = ["loss", "kl", "entropy", "clipped", *(["critic"] if self.value_head else [])]
        if any(any(part.staleness) for part in parts):
            found = self._add_old_logprobs(found)
            names.append("truncated")
        metrics = dict.fromkeys([*names, "gradient"], 0.0)
        disagreement = 0.0
        steps = skipped = 0
        for places in self.policy_optimizer.iter_minibatches(len(found)):
            chosen = [found[place].sample for place in places]
            tokens = sum(sum(sample.mask) for sample in chosen)
            turns = sum(len(sample.spans) for sample in chosen)
            step = dict.fromkeys([*names, "disagreement"], 0.0)
            for batch in self._iter_microbatches(found, places):
                loss, seen = self._compute_loss(batch, tokens, turns)
                loss.backward()
                seen["loss"] = loss.item()
                step["disagreement"] = max(step["disagreement"], seen["disagreement"])
                for name in names:
                    step[name] += seen[name]
            gradient = self.policy_optimizer.step()
            if gradient is None:
                skipped += 1
                continue
            if steps == 0:  # the weights are still those at the start of the update
                disagreement = step["disagreement"]
            step["gradient"] = gradient
            metrics = {name: value + step[name] for name, value in metrics.items()}
            steps += 1
        lengths = [span.end - span.start for work in found for span in work.sample.spans]
        length = math.fsum(lengths) / len(lengths) if lengths else math.nan
        if skipped and not steps:  # there are no other metrics
            return {"skipped": skipped, "length": length}
        means = {name: value / max(steps, 1) for name, value in metrics.items()}
        return {**means, "skipped": skipped, "disagreement": disagreement, "length": length}

    def make_snapshot(self) -> PolicySnapshot:
        """Return an agent that keeps playing with the current weights."""
        learning = self.policy_optimizer.parameters
        player = self.copy_with_model(copy_network(self.model, learning.values()))
        player.reference_model = player.value_head = None
        del player.policy_optimizer
        return PolicySnapshot(player, player.model, learning)

    def _weight_samples(self, part: SeatTrajectory) -> Iterator[WeightedSample]:
        """Yield the samples of a trajectory, with the advantages of its own tokens."""
        places = part.episode.list_own_steps(part.seat)
        worth = dict(zip(places, part.advantages, strict=True)) if part.advantages else {}
        targets = dict(zip(places, part.targets, strict=True)) if part.targets else {}
        for sample in build_samples(part.episode, part.seat, self.tokens):
            if not sample.exact:
                raise ValueError(
                    f"the tokens of {part.seat} may differ from those that its model drew: "
                    f"{'; '.join(sample.notes)}"
                )
            logprobs = [x for x, own in zip(sample.logprobs, sample.mask, strict=True) if own]
            if any(map(math.isnan, logprobs)):
                raise ValueError(
                    f"{part.seat} has replies without log-probabilities; expected Reply.logprobs "
                    "for each token, as HFAgent gives them"
                )
            yield WeightedSample(
                sample,
                [
                    s.share * worth.get(s.step, 0.0)
                    for s in sample.spans
                    for _ in range(s.start, s.end)
                ],
                [targets[span.step] for span in sample.spans] if targets else [],
            )

    def _add_old_logprobs(self, found: Sequence[WeightedSample]) -> list[WeightedSample]:
        """Return samples with the current log-probabilities of their own tokens."""
        old: dict[int, list[float]] = {}
        with torch.no_grad():
            for batch in self._iter_microbatches(found, range(len(found))):
                flat = iter(self.compute_logprobs([work.sample for work in batch]).tolist())
                for work in batch:
                    old[id(work)] = list(itertools.islice(flat, sum(work.sample.mask)))
        return [work._replace(old_logprobs=old[id(work)]) for work in found]

    def _iter_microbatches(
        self, found: Sequence[WeightedSample], places: Sequence[int]
    ) -> Iterator[list[WeightedSample]]:
        """Yield the samples at some indices in batches with common prefixes and similar lengths.

        The choice of batches changes results only by rounding.
        """
        work = [found[place] for place in places]
        work.sort(key=lambda one: (one.sample.ids[:PREFIX_KEY_LENGTH], len(one.sample.ids)))
        for start in range(0, len(work), self.microbatch):
            yield work[start : start + self.microbatch]

    def _compute_loss(
        self, batch: list[WeightedSample], tokens: int, turns: int
    ) -> tuple[Any, dict[str, float]]:
        """Return the batch's part of the mean loss over `tokens`, and its metrics."""
        found = [work.sample for work in batch]
        drawn = self._make_tensor(
            likely
            for sample in found
            for likely, own in zip(sample.logprobs, sample.mask, strict=True)
            if own
        )
        advantages = self._make_tensor(worth for work in batch for worth in work.advantages)
        stale = batch[0].old_logprobs is not None
        old = drawn
        if stale:
            old = self._make_tensor(likely for work in batch for likely in work.old_logprobs or ())
        new, entropies, values = self._forward_samples(found)
        gain = self.policy_optimizer.compute_objective(
            new, old, advantages, drawn if stale else None
        ).sum()
        entropy = entropies.sum()
        distance = torch.zeros_like(gain)
        if self.kl:
            with torch.no_grad():
                before = self._forward_samples(found, reference=True)[0]
            apart = before - new
            distance = (apart.exp() - apart - 1).sum()
        ratio = ((new - old).detach().exp() - 1).abs()
        metrics = {
            "kl": distance.item() / tokens,
            "entropy": entropy.item() / tokens,
            "clipped": (ratio > self.policy_optimizer.clip).sum().item() / tokens,
            "disagreement": ratio.max().item(),
        }
        if stale:
            truncated = (old - drawn).exp() > self.policy_optimizer.max_importance
            metrics["truncated"] = truncated.sum().item() / tokens
        loss = (self.kl * distance - self.entropy * entropy - gain) / tokens
        if self.value_head is not None:
            targets = self._make_tensor(target for work in batch for target in work.targets)
            if targets.shape != values.shape:
                raise ValueError(
                    f"critic={self.critic} needs a target value for each turn; use "
                    "advantages=gem_ma.training.advantages.ppo, which gives them"
                )
            error = ((values - targets) ** 2).sum() / turns
            metrics["critic"] = error.item()
            loss = loss + self.critic * error
        return loss, metrics

    def compute_logprobs(self, found: Sequence[TokenSample], *, reference: bool = False) -> Any:
        """Return the log-probability of each own token of the samples, in order.

        Args:
            found: the samples.
            reference: use the model at the start of training in place of the current one.
        """
        return self._forward_samples(found, reference=reference)[0]

    def _forward_samples(
        self, found: Sequence[TokenSample], *, reference: bool = False
    ) -> tuple[Any, Any, Any]:
        """Return log-probabilities and entropies of own tokens, and the critic's value of turns."""
        ids, own, inputs = collate_samples(found, self.model.device)
        with (
            self._use_reference() if reference else contextlib.nullcontext(self.model) as model,
            self._autocast(),
        ):
            logits, states = forward_logits(model, ids, own, inputs)
        logits = logits / self.temperature
        disallowed = None
        if any(sample.allowed_ids for sample in found):
            disallowed = self._find_disallowed(found, logits.shape[-1])
            logits = logits.masked_fill(disallowed, -math.inf)
        whole = logits.logsumexp(-1)
        shares = torch.exp(logits - whole[..., None])
        if disallowed is not None:
            logits = logits.masked_fill(disallowed, 0.0)  # their probability is 0
        entropy = whole - (shares * logits).sum(-1)
        values = None
        if self.value_head is not None and not reference:
            # The critic predicts from the state before the first token of a reply.
            first = torch.zeros_like(own)
            for row, sample in enumerate(found):
                first[row, [span.start for span in sample.spans]] = True
            values = self.value_head(states[first[own]].float())[:, 0]
        logprobs = logits.gather(-1, ids[own][:, None])[:, 0] - whole
        return logprobs, entropy, values

    def _find_disallowed(self, found: Sequence[TokenSample], size: int) -> Any:
        """Return a mask of own tokens x vocabulary: tokens that guided decoding excluded."""
        places = [
            sample.allowed_ids.get(place)
            for sample in found
            for place, own in enumerate(sample.mask)
            if own
        ]
        disallowed = torch.zeros(len(places), size, dtype=torch.bool, device=self.model.device)
        for row, allowed in enumerate(places):
            if allowed is not None:
                disallowed[row] = True
                disallowed[row, allowed] = False
        return disallowed

    def _make_tensor(self, numbers: Iterator[float]) -> Any:
        return torch.tensor(list(numbers), dtype=torch.float32, device=self.model.device)

    def _autocast(self) -> Any:
        on = self.precision == "mixed"
        return torch.autocast(self.model.device.type, torch.bfloat16, enabled=on)

    @contextlib.contextmanager
    def _use_reference(self) -> Iterator[Any]:
        if self.adapter is None:
            yield self.reference_model
        else:
            with self.model.disable_adapter():
                yield self.model

    def _activate_adapter(self) -> None:
        if self.adapter is not None:
            self.model.set_adapter(self.adapter)

    def state_dict(self) -> JSONObject:
        state = {"descent": self.policy_optimizer.state_dict(), "seed": self.seed}
        if self.reference_model is not None:
            state["reference"] = self.reference_model.state_dict()
        return state

    def load_state_dict(self, state: JSONMapping) -> None:
        self.policy_optimizer.load_state_dict(state["descent"])
        self.seed = state["seed"]
        if self.reference_model is not None:
            self.reference_model.load_state_dict(state["reference"])


def _widen_weights(
    model: Any, learning: Sequence[Any], precision: Literal["full", "mixed"] | None
) -> Literal["full", "mixed"]:
    """Convert learning weights, or all for full precision, to float32; return the precision."""
    everything = itertools.chain(model.parameters(), model.buffers())
    for one in everything if precision == "full" else learning:
        if one.dtype in HALF_TYPES:
            one.data = one.data.float()
    if precision is None:
        narrow = any(one.dtype in HALF_TYPES for one in model.parameters())
        return "mixed" if narrow or model.device.type == "cuda" else "full"
    return precision


def add_lora_adapters(model: Any, names: Sequence[str], **config: Any) -> Any:
    """Return a peft model with one LoRA adapter per name, each for its own HFLearner.

    Args:
        model: a transformers model without adapters.
        names: names of the adapters.
        **config: arguments of peft's LoraConfig: r=8, target_modules="all-linear", ...
    """
    with require_extra("lora", "add_lora_adapters"):
        import peft  # type: ignore[import-not-found, unused-ignore]
    first, *others = names
    model = peft.get_peft_model(model, peft.LoraConfig(**config), adapter_name=first)
    for name in others:
        model.add_adapter(name, peft.LoraConfig(**config))
    return model
