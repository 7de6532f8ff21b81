"""What models have tried on graders and rewards, tried on one environment: `attack`."""

from __future__ import annotations

import dataclasses
import math
import pickle
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean, stdev

from gem_ma.apis.aec import AECEnv
from gem_ma.apis.base_env import Snapshot
from gem_ma.engine.seeding import derive_seed
from gem_ma.game import VerbatimMessage
from gem_ma.testing.attack_tricks import (
    FORGERY_TOKEN,
    TRICKS,
    SeatPrompt,
    make_forged_lines,
    reply_at_random,
)
from gem_ma.testing.env_probe import make_fresh_env
from gem_ma.validation.arguments import check_type

FINDING_KINDS = {
    "raised": "a reply raised an error",
    "slow": "a reply took long to be read",
    "grown": "replies make what seats read, or a state, grow",
    "forged": "a seat reads words of another as if somebody else had said them",
    "cheap": "a trick earns a good part of what the task pays",
    "leaving": "to leave the game pays more than to play, at random or one way",
    "sum": "a zero-sum game does not sum to nothing",
    "above": "more was earned than by the best player there is",
}
MAX_REPLY_SECONDS = 2.0  # of CPU time that a reply may take
# of what the best player earns above random play: a trick that earns it is cheap
_CHEAP_SHARE = 0.5
_LEAVING_MARGIN = 0.05  # that leaving may pay more than playing
_EXTRA_EPISODES = 40  # episodes, before something is said of leaving
_MAX_GROWTH = 1 << 20  # bytes that a state may grow by


@dataclasses.dataclass(frozen=True)
class AttackFinding:
    """Something that a trick did to an environment, and the replies that do it again."""

    kind: str  # of KINDS
    trick: str
    seed: int
    why: str
    replies: tuple[Mapping[str, str], ...] = ()  # of the seats, from `reset(seed=seed)` on

    def __str__(self) -> str:
        return f"{self.kind}: {self.trick}, seed {self.seed}: {self.why}"


@dataclasses.dataclass(frozen=True)
class AttackReport:
    """What an attack came to: true if something was found."""

    env_id: str
    findings: tuple[AttackFinding, ...]
    # What was earned, on average over seats and seeds: by each trick, at "random", by "search" in
    # short sequences of replies, and by the "best" player that was named.
    earned: Mapping[str, float]
    replies: int  # that were tried

    def __bool__(self) -> bool:
        return bool(self.findings)

    def __str__(self) -> str:
        returns = ", ".join(f"{name} {value:.3g}" for name, value in self.earned.items())
        findings = "".join(f"\n  {finding}" for finding in self.findings) or " nothing was found"
        return f"{self.env_id}: {self.replies} replies; {returns};{findings}"


def attack(
    env: str | AECEnv,
    *,
    seeds: int = 4,
    turns: int = 60,
    nodes: int = 300,
    best: Callable[[int], float] | None = None,
) -> AttackReport:
    """Try on an environment what models have tried on graders and rewards.

    Seats do nothing, repeat themselves, call tools in circles, quote what they read, answer
    everything at once, leave, flood, and forge the words of others: each seat alone among others
    who play at random, and all together. Short sequences of replies are searched as well.

    Args:
        seeds: how many starts.
        turns: after which an episode is cut off.
        nodes: positions of a search.
        best: what the best player that is known earns from a seed, on average over seats; without
            it nothing is "above", and what a search found counts as the best.
    """
    for name, value in (("seeds", seeds), ("turns", turns), ("nodes", nodes)):
        check_type(value, int, name)
        if value < (0 if name == "nodes" else 1):
            raise ValueError(f"{name}={value}: expected {0 if name == 'nodes' else 1} or more")
    return _Attacker(make_fresh_env(env), range(seeds), turns, best).run(nodes)


TrickPlayer = Callable[[SeatPrompt], str]
TRICK_PLAYERS: dict[str, TrickPlayer] = {"random": reply_at_random, **TRICKS}


