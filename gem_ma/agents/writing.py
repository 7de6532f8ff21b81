"""What a causal model writes behind prompts: many in one batch, and nothing is read twice.

The keys and values of a chat are kept until its next turn, which begins with the very tokens that
they belong to, and those of a beginning that several chats share are made once.
"""

from __future__ import annotations

import inspect
from array import array
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from gem_ma.guards.extras import extra
from gem_ma.talk.tokens import Prompt, beginning

with extra("hf"):
    import torch
    from transformers.cache_utils import Cache, DynamicCache, DynamicLayer

_SHARED = 16  # beginnings that are kept
WORTH = 16  # tokens that a beginning has at least
_SHAPES: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()  # of models, see `reads_on`


class Shape(NamedTuple):
    """What a model keeps of what it has read, and under which name it takes it again."""

    layers: int
    heads: int
    width: int  # numbers of a key
    name: str  # `cache`, or `past_key_values` in older releases of transformers
    wide: bool  # whether it takes a mask as attention adds it, and makes none of its own


class Writer:
    """Writes with one model whose layers keep plain keys and values (see `writer_of`).

    room: bytes of keys and values that are kept between calls.
    """

    def __init__(self, model: Any, ends: Sequence[int], room: int, shape: Shape):
        self.model = model
        self.ends = frozenset(ends)
        self.room = room
        self.shape = shape
        self._kept: OrderedDict[bytes, Any] = OrderedDict()
        self._shared: OrderedDict[bytes, tuple[list[int], Any]] = OrderedDict()
        self._size = 0
        self._weights: Any = None  # what all of it belongs to

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy begins with: it has read nothing yet."""
        empty = {"_kept": OrderedDict(), "_shared": OrderedDict(), "_size": 0, "_weights": None}
        return self.__dict__ | empty

    def write(
        self,
        prompts: Sequence[Prompt],
        length: int,
        choose: Callable[[Any, list[int], int], Any],
        over: Callable[[list[int]], bool],
    ) -> list[list[int]]:
        """Return at most so many tokens behind each prompt, up to one that ends it.

        choose: is given logits, the prompts that they stand behind and how many tokens these have
            already, and returns their next ones.
        over: whether tokens end a reply for another reason than the last of them.
        """
        pasts = self._pasts(prompts)
        new = [_unread(prompt.ids, past) for prompt, past in zip(prompts, pasts, strict=True)]
        there = sorted(range(len(prompts)), key=new.__getitem__)  # which prompts are in the batch
        batch = _Batch(
            *(self.model, self.shape, [prompts[row].ids for row in there]),
            *([pasts[row] for row in there], length),
        )
        logits = batch.begin()
        made: list[list[int]] = [[] for _ in prompts]
        live = set(there)
        for step in range(length):
            chosen = choose(logits, there, step).tolist()
            for place, (row, token) in enumerate(zip(there, chosen, strict=True)):
                if row in live:
                    made[row].append(token)
                    if token in self.ends or step + 1 == length or over(made[row]):
                        live.discard(row)
                        self._keep(prompts[row].ids + made[row], batch, place)
            if not live:
                break
            if 2 * len(live) <= len(there):
                places = [place for place, row in enumerate(there) if row in live]
                batch.select(places)
                there = [there[place] for place in places]
            logits = batch.read([made[row][-1] for row in there])
        return made

    def _forget_others(self) -> None:
        """Forget what was read with other weights than those of now."""
        adapter = getattr(self.model, "active_adapters", None)
        weights = sum(one._version for one in self.model.parameters()), str(adapter)
        if weights != self._weights:
            self._weights = weights
            self.forget()

    def forget(self) -> None:
        """Forget all that was read."""
        self._kept.clear()
        self._shared.clear()
        self._size = 0

    def _pasts(self, prompts: Sequence[Prompt]) -> list[Any]:
        """Return the keys and values that there are of each prompt's beginning."""
        self._forget_others()
        keys = [_key(prompt) for prompt in prompts]
        pasts = [self._kept.get(key) for key in keys]
        for key in keys:  # what was said goes on once, as a rule
            self._size -= getattr(self._kept.pop(key, None), "nbytes", 0)
        if self.room:
            alike: dict[bytes, list[int]] = {}
            for row, prompt in enumerate(prompts):
                if pasts[row] is None:
                    alike.setdefault(_bytes(prompt.ids[:WORTH]), []).append(row)
            for rows in alike.values():
                begun = self._beginning([prompts[row].ids for row in rows])
                for row in rows:
                    pasts[row] = begun
        return pasts

    def _beginning(self, rows: list[list[int]]) -> Any:
        """Return the keys and values of what some prompts begin with, or None if that is little."""
        shared = beginning([*rows, min(rows, key=len)[:-1]])  # one is left to read
        known = [ids for ids, _ in self._shared.values() if shared[: len(ids)] == ids]
        longest = max(known, key=len, default=[])
        if len(rows) > 1 and len(shared) >= len(longest) + WORTH:
            batch = _Batch(self.model, self.shape, [shared], [None], 0)
            batch.begin()
            longest = shared
            self._shared[_bytes(shared)] = shared, batch.row(0)
            if len(self._shared) > _SHARED:
                self._shared.popitem(last=False)
        if not longest:
            return None
        self._shared.move_to_end(_bytes(longest))
        return self._shared[_bytes(longest)][1]

    def _keep(self, ids: list[int], batch: _Batch, place: int) -> None:
        """Keep what was read of a chat for its next turn."""
        if not self.room:
            return
        key, past = _bytes(ids), batch.row(place)
        self._size += past.nbytes - getattr(self._kept.pop(key, None), "nbytes", 0)
        self._kept[key] = past
        while self._size > self.room:
            _, old = self._kept.popitem(last=False)
            self._size -= old.nbytes


