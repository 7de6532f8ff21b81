"""What is read once for several chats says what reading each of them says, gradients included."""

import pytest
from needed import Later, needed

torch = needed("torch", install="'gem-ma[hf]'")
transformers = needed("transformers", install="'gem-ma[hf]'")
tiny_models, reading = Later("tiny_models"), Later("gem_ma.training.learners.forward_pass")

SIZES = {
    "vocab_size": 300,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}


def made(kind):
    """Return a model: of the usual kind, that changes logits behind its head, with a window."""
    torch.manual_seed(0)
    if kind == "llama":
        config = transformers.LlamaConfig(**SIZES)
    elif kind == "granite":  # divides its logits
        config = transformers.GraniteConfig(**SIZES, logits_scaling=3.0)
    else:  # caps its logits, and every other layer looks back eight tokens only
        config = transformers.Gemma2Config(**SIZES, head_dim=8, sliding_window=8)
    return transformers.AutoModelForCausalLM.from_config(config).eval()


def rows(alike):
    """Return rows of several lengths that begin alike, and what is asked of them."""
    draw = torch.Generator().manual_seed(1)
    ids = torch.randint(3, 300, (3, 40), generator=draw)
    ids[:, :alike] = ids[:1, :alike]
    chosen = torch.rand(3, 40, generator=draw) < 0.3
    chosen[:, : max(alike, 1)] = False
    for row, length in enumerate((40, 33, 27)):
        ids[row, length:] = 0
        chosen[row, length:] = False
    return ids, chosen


def gradients(model, loss):
    model.zero_grad()
    loss.backward()
    named = model.named_parameters()
    return {name: one.grad.clone() for name, one in named if one.grad is not None}


@pytest.mark.parametrize("kind", ["llama", "granite", "gemma2"])
@pytest.mark.parametrize("alike", [0, 3, 24])
def test_logits_and_gradients_are_those_of_reading_each_chat_whole(kind, alike):
    model = made(kind)
    ids, chosen = rows(alike)
    assert (reading.find_cache_shape(model) is not None) == (kind != "gemma2")
    shapes = []
    hook = model.register_forward_pre_hook(
        lambda _, args, given: shapes.append(tuple(given["input_ids"].shape)), with_kwargs=True
    )
    logits, states = reading.forward_logits(model, ids, chosen)
    once = alike == 24 and kind != "gemma2"
    assert shapes == ([(1, 23), (3, 16)] if once else [(3, 40)])
    hook.remove()
    said = [(row, place) for row, place in chosen.nonzero().tolist()]
    whole = [
        model(input_ids=ids[row : row + 1, :place], output_hidden_states=True)
        for row, place in said
    ]
    wanted = torch.stack([one.logits[0, -1] for one in whole])
    assert torch.allclose(logits, wanted, atol=1e-5)
    last = torch.stack([one.hidden_states[-1][0, -1] for one in whole])
    assert torch.allclose(states, last, atol=1e-5)
    target = torch.tensor([ids[row, place] for row, place in said])
    loss = torch.nn.functional.cross_entropy
    mine, full = gradients(model, loss(logits, target)), gradients(model, loss(wanted, target))
    assert mine.keys() == full.keys()
    for name, one in mine.items():
        assert torch.allclose(one, full[name], atol=1e-5), name


def test_what_nobody_asks_for_is_an_error():
    ids, chosen = rows(3)
    with pytest.raises(ValueError, match="chosen marks no token"):
        reading.forward_logits(made("llama"), ids, chosen & False)
