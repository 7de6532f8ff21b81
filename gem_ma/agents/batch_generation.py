"""What a causal model writes behind prompts: many in one batch, and nothing is read twice.

The keys and values of a chat are kept until its next turn, which begins with the very tokens that
they belong to, and those of a beginning that several chats share are made once.
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

_MAX_PREFIXES = 16  # beginnings that are kept
MIN_PREFIX_LENGTH = 16  # tokens that a beginning has at least
_MAX_MASK_SIZE = 1 << 27  # numbers of a mask; what is larger the model does itself, or without one
_CACHE_SHAPES: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()  # by model: `find_cache_shape`


class KVCacheShape(NamedTuple):
    """What a model keeps of what it has read, and under which name it takes it again."""

    layers: int
    heads: int
    width: int  # numbers of a key
    name: str  # `cache`, or `past_key_values` in older releases of transformers
    wide: bool  # whether it takes a mask as attention adds it, and makes none of its own


class BatchGenerator:
    """Writes with one model whose layers keep plain keys and values (see `make_generator`).

    Args:
        room: bytes of keys and values that are kept between calls.
    """

    def __init__(self, model: Any, ends: Sequence[int], room: int, shape: KVCacheShape):
        self.model = model
        self.ends = frozenset(ends)
        self.room = room
        self.shape = shape
        self._kept: OrderedDict[bytes, Any] = OrderedDict()
        self._shared: OrderedDict[bytes, tuple[list[int], Any]] = OrderedDict()
        self._size = 0
        self._weights: Any = None  # what all of it belongs to

    def __getstate__(self) -> dict[str, object]:
        """Return what a copy begins with: it has read nothing yet."""
        empty = {"_kept": OrderedDict(), "_shared": OrderedDict(), "_size": 0, "_weights": None}
        return self.__dict__ | empty

    def generate(
        self,
        prompts: Sequence[TokenizedPrompt],
        length: int,
        choose: Callable[[Any, list[int], int], Any],
        over: Callable[[list[int]], bool],
    ) -> list[list[int]]:
        """Return at most so many tokens behind each prompt, up to one that ends it.

        Args:
            choose: is given logits, the prompts that they stand behind and how many tokens these
                have already, and returns their next ones.
            over: whether tokens end a reply for another reason than the last of them.
        """
        pasts = self._find_key_values(prompts)
        new = [_count_unread(prompt.ids, past) for prompt, past in zip(prompts, pasts, strict=True)]
        size = [len(prompt.ids) for prompt in prompts]
        groups = [
            same
            for part in _group_by_size(range(len(new)), new)
            for same in _group_by_size(part, size, 1.5)
        ]
        there = [row for group in groups for row in group]  # which prompts the batch is made of
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
        """Forget what was read with other weights than those of now."""
        adapter = getattr(self.model, "active_adapters", None)
        weights = sum(one._version for one in self.model.parameters()), str(adapter)
        if weights != self._weights:
            self._weights = weights
            self.clear_cache()

    def clear_cache(self) -> None:
        """Forget all that was read."""
        self._kept.clear()
        self._shared.clear()
        self._size = 0

    def _find_key_values(self, prompts: Sequence[TokenizedPrompt]) -> list[Any]:
        """Return the keys and values that there are of each prompt's beginning."""
        self._drop_stale_cache()
        keys = [_make_chat_key(prompt) for prompt in prompts]
        pasts = [self._kept.get(key) for key in keys]
        for key in keys:  # what was said goes on once, as a rule
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
        """Return the keys and values of what some prompts begin with, or None if that is little."""
        shared = find_common_prefix([*rows, min(rows, key=len)[:-1]])  # one is left to read
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
        """Keep what was read of a chat for its next turn."""
        if not self.room:
            return
        key, past = _pack_ids(ids), batch.copy_row(place)
        self._size += past.nbytes - getattr(self._kept.pop(key, None), "nbytes", 0)
        self._kept[key] = past
        while self._size > self.room:
            _, old = self._kept.popitem(last=False)
            self._size -= old.nbytes


def _group_by_size(rows: Iterable[int], size: Sequence[int], times: float = 2) -> list[list[int]]:
    """Return rows in order of size, apart where one is much larger than the first before it."""
    parts: list[list[int]] = []
    for row in sorted(rows, key=size.__getitem__):
        if not parts or size[row] > times * size[parts[-1][0]] + 64:
            parts.append([])
        parts[-1].append(row)
    return parts


