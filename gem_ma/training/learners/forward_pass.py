"""An efficient forward pass that computes logits only for selected tokens of several chats.

The common prefix of the chats is processed once, and logits are computed only for the selected
tokens. The gradients equal those of processing each chat completely.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from gem_ma.agents.batch_generation import MIN_PREFIX_LENGTH, find_cache_shape
from gem_ma.chat.tokenization import find_common_prefix
from gem_ma.training.token_samples import TokenSample
from gem_ma.validation.extras import require_extra

with require_extra("hf"):
    import torch
    from transformers.cache_utils import DynamicCache

PREFIX_KEY_LENGTH = 32  # samples are grouped into batches by their first 32 tokens


class TokenBatch(NamedTuple):
    """Samples as model inputs, padded at the right so that tokens keep their positions."""

    ids: torch.Tensor
    own: torch.Tensor  # mask over the tokens that a seat's model produced
    inputs: dict[str, torch.Tensor]  # pictures and related inputs


def collate_samples(found: Sequence[TokenSample], device: Any) -> TokenBatch:
    """Return samples as the rows of one padded batch."""

    def pad_rows(rows: Sequence[Sequence[int]]) -> torch.Tensor:
        longest = max(map(len, rows))
        whole = [[*row, *[0] * (longest - len(row))] for row in rows]
        return torch.tensor(whole, dtype=torch.long, device=device)

    inputs: dict[str, torch.Tensor] = {}
    names = sorted({name for sample in found for name in sample.tensors})
    if names:
        inputs["attention_mask"] = pad_rows([[1] * len(sample.ids) for sample in found])
    for name in names:
        shown = [sample.tensors[name] for sample in found if name in sample.tensors]
        inputs[name] = torch.cat(shown).to(device)
    for name in sorted({name for sample in found for name in sample.token_features}):
        inputs[name] = pad_rows([one.token_features.get(name, [0] * len(one.ids)) for one in found])
    ids, own = (
        pad_rows([sample.ids for sample in found]),
        pad_rows([sample.mask for sample in found]),
    )
    return TokenBatch(ids, own.bool(), inputs)


def forward_logits(
    model: Any, ids: Any, chosen: Any, inputs: Mapping[str, Any] | None = None
) -> tuple[Any, Any]:
    """Return the logits that predict each chosen token, and their hidden states, row by row.

    Args:
        model: a causal language model of transformers.
        ids: rows of tokens, padded at the right; causal attention ignores the padding.
        chosen: mask over the tokens to predict; never the first token of a row.
        inputs: further model inputs, such as pictures. With these, the common prefix is processed
            once per row.
    """
    takes = chosen[:, 1:].any(0).nonzero()
    if not len(takes):
        raise ValueError("chosen marks no token after the first; expected one or more")
    alike = 0 if inputs else min(len(find_common_prefix(ids.tolist())), int(takes[0]))
    shape = None if len(ids) == 1 or alike < MIN_PREFIX_LENGTH else find_cache_shape(model)
    if shape is None:
        model_inputs = {"input_ids": ids, **(inputs or {})}
        said = torch.cat([chosen[:, 1:], torch.zeros_like(chosen[:, :1])], 1)
    else:
        cache = DynamicCache(config=model.config)
        kept = {shape.name: cache, "use_cache": True}
        model(input_ids=ids[:1, :alike], logits_to_keep=1, **kept)
        for layer in cache.layers:
            layer.keys = layer.keys.expand(len(ids), -1, -1, -1)
            layer.values = layer.values.expand(len(ids), -1, -1, -1)
        model_inputs = {"input_ids": ids[:, alike:-1], **kept}
        said = chosen[:, alike + 1 :]
    states = []

    def select_states(_: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
        states.append(args[0][said])
        return (states[0][None], *args[1:])

    # A hook before the head keeps any processing of logits that a model does after its head.
    hook = model.get_output_embeddings().register_forward_pre_hook(select_states)
    try:
        logits = model(**model_inputs).logits
    finally:
        hook.remove()
    return logits[0].float(), states[0]
