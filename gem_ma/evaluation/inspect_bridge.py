"""Bridge to inspect-ai: an environment as a task, in which models take seats as roles.

    inspect eval gem_ma/play -T env=game:ConnectFour-v0 -T seats="{yellow: search:depth=2}" \
        --model-role red=openai/gpt-5-mini --epochs 4 --token-limit 50000

Inspect provides models, retries, caching, epochs, limits, clustered errors and the log viewer.
tests/evaluation/test_inspect_bridge.py checks this module against inspect-ai 0.3.285.
"""

# mypy: allow-untyped-decorators

from __future__ import annotations

import asyncio
import copy
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gem_ma.apis import factory
from gem_ma.chat.agent import AgentSource, ask_agent, ask_agent_async
from gem_ma.chat.conversation import make_tool_schemas
from gem_ma.chat.messages import escape_placeholders, to_openai_chat
from gem_ma.chat.reply import Reply
from gem_ma.chat.turn import Turn
from gem_ma.evaluation.contests import find_outcome
from gem_ma.game import ResetOptions
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.episode_runner import take_reply
from gem_ma.rollouts.formats.inspect_logs import read_log_episodes as read_log_episodes
from gem_ma.rollouts.live_episode import LiveEpisode, PendingTurn
from gem_ma.rollouts.records import episode_from_json, episode_to_json
from gem_ma.rollouts.run import RolloutRun
from gem_ma.validation.json_types import JSONMapping

try:
    from inspect_ai import Task, task
    from inspect_ai.dataset import Sample
    from inspect_ai.model import (
        ChatMessage,
        ChatMessageAssistant,
        ChatMessageSystem,
        ChatMessageTool,
        ChatMessageUser,
        ContentImage,
        ContentText,
        ModelOutput,
        get_model,
    )
    from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
    from inspect_ai.solver import Generate, Solver, TaskState, solver
    from inspect_ai.tool import ToolInfo, ToolParams
    from inspect_ai.util import collect
except ImportError as error:
    raise ImportError("this bridge needs inspect-ai: pip install 'gem-ma[inspect]'") from error

_MAX_EPOCHS = 10_000  # of one sample, so that no two episodes of a task have the same number
# Inspect's reasons for the end of a reply, in OpenAI's words.
_FINISH_REASONS = {"max_tokens": "length", "model_length": "length"}
_OUTCOME_SCORES = {"win": 1.0, "draw": 0.5, "loss": 0.0}


@task
def play(
    env: Any,
    seats: Mapping[str, AgentSource] | None = None,
    samples: int = 20,
    seed: int = 0,
    options: ResetOptions | Sequence[ResetOptions] = (),
    context: Any = None,
    **make: Any,
) -> Task:
    """Return a task with a sample for each start; its epochs differ in what agents draw.

    Args:
        env: An id (with `make`, its arguments) or an environment.
        seats: Agents or specs for seats that no model takes. The other seats are roles with the
            names of the seats. Roles without a model are played by the evaluated model.
        seed: Decides all episodes. Epoch e of sample n is episode (n - 1) * E + e - 1 of
            `rollout(seed=seed, group=E)`, where E is 10,000. Tasks of one seed have the same
            starts.
        options: Options of `reset`. With several, each sample takes the next.
        context: How much of its chat a seat reads, as in `rollout`.
    """
    if samples < 1:
        raise ValueError(f"samples={samples}: expected 1 or more")
    resolved_env = factory.resolve_env(play, env, make)
    agents = dict(seats or {})
    run = RolloutRun(
        resolved_env,
        {
            **{
                seat: _RoleAgent(seat)
                for seat in resolved_env.possible_agents
                if seat not in agents
            },
            **agents,
        },
        samples * _MAX_EPOCHS,
        concurrency=1,
        seed=seed,
        group=_MAX_EPOCHS,
        shuffle=False,
        start="new",
        options=options,
        context=context,
        max_errors=0,
        out=None,
        resume=False,
        pictures=False,
        progress=False,
        **({} if isinstance(env, str) else make),
    )
    id = resolved_env.core.id
    return Task(
        [Sample(id=n, input=f"{id}, start {n}") for n in range(1, samples + 1)],
        solver=rollout_solver(run),
        scorer=[returns(), win()] if len(resolved_env.possible_agents) > 1 else [returns()],
        display_name=id,
        metadata={"env": id},
    )


