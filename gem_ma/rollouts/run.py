"""Playing many episodes at once, each recorded as its seats saw it."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import os
import sys
import time
import warnings
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from gem_ma.agents import load
from gem_ma.apis import making
from gem_ma.apis.env import BaseEnv, SeatError
from gem_ma.apis.wrappers import Wrapper
from gem_ma.guards.remote import without_secrets
from gem_ma.match.seeding import fresh_seed, mix
from gem_ma.rollouts.episode import Episode, Failure
from gem_ma.talk.context import Context
from gem_ma.talk.episode import (
    Agent,
    Conversation,
    Turn,
    checked,
    name_of,
    plain,
    run_async,
    schemas,
)

if TYPE_CHECKING:
    from gem_ma.rollouts.progress import Progress
    from gem_ma.rollouts.records import EpisodeFile

_SHUFFLE = 0x5EA75  # keeps the order of seats apart from the seeds of games


class TooManyErrors(RuntimeError):
    """More episodes failed than the run was to put up with; `episodes` holds all that ended."""

    episodes: list[Episode]


class Interrupted(KeyboardInterrupt):
    """The run was stopped from the keyboard; `episodes` holds all that ended."""

    episodes: list[Episode]


def rollout(env: Any, agents: Any, episodes: int = 1, **kwargs: Any) -> list[Episode]:
    """Play episodes and return them in order; takes what `arollout` takes."""
    done: list[Episode] = []

    async def collect() -> None:
        async with contextlib.aclosing(arollout(env, agents, episodes, **kwargs)) as finished:
            async for episode in finished:
                done.append(episode)

    try:
        run_async(collect)
    except KeyboardInterrupt:
        interrupted = Interrupted(f"{len(done)} of {episodes} episodes are done")
        interrupted.episodes = _in_order(done)
        raise interrupted from None
    except TooManyErrors as error:
        error.episodes = _in_order(done)
        raise
    return _in_order(done)


async def arollout(
    env: Any,
    agents: Any,
    episodes: int = 1,
    *,
    concurrency: int = 64,
    seed: int | None = None,
    group: int = 1,
    shuffle: bool = False,
    options: Mapping[str, Any] | Sequence[Mapping[str, Any]] = (),
    context: Any = None,
    max_errors: int = 10,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    pictures: bool = True,
    progress: bool | None = None,
    workers: int | str | None = None,
    step_timeout: float | None = None,
    actor: Mapping[str, Any] | None = None,
    **make: Any,
) -> AsyncGenerator[Episode, None]:
    """Play episodes and yield each as it ends.

    env: an id (with `make`, its arguments), an environment, or several of them, taken in turn.
    agents: one for all seats, a list in the order of the seats, or a mapping from seat to agent;
        each an object with `act`, a function of a Turn, or a spec string such as "random".
    concurrency: episodes alive at once. It changes no result.
    seed: decides all episodes; drawn if None.
    group: so many episodes in a row have the same start, and differ in what agents draw.
    shuffle: draw for each episode who takes which seat.
    options: of `reset`; of several, each group takes the next.
    context: how much of its chat an agent reads: a Context, a text such as "turns=4,images=2", or a
        mapping from seat to these.
    max_errors: failed episodes that the run puts up with; one more ends it with TooManyErrors.
    out: a file that each episode is appended to as it ends, with its pictures beside it unless
        `pictures` is False. resume: play what is not in there yet, and what failed once more.
    progress: show a bar; None: on a terminal.
    workers: play in so many processes, or in "ray" or "ray:8" actors. Agents that say
        `portable = True` (random, scripted, search) go there too; those of other kinds stay here
        and get the turns of all processes in one batch, while Ray takes them along as they are.
    step_timeout: with workers, the seconds that a game may take for a step before it fails.
    actor: with Ray, the options of each actor: {"num_cpus": 2, "resources": {...}}, say.
    """
    if workers is None and step_timeout is not None:
        raise ValueError("step_timeout needs workers: only a process can be stopped")
    run = Run(
        env,
        agents,
        episodes,
        concurrency=concurrency,
        seed=seed,
        group=group,
        shuffle=shuffle,
        options=options,
        context=context,
        max_errors=max_errors,
        out=out,
        resume=resume,
        pictures=pictures,
        progress=progress,
        **make,
    )
    try:
        if workers is None:
            playing = run.concurrently()
        else:
            from gem_ma.rollouts.shards import shared

            playing = shared(run, agents, workers, step_timeout, actor)
        async with contextlib.aclosing(playing) as finished:
            async for episode in finished:
                yield episode
    finally:
        run.close()


def _in_order(episodes: list[Episode]) -> list[Episode]:
    return sorted(episodes, key=lambda episode: episode.number)


@dataclass(slots=True, eq=False)
class Player:
    """An agent, and the turns that wait for it."""

    agent: Agent
    name: str
    kind: Literal["plain", "thread", "async"]
    given: Any  # what the agent was made from: itself, a function, a spec string
    queue: list[Waiting] = field(default_factory=list)
    busy: bool = False  # of kind "thread": a batch is under way

    def stands_for(self, given: Any) -> bool:
        """Return whether it was made from this: the same object, or an equal spec string."""
        return self.given is given or (isinstance(given, str) and bool(self.given == given))


class Waiting(NamedTuple):
    """A seat that waits for its player's reply."""

    play: Any  # a Play, or what stands for one that goes on elsewhere
    seat: str
    turn: Turn