def writer_of(model: Any, ends: Sequence[int], room: int) -> Writer | None:
    """Return a Writer for a model, or None if it is not of the kind that one can write with."""
    shape = reads_on(model)
    return None if shape is None else Writer(model, ends, room, shape)


def reads_on(model: Any) -> Shape | None:
    """Return the shape of a model that goes on from plain keys and values; None for others."""
    if model not in _SHAPES:
        _SHAPES[model] = _shape(model)
    shape: Shape | None = _SHAPES[model]
    return shape


def _shape(model: Any) -> Shape | None:
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
    return Shape(len(layers), heads, width, name, _wide(model))


def _wide(model: Any) -> bool:
    """Return whether a model reads the same with a mask of columns and with one of numbers."""
    if getattr(model.config, "_attn_implementation", None) not in ("eager", "sdpa"):
        return False
    ids = torch.arange(6, device=model.device).reshape(2, 3)
    starts = torch.tensor([[1], [0]], device=model.device)
    columns = torch.arange(3, device=model.device)
    masks = (columns >= starts).long(), _mask(starts, columns, 3, model.dtype)
    positions = (columns - starts).clamp(min=0)
    with torch.inference_mode():
        try:
            flat, wide = (
                model(input_ids=ids, attention_mask=mask, position_ids=positions).logits[:, -1]
                for mask in masks
            )
        except (IndexError, RuntimeError, TypeError, ValueError):  # it counts with it
            return False
    return bool(torch.allclose(flat.float(), wide.float(), rtol=1e-2, atol=1e-2))


def _mask(starts: Any, columns: Any, length: int, dtype: Any) -> Any:
    """Return what attention adds for the last columns of rows that begin in one each."""
    seen = columns >= starts[:, :, None, None]
    if length > 1:
        seen = seen & (columns <= columns[-length:, None])
    least = torch.finfo(dtype).min
    return torch.zeros(seen.shape, dtype=dtype, device=seen.device).masked_fill_(~seen, least)