def make_generator(model: Any, ends: Sequence[int], room: int) -> BatchGenerator | None:
    """Return a BatchGenerator for a model, or None if it is of another kind."""
    shape = find_cache_shape(model)
    return None if shape is None else BatchGenerator(model, ends, room, shape)


def find_cache_shape(model: Any) -> KVCacheShape | None:
    """Return the shape of a model that goes on from plain keys and values; None for others."""
    if model not in _CACHE_SHAPES:
        _CACHE_SHAPES[model] = _detect_cache_shape(model)
    shape: KVCacheShape | None = _CACHE_SHAPES[model]
    return shape


def _detect_cache_shape(model: Any) -> KVCacheShape | None:
    bare = model.get_base_model() if hasattr(model, "get_base_model") else model  # of peft
    takes = inspect.signature(bare.forward).parameters
    name = "cache" if "cache" in takes else "past_key_values"
    if not {"position_ids", name, "logits_to_keep"} <= takes.keys():
        return None
    if model.config.get_text_config() is not model.config:  # it sees, and has other positions
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
    if tokens != 1:  # an adapter has put some before
        return None
    return KVCacheShape(len(layers), heads, width, name, _takes_additive_mask(model))


def _takes_additive_mask(model: Any) -> bool:
    """Return whether a model reads the same with a mask of columns and with one of numbers."""
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
        except (IndexError, RuntimeError, TypeError, ValueError):  # it makes more of it than a mask
            return False
    return bool(torch.allclose(flat.float(), wide.float(), rtol=1e-2, atol=1e-2))


def _make_additive_mask(starts: Any, columns: Any, length: int, dtype: Any) -> Any:
    """Return what attention adds for the last columns of rows that begin in one each.

    A column before the beginning sees itself, as a softmax over nothing may be no number.
    """
    last = columns[-length:, None]
    seen = columns >= starts[:, :, None, None].minimum(last)
    if length > 1:
        seen = seen & (columns <= last)
    least = torch.finfo(dtype).min
    return torch.zeros(seen.shape, dtype=dtype, device=seen.device).masked_fill_(~seen, least)


class _GenerationBatch:
    """Rows that a model reads on at once: all end in the same column, and each begins in its own.

    Args:
        rows: tokens.
        pasts: keys and values of what each begins with, or None.
        length: how many tokens will come behind them at most.
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
        """Let the model read what is unread; return the logits behind each row.

        A row that has less to read than those beside it reads some of its tokens again.

        Args:
            groups: rows that are read at once, by how many tokens of each are unread.
        """
        logits, first = [], 0
        for new in groups:
            last, longest = first + len(new), max(new)
            parts = [ids[-longest:] for ids in self.rows[first:last]]
            logits.append(self._forward([[0] * (longest - len(p)) + p for p in parts], first))
            first = last
        return torch.cat(logits)

    def decode_step(self, tokens: Sequence[int]) -> Any:
        """Let the model read one more token of each row; return the logits behind them."""
        self.end += 1
        return self._forward([[token] for token in tokens], 0)

    def _forward(self, parts: list[list[int]], first: int) -> Any:
        """Let the model read the last tokens of the rows from one on."""
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
        """Go on with some of the rows."""
        self.starts = [self.starts[place] for place in places]
        self.key_values = self.key_values[:, :, torch.tensor(places, device=self.model.device)]

    def copy_row(self, place: int) -> Any:
        """Return the keys and values of a row."""
        return self.key_values[:, :, place, :, self.starts[place] : self.end].clone()


class _PreallocatedLayer(DynamicLayer):
    """Keys and values that are written at the end of room that is there already."""

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
    """Return how many tokens keys and values belong to."""
    return 0 if past is None else int(past.shape[3])


def _count_unread(ids: Sequence[int], past: Any) -> int:
    """Return how many tokens there are to read behind keys and values: the last one always."""
    return max(1, len(ids) - _count_cached(past))


def _make_chat_key(prompt: TokenizedPrompt) -> bytes:
    """Return what the chat was kept under at the end of its last reply."""
    return _pack_ids(prompt.ids[: prompt.reply_spans[-1][1]]) if prompt.reply_spans else b""


def _pack_ids(ids: Sequence[int]) -> bytes:
    return array("q", ids).tobytes()
