"""Spans of OpenTelemetry's SDK 1.45, whose in-memory exporter holds them."""

import asyncio
import json
import subprocess
import sys
import threading
import time
from collections import Counter

import packs
import pytest
import warm
from needed import needed
from stub_server import StubServer, status

import gem_ma
from gem_ma.chat import tracing
from gem_ma.envs.boards.tic_tac_toe import TicTacToe
from gem_ma.rollouts import FailedEpisodesWarning
from gem_ma.tools import ToolError, with_tools

export = needed("opentelemetry.sdk.trace.export.in_memory_span_exporter", install="'gem-ma[otel]'")
sdk = needed("opentelemetry.sdk.trace", install="'gem-ma[otel]'")

TWO = "game:TicTacToe-v0"
GUESS = "game:GuessTheNumber-v0-easy"


class Trace:
    """The spans that were exported, as a tree."""

    def __init__(self, exporter):
        self.spans = exporter.get_finished_spans()
        self.by_id = {span.context.span_id: span for span in self.spans}
        assert len(self.by_id) == len(self.spans)

    def of(self, operation):
        named = "gen_ai.operation.name"
        return [span for span in self.spans if span.attributes[named] == operation]

    def above(self, span):
        return None if span.parent is None else self.by_id.get(span.parent.span_id)


@pytest.fixture
def provider(monkeypatch):
    monkeypatch.delenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", raising=False)
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    provider = sdk.TracerProvider(shutdown_on_exit=False)
    provider.exporter = export.InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(provider.exporter))
    gem_ma.enable_tracing(provider)
    yield provider
    tracing.disable_tracing()


def check_tree(trace, episodes, *, calls=False):
    """Check that each episode has its own turns, with its own model calls below them."""
    flows = {span.attributes["gem_ma.episode.id"]: span for span in trace.of("invoke_workflow")}
    assert set(flows) == {episode.id for episode in episodes}
    turns = Counter()
    for span in trace.of("invoke_agent"):
        episode, _, seat = span.attributes["gen_ai.conversation.id"].rpartition("/")
        assert seat == span.attributes["gem_ma.seat"]
        assert trace.above(span) is flows[episode]
        assert span.context.trace_id == flows[episode].context.trace_id
        assert flows[episode].start_time <= span.start_time <= span.end_time
        assert span.end_time <= flows[episode].end_time
        turns[episode, seat] += 1
    assert turns == Counter((one.id, step.agent) for one in episodes for step in one.steps)
    for span in trace.of("chat"):
        turn = trace.above(span)
        name = "gen_ai.conversation.id"
        assert span.attributes[name] == turn.attributes[name]
        assert turn.start_time <= span.start_time <= span.end_time <= turn.end_time
    assert len(trace.of("chat")) == (sum(turns.values()) if calls else 0)