Answer: TypeAlias = tuple[Waiting, Any, float]  # what came, or the error, and after how long


class Play:
    """One live episode."""

    __slots__ = (
        "asked",
        "chats",
        "env",
        "episode",
        "failed",
        "home",
        "owed",
        "players",
        "replies",
        "start",
    )

    def __init__(
        self,
        episode: Episode,
        env: BaseEnv,
        home: list[BaseEnv],
        players: dict[str, Player],
        chats: dict[str, Conversation],
    ):
        self.episode = episode
        self.env = env
        self.home = home  # where the environment goes back to
        self.players = players
        self.chats = chats
        self.asked: tuple[str, ...] = ()
        self.replies: dict[str, str] = {}
        self.owed: dict[str, float] = {}  # earned before a seat's first reply
        self.failed = False
        self.start = 0.0

    def begin(self) -> None:
        """Begin the episode."""
        self.start = time.perf_counter()
        self.env.reset(seed=self.episode.seed, options=self.episode.options or None)
        core = self.env._core
        self.asked = core._waiting
        self.episode.returns = dict.fromkeys(core.possible_agents, 0.0)

    def advance(self, action: Callable[[], None]) -> list[Waiting]:
        """Begin or submit; return what every seat sees that is to act then."""
        action()
        env, chats = self.env, self.chats
        if not self.asked:
            self.end()
        return [Waiting(self, seat, env.turn(seat, chats[seat])) for seat in self.asked]

    def submit(self) -> None:
        """Hand in the replies and write down what became of them."""
        env, episode, chats, replies = self.env, self.episode, self.chats, self.replies
        core = env._core
        if len(self.asked) > 1:  # in whatever order they came
            replies = {seat: replies[seat] for seat in self.asked}
        self.replies = {}
        rewards = env.submit(replies)
        core._credit(replies, rewards)
        records, moved = core._records, core._moved
        for seat, reply in replies.items():
            step = chats[seat].steps[-1]
            step.reply = reply
            if seat in moved:
                move = moved[seat]
                step.move = move if move is None else str(move)
            if seat in records:
                step.invalid = plain(records[seat])
            if self.owed:
                step.reward += self.owed.pop(seat, 0.0)
            episode.steps.append(step)
        for seat, reward in rewards.items():
            if reward:
                episode.returns[seat] += reward
                if chats[seat].steps:
                    chats[seat].steps[-1].reward += reward
                else:
                    self.owed[seat] = self.owed.get(seat, 0.0) + reward
        if core._dead:
            core._bury(core._dead)
        self.asked = core._waiting

    def end(self) -> None:
        """Write down how the episode ended."""
        episode, core = self.episode, self.env._core
        episode.ended = "truncated" if core._truncated else "terminated"
        episode.report = plain(core.game.report(core._state))