class _Batch:
    """Rows that a model reads on at once: all end in the same column, and each begins in its own.

    rows: tokens; those that are alike in how many of them are unread stand together.
    pasts: keys and values of what each begins with, or None.
    length: how many tokens will come behind them at most.
    """

    def __init__(
        self,
        model: Any,
        shape: Shape,
        rows: Sequence[list[int]],
        pasts: Sequence[Any],
        length: int,
    ):
        self.model = model
        self.rows = rows
        self.new = [_unread(ids, past) for ids, past in zip(rows, pasts, strict=True)]
        self.end = max(map(len, rows))
        self.starts = torch.tensor([[self.end - len(ids)] for ids in rows], device=model.device)
        layers, heads, width, self.name, self.wide = shape
        whole = layers, 2, len(rows), heads, self.end + length, width
        self.numbers = torch.zeros(whole, dtype=model.dtype, device=model.device)
        for place, (ids, past) in enumerate(zip(rows, pasts, strict=True)):
            if past is not None:
                start = self.end - len(ids)
                self.numbers[:, :, place, :, start : start + _length(past)] = past

    def begin(self) -> Any:
        """Let the model read what is unread; return the logits behind each row.

        A row that has less to read than those beside it reads some of its tokens again.
        """
        logits, first = [], 0
        for last in range(1, len(self.rows) + 1):
            if last == len(self.rows) or self.new[last] > 2 * self.new[first] + 64:
                longest = max(self.new[first:last])
                parts = [ids[-longest:] for ids in self.rows[first:last]]
                logits.append(self._read([[0] * (longest - len(p)) + p for p in parts], first))
                first = last
        return torch.cat(logits)

    def read(self, tokens: Sequence[int]) -> Any:
        """Let the model read one more token of each row; return the logits behind them."""
        self.end += 1
        return self._read([[token] for token in tokens], 0)

    def _read(self, parts: list[list[int]], first: int) -> Any:
        """Let the model read the last tokens of the rows from one on."""
        rows, length = slice(first, first + len(parts)), len(parts[0])
        starts = self.starts[rows]
        begin = int(starts.min())
        columns = torch.arange(begin, self.end, device=self.model.device)
        if self.wide:
            mask = _mask(starts, columns, length, self.model.dtype)
        else:
            mask = (columns >= starts).long()
        layers = [_Layer(*one[:, rows, :, begin : self.end], length) for one in self.numbers]
        with torch.inference_mode():
            logits = self.model(
                input_ids=torch.tensor(parts, device=self.model.device),
                attention_mask=mask,
                position_ids=(columns[-length:] - starts).clamp(min=0),
                use_cache=True,
                logits_to_keep=1,
                **{self.name: Cache(layers=layers)},
            ).logits
        return logits[:, -1]

    def select(self, places: list[int]) -> None:
        """Go on with some of the rows."""
        chosen = torch.tensor(places, device=self.model.device)
        self.starts, self.numbers = self.starts[chosen], self.numbers[:, :, chosen]

    def row(self, place: int) -> Any:
        """Return the keys and values of a row."""
        return self.numbers[:, :, place, :, int(self.starts[place]) : self.end].clone()


class _Layer(DynamicLayer):
    """Keys and values that are written at the end of room that is there already."""

    def __init__(self, keys: Any, values: Any, length: int):
        super().__init__()
        self.room = keys, values
        self.keys, self.values = keys[:, :, :-length], values[:, :, :-length]
        self.dtype, self.device, self.is_initialized = keys.dtype, keys.device, True

    def update(self, keys: Any, values: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        for room, new in zip(self.room, (keys, values), strict=True):
            room[:, :, -new.shape[2] :] = new
        self.keys, self.values = self.room
        return self.room

    def get_seq_length(self) -> int:
        return int(self.keys.shape[2])


def _length(past: Any) -> int:
    """Return how many tokens keys and values belong to."""
    return 0 if past is None else int(past.shape[3])


def _unread(ids: Sequence[int], past: Any) -> int:
    """Return how many tokens there are to read behind keys and values: the last one always."""
    return max(1, len(ids) - _length(past))


def _key(prompt: Prompt) -> bytes:
    """Return what the chat was kept under at the end of its last reply."""
    return _bytes(prompt.ids[: prompt.replies[-1][1]]) if prompt.replies else b""


def _bytes(ids: Sequence[int]) -> bytes:
    return array("q", ids).tobytes()
