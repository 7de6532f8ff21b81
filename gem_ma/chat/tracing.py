"""Tracing: OpenTelemetry spans of episodes, turns, model calls and tools.

The names are those of OpenTelemetry's GenAI conventions, release 0.1.0: an episode is an
`invoke_workflow` span, a turn of a seat an `invoke_agent` span below it, and below the turn are the
model calls (`chat`) and the tools (`execute_tool`) that it led to. Nothing is imported or recorded
until `enable_tracing` is called. What has no name in the conventions begins with `gem_ma.`.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from gem_ma.chat.conversation import make_tool_schemas
from gem_ma.engine.action_parsing import parse_call_name, parse_tool_calls
from gem_ma.validation.extras import require_extra
from gem_ma.validation.untrusted_json import parse_json

if TYPE_CHECKING:
    from gem_ma.chat.conversation import Conversation, Step
    from gem_ma.chat.messages import ChatMessage
    from gem_ma.chat.turn import Turn

SpanIds: TypeAlias = tuple[int, int, int]
"""The ids of a trace and of a span, and the flags of the trace; three zeros: no span."""
_CONTENT_VARIABLE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_CONTENT_VALUES = ("true", "span_only", "span_and_event")
_NO_SPAN: SpanIds = (0, 0, 0)
_OPERATIONS = {"google": ("generate_content", "gcp.gemini")}  # and the provider's name there
_PORTS = {"http": 80, "https": 443}
# The turns whose replies are applied in this thread or task, by seat.
_applied_turns: ContextVar[Mapping[str, TracedTurn] | None] = ContextVar(
    "applied_turns", default=None
)


class FinishedSpan(NamedTuple):
    """A span of a worker process, as plain values."""

    name: str
    kind: int
    ids: SpanIds
    parent: int  # the id of the span above; 0: none
    start: int
    end: int
    attributes: dict[str, Any]
    status: int
    description: str | None


class WorkerTracing(NamedTuple):
    """What a worker process gets to know of the trace of its rollout.

    Attributes:
        ids: The ids of the span in which the rollout was started.
        sampler: The provider's sampler; None: all spans are kept.
    """

    ids: SpanIds
    sampler: Any


class SpanWriter:
    """The tracer of this process.

    Args:
        provider: A TracerProvider.
        parent: In a worker, the ids of the span below which the run was started.
        finished: In a worker, a list to which finished spans are appended.
    """

    def __init__(
        self,
        provider: Any,
        parent: SpanIds = _NO_SPAN,
        finished: list[FinishedSpan] | None = None,
    ):
        from opentelemetry import context, trace

        self.trace, self.context = trace, context
        self.provider, self.finished = provider, finished
        self.tracer = provider.get_tracer("gem_ma")
        self.parent = parent
        self.lock = threading.Lock()  # held while spans of a worker are written
        self.with_content = os.environ.get(_CONTENT_VARIABLE, "").lower() in _CONTENT_VALUES

    def start_span(
        self,
        operation: str,
        name: str,
        attributes: Mapping[str, Any],
        above: Any,
        kind: str = "INTERNAL",
        start: int | None = None,
    ) -> Any:
        """Start a span below the span, or in the context, `above`; None: in the present context."""
        known = {one: value for one, value in attributes.items() if value not in (None, "")}
        if isinstance(above, self.trace.Span):
            above = self.trace.set_span_in_context(above)
        return self.tracer.start_span(
            f"{operation} {name}",
            context=above,
            kind=self.trace.SpanKind[kind],
            attributes={"gen_ai.operation.name": operation, **known},
            start_time=start,
        )

    def start_tool_span(self, seat: str, name: str, above: Any, start: int | None = None) -> Any:
        """Start the span of a tool's call."""
        attributes = {
            "gen_ai.tool.name": name,
            "gen_ai.tool.type": "function",
            "gem_ma.seat": seat,
        }
        return self.start_span("execute_tool", name, attributes, above, start=start)

    def get_context(self) -> Any:
        """Return the present context, or in a worker that in which the run was started."""
        if self.parent == _NO_SPAN:
            return self.context.get_current()
        return self.trace.set_span_in_context(self.restore_span(self.parent))

    def restore_span(self, ids: SpanIds) -> Any:
        """Return a span of another process, below which spans can be started."""
        trace_id, span_id, flags = ids
        flags = self.trace.TraceFlags(flags)
        return self.trace.NonRecordingSpan(
            self.trace.SpanContext(trace_id, span_id, is_remote=True, trace_flags=flags)
        )

    def fail(self, span: Any, kind: str, message: str = "") -> None:
        """Mark a span as failed."""
        span.set_attribute("error.type", kind)
        span.set_status(self.trace.Status(self.trace.StatusCode.ERROR, message or None))

    @contextlib.contextmanager
    def enter(self, span: Any) -> Iterator[None]:
        """Make a span the current one, and end it with the block.

        Of an error it has the kind alone: messages may quote what a model wrote, or a key.
        """
        try:
            with self.trace.use_span(span, record_exception=False, set_status_on_exception=False):
                yield
        except BaseException as error:
            self.fail(span, type(error).__name__)
            raise
        finally:
            span.end()

    def write_again(self, spans: Sequence[FinishedSpan]) -> None:
        """Write spans of a worker process with the ids and times that they have."""
        from opentelemetry.sdk.trace import IdGenerator

        class KnownIds(IdGenerator):
            ids = _NO_SPAN

            def generate_trace_id(self) -> int:
                return self.ids[0]

            def generate_span_id(self) -> int:
                return self.ids[1]

        known = KnownIds()
        tracer = self.provider.get_tracer("gem_ma", attributes={"gem_ma.process": "worker"})
        with self.lock:
            tracer.id_generator = known  # of this tracer alone, which writes nothing else
            for one in spans:
                known.ids = one.ids
                self._write_finished(tracer, one)

    def _write_finished(self, tracer: Any, one: FinishedSpan) -> None:
        above = self.context.Context()
        if one.parent:
            trace_id, _, flags = one.ids
            parent = self.restore_span((trace_id, one.parent, flags))
            above = self.trace.set_span_in_context(parent, above)
        kind = self.trace.SpanKind(one.kind)
        span = tracer.start_span(
            one.name, above, kind, attributes=one.attributes, start_time=one.start
        )
        if one.status != self.trace.StatusCode.UNSET.value:
            status = self.trace.StatusCode(one.status)
            span.set_status(self.trace.Status(status, one.description))
        span.end(one.end)


