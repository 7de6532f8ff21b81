"""verifiers over a local endpoint."""

import asyncio
import os
from collections import defaultdict
from pathlib import Path

import pytest
from stub_server import StubServer
from trainers import free

import gem_ma

PLAYED = {}  # episodes are slow
FOLDER = Path(__file__).parents[3] / "examples" / "train"


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
        PLAYED[name] = _verified(name, endpoint.url)
        return PLAYED[name]

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
    assert {trace.agent.name for trace in episode.traces} == {"x", "o"}
    return episode


def by_seat(episode):
    return {trace.agent.name: trace for trace in episode.traces}


@pytest.mark.filterwarnings("ignore")
def test_verifiers_gives_each_seat_a_trace(endpoint, verifiers):
    traces = by_seat(verifiers(FOLDER, "verifiers_tictactoe"))
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
        "from gem_ma.training.trainers.verifiers import GameTaskset, make_env_class\n"
        'Game = make_env_class("game:TicTacToe-v0", observe="both", image_size=(56, 56))\n'
        '__all__ = ["Game", "GameTaskset"]\n'
    )
    traces = by_seat(verifiers(tmp_path, "seen_tictactoe"))
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


@pytest.fixture
def pair(verifiers):
    """Two episodes from one start, with token ids as a server that trains gives them.

    What was said in the second is that of the first; only what was earned differs.
    """
    name = "verifiers_tictactoe"
    first = PLAYED.get(name) or verifiers(FOLDER, name)
    first = first.model_copy(deep=True)
    for trace in first.traces:
        for node in trace.nodes:
            text = str(node.message.model_dump().get("content"))
            node.token_ids = list(text.encode())
            node.mask = [node.sampled] * len(node.token_ids)
            node.logprobs = [-1.0] * sum(node.mask)
    second = first.model_copy(deep=True)
    for trace, reward in zip(second.traces, (0.5, 0.25), strict=True):
        turns = len(trace.info["turn_rewards"])
        trace.info["turn_rewards"] = [reward] * turns
    return first, second


def expected(pair, seat):
    """Return what each turn of a seat is worth in both episodes, by hand."""
    earned = [by_seat(episode)[seat].info["turn_rewards"] for episode in pair]
    return [
        [sum(own[turn:]) - sum(other) for turn in range(len(own))]
        for own, other in (earned, earned[::-1])
    ]


@pytest.mark.filterwarnings("ignore")
def test_verifiers_traces_take_the_credit_of_turns(pair):
    from gem_ma.training.trainers.verifiers import assign_advantages

    assign_advantages(pair)
    for seat in ("x", "o"):
        for episode, worths in zip(pair, expected(pair, seat), strict=True):
            (branch,) = by_seat(episode)[seat].branches
            said = [node for node in branch.nodes if node.sampled]
            for node, worth in zip(said, worths, strict=True):
                assert node.advantages == [worth] * len(node.token_ids)


@pytest.mark.filterwarnings("ignore")
def test_verifiers_knows_several_sequences_of_a_seat(pair):
    trace = by_seat(pair[0])["x"]
    again = trace.nodes[-1].model_copy(deep=True)
    again.parent = next(i for i, node in enumerate(trace.nodes) if node.sampled)
    trace.nodes.append(again)  # as a harness does that goes on from an earlier turn
    assert len(trace.branches) == 2


@pytest.mark.filterwarnings("ignore")
def test_prime_rls_reader_takes_the_traces(pair, monkeypatch):
    from types import SimpleNamespace

    import verifiers.v1 as vf
    from trainers import cut

    from gem_ma.training.trainers.verifiers import assign_advantages

    source = Path(os.environ.get("PRIME_RL", "prime-rl")) / "src/prime_rl/orchestrator"
    if not source.exists():
        pytest.skip("set PRIME_RL to a clone of github.com/PrimeIntellect-ai/prime-rl")
    names = {"vf": vf, "Iterator": object, "TrainingSample": SimpleNamespace, "Any": object,
             "_encode_routed_experts": lambda *_: None, "__name__": "prime"}  # fmt: skip
    for name in ("iter_trainable_branches", "_loss_weights", "trace_to_samples"):
        cut(source / "trajectories.py", name, names)
    (branch,) = by_seat(pair[0])["x"].branches
    # This reader is older than the release, which has no longer a name that it looks for.
    monkeypatch.setattr(type(branch), "multi_modal_data", None, raising=False)
    assign_advantages(pair)
    for seat in ("x", "o"):
        for episode, worths in zip(pair, expected(pair, seat), strict=True):
            (sample,) = names["trace_to_samples"](by_seat(episode)[seat], env_name="game")
            own = [a for a, mine in zip(sample.advantages, sample.mask, strict=True) if mine]
            assert own == worths  # replies of one letter
            assert len(sample.token_ids) == len(sample.mask)
    # Its own algorithm for several seats compares each with itself, too.
    names["defaultdict"] = defaultdict
    cut(source / "algo/routing.py", "assign_advantages", names)
    cut(source / "algo/base.py", "iter_trainable_traces", names)
    score = cut(source / "algo/hierarchical_grpo.py", "score_group", names)
    for trace in pair[1].traces:
        trace.record_reward("game", 1.0)
    asyncio.run(score(SimpleNamespace(episode_agents=set()), list(pair)))
    rewards = [by_seat(episode)["x"].reward for episode in pair]
    for episode, reward in zip(pair, rewards, strict=True):
        (sample,) = names["trace_to_samples"](by_seat(episode)["x"], env_name="game")
        own = {a for a, mine in zip(sample.advantages, sample.mask, strict=True) if mine}
        assert own == {reward - sum(rewards) / 2}
