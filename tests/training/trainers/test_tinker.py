"""Tinker's cookbook, and its client against a stand-in of the service, over HTTP."""

import asyncio
import gc
import sys
import time
from asyncio.selector_events import _SelectorSocketTransport as SocketTransport
from pathlib import Path

import numpy as np
import pytest
from trainers import Letters, free

EXAMPLE = Path(__file__).parents[3] / "examples/train/tinker_games.py"


def draws(text):
    """A completer that says what `text` says to the end of a prompt."""
    from tinker_cookbook.completers import TokenCompleter, TokensWithLogprobs

    class Completer(TokenCompleter):
        async def __call__(self, model_input, stop, **_):
            await asyncio.sleep(0)
            ids = list(f" {text(bytes(model_input.to_ints()).decode())}\n\nUser:".encode())
            return TokensWithLogprobs(tokens=ids, maybe_logprobs=[-1.0] * len(ids))

    return Completer()


@pytest.mark.filterwarnings("ignore")
def test_tinker_trains_both_seats_and_compares_each_with_itself():
    pytest.importorskip("tinker_cookbook", reason="pip install tinker-cookbook==0.5.8 torch")
    import pickle

    from tinker_cookbook.renderers.role_colon import RoleColonRenderer
    from tinker_cookbook.rl.data_processing import compute_advantages, trajectory_to_data
    from tinker_cookbook.rl.rollouts import do_group_rollout

    from gem_ma.training.trainers.tinker import GameDataset, GameGroupBuilder

    rng = np.random.default_rng(0)

    def cell(prompt):
        return rng.choice(free(prompt.rpartition("User:")[2].removesuffix("Assistant:")))

    renderer = RoleColonRenderer(Letters())
    data = GameDataset(2, 3, seed=1, env="game:TicTacToe-v0", renderer=renderer, games=4)
    assert [len(data.get_batch(i)) for i in range(len(data))] == [3, 3]
    builder = data.get_batch(0)[0]
    group = asyncio.run(asyncio.wait_for(do_group_rollout(builder, draws(cell)), 60))
    assert len(group.trajectories_G) == 8
    returns = [metrics["return"] for metrics in group.metrics_G]
    assert [a + b for a, b in zip(returns[::2], returns[1::2], strict=True)] == [0.0] * 4
    advantages = compute_advantages([group])[0]
    for seat in (0, 1):
        own = np.array(returns[seat::2])
        assert np.allclose(advantages[seat::2], own - own.mean(), atol=1e-6)
    for trajectory in group.trajectories_G:
        assert len(trajectory.transitions) > 1
        (datum,) = trajectory_to_data(trajectory, 1.0)  # each prompt goes on from the one before
        said = sum(len(one.ac.tokens) for one in trajectory.transitions)
        assert sum(datum.loss_fn_inputs["mask"].tolist()) == said
    alone = GameGroupBuilder("game:GuessTheNumber-v0", Letters, 3, 2)
    assert pickle.loads(pickle.dumps(alone)) == alone


@pytest.mark.filterwarnings("ignore")
def test_tinker_credits_turns_and_takes_several_sequences():
    pytest.importorskip("tinker_cookbook", reason="pip install tinker-cookbook==0.5.8 torch")
    from tinker_cookbook.renderers.role_colon import RoleColonRenderer

    from gem_ma.training.trainers.tinker import GameGroupBuilder, make_datums, rollout_seat_policies

    renderer = RoleColonRenderer(Letters())
    games = GameGroupBuilder("game:PrisonersDilemma-v0", renderer, 1, 2, make={"rounds": 3})
    moves = {"one": "cooperate", "other": "defect"}
    seats = [env.seat.name for env in asyncio.run(games.make_envs())][:2]
    policies = {
        seat: draws(lambda prompt, move=move: move)
        for seat, move in zip(seats, moves.values(), strict=True)
    }
    played = asyncio.run(asyncio.wait_for(rollout_seat_policies(games, policies), 60))
    assert list(played) == seats
    for seat in seats:
        rewards = [[one.reward for one in t.transitions] for t in played[seat]]
        assert rewards[0] == rewards[1]
        assert len(rewards[0]) == 3
        total, found = sum(rewards[0]), []
        for datum in make_datums(played[seat]):
            found.append(list(dict.fromkeys(datum.loss_fn_inputs["advantages"].tolist())))
        _, second, third = rewards[0]
        # 0 beside what it said, then what each turn led to less what the other game brought.
        to_go = [value - total for value in (total, second + third, third)]
        expected = list(dict.fromkeys([0.0, *to_go]))
        assert found == [pytest.approx(expected)] * 2
    cut = played[seats[0]][0]
    cut.transitions[1].ob = cut.transitions[0].ob  # a renderer that leaves out what was thought
    assert len(make_datums(played[seats[0]])) > 2


@pytest.mark.filterwarnings("ignore")
def test_tinker_does_not_wait_for_a_seat_that_left():
    pytest.importorskip("tinker_cookbook", reason="pip install tinker-cookbook==0.5.8 torch")
    from tinker_cookbook.renderers.role_colon import RoleColonRenderer
    from tinker_cookbook.rl.rollouts import do_group_rollout

    from gem_ma.training.trainers.tinker import GameGroupBuilder

    renderer = RoleColonRenderer(Letters())
    games = GameGroupBuilder("game:PrisonersDilemma-v0", renderer, 1, 2, max_tokens=700)
    group = asyncio.run(
        asyncio.wait_for(do_group_rollout(games, draws(lambda prompt: "cooperate")), 60)
    )
    ends = [trajectory.transitions[-1].metrics for trajectory in group.trajectories_G]
    assert any("too_long" in end for end in ends)
    assert all(end.keys() & {"left", "too_long"} for end in ends)