class TracingState:
    """Whether this process writes spans."""

    writer: SpanWriter | None = None


_state = TracingState()


def enable_tracing(provider: Any = None) -> None:
    """Write OpenTelemetry spans of episodes, turns, model calls and tools from now on.

    Rollouts that have begun are not traced. What is said is in the spans only if the environment
    variable OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT is "true" or "SPAN_ONLY".

    Args:
        provider: The TracerProvider to write to; None: OpenTelemetry's global one.
    """
    with require_extra("otel", "enable_tracing"):
        import opentelemetry.sdk.trace
        from opentelemetry import trace
    if provider is None:
        provider = trace.get_tracer_provider()
    if not isinstance(provider, trace.TracerProvider):
        raise TypeError(
            f"provider: expected a TracerProvider, such as {opentelemetry.sdk.trace.__name__}."
            f"TracerProvider(), got {provider!r}"
        )
    _state.writer = SpanWriter(provider)


def disable_tracing() -> None:
    """Write no more spans; those that are open are still ended."""
    _state.writer = None


class RolloutTrace:
    """The trace of a rollout: the context in which it was started, and its open episodes."""

    def __init__(self, writer: SpanWriter):
        self.writer = writer
        self.context = writer.get_context()
        self.open: set[EpisodeTrace] = set()

    def describe_for_workers(self) -> WorkerTracing:
        """Return what workers get to know of the trace."""
        ids = _find_ids(self.writer.trace.get_current_span(self.context))
        sampler = getattr(self.writer.provider, "sampler", None)
        try:
            pickle.dumps(sampler)
        except Exception:  # noqa: BLE001 - a sampler of others, which cannot be sent
            sampler = None
        return WorkerTracing(ids, sampler)

    def close(self) -> None:
        """End the spans of episodes that were interrupted."""
        for one in list(self.open):
            one.end("interrupted")


