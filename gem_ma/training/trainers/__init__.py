"""One file for each trainer that brings its own idea of an environment, and what they share.

Each imports its trainer when it is imported itself, and nothing here imports them. They may import
what training may, and never each other.

Trainers that leave it to us how sequences come about get whole games: `play_group` lets one engine
sit in all seats that are trained, `build_rows` makes sequences of what was played, and
`iter_seat_episodes` puts these in the order in which a trainer compares them. Those that know one
agent that is asked turn by turn get a seat, by `make_seat`.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gem_ma.apis import factory
from gem_ma.apis.aec import AECEnv
from gem_ma.apis.async_seats import AsyncSeat, SeatOutcome
from gem_ma.apis.factory import EnvSource
from gem_ma.chat.agent import AgentSource, SeatAgents
from gem_ma.chat.conversation import make_tool_schemas
from gem_ma.chat.event_loops import run_async
from gem_ma.chat.messages import list_pictures
from gem_ma.chat.reply import Reply
from gem_ma.chat.tokenization import ChatTokenizer
from gem_ma.chat.turn import Turn
from gem_ma.engine.config import EnvOptions
from gem_ma.engine.match import SeatError
from gem_ma.game import ResetOptions
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.rollout import arollout
from gem_ma.training.trainer_rows import TrainerRow
from gem_ma.validation.json_types import JSONMapping


class SeatAssignment(NamedTuple):
    """An environment, who is given, and the seats that are trained."""

    env: AECEnv
    others: dict[str, AgentSource]
    seats: list[str]


def assign_seats(
    function: Callable[..., object],
    env: EnvSource,
    seat: str | None,
    others: SeatAgents | None,
    make: EnvOptions,
) -> SeatAssignment:
    """Return who sits where: `seat` is trained, or without it every seat that others leave."""
    env = factory.resolve_env(function, env, make)
    names = list(env.possible_agents)
    if seat is not None and seat not in names:
        raise SeatError(f"no seat {seat!r}; the seats are {', '.join(names)}")
    if others is not None and not isinstance(others, Mapping):
        if seat is None:
            raise SeatError(f"others={others!r} plays all but one: say seat={names[0]!r}")
        others = {name: others for name in names if name != seat}
    given = dict(others or {})
    return SeatAssignment(env, given, [name for name in names if name not in given])


def make_seat(
    env: EnvSource, seat: str | None = None, others: SeatAgents | None = None, **make: Any
) -> AsyncSeat:
    """Return one seat at a new table, for a trainer that knows one agent.

    Args:
        env: an id with `make`, its arguments, or an environment.
        seat: may be left out where others leave one.
        others: one agent for all other seats, or a mapping from seat to agent; each may be a spec
            string such as "random".
    """
    table = assign_seats(make_seat, env, seat, others, make)
    if len(table.seats) > 1 or (seat is not None and seat not in table.seats):
        raise SeatError(
            f"this trainer knows one agent, and {', '.join(table.seats)} wait for one; "
            f"others= plays the rest: others={{{list(table.env.possible_agents)[-1]!r}: 'random'}}"
        )
    seats = table.env.seats(others=table.others)
    return next(iter(seats.values()))


class GeneratedTokens(NamedTuple):
    """What an engine drew: token ids and, where it tells them, their log-probabilities."""

    ids: Sequence[int]
    logprobs: Sequence[float] | None = None


class EngineAgent:
    """An agent for a trainer's own engine, which reads and writes token ids.

    Args:
        generate: an async function of a turn, its prompt as token ids, and the pictures in there.
        room: how many tokens a chat may have for another reply to be asked for; a seat whose chat
            has more ends its turns at once, and what that costs is the game's business.
    """

    def __init__(
        self,
        tokens: ChatTokenizer,
        generate: Callable[[Turn, list[int], list[Any]], Awaitable[GeneratedTokens]],
        room: int | None = None,
    ):
        self.tokens, self.generate, self.room = tokens, generate, room

    async def act(self, turns: list[Turn]) -> list[Reply]:
        """Return what the engine says."""
        return [await self._ask_engine(turn) for turn in turns]

    async def _ask_engine(self, turn: Turn) -> Reply:
        prompt = self.tokens.build_prompt(turn.messages, make_tool_schemas(turn.tools))
        if self.room is not None and len(prompt.ids) >= self.room:
            return Reply("", token_ids=[self.tokens.tokenizer.eos_token_id], logprobs=[0.0])
        shown = [one.to_pil() for one in list_pictures(turn.messages)]
        said = await self.generate(turn, prompt.ids, shown)
        ids = list(said.ids)
        text = self.tokens.tokenizer.decode(ids, skip_special_tokens=True)
        return Reply(text, token_ids=ids, logprobs=said.logprobs)

    def __repr__(self) -> str:
        return "EngineAgent()"


async def play_group(
    table: SeatAssignment, engine: EngineAgent, start: JSONMapping, games: int = 1
) -> list[Episode]:
    """Return games from one start, in all of whose trained seats the engine sits.

    Args:
        start: `seed`, `options` and `context` of a data set's row, as `rollout` takes them.
    """
    agents = {**table.others, **dict.fromkeys(table.seats, engine)}
    names = ("seed", "options", "context")
    given = {name: start[name] for name in names if start.get(name) is not None}
    found: list[Episode] = []
    playing = arollout(
        table.env, agents, games, group=games, concurrency=games, max_errors=0, progress=False,
        **given,
    )  # fmt: skip
    async with contextlib.aclosing(playing) as finished:
        async for episode in finished:
            found.append(episode)
    return sorted(found, key=lambda episode: episode.number)


def iter_seat_episodes(
    episodes: Sequence[Episode], seats: Sequence[str], copies: int
) -> Iterator[tuple[Episode, str]]:
    """Yield who comes where in a batch in which `copies` in a row are compared with each other.

    These are one seat from one start; the groups of the other seats from the same games follow.
    """
    for start in range(0, len(episodes), copies):
        for seat in seats:
            for episode in episodes[start : start + copies]:
                yield episode, seat


def compute_token_rewards(row: TrainerRow) -> list[float]:
    """Return for each token of a row what its turn earned, which stands at the turn's end."""
    found = [0.0] * len(row["ids"])
    for (_, end), reward in zip(row["spans"], row["rewards"], strict=True):
        found[end - 1] = reward
    return found