class Run:
    """All that a rollout keeps: what to play, what is being played, what is done."""

    def __init__(
        self,
        env: Any,
        agents: Any,
        episodes: int,
        *,
        concurrency: int,
        seed: int | None,
        group: int,
        shuffle: bool,
        options: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        context: Any,
        max_errors: int,
        out: str | os.PathLike[str] | None,
        resume: bool,
        pictures: bool,
        progress: bool | None,
        **make: Any,
    ):
        limits = {"concurrency": concurrency, "group": group}
        for name, value in limits.items():
            if value < 1:
                raise ValueError(f"{name}={value}: expected 1 or more")
        if resume and out is None:
            raise ValueError("resume=True goes on with a file: pass out= too")
        self.envs = _envs(env, make)
        self.players: list[Player] = []
        self.seats = [self._seat(env, agents) for env in self.envs]
        self.contexts = [_contexts(env, context) for env in self.envs]
        _no_strangers(self.envs, agents, "agents")
        _no_strangers(self.envs, context, "context")
        self.idle: list[list[BaseEnv]] = [[env._twin()] for env in self.envs]
        self.total = episodes
        self.concurrency = concurrency
        self.group = group
        self.shuffle = shuffle
        self.options = [options] if isinstance(options, Mapping) else list(options) or [{}]
        self.max_errors = max_errors
        self.errors = 0
        self.cause: BaseException | None = None
        self.live = 0
        self.next = 0
        self.finished: deque[Episode] = deque()
        self.file: EpisodeFile | None = None
        self.done: dict[int, Episode] = {}
        self.bar: Progress | None = None
        self.step_timeout: float | None = None
        self.seed = seed if seed is not None else fresh_seed()
        from gem_ma import __version__

        self.version = __version__
        if out is not None:
            self._open(Path(out), resume, pictures, seed)
        if progress or progress is None:
            from gem_ma.rollouts.progress import Progress

            self.bar = Progress.start(episodes, force=bool(progress))

    # -- what to play --------------------------------------------------------------------------

    def _seat(self, env: BaseEnv, agents: Any) -> list[Player]:
        seats = env._core.possible_agents
        if isinstance(agents, Mapping):
            missing = [seat for seat in seats if seat not in agents]
            if missing:
                raise SeatError(f"nobody plays {', '.join(missing)} of {env._core.id}")
            chosen = [agents[seat] for seat in seats]
        elif isinstance(agents, list | tuple):
            chosen = list(agents)
            if len(chosen) != len(seats):
                raise SeatError(
                    f"got {len(chosen)} agents, but {env._core.id} has {len(seats)} seats: "
                    f"{', '.join(seats)}"
                )
        else:
            chosen = [agents] * len(seats)
        return [self._player(agent) for agent in chosen]

    def _player(self, given: Any) -> Player:
        for player in self.players:
            if player.stands_for(given):
                return player
        agent = load(given)
        kind: Literal["plain", "thread", "async"] = "plain"
        if inspect.iscoroutinefunction(agent.act):
            kind = "async"
        elif getattr(agent, "blocking", False):
            kind = "thread"
        name = without_secrets(given if isinstance(given, str) else name_of(agent))
        self.players.append(Player(agent, name, kind, given))
        return self.players[-1]

    def plan(self, number: int) -> Play:
        group, member = divmod(number, self.group)
        which = group % len(self.envs)
        env, players = self.envs[which], self.seats[which]
        if self.shuffle and len(players) > 1:
            players, rest = [], list(players)
            for place in range(len(rest), 0, -1):
                players.append(rest.pop(mix(self.seed, _SHUFFLE, number, place) % place))
        seats = dict(zip(env._core.possible_agents, players, strict=True))
        contexts = self.contexts[which]
        episode = Episode(
            id=f"{self.seed}-{number}",
            number=number,
            spec=env._core.spec,
            seed=mix(self.seed, group),
            agents={seat: player.name for seat, player in seats.items()},
            group=group,
            options=plain(self.options[group % len(self.options)]),
            wrappers=_wrappers(env),
            contexts={seat: str(context) for seat, context in contexts.items()},
            version=self.version,
        )
        chats = {
            seat: Conversation(seat, episode=episode.id, context=contexts.get(seat), salt=member)
            for seat in seats
        }
        home = self.idle[which]
        return Play(episode, home.pop() if home else env._twin(), home, seats, chats)

    def _open(self, path: Path, resume: bool, pictures: bool, seed: int | None) -> None:
        from gem_ma.rollouts.records import EpisodeFile, reading

        if resume or not path.exists():
            self.file = EpisodeFile(path, pictures=pictures)
        else:
            reading(path).close()  # what is no file has another error
        if self.file is None or not (resume or self.file.empty):
            self.close()
            raise FileExistsError(
                f"{path} is there already: resume=True goes on with it; or name another file"
            )
        for player in self.players:
            if not isinstance(player.given, str) and repr(player.agent) != player.name:
                warnings.warn(
                    f"{player.name} has no __repr__ of its own that is the same in every process: "
                    "this name stands for it in records, whatever its settings are",
                    stacklevel=2,
                )
        try:
            self._go_on(path, seed)
        except BaseException:
            self.close()
            raise

    def _go_on(self, path: Path, seed: int | None) -> None:
        """Take what a file holds as played, except for what failed."""
        from gem_ma.rollouts.records import NotARecord, load_episodes

        assert self.file is not None
        episodes = list(load_episodes(path))
        for episode in episodes:
            if episode.failure:
                continue
            if seed is None:
                try:
                    seed = self.seed = int(episode.id.rpartition("-")[0])
                except ValueError:
                    raise NotARecord(
                        f"{path}: no run gave an episode the id {episode.id[:60]!r}; expected one "
                        "such as 17-0"
                    ) from None
            self.done[episode.number] = episode
            if episode.number < self.total:
                self._same(path, episode)
        if any(episode.failure for episode in episodes):
            self.file.without_failures()

    def _same(self, path: Path, episode: Episode) -> None:
        play = self.plan(episode.number)
        play.home.append(play.env)
        for name in ("id", "spec", "seed", "agents", "options", "wrappers", "contexts"):
            new, old = getattr(play.episode, name), getattr(episode, name)
            if new != old:
                raise ValueError(
                    f"{path} comes from another run: {name} of episode {episode.number} is {old}, "
                    f"and would be {new}; name another file"
                )
        episode.spec = play.episode.spec  # which no longer comes from a file

    # -- playing -------------------------------------------------------------------------------

    def numbers(self) -> Iterator[int]:
        """Yield the numbers of the episodes to be played; those that were played are finished."""
        while self.next < self.total:
            number = self.next
            self.next += 1
            if number in self.done:
                self.finished.append(self.done.pop(number))
            else:
                yield number

    def fill(self) -> Iterator[Play]:
        """Yield new episodes, as many as may be alive."""
        numbers = self.numbers()
        while self.live < self.concurrency and (number := next(numbers, None)) is not None:
            self.live += 1
            yield self.plan(number)

    def give(self, play: Play, seat: str, reply: Any, seconds: float) -> bool:
        """Take a reply; return whether the episode waits for no other."""
        if play.failed:
            return False
        if not isinstance(reply, str):
            kind = type(reply).__name__
            self.fail(play, seat, TypeError(f"{play.players[seat].name} replied with a {kind}"))
            return False
        play.chats[seat].steps[-1].seconds = seconds
        play.replies[seat] = reply
        return len(play.replies) == len(play.asked)

    def advance(self, play: Play, action: Callable[[], None]) -> list[Waiting]:
        """Begin an episode or hand in its replies; return the turns that follow."""
        try:
            turns = play.advance(action)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - costs this episode
            self.fail(play, None, error)
            return []
        return self.took(play, turns)

    def took(self, play: Play, turns: list[Waiting]) -> list[Waiting]:
        """Return the turns of an episode, which is finished if there are none."""
        if not turns:
            self._finish(play)
        return turns

    def queue(self, turns: list[Waiting]) -> None:
        """Let turns wait for their players."""
        for waiting in turns:
            waiting.play.players[waiting.seat].queue.append(waiting)

    def fail(self, play: Play, seat: str | None, error: BaseException) -> None:
        """End an episode that cannot go on."""
        if play.failed:
            return
        play.failed = True
        self._failed(play.episode, seat, error)
        self._finish(play)

    def arrived(self, episode: Episode) -> None:
        """Take an episode that was played elsewhere."""
        if episode.failure is not None:
            self.errors += 1
            self.cause = RuntimeError(f"{episode.failure.kind}: {episode.failure.message}")
        self.record(episode)

    def lose(self, number: int, error: BaseException) -> None:
        """Record an episode that could not be played."""
        episode = self.plan(number).episode
        self._failed(episode, None, error)
        self.record(episode)

    def _failed(self, episode: Episode, seat: str | None, error: BaseException) -> None:
        episode.failure = Failure(seat, type(error).__name__, without_secrets(str(error)))
        episode.ended, episode.returns = "failed", {}
        self.errors += 1
        self.cause = error

    def _finish(self, play: Play) -> None:
        episode = play.episode
        episode.seconds = time.perf_counter() - play.start
        box = sys.modules.get("gem_ma.guards.sandbox")  # not loaded, it ran nothing
        episode.sandbox = box.weakest() if box else ""
        episode.rules = {seat: chat.rules for seat, chat in play.chats.items() if chat.steps}
        episode.tools = {s: schemas(chat.tools) for s, chat in play.chats.items() if chat.tools}
        self.live -= 1
        if not play.failed:  # what a failed episode left of its environment is not used again
            play.home.append(play.env)
        self.record(episode)

    def record(self, episode: Episode) -> None:
        """Write down an episode that has ended."""
        if self.file is not None:
            try:
                self.file.append(episode)
            except OSError:  # no room on the disk is nobody's episode
                raise
            except Exception as error:  # noqa: BLE001 - a picture that cannot be drawn
                episode.steps = []
                if episode.failure is None:
                    self._failed(episode, None, error)
                self.file.append(episode)
        self.finished.append(episode)

    def drain(self) -> Iterator[Episode]:
        """Yield what is finished, and stop the run if too much of it failed."""
        while self.finished:
            episode = self.finished.popleft()
            if self.bar is not None:
                self.bar.add(episode)
            yield episode
        if self.errors > self.max_errors:
            raise TooManyErrors(
                f"{self.errors} episodes failed (max_errors={self.max_errors}); the last one: "
                f"{type(self.cause).__name__}: {without_secrets(str(self.cause))}"
            ) from self.cause

    def close(self) -> None:
        """Close file and bar."""
        if self.file is not None:
            self.file.close()
        if self.bar is not None:
            self.bar.stop()

    def settle(self, answers: list[Answer]) -> list[Play]:
        """Take replies and failures; return the episodes that can go on."""
        ready = []
        for (play, seat, _), reply, seconds in answers:
            if isinstance(reply, Exception):
                self.fail(play, seat, reply)
            elif self.give(play, seat, reply, seconds):
                ready.append(play)
        return ready

    async def concurrently(self) -> AsyncGenerator[Episode, None]:
        """Let every episode go on as soon as its own replies are there."""
        async with self.ready_players(), contextlib.AsyncExitStack() as stack:
            loop = Loop(self)
            stack.push_async_callback(loop.stop)
            async for episode in loop.run():
                yield episode

    @contextlib.asynccontextmanager
    async def ready_players(self) -> AsyncGenerator[None, None]:
        """Open what agents hold while a run lasts: connections, say."""
        async with contextlib.AsyncExitStack() as stack:
            for player in self.players:
                if hasattr(player.agent, "__aenter__"):
                    await stack.enter_async_context(player.agent)  # type: ignore[arg-type]
            yield


