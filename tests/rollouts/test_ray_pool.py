"""Runs and vectors on Ray: the same results as in this process, whatever dies on the way."""

import importlib
import os
import signal
import sys
import time

import numpy as np
import pytest

import gem_ma
from gem_ma.agents import RayAgent, load_agent
from gem_ma.chat import tracing
from gem_ma.envs.guessing.guess_the_number import GuessTheNumber

ray = pytest.importorskip("ray", reason="pip install 'gem-ma[ray]'")

FOUR = "game:ConnectFour-v0"


@pytest.fixture(scope="module", autouse=True)
def _cluster():
    path = os.pathsep.join([os.path.dirname(__file__), os.environ.get("PYTHONPATH", "")])
    environment = {"env_vars": {"PYTHONPATH": path}}
    ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, runtime_env=environment)
    yield
    ray.shutdown()


def test_the_same_episodes_on_ray(tmp_path):
    make = {"seed": 4, "group": 2, "shuffle": True, "observe": "both"}
    ids = [FOUR, "game:LiarsDice-v0"]
    alone = gem_ma.rollout(ids, "random", 60, **make)
    out = tmp_path / "run.jsonl"
    episodes = gem_ma.rollout(ids, "random", 60, workers="ray:2", out=out, **make)
    assert episodes == alone
    assert sorted(e.number for e in gem_ma.load_episodes(out)) == list(range(60))
    again = gem_ma.rollout(ids, "random", 80, workers="ray", out=out, resume=True, **make)
    assert again[:60] == alone


def test_agents_can_be_actors():
    @ray.remote
    class Random:
        def act(self, turns):
            return load_agent("random").act(turns)

    agent = RayAgent(Random.remote())
    assert repr(agent) == repr(RayAgent(Random.remote()))
    assert repr(agent).startswith(f"RayAgent({__name__}.")
    assert "Random" in repr(agent)
    alone = gem_ma.rollout(FOUR, "random", 10, seed=1)
    episodes = gem_ma.rollout(FOUR, {"red": agent, "yellow": "random"}, 10, seed=1, workers="ray:2")
    assert [e.steps for e in episodes] == [e.steps for e in alone]
    assert [e.steps for e in gem_ma.rollout(FOUR, agent, 10, seed=1)] == [e.steps for e in alone]


class Dying(GuessTheNumber):
    """Takes its process down: always at one number, or once for each file that is there."""

    def __init__(self, folder=None):
        super().__init__(1, 10, 5)
        self.folder = folder

    def advance(self, state, moves, rng):
        if self.folder is None:
            dies = state.secret == 7
        else:
            names = os.listdir(self.folder)
            dies = bool(names)
            if dies:
                os.unlink(os.path.join(self.folder, names[0]))
        if dies:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().advance(state, moves, rng)


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGKILL: run it on Linux or macOS")
def test_a_dead_actors_episodes_run_again(tmp_path):
    (tmp_path / "one").touch()
    sound = gem_ma.rollout(gem_ma.Env(GuessTheNumber(1, 10, 5), id="x"), "random", 40, seed=2)
    env = gem_ma.Env(Dying(str(tmp_path)), id="x")
    episodes = gem_ma.rollout(env, "random", 40, seed=2, workers="ray:2")
    assert not os.listdir(tmp_path)
    assert [e.number for e in episodes] == list(range(40))
    assert [e.steps for e in episodes] == [e.steps for e in sound]


def test_an_episode_that_kills_every_actor_is_a_failure():
    env = gem_ma.Env(Dying(), id="x")
    episodes = gem_ma.rollout(env, "random", 12, seed=2, workers="ray:2", max_errors=12)
    assert [e.number for e in episodes] == list(range(12))
    kinds = {e.failure.kind for e in episodes if e.failure}
    assert kinds == {"ActorDiedError"}
    assert any(not e.failure for e in episodes)


def test_a_step_that_hangs():
    class Hangs(GuessTheNumber):
        def advance(self, state, moves, rng):
            time.sleep(60)

    env = gem_ma.Env(Hangs(1, 10, 5), id="x")
    (episode,) = gem_ma.rollout(
        env, "random", 1, seed=0, workers="ray:1", step_timeout=0.3, max_errors=1
    )
    assert episode.failure.kind == "StepTimeout"


def test_options_of_the_actors():
    with pytest.raises(ValueError, match=r"resources|num_cpus"):
        gem_ma.rollout(FOUR, "random", 2, workers="ray:1", actor={"num_cpus": -1})
    assert gem_ma.rollout(FOUR, "random", 2, workers="ray:1", actor={"num_cpus": 0.5}, seed=0)


@pytest.mark.parametrize("observe", ["text", "image"])
def test_vectors_on_ray(observe):
    make = {"agent": "red", "others": "random", "observe": observe}
    with_ray = gem_ma.make_vec(FOUR, 4, backend="ray", workers=2, **make)
    here = gem_ma.make_vec(FOUR, 4, **make)
    for vector in (with_ray, here):
        vector.reset(seed=3)
    for number in range(12):
        one, other = [v.step([str((number + i) % 7) for i in range(4)]) for v in (with_ray, here)]
        assert np.array_equal(one[0], other[0])
        assert all(np.array_equal(a, b) for a, b in zip(one[1:4], other[1:4], strict=True))
    with_ray.close()


def test_spans_come_back_from_actors():
    from opentelemetry import trace as api

    export = pytest.importorskip(
        "opentelemetry.sdk.trace.export.in_memory_span_exporter",
        reason="pip install 'gem-ma[otel]'",
    )
    sdk = importlib.import_module("opentelemetry.sdk.trace")
    simple = importlib.import_module("opentelemetry.sdk.trace.export").SimpleSpanProcessor
    provider, exporter = sdk.TracerProvider(shutdown_on_exit=False), export.InMemorySpanExporter()
    provider.add_span_processor(simple(exporter))
    gem_ma.enable_tracing(provider)
    try:
        with provider.get_tracer("mine").start_as_current_span("above") as above:
            episodes = gem_ma.rollout(FOUR, "random", 6, seed=0, workers="ray:2")
    finally:
        tracing.disable_tracing()
    assert not api.get_current_span().is_recording()
    spans = {span.context.span_id: span for span in exporter.get_finished_spans()}
    assert {one.context.trace_id for one in spans.values()} == {above.get_span_context().trace_id}
    above_each = [spans[one.parent.span_id].name for one in spans.values() if one.parent]
    turns = sum(len(episode.steps) for episode in episodes)
    flow = f"invoke_workflow {FOUR}"
    assert sorted(above_each) == ["above"] * 6 + [flow] * turns
