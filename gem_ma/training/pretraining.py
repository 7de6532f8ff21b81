"""Imitation learning of a language model from teachers' games, from scratch or pretrained.

    folder = pretrain("game:TicTacToe-v0", "search:depth=3", "models/tictactoe", size="tiny")
    rollout("game:TicTacToe-v0", f"hf:{folder}", 100)

Teachers play episodes, a tokenizer is trained on their chats, and a decoder-only model learns the
replies. Each chat is one sequence with all replies of its seat. The folder is a local transformers
model for `hf:FOLDER`, TRL or vLLM: a Llama, or a Qwen2-VL if seats see pictures. A pretrained model
keeps its tokenizer.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from gem_ma.agents.hf import HFAgent
from gem_ma.agents.weight_bars import hide_weight_bars
from gem_ma.chat.agent import format_agent_name
from gem_ma.chat.messages import list_pictures, to_hf
from gem_ma.chat.tokenization import ChatTokenizer
from gem_ma.engine.seeding import derive_seed
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.progress import ProgressBar
from gem_ma.rollouts.rollout import rollout as play_all
from gem_ma.training.callbacks import TrainingCollapsed
from gem_ma.training.checkpoint import load_checkpoint, save_checkpoint
from gem_ma.training.token_samples import TokenSample, build_samples
from gem_ma.validation.extras import require_extra
from gem_ma.validation.files import write_atomically
from gem_ma.validation.json_types import JSONMapping

with require_extra("hf", "gem_ma.training.pretraining"):
    import torch

from gem_ma.training.learners.forward_pass import PREFIX_KEY_LENGTH, collate_samples, forward_logits
from gem_ma.training.learners.optimization import (
    MAX_SKIPPED,
    check_weights,
    make_cosine_schedule,
    take_finite_step,
)


class ModelSize(NamedTuple):
    """The dimensions of a model, with its learning rate and batch size."""

    width: int
    layers: int
    heads: int
    inner: int
    vocabulary: int  # maximum number of tokens
    lr: float
    batch: int  # tokens per optimiser step


MODEL_SIZES = {
    "micro": ModelSize(64, 2, 4, 192, 512, 2e-3, 2048),  # about 0.2M parameters
    "tiny": ModelSize(128, 4, 4, 384, 1024, 1e-3, 2048),  # about 1M parameters
    "small": ModelSize(320, 8, 5, 896, 2048, 7e-4, 8192),  # about 10M
    "base": ModelSize(768, 12, 12, 2048, 8192, 4e-4, 32768),  # about 100M, for a GPU
}
PAD_TOKEN, MESSAGE_START_TOKEN, MESSAGE_END_TOKEN = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
VISION_TOKENS = "<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"
CHAT_TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n"
    "{% if m['content'] is string %}{{ m['content'] }}{% else %}"
    "{% for part in m['content'] %}{% if part['type'] == 'text' %}{{ part['text'] }}{% else %}"
    "<|vision_start|><|image_pad|><|vision_end|>{% endif %}{% endfor %}{% endif %}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
_EXECUTION_ARGUMENTS = (
    "workers",
    "concurrency",
    "ray",
)  # arguments of a rollout that change no episode
_MAX_CHAT_TOKENS = 8192
_MAX_PICTURE_SIZES = 16  # a model's configuration lists picture sizes up to this number
_CHECKPOINT_SECONDS = 60.0  # maximum time between two checkpoints
# For pretrained models: the default rate of transformers' trainer, and a batch with which a model
# of 135M parameters fits into 8 GB.
_PRETRAINED_LR, _PRETRAINED_BATCH = 5e-5, 2048


def pretrain(
    env: Any,
    teacher: Any,
    folder: str | os.PathLike[str],
    *,
    size: Literal["micro", "tiny", "small", "base"] | ModelSize | None = None,
    model: str | None = None,
    episodes: int = 1000,
    epochs: int = 10,
    batch: int | None = None,
    lr: float | None = None,
    others: float = 0.1,
    keep: Callable[[Episode], bool] | None = None,
    seats: Sequence[str] | None = None,
    seed: int = 0,
    every: int = 100,
    device: str | None = None,
    progress: bool | None = None,
    **rollout: Any,
) -> Path:
    """Let teachers play, train a model on their replies, and return the model's folder.

    Args:
        env: an id, an environment or several of them, as `rollout` takes it. With observe="image"
            or "both" the new model is a Qwen2-VL.
        teacher: the agents that play, as `rollout` takes it; a MixtureAgent for several teachers.
        folder: where to write the model, the episodes and the checkpoints.
        size: size of a model with random weights; None: "tiny".
        model: the pretrained model to train, as HFAgent takes it; None: a model from scratch.
        episodes: how many episodes to play.
        epochs: passes over the replies.
        keep: returns whether to learn from an episode; None: learn from all.
        seats: names of seats or teachers whose replies are learnt; None: all.
        batch: tokens per optimiser step, padding included. None: that of the size, or 2048 for a
            pretrained model.
        lr: the highest learning rate, after warm-up and before decay. None: that of the size, or
            5e-5 for a pretrained model.
        others: loss weight of the tokens that the model reads between its replies; reply tokens
            have weight 1. Predicting observations helps the model to learn their contents sooner.
        seed: decides the episodes, the random weights and the order of the samples.
        every: optimiser steps between two checkpoints; one is also written every minute. A run that
            was stopped resumes from the last checkpoint, with the same result. A finished run is
            not repeated.
        device: torch device of the model, such as "cuda"; None: the CPU.
        progress: show a bar; None: on a terminal.
        **rollout: further arguments of `rollout`, such as workers, and those of the environments.

    Raises:
        ValueError: Both `size` and `model` are given, no episode or no reply is left to learn from,
            or the folder contains a model with other settings.
    """
    begin: dict[str, object]
    if model is None:
        sizes = size if isinstance(size, ModelSize) else MODEL_SIZES[size or "tiny"]
        sizes = sizes._replace(batch=batch or sizes.batch, lr=lr or sizes.lr)
        batch, lr, begin = sizes.batch, sizes.lr, {"size": sizes}
    elif size is not None:
        raise ValueError(f"size={size!r}: {model} has a size of its own; leave size= out")
    else:
        batch, lr = batch or _PRETRAINED_BATCH, lr or _PRETRAINED_LR
        begin = {"model": model, "batch": batch, "lr": lr}
    folder = Path(folder)
    settings = json.loads(
        json.dumps(
            {
                "envs": [str(one) for one in (env if isinstance(env, list | tuple) else [env])],
                "teacher": format_agent_name(teacher)
                if not isinstance(teacher, Mapping)
                else repr(teacher),
                **begin,
                "episodes": episodes,
                "epochs": epochs,
                "others": others,
                "seats": seats,
                "seed": seed,
                "rollout": {
                    n: repr(one) for n, one in rollout.items() if n not in _EXECUTION_ARGUMENTS
                },
            }
        )
    )
    done = folder / "pretrain.json"
    if done.exists():
        _check_settings(json.loads(done.read_text())["settings"], settings, folder)
        return folder
    checkpoint = folder / "checkpoint.pt"
    if checkpoint.exists():
        _check_settings(load_checkpoint(checkpoint)["settings"], settings, folder)
    if model is not None:  # a missing model should fail before episodes are played
        loaded = HFAgent(model, device=device, dtype="float32")
        network, tokens, processor = loaded.model, loaded.tokens, loaded.tokens.processor
    folder.mkdir(parents=True, exist_ok=True)
    record = folder / "episodes.jsonl"
    play = {"seed": seed, "out": record, "resume": True, "progress": progress, **rollout}
    played = play_all(env, teacher, episodes, **play)
    kept = [one for one in played if one.failure is None and (keep is None or keep(one))]
    if not kept:
        failed = next((one.failure for one in played if one.failure), None)
        why = f"; the first failed by {failed.kind}: {failed.message}" if failed else ""
        raise ValueError(f"none of {len(played)} episodes is left to learn from{why}")
    if model is None:
        processor = train_processor(kept, sizes.vocabulary)
        tokens = ChatTokenizer(processor)
        network = make_random_model(sizes, processor, seed).to(device or "cpu")
    rows = [
        sample
        for episode in kept
        for seat in episode.agents
        if seats is None or seat in seats or episode.agents[seat] in seats
        for sample in build_samples(episode, seat, tokens)
    ]
    if not rows:
        raise ValueError(f"seats={seats}: no seat and no teacher of that name has a reply")
    if model is None and processor is not tokens.tokenizer:
        _note_image_sizes(network, rows, processor)
    learning = ImitationTrainer(network, rows, epochs, batch, lr, others, seed)
    losses = learning.run(checkpoint, settings, every, progress)
    check_weights(network.state_dict())
    processor.save_pretrained(folder)
    with hide_weight_bars():
        network.save_pretrained(folder)
    whole = {"settings": settings, "samples": len(rows), "losses": losses}
    write_atomically(done, (json.dumps(whole, indent=1) + "\n").encode())
    checkpoint.unlink(missing_ok=True)
    return folder


def _note_image_sizes(model: Any, rows: Sequence[TokenSample], processor: Any) -> None:
    """Write the sizes of the training pictures into the model's configuration, if they are few."""
    from gem_ma.agents import vision_processors

    seen = {
        one for row in rows for one in vision_processors.list_image_sizes(row.tensors, processor)
    }
    if len(seen) <= _MAX_PICTURE_SIZES:
        model.config.picture_sizes = sorted(seen)  # checked by HFAgent


