"""verifiers over a local endpoint."""

import asyncio

import pytest
from stub_server import StubServer
from trainers import free

import gem_ma


@pytest.fixture
def endpoint():
    """A chat server that plays the lowest free cell of tic-tac-toe."""

    def lowest(body, attempt):
        seen = body["messages"][-1]["content"]
        return free(seen if isinstance(seen, str) else seen[-1]["text"])[0]

    with StubServer(lowest) as server:
        yield server


@pytest.fixture
def verifiers(endpoint, monkeypatch):
    """A function that plays an episode of a taskset with verifiers and returns it."""
    pytest.importorskip("verifiers.v1", reason="pip install verifiers==0.4.0 uv")
    import shutil
    import sys
    from pathlib import Path

    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    if shutil.which("uv") is None:
        pytest.skip("pip install uv: verifiers' programs run with it")
    monkeypatch.setenv("GEM_MA_TEST_KEY", "none")

    def played(folder, name):
        monkeypatch.syspath_prepend(folder)
        return _verified(name, endpoint.url)

    return played


def _verified(name, url):
    from itertools import islice

    import verifiers.v1 as vf
    from verifiers.v1.clients import ModelContext
    from verifiers.v1.utils.loaders import environment_class

    game = environment_class(name)
    seat = {"runtime": {"type": "subprocess"}, "harness": {"id": "null"}}
    config = game.__orig_bases__[0].__args__[0](taskset={"id": name}, x=seat, o=seat)
    env = game(config)
    client = vf.EvalClientConfig(base_url=url, api_key_var="GEM_MA_TEST_KEY")

    async def play():
        async with env.serving():
            (task,) = islice(env.taskset, 1)
            return await env.run_episode(task, ModelContext("m", client))

    episode = asyncio.run(asyncio.wait_for(play(), 120))
    assert episode.ok, (episode.errors, [trace.errors for trace in episode.traces])
    traces = {trace.agent.name: trace for trace in episode.traces}
    assert set(traces) == {"x", "o"}
    return traces


@pytest.mark.filterwarnings("ignore")
def test_verifiers_gives_each_seat_a_trace(endpoint, verifiers):
    from pathlib import Path

    folder = Path(__file__).parents[2] / "examples" / "train"
    traces = verifiers(folder, "verifiers_tictactoe")
    assert {seat: trace.reward for seat, trace in traces.items()} == {"x": 1.0, "o": -1.0}
    # x takes 0, 2, 4 and 6: the diagonal 2-4-6.
    assert {s: t.info["turn_rewards"] for s, t in traces.items()} == {
        "x": [0.0, 0.0, 0.0, 1.0],
        "o": [0.0, 0.0, -1.0],
    }
    rules = gem_ma.make("game:TicTacToe-v0").rules("o")
    told = {"role": "system", "content": rules}
    assert any(body["messages"][0] == told for body in endpoint.requests)


@pytest.mark.filterwarnings("ignore")
def test_verifiers_gets_the_pictures(endpoint, verifiers, tmp_path):
    (tmp_path / "seen_tictactoe.py").write_text(
        "from gem_ma.training.adapters.verifiers import Starts, environment\n"
        'Game = environment("game:TicTacToe-v0", observe="both", image_size=(56, 56))\n'
        '__all__ = ["Game", "Starts"]\n'
    )
    traces = verifiers(tmp_path, "seen_tictactoe")
    assert traces["x"].reward == 1.0

    def urls(chat):
        parts = [
            part for message in chat if message["role"] == "user" for part in message["content"]
        ]
        return [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]

    # What the model was asked with, and what the trace keeps for whoever trains on it.
    longest = max((body["messages"] for body in endpoint.requests), key=len)
    assert len(urls(longest)) == 4
    assert all(url.startswith("data:image/png;base64,") for url in urls(longest))
    kept = [m.model_dump() for node in traces["x"].nodes for m in [node.message]]
    assert urls(kept) == urls(longest)