@pytest.fixture(scope="module")
def sees():
    """Return the cookbook's renderer of a model that sees, for a processor made here."""
    pytest.importorskip("tinker_cookbook", reason="pip install tinker-cookbook==0.5.8 torch")
    import tiny_models
    from tinker_cookbook.renderers.qwen3 import Qwen3VLInstructRenderer

    processor = tiny_models.vlm_processor()
    return Qwen3VLInstructRenderer(processor.tokenizer, processor.image_processor)


@pytest.mark.filterwarnings("ignore")
def test_tinker_gets_the_pictures(sees):
    from io import BytesIO

    import tinker
    from PIL import Image
    from tinker_cookbook.completers import TokenCompleter, TokensWithLogprobs
    from tinker_cookbook.renderers.role_colon import RoleColonRenderer
    from tinker_cookbook.rl.data_processing import trajectory_to_data
    from tinker_cookbook.rl.rollouts import do_group_rollout

    from gem_ma.training.trainers.tinker import GameGroupBuilder

    def images(model_input):
        return [one for one in model_input.chunks if isinstance(one, tinker.types.ImageChunk)]

    class Completer(TokenCompleter):
        async def __call__(self, model_input, stop, **_):
            turn = len(images(model_input)) - 1
            ids = sees.tokenizer.encode(f"{'042613'[turn]}<|im_end|>", add_special_tokens=False)
            return TokensWithLogprobs(tokens=ids, maybe_logprobs=[-1.0] * len(ids))

    make = {"observe": "both", "image_size": (84, 84)}
    others = {"o": lambda turn: turn.legal[-1]}
    games = GameGroupBuilder("game:TicTacToe-v0", sees, 7, 1, others, make)
    group = asyncio.run(asyncio.wait_for(do_group_rollout(games, Completer()), 60))
    (trajectory,) = group.trajectories_G
    assert [len(images(one.ob)) for one in trajectory.transitions] == [1, 2, 3]
    last = images(trajectory.transitions[-1].ob)
    for chunk, number in zip(last, range(3), strict=True):
        image = Image.open(BytesIO(chunk.data))
        assert (image.size, chunk.expected_tokens) == ((84, 84), 9)
        assert number == 0 or chunk.data != last[number - 1].data
    (datum,) = trajectory_to_data(trajectory, 1.0)
    assert images(datum.model_input) == last
    text = RoleColonRenderer(Letters())
    (env,) = asyncio.run(
        GameGroupBuilder("game:TicTacToe-v0", text, 7, 1, others, make).make_envs()
    )
    with pytest.raises(ValueError, match="a RoleColonRenderer has no image processor"):
        asyncio.run(env.initial_observation())


@pytest.fixture
def service(monkeypatch):
    """A stand-in of the service, which the client finds by its variables."""
    pytest.importorskip("tinker_cookbook", reason="pip install tinker-cookbook==0.5.8 torch")
    from tinker.lib.internal_client_holder import InternalClientHolder
    from tinker_service import Service

    with Service() as running:
        monkeypatch.setenv("TINKER_API_KEY", "tml-none")
        monkeypatch.setenv("TINKER_BASE_URL", running.url)
        monkeypatch.setenv("TINKER_TELEMETRY", "0")
        yield running
        # Clients close their sockets in a thread, some time after they are deleted: wait for them.
        for client in [one for one in gc.get_objects() if type(one) is InternalClientHolder]:
            client.run_coroutine_threadsafe(client.aclose()).result(10)
        for _ in range(100):
            if not any(type(one) is SocketTransport for one in gc.get_objects()):
                break
            time.sleep(0.05)
            gc.collect()


@pytest.fixture
def model():
    """The name under which the cookbook finds a tokenizer of bytes."""
    from tinker_cookbook import tokenizer_utils

    tokenizer_utils.register_tokenizer("bytes", Letters)
    yield "bytes"
    tokenizer_utils.unregister_tokenizer("bytes")


@pytest.fixture
def example(monkeypatch, tmp_path, model):
    """A function that runs the example in this process."""
    import importlib.util

    spec = importlib.util.spec_from_file_location("tinker_games", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "tinker_games", module)  # chz looks for its classes there
    spec.loader.exec_module(module)

    def run(*arguments):
        given = ["--model", model, "--renderer", "role_colon", "--max-tokens", "1"]
        given += ["--out", str(tmp_path / "out"), "--batches", "2", "--lr", "0.3"]
        monkeypatch.setattr("sys.argv", ["tinker_games.py", *given, *map(str, arguments)])
        module.main()

    return run


@pytest.mark.filterwarnings("ignore")
def test_tinker_trains_one_model_by_the_cookbooks_own_trainer(service, example, tmp_path):
    example("--groups", 1, "--games", 3)
    (trained,) = service.models.values()
    assert len(trained.learnt) >= 2 * 3
    assert any(any(row) for row in trained.learnt)
    metrics = (tmp_path / "out" / "metrics.jsonl").read_text().splitlines()
    assert len(metrics) == 2
    assert "return/x" in metrics[0]


@pytest.mark.filterwarnings("ignore")
def test_tinker_trains_a_model_for_each_seat(service, example, capsys):
    import torch

    example("--groups", 1, "--games", 3, "--apart")
    x, o = service.models.values()
    assert x.learnt
    assert o.learnt
    assert not torch.equal(x.table, o.table)
    assert all(abs(value) <= 2.0 for model in (x, o) for row in model.learnt for value in row)
    said = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in said] == [f"batch {n}" for n in range(2)]
