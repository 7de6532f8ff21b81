"""Batched generation with a causal model that processes no token twice.

The keys and values of a chat are kept until its next turn, whose prompt begins with the same
tokens. Keys and values of a prefix that several chats share are computed once.
"""

from __future__ import annotations

import inspect
from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from gem_ma.chat.tokenization import TokenizedPrompt, find_common_prefix
from gem_ma.validation.extras import require_extra

with require_extra("hf"):
    import torch
    from transformers.cache_utils import Cache, DynamicCache, DynamicLayer

_MAX_PREFIXES = 16  # shared prefixes that are kept
MIN_PREFIX_LENGTH = 16  # tokens that a shared prefix has at least
# elements of a mask; if it would be larger, the model gets a mask of columns
_MAX_MASK_SIZE = 1 << 27
_CACHE_SHAPES: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()  # by model, for `find_cache_shape`


class KVCacheShape(NamedTuple):
    """The shape of a model's cache of keys and values, and the name of its argument."""

    layers: int
    heads: int
    width: int  # elements of a key
    name: str  # `cache`, or `past_key_values` in older releases of transformers
    wide: bool  # whether the model takes an additive mask, and makes none of its own


class BatchGenerator:
    """A generator for a model whose layers keep plain keys and values (see `make_generator`).

    Args:
        room: Bytes of keys and values to keep between calls.
    """

    def __init__(self, model: Any, ends: Sequence[int], room: int, shape: KVCacheShape):
        self.model = model
        self.ends = frozenset(ends)
        self.room = room
        self.shape = shape
        self._kept: OrderedDict[bytes, Any] = OrderedDict()
        self._shared: OrderedDict[bytes, tuple[list[int], Any]] = OrderedDict()
        self._size = 0
        self._weights: Any = None  # the version of the weights with which the cache was computed

    def __getstate__(self) -> dict[str, object]:
        """Return the state of a copy, whose cache is empty."""
        empty = {"_kept": OrderedDict(), "_shared": OrderedDict(), "_size": 0, "_weights": None}
        return self.__dict__ | empty

    def generate(
        self,
        prompts: Sequence[TokenizedPrompt],
        length: int,
        choose: Callable[[Any, list[int], int], Any],
        over: Callable[[list[int]], bool],
    ) -> list[list[int]]:
        """Return at most `length` tokens for each prompt, up to one that ends the reply.

        Args:
            choose: Takes logits, the prompts that they follow and the number of tokens that these
                have already. Returns their next tokens.
            over: Returns whether tokens end a reply for another reason than their last token.
        """
        pasts = self._find_key_values(prompts)
        new = [_count_unread(prompt.ids, past) for prompt, past in zip(prompts, pasts, strict=True)]
        size = [len(prompt.ids) for prompt in prompts]
        groups = [
            same
            for part in _group_by_size(range(len(new)), new)
            for same in _group_by_size(part, size, 1.5)
        ]
        there = [row for group in groups for row in group]  # the prompts of the rows of the batch
        ids, begun = [prompts[row].ids for row in there], [pasts[row] for row in there]
        batch = _GenerationBatch(self.model, self.shape, ids, begun, length)
        logits = batch.prefill([[new[row] for row in group] for group in groups])
        token_ids: list[list[int]] = [[] for _ in prompts]
        live = set(there)
        for step in range(length):
            chosen = choose(logits, there, step).tolist()
            for place, (row, token) in enumerate(zip(there, chosen, strict=True)):
                if row in live:
                    token_ids[row].append(token)
                    if token in self.ends or step + 1 == length or over(token_ids[row]):
                        live.discard(row)
                        self._store_key_values(prompts[row].ids + token_ids[row], batch, place)
            if not live:
                break
            if 2 * len(live) <= len(there):
                places = [place for place, row in enumerate(there) if row in live]
                batch.select(places)
                there = [there[place] for place in places]
            logits = batch.decode_step([token_ids[row][-1] for row in there])
        return token_ids

    def _drop_stale_cache(self) -> None:
        """Clear the cache if the model's weights or adapters have changed."""
        adapter = getattr(self.model, "active_adapters", None)
        weights = sum(one._version for one in self.model.parameters()), str(adapter)
        if weights != self._weights:
            self._weights = weights
            self.clear_cache()

    def clear_cache(self) -> None:
        """Clear the cache."""
        self._kept.clear()
        self._shared.clear()
        self._size = 0

    def _find_key_values(self, prompts: Sequence[TokenizedPrompt]) -> list[Any]:
        """Return the cached keys and values of the beginning of each prompt."""
        self._drop_stale_cache()
        keys = [_make_chat_key(prompt) for prompt in prompts]
        pasts = [self._kept.get(key) for key in keys]
        for key in keys:  # a chat usually continues only once
            self._size -= getattr(self._kept.pop(key, None), "nbytes", 0)
        if self.room:
            alike: dict[bytes, list[int]] = {}
            for row, prompt in enumerate(prompts):
                if pasts[row] is None:
                    alike.setdefault(_pack_ids(prompt.ids[:MIN_PREFIX_LENGTH]), []).append(row)
            for rows in alike.values():
                begun = self._find_prefix([prompts[row].ids for row in rows])
                for row in rows:
                    pasts[row] = begun
        return pasts

    def _find_prefix(self, rows: list[list[int]]) -> Any:
        """Return keys and values of the common prefix of some prompts; None if it is short."""
        # at least one token remains to be processed
        shared = find_common_prefix([*rows, min(rows, key=len)[:-1]])
        known = [ids for ids, _ in self._shared.values() if shared[: len(ids)] == ids]
        longest = max(known, key=len, default=[])
        if len(rows) > 1 and len(shared) >= len(longest) + MIN_PREFIX_LENGTH:
            batch = _GenerationBatch(self.model, self.shape, [shared], [None], 0)
            batch.prefill([[len(shared)]])
            longest = shared
            self._shared[_pack_ids(shared)] = shared, batch.copy_row(0)
            if len(self._shared) > _MAX_PREFIXES:
                self._shared.popitem(last=False)
        if not longest:
            return None
        self._shared.move_to_end(_pack_ids(longest))
        return self._shared[_pack_ids(longest)][1]

    def _store_key_values(self, ids: list[int], batch: _GenerationBatch, place: int) -> None:
        """Keep the keys and values of a chat for its next turn."""
        if not self.room:
            return
        key, past = _pack_ids(ids), batch.copy_row(place)
        self._size += past.nbytes - getattr(self._kept.pop(key, None), "nbytes", 0)
        self._kept[key] = past
        while self._size > self.room:
            _, old = self._kept.popitem(last=False)
            self._size -= old.nbytes