def _check_settings(found: JSONMapping, settings: JSONMapping, folder: Path) -> None:
    """Raise ValueError if the model in a folder was made with other settings."""
    names = [name for name in {**found, **settings} if found.get(name) != settings.get(name)]
    if names:
        differences = "; ".join(
            f"{n} was {found.get(n)!r:.80} and is now {settings.get(n)!r:.80}" for n in names
        )
        raise ValueError(
            f"{folder} holds another model ({differences}): take another folder, or the same "
            "settings"
        )


def train_processor(episodes: Sequence[Episode], vocabulary: int) -> Any:
    """Return a byte-pair tokenizer trained on the chats of some episodes.

    If the chats contain pictures, return a Qwen2-VL processor that has the tokenizer.
    """
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    chats = [episode.messages(seat) for episode in episodes for seat in episode.agents]
    sees = any(list_pictures(chat) for chat in chats)
    raw = Tokenizer(models.BPE())
    # Split digits one by one, so that unseen numbers use known tokens. Single letters and signs
    # exclude the space before them, so that the contents of a board do not shift its tokens.
    words = r"\d| ?[^\W\d_]{2,}|[^\W\d_]| ?[^\s\w]{2,}|[^\s\w]|_|\s+"
    raw.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(words), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    raw.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[
            PAD_TOKEN,
            MESSAGE_START_TOKEN,
            MESSAGE_END_TOKEN,
            *(VISION_TOKENS if sees else ()),
        ],
        show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    raw.train_from_iterator(_iter_texts(chats), trainer)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=raw,
        eos_token=MESSAGE_END_TOKEN,
        pad_token=PAD_TOKEN,
        chat_template=CHAT_TEMPLATE,
    )
    if not sees:
        return tokenizer
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    from gem_ma.agents.vision_processors import Qwen2VLProcessor

    return Qwen2VLProcessor(Qwen2VLImageProcessorPil(), tokenizer, chat_template=CHAT_TEMPLATE)


