"""LiveEpisode: an episode of a rollout while it is played, with its agents and its record."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Self

from gem_ma.apis.aec import AECEnv
from gem_ma.apis.session import Session, to_json_value
from gem_ma.chat.agent import Agent, AgentSource, AgentTraits
from gem_ma.chat.context import Context
from gem_ma.chat.conversation import Conversation
from gem_ma.chat.tracing import EpisodeTrace, RolloutTrace
from gem_ma.chat.turn import Turn
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.prefix import EpisodePrefix
from gem_ma.rollouts.version import __version__
from gem_ma.wrappers import Wrapper


@dataclass(slots=True, eq=False)
class ScheduledAgent:
    """An agent, and the turns that wait for it."""

    agent: Agent
    name: str
    kind: Literal["plain", "thread", "async"]
    given: AgentSource  # source of the agent: the agent itself, a function or a spec string
    traits: AgentTraits
    queue: list[PendingTurn] = field(default_factory=list)
    busy: bool = False  # for kind "thread": a batch is running
    batch_size: int = 1  # turns per call, for an agent that prefers single turns

    def is_made_from(self, given: object) -> bool:
        """Return whether the agent's source is this object or an equal spec string."""
        return self.given is given or (isinstance(given, str) and bool(self.given == given))


class PendingTurn(NamedTuple):
    """A turn that waits for its agent's reply."""

    play: Any  # a LiveEpisode, or an identifier of an episode in another process
    seat: str
    turn: Turn
    span: Any = None  # of the turn's trace


class LiveEpisode:
    """An episode of a rollout while it is played: its session, its record and its agents."""

    __slots__ = (
        "blocking",
        "env",
        "episode",
        "failed",
        "home",
        "players",
        "prefix",
        "session",
        "start",
        "trace",
    )

    def __init__(
        self,
        episode: Episode,
        env: AECEnv,
        session: Session,
        prefix: EpisodePrefix,
        players: Mapping[str, ScheduledAgent],
        home: list[AECEnv],
        trace: EpisodeTrace | None = None,
    ):
        self.episode = episode
        self.env = env
        self.blocking = env.blocking
        self.session = session
        self.prefix = prefix
        self.players = players
        self.home = home  # the list to which the environment is returned
        self.trace = trace
        self.failed = False
        self.start = 0.0
        episode.steps, episode.returns = session.steps, session.returns

    @classmethod
    def create(
        cls,
        env: AECEnv,
        prefix: EpisodePrefix,
        id: str,
        agents: Mapping[str, str],
        *,
        number: int = 0,
        group: int = 0,
        contexts: Mapping[str, Context] | None = None,
        salt: int = 0,
        players: Mapping[str, ScheduledAgent] | None = None,
        home: list[AECEnv] | None = None,
        trace: RolloutTrace | None = None,
    ) -> Self:
        """Return an episode that has not begun, with an empty record."""
        contexts = contexts or {}
        episode = Episode(
            id=id,
            number=number,
            spec=env.core.spec,
            seed=prefix.seed,
            agents=dict(agents),
            group=group,
            options=to_json_value(prefix.options),
            wrappers=_list_wrappers(env),
            contexts={seat: str(context) for seat, context in contexts.items()},
            version=__version__,
        )
        for move in prefix.moves:
            if isinstance(move, int):
                episode.redrawn.append((episode.begun, move))
            else:
                episode.begun += len(move)
        conversations = {
            seat: Conversation(seat, episode=id, context=contexts.get(seat), salt=salt)
            for seat in env.core.possible_agents
        }
        session = Session(env, conversations)
        home = [] if home is None else home
        spans = None if trace is None else EpisodeTrace(trace, id, env.core.spec.id, agents)
        return cls(episode, env, session, prefix, players or {}, home, spans)

    def advance(self) -> list[PendingTurn]:
        """Reset the game, or apply the replies; return the turns of the seats that act next."""
        session, trace = self.session, self.trace
        if trace is not None:
            trace.begin_step(self.episode.seed)
        if self.start:
            session.step()
        else:
            self.start = time.perf_counter()
            session.reset(self.episode.seed, self.episode.options or None)
            if self.prefix.moves:
                self.prefix.play(session)
        if trace is not None:
            trace.end_step(session.conversations)
        if not session.due:
            self._record_end()
            return []
        env, chats, waiting = self.env, session.conversations, []
        for seat in session.due:
            turn = env.turn(seat, chats[seat])
            span = None if trace is None else trace.start_turn(turn)
            waiting.append(PendingTurn(self, seat, turn, span))
        return waiting

    def _record_end(self) -> None:
        """Record how the episode ended."""
        episode, match = self.episode, self.session.env.match
        episode.ended = "truncated" if match.truncated else "terminated"
        episode.report = to_json_value(match.game.report(match.state))


def _list_wrappers(env: AECEnv) -> tuple[str, ...]:
    names = []
    while isinstance(env, Wrapper):
        names.append(type(env).__name__)
        env = env.env
    return tuple(names)