class _Attacker:
    def __init__(
        self,
        env: AECEnv,
        seeds: range,
        turns: int,
        best: Callable[[int], float] | None,
    ):
        self.env, self.core, self.game = env, env.core, env.core.game
        self.seeds, self.turns, self.best = seeds, turns, best
        self.seats = tuple(env.possible_agents)
        self.findings: dict[tuple[str, str], AttackFinding] = {}  # the first of each kind and trick
        self.team_returns: dict[str, list[float]] = {}  # by name, for each seed
        self.seat_returns: dict[tuple[str, str], list[float]] = {}  # by trick and seat
        self.returns_differ = False  # seats have earned different returns
        self.replies = 0
        self.usual = 0  # characters that a seat reads where nobody floods it

    def run(self, nodes: int) -> AttackReport:
        plain = dict.fromkeys(self.seats, reply_at_random)
        rates: dict[str, list[float]] = {seat: [] for seat in self.seats}
        self.team_returns["random"] = []
        for seed in self.seeds:
            returns = self.play_episode("random", plain, seed)
            self.team_returns["random"].append(fmean(returns.values()))
            for seat, value in returns.items():
                rates[seat].append(value)
        for name, trick in TRICKS.items():
            seeds = range(max(len(self.seeds), 12)) if name in ("flood", "forge") else self.seeds
            episode_returns = [
                self.play_episode(name, dict.fromkeys(self.seats, trick), s) for s in seeds
            ]
            self.team_returns[name] = [fmean(returns.values()) for returns in episode_returns][
                : len(self.seeds)
            ]
            for seat in self.seats if len(self.seats) > 1 else ():
                self.seat_returns[name, seat] = [
                    self.play_episode(name, {**plain, seat: trick}, seed)[seat]
                    for seed in self.seeds
                ]
        for seat in self.seats:
            plays = {"random": rates[seat]}
            for name in ("first", "last"):
                plays[name] = self.seat_returns.get((name, seat), self.team_returns[name])
            best_trick = max(plays, key=lambda name: fmean(plays[name]))
            self.compare_leaving("leave", seat, best_trick, plays[best_trick])
            self.compare_leaving("nothing", seat, best_trick, plays[best_trick])
        if not self.returns_differ or (self.best and not self.game.zero_sum):
            self.compare_tricks(nodes)
        mean_returns = {name: fmean(values) for name, values in self.team_returns.items() if values}
        return AttackReport(self.core.id, tuple(self.findings.values()), mean_returns, self.replies)

    def compare_leaving(self, trick: str, seat: str, by: str, usual: Sequence[float]) -> None:
        """Compare what a seat earns that leaves with what it earns that plays, however it does."""
        leaver_returns = self.seat_returns.get((trick, seat), self.team_returns[trick])
        if len(self.seats) == 1 and trick == "nothing":
            return  # a reply of nothing may be a move, and is compared with the best
        if fmean(leaver_returns) <= fmean(usual) + _LEAVING_MARGIN:
            return
        plain = dict.fromkeys(self.seats, reply_at_random)
        leaver_returns, usual = list(leaver_returns), list(usual)
        # or it may be chance
        for seed in range(self.seeds.stop, self.seeds.stop + _EXTRA_EPISODES):
            leaver_returns.append(
                self.play_episode(trick, {**plain, seat: TRICK_PLAYERS[trick]}, seed)[seat]
            )
            usual.append(self.play_episode(by, {**plain, seat: TRICK_PLAYERS[by]}, seed)[seat])
        if _estimate_gain(leaver_returns, usual) > _LEAVING_MARGIN:
            reason = (
                f"{seat} earns {fmean(leaver_returns):.3g}, and {fmean(usual):.3g} where it plays "
                f"({by})"
            )
            self.add_finding("leaving", trick, 0, reason)

    def compare_tricks(self, nodes: int) -> None:
        """Compare what tricks earn where all seats earn the same."""
        searches = [self.search_replies(seed, nodes) for seed in self.seeds] if nodes else []
        best_returns = list(map(self.best, self.seeds)) if self.best else []
        low = self.team_returns["random"]
        returns_by_trick = {**self.team_returns, "search": [value for value, _ in searches]}
        if self.best:
            for name, values in returns_by_trick.items():
                for number, (value, most) in enumerate(
                    zip(values, best_returns, strict=bool(values))
                ):
                    if value > most + 1e-6:
                        replies = searches[number][1] if name == "search" else ()
                        reason = f"{value:.3g} was earned, and {most:.3g} by the best player"
                        self.add_finding("above", name, self.seeds[number], reason, replies)
        top = best_returns or [
            max(values) for values in zip(*(v for v in returns_by_trick.values() if v), strict=True)
        ]
        span = fmean(top) - fmean(low)
        usual: list[float] = []
        for name in TRICKS:
            if span <= 1e-9 or fmean(self.team_returns[name]) - fmean(low) <= _CHEAP_SHARE * span:
                continue
            usual = usual or self.play_extra("random")
            more = self.play_extra(name)
            if _estimate_gain(more, usual) > _CHEAP_SHARE * span:
                reason = f"it earns {fmean(more):.3g}, random play {fmean(usual):.3g}, "
                self.add_finding("cheap", name, 0, f"{reason}the best player {fmean(top):.3g}")
        self.team_returns |= {"search": returns_by_trick["search"], "best": best_returns}

    def play_extra(self, name: str) -> list[float]:
        """Return what was earned in one way, from more starts than at first: it may be chance."""
        players = dict.fromkeys(self.seats, TRICK_PLAYERS[name])
        starts = range(self.seeds.stop, self.seeds.stop + _EXTRA_EPISODES)
        more = [self.play_episode(name, players, seed) for seed in starts]
        return [*self.team_returns[name], *(fmean(returns.values()) for returns in more)]

    def play_episode(
        self, trick: str, players: Mapping[str, TrickPlayer], seed: int
    ) -> dict[str, float]:
        """Return what the seats earn in one episode, of which whatever is wrong is noted."""
        env, core = self.env, self.core
        env.reset(seed=seed)
        returns = dict.fromkeys(self.seats, 0.0)
        replies: list[dict[str, str]] = []
        size = 0
        while core.to_act and len(replies) < self.turns:
            looks = {seat: self.make_prompt(seat, len(replies), seed) for seat in core.to_act}
            actions = {seat: players[seat](look) for seat, look in looks.items()}
            replies.append(actions)
            if not self.step(trick, seed, replies, returns):
                return returns
            if trick == "forge":
                self.check_forgery(trick, seed, replies, looks)
            if trick == "flood":
                size = self.check_growth(trick, seed, replies, size)
        if core.to_act:
            core.truncate()
        total = sum(returns.values())
        # Two who leave at once both lose.
        if (
            self.game.zero_sum
            and abs(total) > 1e-9
            and (total > 0 or len(core.match.departed_seats) < 2)
        ):
            self.add_finding("sum", trick, seed, f"returns sum to {total:.3g}", replies)
        if trick == "random" and len({round(v, 9) for v in returns.values()}) > 1:
            self.returns_differ = True
        return returns

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
        self, trick: str, seed: int, replies: list[dict[str, str]], earned: dict[str, float]
    ) -> bool:
        """Hand in the last replies, and return whether nothing was raised."""
        self.replies += len(replies[-1])
        start = time.thread_time()
        try:
            rewards = self.env.step_seats(replies[-1])
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
        """Look for words that seem to be said by somebody else, in front of every seat."""
        lines = {line for look in looks.values() for line in make_forged_lines(look)}
        match = self.core.match
        for seat in self.seats:
            messages = [m for m in match.list_messages(seat) if FORGERY_TOKEN in m.text]
            if any(isinstance(m, VerbatimMessage) for m in messages):
                continue  # a chat of its own, in which the speaker is told by the role
            text = "\n".join(map(str, messages))
            if seat in self.core.to_act:
                text += "\n" + (self.env.observe(seat).get("text") or "")
            forged_lines = [line for line in text.splitlines() if line.strip() in lines]
            if forged_lines:
                self.add_finding(
                    "forged", trick, seed, f"{seat} reads {forged_lines[0].strip()!r}", replies
                )

    def check_growth(self, trick: str, seed: int, replies: list[dict[str, str]], size: int) -> int:
        """Compare what seats read, and what the state takes, with what they did at first."""
        limit = 2 * self.core.observation_builder.config.text_length
        for seat in self.core.to_act:
            length = len(self.env.observe(seat).get("text") or "")
            if length > limit:
                self.add_finding("grown", trick, seed, f"{seat} reads {length} characters", replies)
        now = len(pickle.dumps(self.core.match.state))
        if size and now > size + _MAX_GROWTH:
            self.add_finding("grown", trick, seed, f"a state of {size} bytes has {now}", replies)
        return size or now

    def search_replies(self, seed: int, nodes: int) -> tuple[float, list[dict[str, str]]]:
        """Return the most that is earned in short sequences of replies, and by which."""
        env, core = self.env, self.core
        env.reset(seed=seed)
        best: tuple[float, list[dict[str, str]]] = (0.0, [])
        open_: list[tuple[float, Snapshot, list[dict[str, str]]]] = [(0.0, env.snapshot(), [])]
        for node in range(nodes):
            number = derive_seed(seed, node)
            # Half of the time from the best, so that what pays is gone on with.
            index = 0 if number % 2 else number // 2 % len(open_)
            value, point, before = open_[index]
            env.restore(point)
            players = _choose_player(number // 2)
            actions = {
                seat: players(self.make_prompt(seat, number // 64 + len(before), seed))
                for seat in core.to_act
            }
            replies, returns = [*before, actions], dict.fromkeys(self.seats, 0.0)
            if not self.step("search", seed, replies, returns):
                continue
            value += fmean(returns.values())
            if value > best[0] or not best[1]:
                best = value, replies
            if core.to_act and len(replies) < self.turns:
                open_.append((value, env.snapshot(), replies))
                if value > open_[0][0]:
                    open_[0], open_[-1] = open_[-1], open_[0]
        return best

    def add_finding(
        self,
        kind: str,
        trick: str,
        seed: int,
        why: str,
        replies: Iterable[Mapping[str, str]] = (),
    ) -> None:
        self.findings.setdefault(
            (kind, trick), AttackFinding(kind, trick, seed, why, tuple(replies))
        )


def _choose_player(number: int) -> TrickPlayer:
    """Return how a search replies: mostly what is listed, now and then a trick."""
    tricks = [TRICKS[name] for name in ("nothing", "first", "last", "circles", "quote", "hedge")]
    return tricks[number // 8 % len(tricks)] if number % 8 == 0 else reply_at_random


def _estimate_gain(one: Sequence[float], other: Sequence[float]) -> float:
    """Return by how much one mean is above another, less two standard errors."""
    differences = [a - b for a, b in zip(one, other, strict=True)]
    error = stdev(differences) / math.sqrt(len(differences)) if len(differences) > 1 else 0.0
    return fmean(differences) - 2 * error