def _iter_texts(chats: Sequence[Any]) -> Iterator[str]:
    for chat in chats:
        for message in to_hf(chat, pixels=False):
            content = message["content"]
            parts = [{"text": content}] if isinstance(content, str) else content
            yield from (f"{message['role']}\n{part.get('text', '')}" for part in parts)


def make_random_model(size: ModelSize, processor: Any, seed: int) -> Any:
    """Return a Llama with random weights, or a Qwen2-VL if the processor takes pictures."""
    from transformers import (
        LlamaConfig,
        LlamaForCausalLM,
        Qwen2VLConfig,
        Qwen2VLForConditionalGeneration,
    )

    tokenizer = getattr(processor, "tokenizer", processor)
    text = {
        "vocab_size": len(tokenizer),
        "hidden_size": size.width,
        "intermediate_size": size.inner,
        "num_hidden_layers": size.layers,
        "num_attention_heads": size.heads,
        "num_key_value_heads": size.heads,
        "max_position_embeddings": _MAX_CHAT_TOKENS,
        # The usual 0.02 suits wide models; narrow models learn ten times more slowly with it.
        "initializer_range": size.width**-0.5,
        "bos_token_id": None,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        if processor is tokenizer:
            return LlamaForCausalLM(LlamaConfig(**text, tie_word_embeddings=True))
        # Of the rotary frequencies of a key, the fastest encode time, the next the row, and the
        # slowest the column. With the usual theta of 10000 and equal sections, one column rotates
        # a narrow model's keys by at most 0.002, so it cannot distinguish neighbouring columns.
        half = size.width // size.heads // 2
        side = 7 * half // 16
        sections = [half - 2 * side, side, side]
        rope = {"rope_type": "default", "rope_theta": 100.0, "mrope_section": sections}
        start, end, image, video = tokenizer.convert_tokens_to_ids(list(VISION_TOKENS))
        return Qwen2VLForConditionalGeneration(
            Qwen2VLConfig(
                text_config={**text, "rope_parameters": rope},
                vision_config={
                    "depth": max(size.layers // 2, 1),
                    "embed_dim": size.width,
                    "hidden_size": size.width,
                    "num_heads": size.heads,
                    "patch_size": processor.image_processor.patch_size,
                    "spatial_merge_size": processor.image_processor.merge_size,
                    "initializer_range": text["initializer_range"],
                },
                image_token_id=image,
                video_token_id=video,
                vision_start_token_id=start,
                vision_end_token_id=end,
                tie_word_embeddings=True,
            )
        )


class ImitationTrainer:
    """A training loop that maximises the likelihood of the replies in samples."""

    def __init__(
        self,
        model: Any,
        rows: Sequence[TokenSample],
        epochs: int,
        batch: int,
        lr: float,
        others: float,
        seed: int,
    ):
        longest = max(rows, key=lambda row: len(row.ids))
        most = getattr(model.config.get_text_config(), "max_position_embeddings", None)
        if most is not None and len(longest.ids) > most:
            raise ValueError(
                f"the chat of {longest.seat} in episode {longest.episode} has {len(longest.ids)} "
                f"tokens, and the model takes at most {most}: shorten chats with "
                "context='turns=8', or leave such episodes out with keep="
            )
        self.model = model
        self.rows = rows
        self.batch = batch
        self.lr = lr
        self.others = others
        self.seed = seed
        self.batches = [batch for epoch in range(epochs) for batch in self._make_batches(epoch)]
        self.schedule = make_cosine_schedule(
            len(self.batches), warmup=max(len(self.batches) // 20, 1), to=0.1
        )
        self.optimizer = torch.optim.AdamW(
            model.parameters(), lr=lr, betas=(0.9, 0.95), weight_decay=0.01
        )
        self.losses: list[float] = []

    def _make_batches(self, epoch: int) -> list[list[int]]:
        """Return the row indices of each step of an epoch, in random order.

        The rows of a step start with the same tokens and have similar lengths.
        """
        rng = np.random.Generator(np.random.PCG64(derive_seed(self.seed, epoch)))
        sizes = np.array([len(row.ids) for row in self.rows])
        near = sizes * rng.uniform(1, 1.1, len(sizes))
        places = sorted(
            range(len(sizes)), key=lambda i: (self.rows[i].ids[:PREFIX_KEY_LENGTH], near[i])
        )
        batches: list[list[int]] = []
        longest = 0
        for place in places:
            longest = max(longest, sizes[place])
            last = batches[-1] if batches else []
            alike = (
                last
                and self.rows[last[0]].ids[:PREFIX_KEY_LENGTH]
                == self.rows[place].ids[:PREFIX_KEY_LENGTH]
            )
            if not alike or longest * (len(last) + 1) > self.batch:
                batches.append([])
                longest = sizes[place]
            batches[-1].append(place)
        return [batches[place] for place in rng.permutation(len(batches)).tolist()]

    def run(
        self, path: Path, settings: JSONMapping, every: int, progress: bool | None
    ) -> list[float]:
        """Take all steps, and return the loss of each, in nats per token.

        Raises:
            TrainingCollapsed: several steps in a row had gradients that were not finite.
        """
        if path.exists():
            state = load_checkpoint(path)
            self.model.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.losses = state["losses"]
        bar = ProgressBar(len(self.batches), len(self.losses), progress)
        self.model.train()
        saved = time.monotonic()
        with bar:
            while len(self.losses) < len(self.batches):
                self.losses.append(self.step(self.batches[len(self.losses)]))
                bar.update(len(self.losses), f"loss {self.losses[-1]:.3f}")
                if len(self.losses) >= MAX_SKIPPED and all(
                    map(math.isnan, self.losses[-MAX_SKIPPED:])
                ):
                    raise TrainingCollapsed(
                        f"steps {len(self.losses) - MAX_SKIPPED + 1} to {len(self.losses)} of "
                        f"{len(self.batches)} had gradients that are not finite, and were skipped; "
                        "use a lower lr"
                    )
                if len(self.losses) % every == 0 or time.monotonic() - saved > _CHECKPOINT_SECONDS:
                    self._save_checkpoint(path, settings)
                    saved = time.monotonic()
        self.model.eval()
        return self.losses

    def step(self, places: Sequence[int]) -> float:
        """Take an optimiser step, and return the loss on the replies before the step.

        If gradients are not finite, take no step and return nan.
        """
        device = self.model.device
        rows = [self.rows[place] for place in places]
        ids, own, inputs = collate_samples(rows, device)
        weight = torch.where(own, 1.0, self.others)
        for line, row in enumerate(rows):  # do not predict the first prompt or padding
            weight[line, : row.mask.index(1)] = weight[line, len(row.ids) :] = 0
        if "mm_token_type_ids" in inputs:  # nor the placeholder tokens of pictures
            weight[inputs["mm_token_type_ids"] > 0] = 0
        for group in self.optimizer.param_groups:
            group["lr"] = self.lr * self.schedule(len(self.losses))
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            logits, _ = forward_logits(self.model, ids, weight > 0, inputs)
        weight, ids = weight[weight > 0], ids[weight > 0]
        losses = torch.nn.functional.cross_entropy(logits, ids, reduction="none")
        ((losses * weight).sum() / weight.sum()).backward()
        if take_finite_step(self.optimizer, self.model.parameters(), 1.0) is None:
            return math.nan
        return float(losses[weight == 1].mean().detach())

    def _save_checkpoint(self, path: Path, settings: JSONMapping) -> None:
        state = {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}
        check_weights(state["model"])
        save_checkpoint(path, {"settings": settings, "losses": self.losses, **state})
