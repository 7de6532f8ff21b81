"""Episodes of an attack: some seats play tricks, others play normally, and faults are noted."""

from __future__ import annotations

import dataclasses
import math
import pickle
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean

from gem_ma.agents import load_agent
from gem_ma.apis.aec import AECEnv
from gem_ma.apis.base_env import Snapshot
from gem_ma.apis.session import Session
from gem_ma.chat.agent import Agent, SeatAgents, ask_agent
from gem_ma.chat.conversation import Conversation
from gem_ma.chat.turn import SearchPosition
from gem_ma.engine.seeding import derive_seed
from gem_ma.game import VerbatimMessage
from gem_ma.testing.attack_tricks import (
    FORGERY_TOKEN,
    TRICKS,
    SeatPrompt,
    make_forged_lines,
    reply_at_random,
)

MAX_REPLY_SECONDS = 2.0  # limit of CPU time for one reply
_MAX_GROWTH = 1 << 20  # bytes that a state may grow by

TrickPlayer = Callable[[SeatPrompt], str]
TRICK_PLAYERS: dict[str, TrickPlayer] = {"random": reply_at_random, **TRICKS}
EXPERT = "expert"  # the name of the expert among the tricks


@dataclasses.dataclass(frozen=True)
class AttackFinding:
    """A fault that a trick showed in an environment, with the replies that reproduce it."""

    kind: str  # a key of FINDING_KINDS
    trick: str
    seed: int
    why: str
    replies: tuple[Mapping[str, str], ...] = ()  # by seat, for each step from `reset(seed=seed)` on
    seat: str = ""  # the seat that it concerns, if it is a single one

    def __str__(self) -> str:
        who = f"{self.seat}, " if self.seat else ""
        return f"{self.kind}: {who}{self.trick}, seed {self.seed}: {self.why}"