def test_nothing_is_imported_or_recorded_unless_it_is_asked_for():
    code = (
        "import sys, gem_ma\n"
        "gem_ma.rollout('game:TicTacToe-v0', 'random', 2, seed=0)\n"
        "print(any(name.startswith('opentelemetry') for name in sys.modules))"
    )
    run = subprocess.run([*warm.python(), "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"


def test_episodes_and_turns_are_spans(provider):
    episodes = gem_ma.rollout(TWO, {"x": "search", "o": "random"}, 3, seed=0)
    trace = Trace(provider.exporter)
    check_tree(trace, episodes)
    flow = trace.of("invoke_workflow")[0]
    (episode,) = [one for one in episodes if one.id == flow.attributes["gem_ma.episode.id"]]
    assert flow.name == f"invoke_workflow {TWO}"
    assert flow.parent is None
    assert flow.attributes["gen_ai.agent.name"] == TWO
    assert flow.attributes["gem_ma.episode.ended"] == "terminated"
    assert flow.attributes["gem_ma.return.x"] == episode.returns["x"]
    assert int(flow.attributes["gem_ma.episode.seed"]) == episode.seed
    turn = trace.of("invoke_agent")[0]
    assert turn.name == "invoke_agent search"
    assert turn.kind.name == flow.kind.name == "INTERNAL"
    tracing.disable_tracing()
    gem_ma.rollout(TWO, "random", seed=0)
    assert len(Trace(provider.exporter).spans) == len(trace.spans)


def test_an_invalid_reply_and_its_tokens_are_told(provider):
    def wrong_first(turn):
        reply = "I pass" if turn.first else turn.legal[0]
        return gem_ma.Reply(reply, token_ids=[1, 2, 3], finish_reason="length")

    gem_ma.rollout(TWO, wrong_first, seed=0)
    turns = Trace(provider.exporter).of("invoke_agent")
    assert [bool(span.attributes.get("gem_ma.invalid")) for span in turns[:2]] == [True, False]
    assert turns[0].attributes["gen_ai.usage.output_tokens"] == 3
    assert turns[0].attributes["gen_ai.response.finish_reasons"] == ("length",)


class Waiting:
    """Replies when others have had their turns, or in threads."""

    async def act(self, turns):
        await asyncio.sleep(turns[0].seed % 5 / 1000)
        return [turn.legal[turn.seed % len(turn.legal)] for turn in turns]


class Slow:
    """Waits in a thread; what it does for a single turn belongs to that turn."""

    blocking = True

    def __init__(self):
        self.seen = []

    def act(self, turns):
        from opentelemetry import trace

        time.sleep(0.001)
        span = trace.get_current_span()
        if len(turns) == 1:
            self.seen.append((turns[0].episode, span.attributes["gen_ai.conversation.id"]))
        else:
            assert not span.is_recording()
        return [turn.legal[0] for turn in turns]


@pytest.mark.parametrize("count", [1, 40])
def test_many_episodes_at_once_are_not_mixed(provider, count):
    slow = Slow()
    episodes = gem_ma.rollout(TWO, {"x": Waiting(), "o": slow}, count, seed=0)
    check_tree(Trace(provider.exporter), episodes)
    assert slow.seen or count > 1
    assert all(seen == f"{episode}/o" for episode, seen in slow.seen)


def test_simultaneous_turns_are_all_below_their_episode(provider):
    episodes = gem_ma.rollout("game:RockPaperScissors-v0", Waiting(), 8, seed=0)
    check_tree(Trace(provider.exporter), episodes)


def test_a_game_that_blocks_is_traced_from_its_thread(provider):
    def add(a: int, b: int) -> int:
        """Return the sum."""
        time.sleep(0.001)
        return a + b

    def calls_once(turn):
        if turn.results or not turn.first:
            return turn.legal[0] if turn.legal else "1"
        return '<tool_call>{"name": "add", "arguments": {"a": 1, "b": 2}}</tool_call>'

    env = with_tools(gem_ma.make(TWO), add)
    (tool,) = env.tools("x")
    tool.blocking = True
    assert env.blocking
    episodes = gem_ma.rollout(env, calls_once, 16, seed=0)
    trace = Trace(provider.exporter)
    check_tree(trace, episodes)
    assert len(trace.of("execute_tool")) == 2 * 16
    for span in trace.of("execute_tool"):
        turn = trace.above(span)
        assert turn.attributes["gem_ma.seat"] == span.attributes["gem_ma.seat"]
        assert span.name == "execute_tool add"
        assert span.attributes["gen_ai.tool.name"] == "add"
        assert span.attributes["gen_ai.tool.type"] == "function"


def first_move(message, attempt):
    return "\\boxed{1}"


def model(server, **options):
    needed("openai", install="'gem-ma[openai]'")
    from gem_ma.agents import OpenAIAgent

    return OpenAIAgent("m", server.url, **options)


def play_models(provider, count, workers=None, answer=first_move):
    with StubServer(answer, keep=False) as server:
        agents = {"x": model(server, temperature=0.5, max_tokens=9, seed=3), "o": "random"}
        options = {"invalid": "random", "workers": workers}
        episodes = gem_ma.rollout(TWO, agents, count, seed=0, **options)
        return episodes, server


def test_model_calls_are_below_the_turns_that_asked(provider):
    episodes, server = play_models(provider, 12)
    trace = Trace(provider.exporter)
    calls = trace.of("chat")
    for span in calls:
        turn = trace.above(span)
        name = "gen_ai.conversation.id"
        assert span.attributes[name] == turn.attributes[name]
        assert turn.start_time <= span.start_time <= span.end_time <= turn.end_time
    replies = [step for one in episodes for step in one.steps if step.agent == "x"]
    assert len(calls) == len(replies)
    (span, *_) = calls
    assert (span.name, span.kind.name) == ("chat m", "CLIENT")
    expected = {
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "m",
        "gen_ai.request.temperature": 0.5,
        "gen_ai.request.max_tokens": 9,
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.output_tokens": 2,
        "gen_ai.response.finish_reasons": ("stop",),
        "server.address": "127.0.0.1",
        "server.port": server.port,
    }
    assert {name: span.attributes.get(name) for name in expected} == expected
    assert isinstance(span.attributes["gen_ai.request.seed"], int)


def test_each_attempt_is_a_span_and_a_refusal_has_its_kind(provider):
    def refuse_first(message, attempt):
        return status(500, "Retry-After: 0") if attempt == 0 else first_move(message, attempt)

    play_models(provider, 1, answer=refuse_first)
    trace = Trace(provider.exporter)
    calls = sorted(trace.of("chat"), key=lambda span: span.start_time)
    assert calls[0].attributes["error.type"] == "InternalServerError"
    assert calls[0].status.status_code.name == "ERROR"
    assert "error.type" not in calls[1].attributes
    assert trace.above(calls[0]) is trace.above(calls[1])


@pytest.mark.parametrize("workers", [1, 2])
def test_spans_of_worker_processes_are_written_here(provider, workers):
    from opentelemetry import trace as api

    with provider.get_tracer("mine").start_as_current_span("above") as above:
        episodes, _ = play_models(provider, 6, workers)
    assert not api.get_current_span().is_recording()
    trace = Trace(provider.exporter)
    spans = [one for one in trace.spans if one.name != "above"]
    trace.spans = spans
    assert {one.context.trace_id for one in spans} == {above.get_span_context().trace_id}
    flows = trace.of("invoke_workflow")
    assert [trace.above(one).name for one in flows] == ["above"] * 6
    assert len(trace.of("invoke_agent")) == sum(len(one.steps) for one in episodes)
    for span in trace.of("invoke_agent"):
        flow = trace.above(span)
        assert flow in flows
        assert flow.start_time <= span.start_time <= span.end_time <= flow.end_time
    replies = [step for one in episodes for step in one.steps if step.agent == "x"]
    assert len(trace.of("chat")) == len(replies)
    for span in trace.of("chat"):  # made here, below a turn that was played there
        turn = trace.above(span)
        assert turn.attributes["gem_ma.seat"] == "x"
        name = "gen_ai.conversation.id"
        assert span.attributes[name] == turn.attributes[name]


def test_a_sampler_decides_for_whole_episodes_in_workers_too():
    sampling = needed("opentelemetry.sdk.trace.sampling", install="'gem-ma[otel]'")
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    sampler = sampling.ParentBased(sampling.TraceIdRatioBased(0.5))
    provider = sdk.TracerProvider(sampler, shutdown_on_exit=False)
    exporter = export.InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    gem_ma.enable_tracing(provider)
    try:
        episodes, _ = play_models(provider, 24, workers=2)
    finally:
        tracing.disable_tracing()
    trace = Trace(exporter)
    kept = {span.attributes["gem_ma.episode.id"] for span in trace.of("invoke_workflow")}
    assert 0 < len(kept) < 24
    turns = sum(len(episode.steps) for episode in episodes if episode.id in kept)
    assert len(trace.of("invoke_agent")) == turns
    seats = [step.agent for episode in episodes if episode.id in kept for step in episode.steps]
    assert len(trace.of("chat")) == seats.count("x")


def test_a_failure_ends_every_span(provider):
    def forgetful(turn):
        if turn.number == 2:
            raise KeyError("nothing here")
        return turn.legal[0]

    with pytest.warns(FailedEpisodesWarning):
        (episode,) = gem_ma.rollout(TWO, forgetful, seed=0)
    trace = Trace(provider.exporter)
    (flow,) = trace.of("invoke_workflow")
    assert flow.attributes["error.type"] == "KeyError"
    assert flow.status.description == episode.failure.message
    assert flow.attributes["gem_ma.episode.ended"] == "failed"
    turns = trace.of("invoke_agent")
    assert len(turns) == 3
    assert [one.attributes.get("error.type") for one in turns] == [None, None, "KeyError"]


def test_a_game_that_fails_ends_its_spans_in_workers_too(provider):
    for workers in (None, 1):
        provider.exporter.clear()
        with pytest.warns(FailedEpisodesWarning):
            gem_ma.rollout(gem_ma.Env(Breaking()), "random", 2, seed=0, workers=workers)
        trace = Trace(provider.exporter)
        kinds = [one.attributes["error.type"] for one in trace.of("invoke_workflow")]
        assert kinds == ["RuntimeError"] * 2
        assert all(one.end_time for one in trace.spans)


class Breaking(TicTacToe):
    """Ends no move."""

    def advance(self, state, moves, rng):
        raise RuntimeError("a fault of the game")


def test_what_is_interrupted_is_ended(provider):
    async def stop_early():
        stream = gem_ma.arollout(TWO, Waiting(), 50, seed=0, concurrency=10)
        async for _ in stream:
            break
        await stream.aclose()

    asyncio.run(stop_early())
    trace = Trace(provider.exporter)
    ends = Counter(one.attributes["gem_ma.episode.ended"] for one in trace.of("invoke_workflow"))
    assert ends["terminated"] >= 1
    assert ends["interrupted"] >= 9
    for span in trace.of("invoke_agent"):
        assert trace.above(span) is not None


def test_rollouts_belong_to_the_span_of_their_caller(provider):
    tracer = provider.get_tracer("mine")

    async def inside():
        with tracer.start_as_current_span("in a loop"):
            gem_ma.rollout(TWO, Waiting(), seed=0)

    for name in ("first", "second"):  # one loop of the thread plays both
        with tracer.start_as_current_span(name):
            gem_ma.rollout(TWO, Waiting(), seed=0)
    asyncio.run(inside())
    gem_ma.rollout(TWO, Waiting(), seed=0)
    trace = Trace(provider.exporter)
    trace.spans = [one for one in trace.spans if "gen_ai.operation.name" in one.attributes]
    above = [trace.above(one) for one in trace.of("invoke_workflow")]
    assert [one and one.name for one in above] == ["first", "second", "in a loop", None]


def test_rollouts_in_threads_are_not_mixed(provider):
    found = {}

    def play(seed):
        found[seed] = gem_ma.rollout(TWO, Waiting(), 5, seed=seed)

    threads = [threading.Thread(target=play, args=(seed,)) for seed in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    check_tree(Trace(provider.exporter), [one for several in found.values() for one in several])


SECRET = "rosebud"


def play_with_tools(turn):
    if turn.results:
        return f"\\boxed{{1}} {SECRET}"
    return f'<tool_call>{{"name": "look", "arguments": {{"word": "{SECRET}"}}}}</tool_call>'


def look(word: str) -> str:
    """Look a word up."""
    if word == "again":
        raise ToolError(f"{SECRET} is unknown")
    return f"{SECRET} is a sledge"


def test_what_is_said_is_in_spans_only_for_who_asks_for_it(provider, monkeypatch):
    env = with_tools(gem_ma.make(GUESS, max_turns=1), look)
    gem_ma.rollout(env, play_with_tools, seed=0)
    play_models(provider, 1, answer=lambda message, attempt: f"{SECRET} \\boxed{{1}}")
    trace = Trace(provider.exporter)
    assert trace.of("chat")
    assert trace.of("execute_tool")
    assert not any(SECRET in span.to_json() for span in trace.spans)
    name = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
    monkeypatch.setenv(name, "SPAN_ONLY")
    gem_ma.enable_tracing(provider)
    provider.exporter.clear()
    gem_ma.rollout(env, play_with_tools, seed=0)
    play_models(provider, 1, answer=lambda message, attempt: f"{SECRET} \\boxed{{1}}")
    trace = Trace(provider.exporter)
    (tool,) = trace.of("execute_tool")
    assert json.loads(tool.attributes["gen_ai.tool.call.arguments"]) == {"word": SECRET}
    assert tool.attributes["gen_ai.tool.call.result"] == f"{SECRET} is a sledge"
    turn = trace.above(tool)
    (said,) = json.loads(turn.attributes["gen_ai.output.messages"])
    assert said["parts"][0]["content"] == play_with_tools(turn=gem_ma.Turn("x", "", {}, ""))
    call = trace.of("chat")[0]
    heard = json.loads(call.attributes["gen_ai.input.messages"])
    assert [one["role"] for one in heard] == ["system", "user"]
    (said,) = json.loads(call.attributes["gen_ai.output.messages"])
    assert said["role"] == "assistant"
    assert said["parts"] == [{"type": "text", "content": f"{SECRET} \\boxed{{1}}"}]
    assert said["finish_reason"] == "stop"


def test_a_tool_that_refuses_is_an_error_of_its_span(provider):
    def again(turn):
        if turn.results:
            return "\\boxed{1}"
        return '<tool_call>{"name": "look", "arguments": {"word": "again"}}</tool_call>'

    gem_ma.rollout(with_tools(gem_ma.make(GUESS, max_turns=1), look), again, seed=0)
    (span,) = Trace(provider.exporter).of("execute_tool")
    assert span.attributes["error.type"] == "ToolError"
    assert SECRET not in span.to_json()


def test_messages_have_the_form_of_the_conventions():
    picture = gem_ma.make(TWO, observe="image")
    picture.reset(seed=0)
    shown = picture.turn("x").observation["image"]
    call = {"id": "c1", "function": {"name": "add", "arguments": '{"a": 1}'}}
    broken = {"function": {"name": "add", "arguments": "{"}}
    chat = [
        {"role": "user", "content": (shown, "Your move.")},
        {"role": "assistant", "content": "", "tool_calls": [call, broken]},
        {"role": "tool", "tool_call_id": "c1", "content": "2"},
    ]
    user, assistant, tool = map(tracing.make_message, chat)
    assert [one["content"] for one in user["parts"]] == [f"[picture: {shown.alt}]", "Your move."]
    known = {"type": "tool_call", "id": "c1", "name": "add", "arguments": {"a": 1}}
    assert assistant["parts"] == [known, {"type": "tool_call", "name": "add", "arguments": "{"}]
    assert tool["parts"] == [{"type": "tool_call_response", "id": "c1", "response": "2"}]


def test_a_wrong_provider_is_told():
    with pytest.raises(TypeError, match=r"expected a TracerProvider, such as opentelemetry\.sdk"):
        gem_ma.enable_tracing("console")
    assert tracing.start_rollout_trace() is None


def test_the_global_provider_is_used_if_none_is_named(monkeypatch, provider):
    from opentelemetry import trace as api

    monkeypatch.setattr(api, "get_tracer_provider", lambda: provider)
    tracing.disable_tracing()
    gem_ma.enable_tracing()
    gem_ma.rollout(TWO, "random", seed=0)
    assert Trace(provider.exporter).of("invoke_workflow")
    assert "opentelemetry" in sys.modules


@packs.needs("tau")
def test_the_tools_of_a_game_are_below_the_turn_that_called_them(provider):
    agents = {"assistant": "informed-assistant", "user": "user:plain"}
    (episode,) = gem_ma.rollout("tau:shop", agents, seed=0)
    trace = Trace(provider.exporter)
    check_tree(trace, [episode])
    talk = [step.reply for step in episode.steps if step.agent == "assistant"]
    called = [json.loads(reply)["name"] for reply in talk if reply.startswith("{")]
    assert len(called) > 3
    assert Counter(span.attributes["gen_ai.tool.name"] for span in trace.of("execute_tool")) == (
        Counter(called)
    )
    for span in trace.of("execute_tool"):
        turn = trace.above(span)
        assert turn.attributes["gem_ma.seat"] == span.attributes["gem_ma.seat"] == "assistant"
        assert turn.start_time <= span.start_time <= span.end_time <= turn.end_time


def test_a_provider_has_the_name_of_the_conventions(provider):
    settings = {"temperature": None, "seed": 5}
    with tracing.trace_model_call("google", "gemini", "https://host/v1", None, settings) as keep:
        keep(gem_ma.Reply("yes", usage={"prompt_tokens": 3}))
    (span,) = Trace(provider.exporter).spans
    assert span.name == "generate_content gemini"
    assert span.attributes["gen_ai.provider.name"] == "gcp.gemini"
    assert span.attributes["server.port"] == 443
    assert span.attributes["gen_ai.request.seed"] == 5
    assert "gen_ai.request.temperature" not in span.attributes