class Asker:
    """Asks players for the replies that wait for them, each in the way that suits it."""

    pool: ThreadPoolExecutor | None = None  # for agents that block; None: the event loop's own

    def __init__(self) -> None:
        self.crash: BaseException | None = None  # of our own, which no episode is to blame for
        self.tasks: set[asyncio.Task[None]] = set()
        self.wake = asyncio.Event()

    def take(self, answers: list[Answer]) -> None:
        """Do something with what players said."""
        raise NotImplementedError

    async def ask(self, player: Player, waiting: Waiting) -> None:
        """Ask a player that is a coroutine."""
        raise NotImplementedError

    def ask_those(self, players: Iterable[Player]) -> None:
        """Ask every player that something waits for, and that is not asked already."""
        for player in players:
            if player.queue and not player.busy:
                queue, player.queue = player.queue, []
                self.dispatch(player, queue)

    def dispatch(self, player: Player, queue: list[Waiting]) -> None:
        if player.kind == "plain":
            self.take(ask_all(player.agent, queue))
        elif player.kind == "thread":
            player.busy = True
            self.start(self.in_thread(player, queue))
        else:
            for one in queue:
                self.start(self.ask(player, one))

    async def in_thread(self, player: Player, queue: list[Waiting]) -> None:
        """Ask in a thread, while others go on; what comes meanwhile is the next batch."""
        loop = asyncio.get_running_loop()
        self.take(await loop.run_in_executor(self.pool, ask_all, player.agent, queue))
        player.busy = False

    def start(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.over)

    def over(self, task: asyncio.Task[None]) -> None:
        self.tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self.crash = task.exception()
        self.wake.set()