def _group_by_size(rows: Iterable[int], size: Sequence[int], times: float = 2) -> list[list[int]]:
    """Return rows in order of size, split where a row is much larger than its group's first."""
    parts: list[list[int]] = []
    for row in sorted(rows, key=size.__getitem__):
        if not parts or size[row] > times * size[parts[-1][0]] + 64:
            parts.append([])
        parts[-1].append(row)
    return parts


def make_generator(model: Any, ends: Sequence[int], room: int) -> BatchGenerator | None:
    """Return a BatchGenerator for a model, or None if the model is of another kind."""
    shape = find_cache_shape(model)
    return None if shape is None else BatchGenerator(model, ends, room, shape)


def find_cache_shape(model: Any) -> KVCacheShape | None:
    """Return the cache shape of a model that can continue from plain keys and values; else None."""
    if model not in _CACHE_SHAPES:
        _CACHE_SHAPES[model] = _detect_cache_shape(model)
    shape: KVCacheShape | None = _CACHE_SHAPES[model]
    return shape


def _detect_cache_shape(model: Any) -> KVCacheShape | None:
    bare = model.get_base_model() if hasattr(model, "get_base_model") else model  # a model of peft
    takes = inspect.signature(bare.forward).parameters
    name = "cache" if "cache" in takes else "past_key_values"
    if not {"position_ids", name, "logits_to_keep"} <= takes.keys():
        return None
    # a vision-language model, which has other positions
    if model.config.get_text_config() is not model.config:
        return None
    with torch.inference_mode():
        ids = torch.zeros(1, 1, dtype=torch.long, device=model.device)
        cache = getattr(model(input_ids=ids, use_cache=True), name, None)
    layers = getattr(cache, "layers", [])
    shapes = {tuple(one.shape) for layer in layers for one in (layer.keys, layer.values)}
    if type(cache) is not DynamicCache or {type(layer) for layer in layers} != {DynamicLayer}:
        return None
    if len(shapes) != 1:
        return None
    ((_, heads, tokens, width),) = shapes
    if tokens != 1:  # an adapter such as prefix tuning has added some
        return None
    return KVCacheShape(len(layers), heads, width, name, _takes_additive_mask(model))


def _takes_additive_mask(model: Any) -> bool:
    """Return whether an additive mask and a mask of columns give a model the same logits."""
    if getattr(model.config, "_attn_implementation", None) not in ("eager", "sdpa"):
        return False
    ids = torch.arange(6, device=model.device).reshape(2, 3)
    starts = torch.tensor([[1], [0]], device=model.device)
    columns = torch.arange(3, device=model.device)
    masks = (columns >= starts).long(), _make_additive_mask(starts, columns, 3, model.dtype)
    positions = (columns - starts).clamp(min=0)
    with torch.inference_mode():
        try:
            flat, wide = (
                model(input_ids=ids, attention_mask=mask, position_ids=positions).logits[:, -1]
                for mask in masks
            )
        except (IndexError, RuntimeError, TypeError, ValueError):  # it uses the mask differently
            return False
    return bool(torch.allclose(flat.float(), wide.float(), rtol=1e-2, atol=1e-2))