@solver
def rollout_solver(run: RolloutRun) -> Solver:
    """Play the episode of a sample as a rollout does."""
    one_at_a_time = threading.Lock()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        own = run.plan_episode((int(state.sample_id) - 1) * _MAX_EPOCHS + state.epoch - 1)
        agents = [player.agent for player in own.players.values()]
        roles = [agent.seat for agent in agents if isinstance(agent, _RoleAgent)]
        own.episode.agents |= {seat: str(get_model(role=seat)) for seat in roles}
        state.metadata["seed"] = own.episode.seed
        try:
            await _play_episode(run, own, one_at_a_time)
        finally:  # records an episode even if a limit or an error stopped it
            run.finished.clear()
            state.store.set("episode", json.loads(json.dumps(episode_to_json(own.episode))))
            for seat in roles:
                chat = own.session.conversations[seat]
                replies = [step.reply for step in chat.steps if isinstance(step.reply, _ModelReply)]
                if replies:  # Inspect shows one chat of a sample, and all calls of a model
                    state.messages, state.output = (
                        _to_inspect_chat(chat.build_messages()),
                        replies[-1].output,
                    )
                    break
        return state

    return solve


async def _play_episode(run: RolloutRun, play: LiveEpisode, one_at_a_time: threading.Lock) -> None:
    """Play an episode to its end; Inspect retries and records errors."""
    try:
        while turns := await _advance_episode(play):
            replies = [_ask_player(run, waiting, one_at_a_time) for waiting in turns]
            if len(replies) == 1:
                await replies[0]
            else:
                await collect(*replies)
        run.finish_episode(play)
    except BaseException as error:
        run.fail_episode(play, None, error)
        raise


async def _advance_episode(play: LiveEpisode) -> list[PendingTurn]:
    if play.env.blocking:
        return await asyncio.to_thread(play.advance)
    return play.advance()


async def _ask_player(run: RolloutRun, waiting: PendingTurn, one_at_a_time: threading.Lock) -> None:
    play, seat, turn, _ = waiting
    player = play.players[seat]

    def ask_blocking() -> str:
        with one_at_a_time:  # one at a time, as in a rollout
            return ask_agent(player.agent, [turn])[0]

    start = time.perf_counter()
    try:
        if player.kind == "thread":
            text = await asyncio.to_thread(ask_blocking)
        else:
            (text,) = await ask_agent_async(player.agent, [turn])
    except BaseException as error:
        run.fail_episode(play, seat, error)
        raise
    take_reply(run, play, seat, text, time.perf_counter() - start)
    if play.failed and run.last_error is not None:
        raise run.last_error


class _ModelReply(Reply):
    """A model's reply with its original output, as providers expect their own messages again."""

    output: ModelOutput


class _RoleAgent:
    """An agent that asks the model with the role of its seat."""

    def __init__(self, seat: str):
        self.seat = seat

    async def act(self, turns: list[Turn]) -> list[str]:
        return [await self._generate_reply(turn) for turn in turns]

    async def _generate_reply(self, turn: Turn) -> Reply:
        model = get_model(role=self.seat)
        output = await model.generate(_to_inspect_chat(turn.messages), tools=_make_tool_infos(turn))
        usage = output.usage
        reply = _ModelReply(
            output.completion,
            finish_reason=_FINISH_REASONS.get(output.stop_reason, output.stop_reason),
            tool_calls=[
                {
                    "id": call.id,
                    "type": "function",
                    "function": {
                        "name": call.function,
                        # invalid JSON is the model's mistake, and is passed on as it is
                        "arguments": call.parse_error or json.dumps(call.arguments),
                    },
                }
                for call in output.message.tool_calls or ()
            ],
            usage={"prompt_tokens": usage.input_tokens, "completion_tokens": usage.output_tokens}
            if usage
            else None,
            latency=output.time,
        )
        reply.output = output
        return reply

    def __repr__(self) -> str:
        return f"model of {self.seat}"


