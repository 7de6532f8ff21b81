"""Episode: the record of one play, who saw what, said what, got what."""

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
    """Why an episode did not come to its end."""

    seat: str | None  # whose reply failed; None: the environment itself
    kind: str  # the exception's class
    message: str


@dataclass(slots=True)
class Episode:
    """The record of one play: who saw what, said what, got what."""

    id: str  # the seed of the run, the group in it, and ".1", ".2", … for its second, third, …
    number: int
    spec: Spec  # makes the environment
    seed: int  # of the environment
    agents: dict[str, str]  # who sits in each seat
    group: int = 0  # episodes of one group have the same start
    options: JSONObject = field(default_factory=dict)  # of reset
    wrappers: tuple[str, ...] = ()  # around the environment, outermost first
    contexts: dict[str, str] = field(default_factory=dict)  # how a seat's chat is cut
    rules: dict[str, str] = field(default_factory=dict)
    tools: dict[str, list[JSONMapping]] = field(
        default_factory=dict
    )  # schemas that a seat was shown
    steps: list[Step] = field(default_factory=list)
    returns: dict[str, float] = field(default_factory=dict)  # empty if it failed
    ended: str = ""  # "terminated", "truncated" or "failed"
    report: JSONObject = field(default_factory=dict)  # what the game says at the end
    failure: EpisodeFailure | None = None
    begun: int = 0  # so many steps were taken before the rollout, which went on from there
    redrawn: list[tuple[int, int]] = field(default_factory=list)  # before which step, by what seed
    version: str = ""  # of this package
    sandbox: str = field(default="", compare=False)  # the weakest level that code has run at
    seconds: float = field(default=0.0, compare=False)

    @property
    def forfeits(self) -> tuple[str, ...]:
        """The seats that left by invalid replies."""
        return tuple(s.agent for s in self.steps if s.invalid and s.invalid.get("forfeit"))

    def list_own_steps(self, seat: str) -> list[int]:
        """Return which steps a seat took in the rollout itself, and not before it."""
        steps = enumerate(self.steps)
        return [i for i, step in steps if step.agent == seat and i >= self.begun]

    def chat(self, seat: str) -> Conversation:
        """Return one seat's conversation as it grew."""
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
        """Play the same replies again, checked at every step.

        Args:
            env: The environment to play in, which has to be given if it was wrapped; None: it is
                made from the record.
            trust: Run what a file of episodes names, though nobody registered it here.

        Returns:
            The episode with its pictures drawn.

        Raises:
            ReplayError: Something does not go as it went.
            ValueError: The environment was wrapped, and `env` is not given.
            UntrustedSpec: The record names what is not registered here, and `trust` is False.
        """
        if env is None:
            if self.wrappers:
                around = " in ".join(self.wrappers)
                raise ValueError(f"it was played in {around}; pass that environment to replay")
            env = make(self.spec, trust=trust)
        check_type(env, AECEnv, "env", "an environment")
        session, steps = Session(env), []
        for move in replay(session, self, _find_difference):
            for step in move.steps:
                fields = {name: getattr(step, name) for name in Step.__slots__}
                seen = move.turns[step.agent].observation
                steps.append(Step(**{**fields, "observation": seen}))
        returns = session.returns
        if self.failure is None and (session.due or returns != self.returns):
            raise ReplayError(f"returns are {returns}, and were {self.returns}")
        fields = {name: getattr(self, name) for name in Episode.__slots__}
        return Episode(**{**fields, "steps": steps})


def _find_difference(turn: Turn, step: Step) -> str:
    for name, new, old in (
        ("text", turn.text, step.text),
        ("results", turn.results, step.results),
        ("observation", turn.observation, step.observation),
    ):
        if new != old:
            return f"the {name} is {new!r}, and was {old!r}"
    return ""
