"""Episode: the record of one play, with all observations, replies and rewards."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from gem_ma.apis.aec import AECEnv
from gem_ma.apis.factory import make
from gem_ma.apis.session import Session
from gem_ma.chat.context import Context
from gem_ma.chat.conversation import Conversation, Step
from gem_ma.chat.messages import ChatMessage
from gem_ma.chat.turn import Turn
from gem_ma.envs.registry import Spec
from gem_ma.rollouts.replay import ReplayError, replay
from gem_ma.validation.arguments import check_type
from gem_ma.validation.json_types import JSONMapping, JSONObject


class EpisodeFailure(NamedTuple):
    """The reason why an episode failed."""

    seat: str | None  # whose reply failed; None: the environment itself
    kind: str  # class name of the exception
    message: str


@dataclass(slots=True)
class Episode:
    """The record of one play, with all observations, replies and rewards.

    Examples:
        >>> import gem_ma
        >>> (episode,) = gem_ma.rollout("game:KuhnPoker-v0", "random", seed=0)
        >>> episode.returns
        {'first': -1.0, 'second': 1.0}
        >>> [(step.agent, step.move) for step in episode.steps]
        [('first', 'check'), ('second', 'bet'), ('first', 'fold')]
        >>> [message["role"] for message in episode.messages("second")]
        ['system', 'user', 'assistant']
        >>> episode.replay() == episode
        True
    """

    id: str  # seed of the run, the number of the group, and ".1", ".2", … for its further episodes
    number: int
    spec: Spec  # from which the environment can be made
    seed: int  # of the environment
    agents: dict[str, str]  # name of the agent of each seat
    group: int = 0  # episodes of one group have the same start
    options: JSONObject = field(default_factory=dict)  # of reset
    wrappers: tuple[str, ...] = ()  # around the environment, outermost first
    contexts: dict[str, str] = field(default_factory=dict)  # how the chat of a seat is shortened
    rules: dict[str, str] = field(default_factory=dict)
    tools: dict[str, list[JSONMapping]] = field(
        default_factory=dict
    )  # schemas of the tools that a seat may call
    steps: list[Step] = field(default_factory=list)
    returns: dict[str, float] = field(default_factory=dict)  # empty if it failed
    ended: str = ""  # "terminated", "truncated" or "failed"
    report: JSONObject = field(default_factory=dict)  # the game's report at the end
    failure: EpisodeFailure | None = None
    begun: int = 0  # steps before the rollout, which continued from there
    # step before which chance was redrawn, and the seed
    redrawn: list[tuple[int, int]] = field(default_factory=list)
    version: str = ""  # of this package
    sandbox: str = field(default="", compare=False)  # the weakest level of a sandbox that was used
    seconds: float = field(default=0.0, compare=False)

    @property
    def forfeits(self) -> tuple[str, ...]:
        """The seats that forfeited by invalid replies."""
        return tuple(s.agent for s in self.steps if s.invalid and s.invalid.get("forfeit"))

    def list_own_steps(self, seat: str) -> list[int]:
        """Return the indices of the steps that a seat took in the rollout itself."""
        steps = enumerate(self.steps)
        return [i for i, step in steps if step.agent == seat and i >= self.begun]

    def chat(self, seat: str) -> Conversation:
        """Return one seat's conversation."""
        if seat not in self.agents:
            raise ValueError(f"no seat {seat!r}; the seats are {', '.join(self.agents)}")
        context = self.contexts.get(seat)
        chat = Conversation(
            seat,
            rules=self.rules.get(seat, ""),
            episode=self.id,
            context=Context.parse(context) if context else None,
        )
        chat.tools = tuple(self.tools.get(seat, ()))
        chat.steps = [step for step in self.steps if step.agent == seat]
        return chat

    def messages(self, seat: str) -> list[ChatMessage]:
        """Return one seat's whole conversation as chat messages."""
        return list(self.chat(seat).build_messages())

    def replay(self, env: AECEnv | None = None, *, trust: bool = False) -> Episode:
        """Play the same replies again, and check every step.

        Args:
            env: The environment to play in; needed if it was wrapped. None: make it from the
                record.
            trust: Run code that a file of episodes names, even if it is not registered here.

        Returns:
            The episode with its pictures drawn.

        Raises:
            ReplayError: A step differs from the record.
            ValueError: The environment was wrapped, and `env` is None.
            UntrustedSpec: The record names an environment that is not registered here, and `trust`
                is False.
        """
        if env is None:
            if self.wrappers:
                around = " in ".join(self.wrappers)
                raise ValueError(
                    f"episode {self.id} was played in an environment wrapped by {around}; pass "
                    "such an environment: replay(env)"
                )
            env = make(self.spec, trust=trust)
        check_type(env, AECEnv, "env", "an environment")
        session, steps = Session(env), []
        for move in replay(session, self, find_turn_difference):
            for step in move.steps:
                fields = {name: getattr(step, name) for name in Step.__slots__}
                seen = move.turns[step.agent].observation
                steps.append(Step(**{**fields, "observation": seen}))
        returns = session.returns
        if self.failure is None and (session.due or returns != self.returns):
            raise ReplayError(f"the returns are {returns}, but the record has {self.returns}")
        fields = {name: getattr(self, name) for name in Episode.__slots__}
        return Episode(**{**fields, "steps": steps})


def find_turn_difference(turn: Turn, step: Step) -> str:
    """Return how a turn of a replay differs from the recorded one, or ""."""
    for name, new, old in (
        ("text", turn.text, step.text),
        ("results", turn.results, step.results),
        ("observation", turn.observation, step.observation),
    ):
        if new != old:
            return f"the {name} is {new!r}, but the record has {old!r}"
    return ""