class Loop(Asker):
    """The part of a run that needs an event loop."""

    def __init__(self, run: Run):
        super().__init__()
        self.run_ = run
        self.pool: ThreadPoolExecutor = ThreadPoolExecutor(
            max(run.concurrency, 1) + len(run.players)
        )
        self.ready: list[Play] = []

    async def run(self) -> AsyncGenerator[Episode, None]:
        run = self.run_
        while True:
            ready, self.ready = self.ready, []
            for play in ready:
                self.step(play, play.submit)
            for play in run.fill():  # those that take the place of finished ones join the batch
                self.step(play, play.begin)
            self.ask_those(run.players)
            if self.crash is not None:
                raise self.crash
            finished = False
            for episode in run.drain():
                finished = True
                yield episode
            if self.ready or finished:
                await asyncio.sleep(0)
            elif self.tasks:
                await self.wake.wait()
            else:
                return
            self.wake.clear()

    def take(self, answers: list[Answer]) -> None:
        self.ready += self.run_.settle(answers)

    def step(self, play: Play, action: Callable[[], None]) -> None:
        """Begin an episode or hand in its replies, in a thread if its game blocks."""
        if play.env.blocking:
            self.start(self.blocking(play, action))
        else:
            self.run_.queue(self.run_.advance(play, action))

    async def blocking(self, play: Play, action: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()
        try:
            advancing = loop.run_in_executor(self.pool, play.advance, action)
            turns = await asyncio.wait_for(advancing, self.run_.step_timeout)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - costs this episode
            self.run_.fail(play, None, error)
        else:
            self.run_.queue(self.run_.took(play, turns))

    async def ask(self, player: Player, waiting: Waiting) -> None:
        """Ask for a reply, and go on with the episode as long as it waits for such replies only.

        What an episode computes then hides in the time that others wait.
        """
        run = self.run_
        while True:
            play, seat, turn = waiting
            start = time.perf_counter()
            try:
                answer = await player.agent.act([turn])  # type: ignore[misc]
                (reply,) = checked(player.agent, [turn], answer)
            except Exception as error:  # noqa: BLE001 - costs this episode, and is on its record
                run.fail(play, seat, error)
                return
            if not run.give(play, seat, reply, time.perf_counter() - start):
                return
            if play.env.blocking:
                self.ready.append(play)
                return
            turns = run.advance(play, play.submit)
            if len(turns) != 1 or play.players[turns[0].seat].kind != "async":
                run.queue(turns)
                return
            waiting = turns[0]
            player = play.players[waiting.seat]

    async def stop(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        self.pool.shutdown(wait=False, cancel_futures=True)


def ask_all(agent: Agent, queue: list[Waiting]) -> list[Answer]:
    """Ask a plain agent for all replies at once; where it fails, find the turns it fails at."""
    turns = [turn for _, _, turn in queue]
    start = time.perf_counter()
    try:
        replies = checked(agent, turns, agent.act(turns))  # type: ignore[arg-type]
    except Exception as error:  # noqa: BLE001 - costs the episodes that it comes from
        if len(queue) == 1:
            return [(queue[0], error, time.perf_counter() - start)]
        half = len(queue) // 2
        return [*ask_all(agent, queue[:half]), *ask_all(agent, queue[half:])]
    seconds = (time.perf_counter() - start) / len(queue)
    return [(waiting, reply, seconds) for waiting, reply in zip(queue, replies, strict=True)]


def _envs(env: Any, make: dict[str, Any]) -> list[BaseEnv]:
    several = list(env) if isinstance(env, list | tuple) else [env]
    if not several:
        raise ValueError("got no environment")
    if make and not all(isinstance(one, str) for one in several):
        raise TypeError(
            f"rollout takes no argument {next(iter(make))!r}, unless to make an environment from "
            "an id; what was given is made already"
        )
    out = []
    for one in several:
        if isinstance(one, str):
            one = making.make(one, **make)
        if not isinstance(one, BaseEnv):
            raise TypeError(f"expected an id or an environment (not a view of one), got {one!r}")
        out.append(one)
    return out


def _contexts(env: BaseEnv, given: Any) -> dict[str, Context]:
    if given is None:
        return {}
    seats = env._core.possible_agents
    by_seat = given if isinstance(given, Mapping) else dict.fromkeys(seats, given)
    out: dict[str, Context] = {}
    for seat, context in by_seat.items():
        if isinstance(context, str):
            context = Context.parse(context)
        if not isinstance(context, Context):
            raise TypeError(f"context of {seat}: expected a Context or a text, got {context!r}")
        if seat in seats:
            out[seat] = context
    return out


def _no_strangers(envs: list[BaseEnv], given: Any, what: str) -> None:
    if isinstance(given, Mapping):
        seats = {seat for env in envs for seat in env._core.possible_agents}
        for seat in given:
            if seat not in seats:
                raise SeatError(
                    f"{what}: no seat {seat!r}; the seats are {', '.join(sorted(seats))}"
                )


def _wrappers(env: BaseEnv) -> tuple[str, ...]:
    names = []
    while isinstance(env, Wrapper):
        names.append(type(env).__name__)
        env = env.env
    return tuple(names)