def start_rollout_trace() -> RolloutTrace | None:
    """Return the trace of a rollout that begins now, or None if tracing is off."""
    return None if _state.writer is None else RolloutTrace(_state.writer)


class TracedTurn:
    """A turn whose span is open.

    Attributes:
        called: Whether a call of a tool was traced while the reply was applied.
    """

    __slots__ = ("called", "span", "turn")

    def __init__(self, turn: Turn, span: Any):
        self.turn, self.span, self.called = turn, span, False

    def list_calls(self, reply: str) -> list[str]:
        """Return the names of the game's own tools that an accepted reply called."""
        if self.called or not self.turn.tools:
            return []
        calls = getattr(reply, "tool_calls", None) or parse_tool_calls(reply)
        if not calls and reply.lstrip()[:1] in ("{", "["):  # as games write a call
            with contextlib.suppress(ValueError):
                data = parse_json(reply)
                calls = data if isinstance(data, list) else [data]
        known = {tool["function"]["name"] for tool in make_tool_schemas(self.turn.tools)}
        names = [_find_call_name(call) for call in calls]
        return [name for name in names if name in known][: self.turn.calls]


def _find_call_name(call: object) -> str:
    """Return the name in a call, in OpenAI's shape or as a game writes it."""
    plain = call.get("name") if isinstance(call, Mapping) else None
    return plain if isinstance(plain, str) else parse_call_name(call)


class EpisodeTrace:
    """The spans of one episode: its own, and those of the turns whose replies are not applied yet.

    A turn's span ends when the reply has been applied, so the tools that the reply calls are in it.
    """

    __slots__ = ("_agents", "_begun", "_env", "_id", "_rollout", "_span", "_turns")

    def __init__(self, rollout: RolloutTrace, id: str, env: str, agents: Mapping[str, str]):
        self._rollout = rollout
        self._id, self._env, self._agents = id, env, agents
        self._span: Any = None
        self._turns: dict[str, TracedTurn] = {}
        self._begun = 0  # when the replies began to be applied

    def begin_step(self, seed: int) -> None:
        """Begin to apply replies; the first time, start the span of the episode."""
        if self._span is None:
            attributes = {
                "gen_ai.agent.name": self._env,
                "gem_ma.episode.id": self._id,
                "gem_ma.episode.seed": str(seed),  # may have more than 64 bits
            }
            writer, above = self._rollout.writer, self._rollout.context
            self._span = writer.start_span("invoke_workflow", self._env, attributes, above)
            self._rollout.open.add(self)
        self._begun = time.time_ns()
        _applied_turns.set(self._turns)

    def end_step(self, chats: Mapping[str, Conversation]) -> None:
        """End the spans of the turns whose replies were applied; the chats are by seat."""
        _applied_turns.set(None)
        for seat in list(self._turns):
            if (traced := self._turns.pop(seat, None)) is not None:
                self._end_turn(traced, chats[seat].steps[-1])

    def _end_turn(self, traced: TracedTurn, step: Step) -> None:
        span, writer = traced.span, self._rollout.writer
        span.set_attributes(_describe_reply(step.reply))
        if step.invalid is not None:
            span.set_attribute("gem_ma.invalid", True)
        elif step.reply is not None:
            for name in traced.list_calls(step.reply):
                # The game has run them all in this step, so each is as long as the step.
                writer.start_tool_span(step.agent, name, span, self._begun).end()
        if writer.with_content:
            spoken = [_make_reply_message(step.reply)]
            span.set_attribute("gen_ai.output.messages", json.dumps(spoken))
        span.end()

    def start_turn(self, turn: Turn) -> Any:
        """Start and return the span of a turn, or None if the episode has ended."""
        if self._span is None:  # its step took too long, and goes on in its thread
            return None
        writer, name = self._rollout.writer, self._agents.get(turn.seat, "")
        attributes = {
            "gen_ai.provider.name": "gem_ma",
            "gen_ai.agent.name": name,
            "gen_ai.conversation.id": _name_conversation(turn),
            "gem_ma.seat": turn.seat,
        }
        if writer.with_content:
            parts = [{"type": "text", "content": turn.text}]
            heard = [{"role": "user", "parts": parts}]
            attributes["gen_ai.input.messages"] = json.dumps(heard)
        span = writer.start_span("invoke_agent", name, attributes, self._span)
        self._turns[turn.seat] = TracedTurn(turn, span)
        return span

    def end(
        self,
        ended: str,
        returns: Mapping[str, float] | None = None,
        failure: tuple[str | None, str, str] | None = None,
    ) -> None:
        """End all spans of the episode.

        Args:
            ended: How it ended.
            returns: The return of each seat.
            failure: The seat whose reply failed or None, and the kind and the message of the error.
        """
        span, writer = self._span, self._rollout.writer
        if span is None:  # it never began
            return
        self._span = None
        self._rollout.open.discard(self)
        seat, kind, message = failure or (None, ended, "")
        if failed := failure is not None or ended == "interrupted":
            writer.fail(span, kind, message)
        while self._turns:
            place, traced = self._turns.popitem()
            if failed and seat in (None, place):
                writer.fail(traced.span, kind, message)
            traced.span.end()
        _applied_turns.set(None)
        span.set_attribute("gem_ma.episode.ended", ended)
        for place, value in (returns or {}).items():
            span.set_attribute(f"gem_ma.return.{place}", float(value))
        span.end()


