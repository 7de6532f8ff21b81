"""RolloutRun: the episodes of a rollout, planned, running and finished."""

from __future__ import annotations

import contextlib
import inspect
import os
import time
import warnings
from collections import Counter, deque
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from gem_ma.agents import load_agent
from gem_ma.agents.wrappers.cost_meter import CostLimitReached
from gem_ma.apis.aec import AECEnv
from gem_ma.apis.session import to_json_value
from gem_ma.chat.agent import (
    AgentSource,
    EpisodeAgents,
    check_agent_seat,
    format_agent_name,
    get_traits,
    notify_episode_end,
    notify_rollout_end,
)
from gem_ma.chat.context import Context, SeatContexts
from gem_ma.chat.conversation import make_tool_schemas
from gem_ma.chat.tracing import start_rollout_trace
from gem_ma.engine.config import check_choice
from gem_ma.engine.match import SeatError
from gem_ma.engine.seeding import derive_seed, generate_seed
from gem_ma.game import ResetOptions
from gem_ma.rollouts.episode import Episode, EpisodeFailure
from gem_ma.rollouts.live_episode import LiveEpisode, PendingTurn, ScheduledAgent
from gem_ma.rollouts.prefix import EpisodePrefix
from gem_ma.rollouts.progress import ProgressReporter, RolloutProgress
from gem_ma.sandbox import find_weakest_level
from gem_ma.validation.endpoints import redact_secrets

if TYPE_CHECKING:
    from gem_ma.rollouts.records import EpisodeFile

StartMode = Literal["new", "here"]
_SHUFFLE_SALT = 0x5EA75  # makes the order of seats independent of the seeds of games


class TooManyErrors(RuntimeError):
    """Raised if more episodes failed than `max_errors`; `episodes` has all that ended."""

    episodes: list[Episode]