def _make_tool_infos(turn: Turn) -> list[ToolInfo]:
    functions = [schema["function"] for schema in make_tool_schemas(turn.tools)]
    return [
        ToolInfo(
            name=function["name"],
            description=function.get("description", ""),
            parameters=ToolParams.model_validate(function.get("parameters") or {}),
        )
        for function in functions
    ]


def _to_inspect_chat(messages: Sequence[JSONMapping]) -> list[ChatMessage]:
    """Return a role's chat as Inspect's messages, with the model's own messages unchanged."""
    replies = (message["content"] for message in messages if message["role"] == "assistant")
    names: dict[str, str] = {}  # from the id of a call to the name of its function
    out: list[ChatMessage] = []
    for message in to_openai_chat(messages):
        content = message["content"]
        if not isinstance(content, str):
            content = [
                ContentImage(image=block["image_url"]["url"])
                if "image_url" in block
                else ContentText(text=block["text"])
                for block in content
            ]
        match message["role"]:
            case "system":
                out.append(ChatMessageSystem(content=content))
            case "user":
                out.append(ChatMessageUser(content=content))
            case "tool":
                id = message["tool_call_id"]
                name = names.get(id)
                out.append(ChatMessageTool(content=content, tool_call_id=id, function=name))
            case _:
                own = _escape_message(next(replies).output.message)
                counted = len(message.get("tool_calls") or ())
                if own.tool_calls and len(own.tool_calls) > counted:
                    own = own.model_copy(update={"tool_calls": own.tool_calls[:counted]})
                names |= {call.id: call.function for call in own.tool_calls or ()}
                out.append(own)
    return out


def _escape_message(message: ChatMessageAssistant) -> ChatMessageAssistant:
    """Return a model's message, escaped where a server could read text as a picture."""

    def escape_part(part: Any) -> Any:
        if isinstance(part, ContentText):
            return part.model_copy(update={"text": escape_placeholders(part.text)})
        return part

    content = message.content
    content = (
        escape_placeholders(content)
        if isinstance(content, str)
        else [escape_part(part) for part in content]
    )
    if content == message.content:
        return message
    return message.model_copy(update={"content": content})


@scorer(metrics={"*": [mean(), stderr()]})
def returns() -> Scorer:
    """Score each seat by its return; the metadata has the report of the game."""

    async def score(state: TaskState, target: Target) -> Score:
        return _make_score(state, lambda episode: episode.returns)

    return score


@scorer(metrics={"*": [mean(), stderr()]})
def win() -> Scorer:
    """Score each seat by 1 for a win (a return above the mean of all), and 0.5 for a draw."""

    async def score(state: TaskState, target: Target) -> Score:
        def score_wins(episode: Episode) -> dict[str, float]:
            return {
                seat: _OUTCOME_SCORES[find_outcome(episode.returns, [seat])]
                for seat in episode.returns
            }

        return _make_score(state, score_wins)

    return score


def _make_score(state: TaskState, value: Callable[[Episode], dict[str, float]]) -> Score:
    episode = episode_from_json(copy.deepcopy(state.store.get("episode")))
    if episode.failure:
        why = f"{episode.failure.kind}: {episode.failure.message}"
        return Score.unscored(reason="unfinished", explanation=why)
    return Score(
        value=value(episode),
        metadata={
            "report": episode.report,
            "ended": episode.ended,
            "turns": len(episode.steps),
            "invalid": {
                seat: sum(step.agent == seat and bool(step.invalid) for step in episode.steps)
                for seat in episode.agents
            },
            "forfeits": list(episode.forfeits),
        },
    )
