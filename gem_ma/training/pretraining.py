"""A language model that learns to talk as given teachers play: from random weights, or pretrained.

    folder = pretrain("game:TicTacToe-v0", "search:depth=3", "models/tictactoe", size="tiny")
    rollout("game:TicTacToe-v0", f"hf:{folder}", 100)

Teachers play, a tokenizer is trained on what their chats say, and a decoder-only model learns their
replies: whole chats as one sequence each, every reply of every seat in it. The folder is an
ordinary local model of transformers, for `hf:FOLDER`, TRL or vLLM: a Llama, or a Qwen2-VL where
seats see pictures. A model that is given keeps its tokenizer.
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
from gem_ma.training.best_checkpoint import TrainingCollapsed
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
    """How large a model is."""

    width: int
    layers: int
    heads: int
    inner: int
    vocabulary: int  # tokens at most
    lr: float
    batch: int  # tokens in a step


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
_MAX_CHAT_TOKENS = 8192  # tokens of a chat
_MAX_PICTURE_SIZES = 16  # of pictures, of which a model's folder names so many
_CHECKPOINT_SECONDS = 60.0  # seconds between two checkpoints
# Of a pretrained model: what transformers' own trainer takes, and what 135M fit into 8 GB with.
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
    """Let teachers play, train a model on their replies, and return its folder.

    Args:
        env: an id, an environment or several of them, as `rollout` takes it, and `rollout` for more
            of its arguments, such as workers, and those of the environments. With observe="image"
            or "both" it is a Qwen2-VL that learns.
        teacher: who plays, as `rollout` takes it; a MixtureAgent for several teachers.
        size: of a model from nothing; None: "tiny".
        model: the pretrained model that learns, as HFAgent takes it; None: one from nothing.
        episodes: how many are played.
        keep: what it says no to is left out.
        seats: whose replies are learnt, names of seats or of teachers; None: all.
        batch: tokens in a step of the optimiser, padding included, of so many `epochs`.
        lr: the highest learning rate, after a warm-up and before a decline. None: those of the
            size, or 2048 tokens and 5e-5 for a pretrained model.
        others: how much each token that a seat was given counts, beside 1 for those that it said. A
            model that learns to foresee what it is shown knows sooner what is in it.
        every: steps between two checkpoints, of which there is one a minute too. A run that was
            stopped goes on from the last, and gives what it would have given; one that is done is
            not run again.
        progress: show a bar; None: on a terminal.

    Raises:
        ValueError: A model has a size already, nobody said anything to learn, or the folder holds
            another model.
    """
    begin: dict[str, object]
    if model is None:
        sizes = size if isinstance(size, ModelSize) else MODEL_SIZES[size or "tiny"]
        sizes = sizes._replace(batch=batch or sizes.batch, lr=lr or sizes.lr)
        batch, lr, begin = sizes.batch, sizes.lr, {"size": sizes}
    elif size is not None:
        raise ValueError(f"size={size!r}: {model} has a size; leave it out")
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
    if model is not None:  # what is not there is better said before anybody plays
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
        raise ValueError(f"seats={seats}: nobody of that name said anything")
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
    """Write the sizes of pictures that a model learns into its configuration, if they are few."""
    from gem_ma.agents import vision_processors

    seen = {
        one for row in rows for one in vision_processors.list_image_sizes(row.tensors, processor)
    }
    if len(seen) <= _MAX_PICTURE_SIZES:
        model.config.picture_sizes = sorted(seen)  # which HFAgent compares


def _check_settings(found: JSONMapping, settings: JSONMapping, folder: Path) -> None:
    """Refuse to go on with a model that was begun in another way."""
    names = [name for name in {**found, **settings} if found.get(name) != settings.get(name)]
    if names:
        differences = "; ".join(
            f"{n} was {found.get(n)!r:.80}, is {settings.get(n)!r:.80}" for n in names
        )
        raise ValueError(
            f"{folder} holds another model ({differences}): take another folder, or the same "
            "settings"
        )


def train_processor(episodes: Sequence[Episode], vocabulary: int) -> Any:
    """Return a tokenizer of byte pairs that knows what the chats of some episodes say.

    If pictures are shown in them, it is part of the processor of a Qwen2-VL.
    """
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    chats = [episode.messages(seat) for episode in episodes for seat in episode.agents]
    sees = any(list_pictures(chat) for chat in chats)
    raw = Tokenizer(models.BPE())
    # Digits one by one, so that a number that was never seen is no new word; single letters and
    # signs without the space before them, so that what stands on a board moves nothing in it.
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
    """Return a Llama with random weights, or a Qwen2-VL for a processor that takes pictures."""
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
        # The usual 0.02 is for wide models: narrow ones learn ten times as slowly with it.
        "initializer_range": size.width**-0.5,
        "bos_token_id": None,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        if processor is tokenizer:
            return LlamaForCausalLM(LlamaConfig(**text, tie_word_embeddings=True))
        # Of a key's waves the quickest say when, then how far down, the slowest how far right. With
        # the usual 10000 and a third of them each, a column turned a narrow model's keys by 0.002
        # and less, and it could not tell one from the next.
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
    """Steps of an optimiser that make the replies of some samples likelier."""

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
                f"tokens, more than the {most} of such a model: keep it short by "
                f"context="
                "'turns=8', or leave it out by keep="
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
        """Return the places of rows that make up each step, in any order.

        Those of one begin alike and are of about one length.
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
        """Take all steps, and return the loss of each, in nats a token.

        Raises:
            TrainingCollapsed: several steps in a row could not be taken.
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
                        f"{len(self.batches)} had gradients that are not finite, and were not taken"
                    )
                if len(self.losses) % every == 0 or time.monotonic() - saved > _CHECKPOINT_SECONDS:
                    self._save_checkpoint(path, settings)
                    saved = time.monotonic()
        self.model.eval()
        return self.losses

    def step(self, places: Sequence[int]) -> float:
        """Take a step, and return the loss of the replies before it.

        Where gradients are not finite, none is taken, and the loss is told as nan.
        """
        device = self.model.device
        rows = [self.rows[place] for place in places]
        ids, own, inputs = collate_samples(rows, device)
        weight = torch.where(own, 1.0, self.others)
        for line, row in enumerate(rows):  # what comes first is not to be foreseen
            weight[line, : row.mask.index(1)] = weight[line, len(row.ids) :] = 0
        if "mm_token_type_ids" in inputs:  # nor are the places of pictures
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