class RolloutRun:
    """The state of a rollout: its agents, its output file and the progress of its episodes."""

    def __init__(
        self,
        env: AECEnv | Sequence[AECEnv],
        agents: EpisodeAgents,
        episodes: int,
        *,
        concurrency: int,
        seed: int | None,
        group: int,
        shuffle: bool,
        start: StartMode,
        options: ResetOptions | Sequence[ResetOptions],
        context: SeatContexts | None,
        max_errors: int,
        out: str | os.PathLike[str] | None,
        resume: bool,
        pictures: bool,
        progress: bool | RolloutProgress | None,
    ):
        check_choice(start=(start, ("new", "here")))
        limits = {"concurrency": concurrency, "group": group}
        for name, value in limits.items():
            if value < 1:
                raise ValueError(f"{name}={value}: expected 1 or more")
        if max_errors < 0:
            raise ValueError(f"max_errors={max_errors}: expected 0 or more")
        if resume and out is None:
            raise ValueError("resume=True needs the file to resume: pass out= too")
        self.envs = _check_envs(env, start)
        self.players: list[ScheduledAgent] = []
        self.shuffle = shuffle
        self.seats = [self._assign_agents(env, agents) for env in self.envs]
        self.contexts = [_parse_contexts(env, context) for env in self.envs]
        _check_seat_names(self.envs, agents, "agents")
        _check_seat_names(self.envs, context, "context")
        self.start = start
        self.prefixes = [
            EpisodePrefix.from_env(env) if start == "here" else None for env in self.envs
        ]
        self.idle_envs: list[list[AECEnv]] = [[env.copy()] for env in self.envs]
        self.total = episodes
        self.concurrency = concurrency
        self.group = group
        self.options = [options] if isinstance(options, Mapping) else list(options) or [{}]
        if start == "here" and any(self.options):
            raise ValueError(
                f"options={options!r} apply to a reset, and start='here' continues without one; "
                "leave options out, or pass start='new'"
            )
        self.max_errors = max_errors
        # messages of failed episodes, in order of first occurrence
        self.error_counts: Counter[str] = Counter()
        self.last_error: BaseException | None = None  # of the latest failed episode
        self.limit_error: CostLimitReached | None = None  # ends the run
        self.live_count = 0
        self.next = 0
        self.has_more = True  # whether some episodes have not begun
        self.alarm: contextlib.AbstractContextManager[None] | None = None  # around each step
        self.finished: deque[Episode] = deque()
        self.file: EpisodeFile | None = None
        self.done: dict[int, Episode] = {}
        self.progress: RolloutProgress | ProgressReporter | None = None
        self.earlier_numbers: set[int] = set()  # numbers of episodes that an earlier run played
        self.step_timeout: float | None = None
        self.trace = start_rollout_trace()
        self.seed = seed if seed is not None else generate_seed()
        if out is not None:
            self._open_file(Path(out), resume, pictures, seed)
        self.shared_bar = isinstance(progress, RolloutProgress)
        if isinstance(progress, RolloutProgress):
            self.progress = progress
        elif progress is not False:
            self.progress = RolloutProgress.start(episodes, force=bool(progress))

    def _assign_agents(self, env: AECEnv, agents: EpisodeAgents) -> list[ScheduledAgent]:
        seats = env.core.possible_agents
        if isinstance(agents, Mapping):
            missing = [seat for seat in seats if seat not in agents]
            if missing:
                raise SeatError(
                    f"nobody plays {', '.join(missing)} of {env.core.id}; name an agent for each "
                    "seat"
                )
            chosen = [agents[seat] for seat in seats]
        elif isinstance(agents, Sequence) and not isinstance(agents, str):
            chosen = list(agents)
            if len(chosen) != len(seats):
                raise SeatError(
                    f"got {len(chosen)} agents, but {env.core.id} has {len(seats)} seats: "
                    f"{', '.join(seats)}"
                )
        else:
            chosen = [agents] * len(seats)
        players = [self._find_agent(agent) for agent in chosen]
        for place, seat in enumerate(seats):
            for player in players if self.shuffle else players[place : place + 1]:
                check_agent_seat(player.agent, seat, player.name)
        return players

    def _find_agent(self, given: AgentSource) -> ScheduledAgent:
        for player in self.players:
            if player.is_made_from(given):
                return player
        agent = load_agent(given)
        traits = get_traits(agent)
        kind: Literal["plain", "thread", "async"] = "plain"
        if inspect.iscoroutinefunction(agent.act):
            kind = "async"
        elif traits.blocking:
            kind = "thread"
        name = redact_secrets(given if isinstance(given, str) else format_agent_name(agent))
        self.players.append(ScheduledAgent(agent, name, kind, given, traits))
        return self.players[-1]

    def plan_episode(self, number: int) -> LiveEpisode:
        group, member = divmod(number, self.group)
        which = group % len(self.envs)
        env, players = self.envs[which], self.seats[which]
        if self.shuffle and len(players) > 1:
            players, rest = [], list(players)
            for place in range(len(rest), 0, -1):
                players.append(
                    rest.pop(derive_seed(self.seed, _SHUFFLE_SALT, number, place) % place)
                )
        seats = dict(zip(env.core.possible_agents, players, strict=True))
        contexts = self.contexts[which]
        here = self.prefixes[which]
        options = self.options[group % len(self.options)]
        past = here or EpisodePrefix(derive_seed(self.seed, group), options)
        name = f"{self.seed}-{group}.{member}" if member else f"{self.seed}-{group}"
        if here:  # the environment keeps its seed; the seed of the run decides what agents draw
            member = derive_seed(self.seed, number)
        home = self.idle_envs[which]
        return LiveEpisode.create(
            home.pop() if home else env.copy(),
            past,
            name,
            {seat: player.name for seat, player in seats.items()},
            number=number,
            group=group,
            contexts=contexts,
            salt=member,
            players=seats,
            home=home,
            trace=self.trace,
        )

    def _open_file(self, path: Path, resume: bool, pictures: bool, seed: int | None) -> None:
        from gem_ma.rollouts.records import EpisodeFile, open_regular_file

        if resume or not path.exists():
            self.file = EpisodeFile(path, pictures=pictures)
        else:
            open_regular_file(path).close()  # raise another error if the path is no regular file
        if self.file is None or not (resume or self.file.is_empty):
            self.close()
            raise FileExistsError(
                f"{path} exists already: pass resume=True to continue it, or name another file"
            )
        for player in self.players:
            if not isinstance(player.given, str) and repr(player.agent) != player.name:
                warnings.warn(
                    f"records call this agent {player.name}, whatever its settings are: its class "
                    "needs a __repr__ that shows them and is the same in every process",
                    stacklevel=2,
                )
        try:
            self._resume(path, seed)
        except BaseException:
            self.close()
            raise

    def _resume(self, path: Path, seed: int | None) -> None:
        """Take the episodes in a file as played, except for those that failed."""
        from gem_ma.rollouts.records import RecordError, load_episodes

        assert self.file is not None
        episodes = list(load_episodes(path))
        for episode in episodes:
            if episode.failure:
                continue
            if seed is None:
                try:
                    seed = self.seed = int(episode.id.rpartition("-")[0])
                except ValueError:
                    raise RecordError(
                        f"{path}: the episode id {episode.id[:60]!r} is not of a rollout; expected "
                        "SEED-NUMBER, such as 17-0"
                    ) from None
            self.done[episode.number] = episode
            if episode.number < self.total:
                self._check_same_run(path, episode)
        if any(episode.failure for episode in episodes):
            self.file.drop_failures()

    def _check_same_run(self, path: Path, episode: Episode) -> None:
        play = self.plan_episode(episode.number)
        env = play.env
        play.home.append(env)
        seats_with_steps = {
            step.agent for step in episode.steps
        } & play.session.conversations.keys()
        now = {
            seat: make_tool_schemas(tools)
            for seat in seats_with_steps
            if (tools := env.tools(seat))
        }
        play.episode.tools = to_json_value(now)
        recorded = ("id", "spec", "seed", "agents", "options", "contexts", "tools", "wrappers")
        for name in (*recorded, "begun", "redrawn"):
            new, old = getattr(play.episode, name), getattr(episode, name)
            if new != old:
                there, here = _describe_difference(name, old, new)
                what = "use what the file has"
                if name == "tools":
                    what = "give the same tools to the same seats (with_tools, --tools of gem-ma)"
                raise ValueError(
                    f"{path} comes from another run: the file has {there}, this run has {here} "
                    f"(episode {episode.number}); {what}, or name another file"
                )
        before = sorted((step.agent, str(step.reply)) for step in episode.steps[: episode.begun])
        if before != sorted(play.prefix.list_replies()):
            raise ValueError(
                f"{path} comes from another run: its episode {episode.number} continued after "
                "other moves; start from that position, or name another file"
            )
        episode.spec = play.episode.spec  # so that the spec does not count as read from a file

    def iterate_numbers(self) -> Iterator[int]:
        """Yield the numbers of episodes to play; those of an earlier run go to `finished`."""
        while self.next < self.total:
            number = self.next
            self.next += 1
            if number in self.done:
                self.finished.append(self.done.pop(number))
                self.earlier_numbers.add(number)
            else:
                yield number

    def start_episodes(self) -> Iterator[LiveEpisode]:
        """Yield new episodes until `concurrency` episodes are live."""
        numbers = self.iterate_numbers()
        while self.live_count < self.concurrency:
            number = next(numbers, None)
            if number is None:
                self.has_more = False
                return
            self.live_count += 1
            yield self.plan_episode(number)

    def queue_turns(self, turns: list[PendingTurn]) -> None:
        """Queue turns for their agents."""
        for waiting in turns:
            waiting.play.players[waiting.seat].queue.append(waiting)

    def fail_episode(self, play: LiveEpisode, seat: str | None, error: BaseException) -> None:
        """End an episode as failed, or the whole run if its agents may cost no more."""
        if play.failed:
            return
        if isinstance(error, CostLimitReached):
            self.limit_error = error
            return
        play.failed = True
        self._record_failure(play.episode, seat, error)
        self.finish_episode(play)

    def accept_episode(self, episode: Episode) -> None:
        """Take an episode that was played in another process."""
        if episode.failure is not None:
            kind, message = episode.failure.kind, episode.failure.message
            self._count_error(f"{kind}: {message}", RuntimeError(f"{kind}: {message}"))
        self.record_episode(episode)

    def record_lost_episode(self, number: int, error: BaseException) -> None:
        """Record an episode that no worker could play."""
        episode = self.plan_episode(number).episode
        self._record_failure(episode, None, error)
        self.record_episode(episode)

    def _record_failure(self, episode: Episode, seat: str | None, error: BaseException) -> None:
        episode.failure = EpisodeFailure(seat, type(error).__name__, redact_secrets(str(error)))
        episode.ended, episode.returns = "failed", {}
        self._count_error(f"{episode.failure.kind}: {episode.failure.message}", error)

    def _count_error(self, words: str, error: BaseException) -> None:
        self.error_counts[words] += 1
        self.last_error = error

    def finish_episode(self, play: LiveEpisode) -> None:
        episode = play.episode
        episode.seconds = time.perf_counter() - play.start
        episode.sandbox = find_weakest_level()
        chats = play.session.conversations
        episode.rules = {seat: chat.rules for seat, chat in chats.items() if chat.steps}
        episode.tools = {
            s: make_tool_schemas(chat.tools) for s, chat in chats.items() if chat.tools
        }
        if play.trace is not None:
            play.trace.end(episode.ended, episode.returns, episode.failure)
        self.live_count -= 1
        if not play.failed:  # the environment of a failed episode is not used again
            play.home.append(play.env)
        self.record_episode(episode)

    def record_episode(self, episode: Episode) -> None:
        """Record an episode that has ended, and notify agents that have `on_episode_end`."""
        for player in self.players:
            notify_episode_end(player.agent, episode)
        if self.file is not None:
            try:
                self.file.append(episode)
            except OSError:  # a full disk must stop the run and not fail the episode
                raise
            except Exception as error:  # noqa: BLE001 - a picture that cannot be drawn
                episode.steps = []
                if episode.failure is None:
                    self._record_failure(episode, None, error)
                self.file.append(episode)
        self.finished.append(episode)

    def drain_finished(self) -> Iterator[Episode]:
        """Yield finished episodes; then raise the error that ends the run, if there is one.

        Raises:
            CostLimitReached: A meter of the agents has reached its limit.
            TooManyErrors: Too many episodes failed.
        """
        while self.finished:
            episode = self.finished.popleft()
            if isinstance(self.progress, RolloutProgress):
                self.progress.add(episode, episode.number not in self.earlier_numbers)
            yield episode
        if self.limit_error is not None:
            raise self.limit_error
        if self.error_counts.total() > self.max_errors:
            words, times = self.error_counts.most_common(1)[0]
            often = f"{times} of them by" if len(self.error_counts) > 1 else "each by"
            failed = f"{self.error_counts.total()} episodes failed (max_errors={self.max_errors})"
            raise TooManyErrors(f"{failed}, {often} {words}") from self.last_error

    def close(self) -> None:
        """Close the file and the bar, and notify agents that have `on_rollout_end`."""
        if self.trace is not None:
            self.trace.close()
        for player in self.players:
            notify_rollout_end(player.agent)
        if self.file is not None:
            self.file.close()
        if isinstance(self.progress, RolloutProgress) and not self.shared_bar:
            self.progress.stop()

    @contextlib.asynccontextmanager
    async def open_agents(self) -> AsyncGenerator[None, None]:
        """Open agents that are asynchronous context managers, for example their connections."""
        async with contextlib.AsyncExitStack() as stack:
            for player in self.players:
                if hasattr(player.agent, "__aenter__"):
                    await stack.enter_async_context(player.agent)  # type: ignore[arg-type]
            yield