def _make_additive_mask(starts: Any, columns: Any, length: int, dtype: Any) -> Any:
    """Return the additive attention mask for the last columns of rows that begin at `starts`.

    A column before the beginning of its row attends to itself, since a softmax over nothing may be
    NaN.
    """
    last = columns[-length:, None]
    seen = columns >= starts[:, :, None, None].minimum(last)
    if length > 1:
        seen = seen & (columns <= last)
    least = torch.finfo(dtype).min
    return torch.zeros(seen.shape, dtype=dtype, device=seen.device).masked_fill_(~seen, least)


class _GenerationBatch:
    """A batch of rows that end in the same column; each begins in its own column.

    Args:
        rows: Tokens of each row.
        pasts: Keys and values of the beginning of each row, or None.
        length: Tokens that will be generated after the rows, at most.
    """

    def __init__(
        self,
        model: Any,
        shape: KVCacheShape,
        rows: Sequence[list[int]],
        pasts: Sequence[Any],
        length: int,
    ):
        self.model = model
        self.rows = rows
        self.end = max(map(len, rows))
        self.starts = [self.end - len(ids) for ids in rows]
        layers, heads, width, self.name, self.wide = shape
        whole = layers, 2, len(rows), heads, self.end + length, width
        self.key_values = torch.zeros(whole, dtype=model.dtype, device=model.device)
        for place, (start, past) in enumerate(zip(self.starts, pasts, strict=True)):
            if past is not None:
                self.key_values[:, :, place, :, start : start + _count_cached(past)] = past

    def prefill(self, groups: Sequence[Sequence[int]]) -> Any:
        """Let the model process the tokens that are not cached; return the logits after each row.

        A row with fewer such tokens than others in its group processes some of its tokens again.

        Args:
            groups: Rows that are processed at once, as the number of uncached tokens of each.
        """
        logits, first = [], 0
        for new in groups:
            last, longest = first + len(new), max(new)
            parts = [ids[-longest:] for ids in self.rows[first:last]]
            logits.append(self._forward([[0] * (longest - len(p)) + p for p in parts], first))
            first = last
        return torch.cat(logits)

    def decode_step(self, tokens: Sequence[int]) -> Any:
        """Let the model process one more token of each row; return the logits after them."""
        self.end += 1
        return self._forward([[token] for token in tokens], 0)

    def _forward(self, parts: list[list[int]], first: int) -> Any:
        """Let the model process the last tokens of consecutive rows; `first` is the first."""
        device, length, last = self.model.device, len(parts[0]), first + len(parts)
        begin = min(self.starts[first:last])
        starts = torch.tensor(self.starts[first:last], device=device)[:, None]
        columns = torch.arange(begin, self.end, device=device)
        if self.wide and len(parts) * length * len(columns) <= _MAX_MASK_SIZE:
            mask = _make_additive_mask(starts, columns, length, self.model.dtype)
        else:
            mask = (columns >= starts).long()
        room = self.key_values[:, :, first:last, :, begin : self.end]
        cache = Cache(layers=[_PreallocatedLayer(one, length) for one in room])
        with torch.inference_mode():
            logits = self.model(
                input_ids=torch.tensor(parts, device=device),
                attention_mask=mask,
                position_ids=(columns[-length:] - starts).clamp(min=0),
                use_cache=True,
                logits_to_keep=1,
                **{self.name: cache},
            ).logits
        return logits[:, -1]

    def select(self, places: list[int]) -> None:
        """Continue with some of the rows."""
        self.starts = [self.starts[place] for place in places]
        self.key_values = self.key_values[:, :, torch.tensor(places, device=self.model.device)]

    def copy_row(self, place: int) -> Any:
        """Return the keys and values of a row."""
        return self.key_values[:, :, place, :, self.starts[place] : self.end].clone()


class _PreallocatedLayer(DynamicLayer):
    """A cache layer that writes keys and values at the end of memory that is allocated already."""

    def __init__(self, room: Any, length: int):
        super().__init__()
        self.room = room
        self.keys, self.values = room[:, :, :, :-length]
        self.dtype, self.device, self.is_initialized = room.dtype, room.device, True

    def update(self, keys: Any, values: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        length = keys.shape[2]
        self.room[0, :, :, -length:] = keys
        self.room[1, :, :, -length:] = values
        self.keys, self.values = self.room
        return self.keys, self.values

    def get_seq_length(self) -> int:
        return int(self.keys.shape[2])


def _count_cached(past: Any) -> int:
    """Return the number of tokens in a cache of keys and values."""
    return 0 if past is None else int(past.shape[3])


def _count_unread(ids: Sequence[int], past: Any) -> int:
    """Return the number of tokens to process after a cache; the last token is always among them."""
    return max(1, len(ids) - _count_cached(past))


def _make_chat_key(prompt: TokenizedPrompt) -> bytes:
    """Return the key under which the chat was cached after its last reply."""
    return _pack_ids(prompt.ids[: prompt.reply_spans[-1][1]]) if prompt.reply_spans else b""


def _pack_ids(ids: Sequence[int]) -> bytes:
    return array("q", ids).tobytes()