@contextlib.contextmanager
def use_span(span: Any) -> Iterator[None]:
    """Make the span of a turn the current one."""
    from opentelemetry import trace

    with trace.use_span(span, record_exception=False, set_status_on_exception=False):
        yield


def attach_span(span: Any) -> None:
    """Make the span of a turn the current one until the end of this task."""
    from opentelemetry import context, trace

    context.attach(trace.set_span_in_context(span))


def _keep_nothing(value: object) -> None:
    """Take the result of what is not traced."""


@contextlib.contextmanager
def trace_model_call(
    provider: str,
    model: str,
    url: str | None,
    turn: Turn | None,
    settings: Mapping[str, float | int | None],
) -> Iterator[Callable[[Any], None]]:
    """Trace one request to a model; the block passes the reply to the function that it gets.

    Args:
        provider: The name of the provider in gem_ma.
        model: The name of the model.
        url: The address of the server; None: the provider's own.
        turn: The turn that the reply is for, if there is one.
        settings: Settings of the request by their names in the conventions, such as "temperature".
    """
    writer = _state.writer
    if writer is None:
        yield _keep_nothing
        return
    operation, name = _OPERATIONS.get(provider, ("chat", provider))
    attributes = {
        "gen_ai.provider.name": name,
        "gen_ai.request.model": model,
        "gen_ai.conversation.id": turn and _name_conversation(turn),
        **{f"gen_ai.request.{name}": value for name, value in settings.items()},
    }
    if url is not None:
        parts = urlsplit(url)
        attributes["server.address"] = parts.hostname
        attributes["server.port"] = parts.port or _PORTS.get(parts.scheme)
    if writer.with_content and turn is not None:
        messages = [make_message(message) for message in turn.messages]
        attributes["gen_ai.input.messages"] = json.dumps(messages)
    span = writer.start_span(operation, model, attributes, None, "CLIENT")

    def keep(reply: Any) -> None:
        span.set_attributes(_describe_reply(reply))
        if writer.with_content:
            span.set_attribute("gen_ai.output.messages", json.dumps([_make_reply_message(reply)]))

    with writer.enter(span):
        yield keep


@contextlib.contextmanager
def trace_tool_call(
    seat: str, name: str, arguments: Mapping[str, Any]
) -> Iterator[Callable[[Any], None]]:
    """Trace one call of a tool; the block passes the result to the function that it gets."""
    writer = _state.writer
    if writer is None:
        yield _keep_nothing
        return
    traced = (_applied_turns.get() or {}).get(seat)
    if traced is not None:
        traced.called = True
    span = writer.start_tool_span(seat, name, traced and traced.span)
    if writer.with_content:
        given = json.dumps(arguments, default=str)
        span.set_attribute("gen_ai.tool.call.arguments", given)

    def keep(result: Any) -> None:
        if writer.with_content:
            span.set_attribute("gen_ai.tool.call.result", str(result))

    with writer.enter(span):
        yield keep