def _check_envs(env: AECEnv | Sequence[AECEnv], start: StartMode) -> list[AECEnv]:
    several = list(env) if isinstance(env, Sequence) else [env]
    if not several:
        raise ValueError("got an empty list of environments: expected one or more")
    out = []
    for one in several:
        if not isinstance(one, AECEnv):
            raise TypeError(f"expected an id or an environment (not a view of one), got {one!r}")
        match = one.match
        if start == "new" and match.state is not None and match.turns and not match.over:
            warnings.warn(
                f"{one.core.id} is in mid-episode, at turn {match.turns}: the rollout resets "
                "copies and does not continue this episode; pass start='here' to continue it",
                stacklevel=2,
            )
        out.append(one)
    return out


def _parse_contexts(env: AECEnv, given: SeatContexts | None) -> dict[str, Context]:
    if given is None:
        return {}
    seats = env.core.possible_agents
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


def _check_seat_names(envs: list[AECEnv], given: object, what: str) -> None:
    if isinstance(given, Mapping):
        seats = {seat for env in envs for seat in env.core.possible_agents}
        for seat in given:
            if seat not in seats:
                raise SeatError(
                    f"{what}: no seat {seat!r}; the seats are {', '.join(sorted(seats))}"
                )


def _describe_difference(name: str, there: Any, asked: Any) -> list[str]:
    """Return what differs between a recorded episode and the present run, as two texts."""
    if name == "id":
        return [f"seed={one.rpartition('-')[0]}" for one in (there, asked)]
    if name == "agents" and there.keys() == asked.keys():
        both = [",".join(f"{seat}={who}" for seat, who in one.items()) for one in (there, asked)]
        return [f"agents={one!r}" for one in both]
    if name == "tools":
        return [
            ", ".join(f"{t['function']['name']} for {s}" for s in sorted(one) for t in one[s])
            or "no tool"
            for one in (there, asked)
        ]
    if name == "spec" and there.id == asked.id and there.kwargs != asked.kwargs:
        old, new = there.kwargs, asked.kwargs
        key = next(key for key in (*old, *new) if old.get(key) != new.get(key))
        return [f"{key}={one[key]!r}" if key in one else f"no {key}" for one in (old, new)]
    if name == "spec" and there.id != asked.id:
        return [there.id, asked.id]
    return [f"{name}={one!r}" for one in (there, asked)]
