"""OpenRLHF's agent module."""

import asyncio

import pytest
from trainers import MOVES, SEEN, last, pixels, shown

from gem_ma.training.adapters import sit


@pytest.fixture
def openrlhf(monkeypatch):
    """OpenRLHF's agent module as it is, without importing the trainer around it."""
    import importlib.util
    import sys
    import types

    pytest.importorskip("torch", reason="pip install 'gem-ma[hf]'")
    spec = importlib.util.find_spec("openrlhf")
    if spec is None:
        pytest.skip("pip install --no-deps openrlhf==0.11.2 and aiohttp")
    (folder,) = spec.submodule_search_locations
    for name in ("openrlhf", "openrlhf.utils"):
        package = types.ModuleType(name)
        package.__path__ = [folder if name == "openrlhf" else f"{folder}/utils"]
        monkeypatch.setitem(sys.modules, name, package)


class Engine:
    """Stands for the engine of OpenRLHF: it says what it is given to say, token by token."""

    def __init__(self, tokenizer, moves):
        self.tokenizer, self.moves = tokenizer, iter(moves)
        self.prompts, self.pictures = [], []

    async def generate(self, ids, params, multi_modal_data=None):
        from types import SimpleNamespace

        self.prompts.append(list(ids))
        self.pictures.append([pixels(one) for one in (multi_modal_data or {}).get("image", [])])
        text = next(self.moves)
        said = [*self.tokenizer(text)["input_ids"], self.tokenizer.eos_token_id]
        logprobs = [{token: SimpleNamespace(logprob=-1.0)} for token in said]
        return SimpleNamespace(
            outputs=[
                SimpleNamespace(
                    token_ids=said,
                    text=text,  # vLLM leaves the token that ended it out of the text
                    finish_reason="stop",
                    logprobs=logprobs,
                )
            ]
        )


def test_openrlhf_executes_an_episode_that_reads_as_the_chat_does(openrlhf, tokenizer):
    from types import SimpleNamespace

    from gem_ma.talk.tokens import Tokens
    from gem_ma.training.adapters.openrlhf import executor

    made = executor(tokenizer, "game:TicTacToe-v0", "x", lambda turn: turn.legal[-1])
    engine = Engine(tokenizer, ["0", "4", "2", "6", "1"])
    params = SimpleNamespace(max_tokens=8, logprobs=1)
    out = asyncio.run(made().execute("unused", "7", params, 4000, tokenizer, engine))
    assert out["reward"] in (1.0, 0.0, -1.0)
    assert len(out["rollout_log_probs"]) == len(out["observation_tokens"])
    seat = sit("game:TicTacToe-v0", "x", lambda turn: turn.legal[-1])

    async def prompts():
        tokens, seen = Tokens(tokenizer), []
        outcome = await seat.reset(7)
        for move in ["0", "4", "2", "6", "1"]:
            if outcome.turn is None:
                break
            seen.append(tokens.prompt(outcome.turn.messages).ids)
            outcome = await seat.step(move)
        return seen

    assert engine.prompts == asyncio.run(prompts())
    assert len(out["action_ranges"]) == len(engine.prompts)


def test_openrlhf_gets_the_pictures(openrlhf, processor):
    from types import SimpleNamespace

    from gem_ma.training.adapters.openrlhf import executor

    made = executor(processor, "game:TicTacToe-v0", "x", last, **SEEN)
    engine = Engine(processor.tokenizer, MOVES)
    params = SimpleNamespace(max_tokens=8, logprobs=1)
    out = asyncio.run(made().execute("unused", "7", params, 9000, processor, engine))
    wanted = shown(processor)
    assert engine.prompts == [ids for ids, _ in wanted]
    assert engine.pictures == [seen for _, seen in wanted]
    inputs = out["mm_train_inputs"]
    assert len(inputs["image_grid_thw"]) == len(wanted)
    assert len(inputs["pixel_values"]) == int(inputs["image_grid_thw"].prod(-1).sum())
    blind = executor(processor.tokenizer, "game:TicTacToe-v0", "x", last, **SEEN)
    with pytest.raises(ValueError, match="takes no pictures; use a model that sees"):
        asyncio.run(blind().execute("", "7", params, 9000, processor.tokenizer, engine))
    with pytest.raises(ValueError, match=r"the label \{\} has no seed"):
        asyncio.run(made().execute("", "{}", params, 9000, processor, engine))