class AttackEpisodes:
    """A player of episodes of one environment in which seats play tricks; it collects faults."""

    def __init__(self, env: AECEnv, turns: int, experts: SeatAgents | None):
        self.env, self.core, self.game = env, env.core, env.core.game
        self.turns = turns
        self.seats = tuple(env.possible_agents)
        self.experts: dict[str, Agent] = {}
        if experts is not None:
            agents = experts if isinstance(experts, Mapping) else dict.fromkeys(self.seats, experts)
            if set(agents) != set(self.seats):
                raise ValueError(
                    f"experts={', '.join(agents)}: expected one for each of {', '.join(self.seats)}"
                )
            self.experts = {seat: load_agent(agents[seat]) for seat in self.seats}
        # The first finding of each kind, trick and seat.
        self.findings: dict[tuple[str, str, str], AttackFinding] = {}
        self.returns_differ = False  # whether seats have earned different returns
        self.experts_are_told = False  # whether they get more than their seats know
        self.replies = 0
        self.taken = {seat: [0, 0] for seat in self.seats}  # of meaningless replies: moves, and all

    def play_episode(self, trick: str, players: Mapping[str, str], seed: int) -> dict[str, float]:
        """Play one episode, note all faults, and return what the seats earn.

        Args:
            trick: Name of the trick, for findings.
            players: Name of the player in each seat.
            seed: Seed of the episode.
        """
        core = self.core
        experts = [seat for seat, name in players.items() if name == EXPERT]
        session = Session(self.env, {seat: Conversation(seat) for seat in experts})
        session.reset(seed)
        returns = dict.fromkeys(self.seats, 0.0)
        replies: list[dict[str, str]] = []
        size = 0
        by_experts = len(experts) == len(self.seats) and not self.game.zero_sum
        turns = math.inf if by_experts else self.turns  # they play to the end
        while core.to_act and len(replies) < turns:
            looks = {seat: self.make_prompt(seat, len(replies), seed) for seat in core.to_act}
            actions = {
                seat: self.ask_expert(session, seat)
                if seat in experts
                else TRICK_PLAYERS[players[seat]](look)
                for seat, look in looks.items()
            }
            replies.append(actions)
            if not self.step(trick, seed, replies, returns, session.step):
                return returns
            for seat in actions if trick in ("word", "noise") else ():
                if players[seat] == trick:
                    self.taken[seat][0] += seat not in core.match.invalid_replies
                    self.taken[seat][1] += 1
            if trick == "forge":
                self.check_forgery(trick, seed, replies, looks)
            if trick == "flood":
                size = self.check_growth(trick, seed, replies, size)
        if core.to_act:
            core.truncate()
        total = sum(returns.values())
        # Two seats that leave at once both lose.
        if (
            self.game.zero_sum
            and abs(total) > 1e-9
            and (total > 0 or len(core.match.departed_seats) < 2)
        ):
            self.add_finding("sum", trick, seed, f"returns sum to {total:.3g}", replies)
        if trick == "random" and len({round(v, 9) for v in returns.values()}) > 1:
            self.returns_differ = True
        return returns

    def ask_expert(self, session: Session, seat: str) -> str:
        """Return the reply of a seat's expert, which may know the whole position."""
        turn = session.turn(seat)
        if turn.position is None:
            self.experts_are_told = True
            position = SearchPosition(self.game, self.core.match.state)
            turn = dataclasses.replace(turn, position=position)
        return ask_agent(self.experts[seat], [turn])[0]

    def is_free(self, seat: str) -> bool:
        """Return whether a seat accepts any reply as a move: it took most meaningless replies."""
        moves, replies = self.taken[seat]
        return 2 * moves > replies

    def make_prompt(self, seat: str, number: int, seed: int) -> SeatPrompt:
        env, core = self.env, self.core
        text = env.observe(seat).get("text") or env.info(seat).get("text", "")
        if number == 0:
            text = f"{env.rules(seat)}\n{text}"
        legal: Sequence[str] = ()
        if core.match.lists_moves:
            legal = core.observation_builder.format_replies(core.match.list_legal_moves(seat))
        tools = [tool if isinstance(tool, Mapping) else tool.schema for tool in env.tools(seat)]
        others = [other for other in self.seats if other != seat]
        return SeatPrompt(
            seat, text, legal, tools, core.observation_builder.config.format, others, number, seed
        )

    def step(
        self,
        trick: str,
        seed: int,
        replies: list[dict[str, str]],
        earned: dict[str, float],
        take_replies: Callable[[Mapping[str, str]], Mapping[str, float]],
    ) -> bool:
        """Submit the last replies, and return whether no error was raised."""
        self.replies += len(replies[-1])
        start = time.thread_time()
        try:
            rewards = take_replies(replies[-1])
        except Exception as error:  # noqa: BLE001 - whatever a game's code may raise is a finding about it
            reason = f"{type(error).__name__}: {error}"[:300]
            self.add_finding("raised", trick, seed, reason, replies)
            return False
        seconds = time.thread_time() - start
        if seconds > MAX_REPLY_SECONDS:
            self.add_finding("slow", trick, seed, f"a reply took {seconds:.1f} s", replies)
        for seat, reward in rewards.items():
            earned[seat] += reward
        return True

    def check_forgery(
        self,
        trick: str,
        seed: int,
        replies: list[dict[str, str]],
        looks: Mapping[str, SeatPrompt],
    ) -> None:
        """Check whether any seat reads words that seem to come from another speaker."""
        lines = {line for look in looks.values() for line in make_forged_lines(look)}
        match = self.core.match
        for seat in self.seats:
            messages = [m for m in match.list_messages(seat) if FORGERY_TOKEN in m.text]
            if any(isinstance(m, VerbatimMessage) for m in messages):
                continue  # a chat, in which the role shows the speaker
            text = "\n".join(map(str, messages))
            if seat in self.core.to_act:
                text += "\n" + (self.env.observe(seat).get("text") or "")
            forged_lines = [line for line in text.splitlines() if line.strip() in lines]
            if forged_lines:
                self.add_finding(
                    "forged", trick, seed, f"{seat} reads {forged_lines[0].strip()!r}", replies
                )

    def check_growth(self, trick: str, seed: int, replies: list[dict[str, str]], size: int) -> int:
        """Check that observations and the state do not grow; return the state's first size."""
        limit = 2 * self.core.observation_builder.config.text_length
        for seat in self.core.to_act:
            length = len(self.env.observe(seat).get("text") or "")
            if length > limit:
                self.add_finding("grown", trick, seed, f"{seat} reads {length} characters", replies)
        now = len(pickle.dumps(self.core.match.state))
        if size and now > size + _MAX_GROWTH:
            self.add_finding("grown", trick, seed, f"a state of {size} bytes has {now}", replies)
        return size or now

    def search_replies(
        self, seed: int, nodes: int
    ) -> tuple[dict[str, float], list[dict[str, str]]]:
        """Return the best returns of all seats in a search of short sequences, and the replies."""
        env, core = self.env, self.core
        env.reset(seed=seed)
        nothing = dict.fromkeys(self.seats, 0.0)
        best: tuple[float, dict[str, float], list[dict[str, str]]] = (0.0, nothing, [])
        open_: list[tuple[float, dict[str, float], Snapshot, list[dict[str, str]]]]
        open_ = [(0.0, nothing, env.snapshot(), [])]
        for node in range(nodes):
            number = derive_seed(seed, node)
            # Half of the steps start from the best position, to continue what pays.
            index = 0 if number % 2 else number // 2 % len(open_)
            _, earned, point, before = open_[index]
            env.restore(point)
            players = _choose_player(number // 2)
            actions = {
                seat: players(self.make_prompt(seat, number // 64 + len(before), seed))
                for seat in core.to_act
            }
            replies, returns = [*before, actions], dict(earned)
            if not self.step("search", seed, replies, returns, env.step_seats):
                continue
            value = fmean(returns.values())
            if value > best[0] or not best[2]:
                best = value, returns, replies
            if core.to_act and len(replies) < self.turns:
                open_.append((value, returns, env.snapshot(), replies))
                if value > open_[0][0]:
                    open_[0], open_[-1] = open_[-1], open_[0]
        return best[1:]

    def add_finding(
        self,
        kind: str,
        trick: str,
        seed: int,
        why: str,
        replies: Iterable[Mapping[str, str]] = (),
        seat: str = "",
    ) -> None:
        self.findings.setdefault(
            (kind, trick, seat), AttackFinding(kind, trick, seed, why, tuple(replies), seat)
        )


def _choose_player(number: int) -> TrickPlayer:
    """Return the player of a search step: mostly random play, and sometimes a trick."""
    tricks = [TRICKS[name] for name in ("nothing", "first", "last", "circles", "quote", "hedge")]
    return tricks[number // 8 % len(tricks)] if number % 8 == 0 else reply_at_random