def find_row_end(row: TrainerRow, room: int) -> int:
    """Return where a row ends: with its last reply, or where `room` cuts it."""
    end: int = row["spans"][-1][1]
    if end > room and row["pictures"]:
        raise ValueError(
            f"{row['agent']} has {end} tokens, and cutting them at {room} would cut its pictures: "
            "allow for more, or say context="
        )
    return min(end, room)


def make_pixel_inputs(tokens: ChatTokenizer, shown: Sequence[Any]) -> dict[str, Any] | None:
    """Return a row's pictures as the model that is trained takes them."""
    if not shown:
        return None
    look = tokens.processor.image_processor
    return dict(look(images=[one.to_pil() for one in shown], return_tensors="pt"))


def subtract_seat_means(returns: Sequence[float], seats: Sequence[str]) -> list[float]:
    """Return by how much each return is above the mean of its seat.

    For trainers that compare all of a group: the mean of what is left is 0 over seats and group
    alike, so that they take nothing away, and each seat is compared with itself.
    """
    means = {
        seat: sum(r for r, other in zip(returns, seats, strict=True) if other == seat)
        / seats.count(seat)
        for seat in set(seats)
    }
    return [value - means[seat] for value, seat in zip(returns, seats, strict=True)]


class CallBatcher:
    """Calls that belong together: those for one key that begin in one turn of the event loop.

    Trainers ask for all samples of a prompt at once, and tell none of them how many they are.
    """

    def __init__(self) -> None:
        self._open_calls: dict[Any, tuple[list[None], asyncio.Future[Any]]] = {}

    async def join(self, key: Any, make: Callable[[int], Any]) -> tuple[int, Any]:
        """Return which of the calls this is, and what `make` made of their number."""
        loop = asyncio.get_running_loop()
        if key not in self._open_calls:
            self._open_calls[key] = [], loop.create_future()
            loop.call_soon(self._close, key, make)
        calls, made = self._open_calls[key]
        calls.append(None)
        number = len(calls) - 1
        return number, await asyncio.shield(made)

    def _close(self, key: Any, make: Callable[[int], Any]) -> None:
        calls, made = self._open_calls.pop(key)
        try:
            made.set_result(make(len(calls)))
        except Exception as error:  # noqa: BLE001 - it is for those who wait
            made.set_exception(error)


class SyncSeat:
    """A seat of `make_seat` without await: what each call gained, and what it earned in all."""

    def __init__(self, seat: AsyncSeat):
        self.seat = seat
        self.reward = 0.0
        self.done = True

    def reset(self, seed: int | None = None, options: ResetOptions | None = None) -> SeatOutcome:
        """Begin an episode."""
        self.reward = 0.0
        return self._apply_outcome(run_async(lambda: self.seat.reset(seed, options)))

    def step(self, reply: str, **fields: Any) -> SeatOutcome:
        """Reply; `fields` is what a Reply holds beside its text."""
        return self._apply_outcome(run_async(lambda: self.seat.step(Reply(reply, **fields))))

    def _apply_outcome(self, outcome: SeatOutcome) -> SeatOutcome:
        self.reward += outcome.reward
        self.done = outcome.turn is None
        return outcome