def find_current_ids() -> SpanIds:
    """Return the ids of the current span, for another process."""
    writer = _state.writer
    return _NO_SPAN if writer is None else _find_ids(writer.trace.get_current_span())


def restore_span(ids: SpanIds) -> Any:
    """Return the span of another process with these ids, or None."""
    writer = _state.writer
    return None if writer is None or ids == _NO_SPAN else writer.restore_span(ids)


def start_worker_tracing(told: WorkerTracing) -> None:
    """Collect the spans of this worker process, for `take_finished_spans`."""
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider

    finished: list[FinishedSpan] = []

    class Collector(SpanProcessor):
        def on_end(self, span: ReadableSpan) -> None:
            finished.append(
                FinishedSpan(
                    span.name,
                    span.kind.value,
                    _find_ids(span),
                    0 if span.parent is None else span.parent.span_id,
                    span.start_time,
                    span.end_time,
                    dict(span.attributes),
                    span.status.status_code.value,
                    span.status.description,
                )
            )

    provider = TracerProvider(told.sampler, Resource.get_empty(), shutdown_on_exit=False)
    provider.add_span_processor(Collector())
    _state.writer = SpanWriter(provider, told.ids, finished)


def take_finished_spans() -> list[FinishedSpan]:
    """Return the spans that have ended in this worker since the last call."""
    finished = _state.writer and _state.writer.finished
    if not finished:
        return []
    taken, finished[:] = list(finished), []
    return taken


def write_finished_spans(spans: Sequence[FinishedSpan]) -> None:
    """Write the spans of a worker process."""
    if spans and _state.writer is not None:
        _state.writer.write_again(spans)


def _find_ids(span: Any) -> SpanIds:
    context = span.get_span_context()
    return context.trace_id, context.span_id, int(context.trace_flags)


def _name_conversation(turn: Turn) -> str:
    """Return the id of a seat's conversation; "" outside of a rollout."""
    return f"{turn.episode}/{turn.seat}" if turn.episode else ""


def _describe_reply(reply: Any) -> dict[str, Any]:
    """Return the attributes for the numbers that a reply reports."""
    usage, ids = getattr(reply, "usage", None) or {}, getattr(reply, "token_ids", None)
    counts = {
        "gen_ai.usage.input_tokens": usage.get("prompt_tokens"),
        "gen_ai.usage.output_tokens": usage.get("completion_tokens", ids and len(ids)),
    }
    reason = getattr(reply, "finish_reason", None)
    if reason is not None:
        counts["gen_ai.response.finish_reasons"] = [reason]
    return {name: value for name, value in counts.items() if value is not None}


def _make_reply_message(reply: Any) -> dict[str, Any]:
    """Return a reply in the form of `gen_ai.output.messages`."""
    calls = getattr(reply, "tool_calls", None) or ()
    message = make_message({"role": "assistant", "content": str(reply), "tool_calls": calls})
    return {**message, "finish_reason": getattr(reply, "finish_reason", None) or "stop"}


def make_message(message: ChatMessage) -> dict[str, Any]:
    """Return a message of a chat in the form of `gen_ai.input.messages`."""
    content = message.get("content") or ()
    pieces = [content] if isinstance(content, str) else list(content)
    texts = [one if isinstance(one, str) else f"[picture: {one.alt}]" for one in pieces]
    if message["role"] == "tool":
        response = "\n".join(map(str, texts))
        answer = {"type": "tool_call_response", "id": message.get("tool_call_id")}
        return {"role": "tool", "parts": [{**answer, "response": response}]}
    parts: list[dict[str, Any]] = [{"type": "text", "content": str(text)} for text in texts]
    for call in message.get("tool_calls") or ():
        function = call.get("function", call)
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            with contextlib.suppress(ValueError):
                arguments = parse_json(arguments)
        name = str(function.get("name", ""))
        parts.append({"type": "tool_call", "name": name, "arguments": arguments})
        if call.get("id"):
            parts[-1]["id"] = call["id"]
    return {"role": message["role"], "parts": parts}
