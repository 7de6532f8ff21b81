"""The tricks that models have tried on graders and rewards, for one environment: `attack`."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean, stdev
from typing import NamedTuple, TypeAlias

from gem_ma.apis.aec import AECEnv
from gem_ma.chat.agent import SeatAgents
from gem_ma.testing.attack_episodes import EXPERT, AttackEpisodes, AttackFinding
from gem_ma.testing.attack_tricks import MEANINGLESS_TRICKS, TRICKS
from gem_ma.testing.env_probe import make_fresh_env
from gem_ma.validation.arguments import check_type

FINDING_KINDS = {
    "raised": "a reply raised an error",
    "slow": "a reply took long to be read",
    "grown": "replies make what seats read, or a state, grow",
    "forged": "a seat reads words of another as if somebody else had said them",
    "cheap": "a trick earns a good part of what the task pays",
    "nonsense": "replies that mean nothing win, or earn more than play does",
    "leaving": "to leave the game pays more than to play, at random or one way",
    "sum": "a zero-sum game does not sum to nothing",
    "above": "more was earned than by the best player there is",
}
# A trick is cheap if it earns more than this share of the way from the least to the best.
_CHEAP_SHARE = 0.5
_MARGIN = 0.05  # by which leaving or nonsense may exceed play, or 0
_EXTRA_EPISODES = 40  # played before a finding about a seat's returns
_SAME = "same"  # the name of partners that all do as the seat does
# The kinds of partners of a seat that is tried alone, with the player in their seats.
_PARTNERS = {"random": "random", "silent": "nothing", EXPERT: EXPERT}
_PLAY = ("random", "first", "last", EXPERT)  # players that count as play if moves are listed
_LEAVING_TRICKS = ("leave", "nothing")
# Tricks whose replies mean nothing if a seat may say anything.
_TALK_TRICKS = (*MEANINGLESS_TRICKS, "quote", "hedge", "leave", "flood")
_LONG_TRICKS = ("flood", "forge")  # tried from more starts, and alone only among random partners

BestReturns: TypeAlias = Callable[[int], float | Mapping[str, float]]


class SeatReturn(NamedTuple):
    """The mean return of a seat over starts, with its partners and its trick.

    Attributes:
        seat: The seat.
        partners: "random", "silent" or "expert"; "same" if all seats did the same.
        trick: What the seat did: a trick, "random", "expert", "search" or "best".
        mean: Its mean return.
    """

    seat: str
    partners: str
    trick: str
    mean: float


@dataclasses.dataclass(frozen=True)
class AttackReport:
    """The result of an attack; it is true if something was found."""

    env_id: str
    findings: tuple[AttackFinding, ...]
    earned: tuple[SeatReturn, ...]  # by seat, kind of partners and trick
    replies: int  # number of replies that were tried

    def __bool__(self) -> bool:
        return bool(self.findings)

    def __str__(self) -> str:
        means: dict[str, list[float]] = {}
        for row in self.earned:
            means.setdefault(row.trick, []).append(row.mean)
        returns = ", ".join(
            f"{name} {min(values):.3g} to {max(values):.3g}" for name, values in means.items()
        )
        findings = "".join(f"\n  {finding}" for finding in self.findings) or " nothing was found"
        return f"{self.env_id}: {self.replies} replies; {returns};{findings}"


def attack(
    env: str | AECEnv,
    *,
    seeds: int = 4,
    turns: int = 60,
    nodes: int = 300,
    best: BestReturns | None = None,
    experts: SeatAgents | None = None,
) -> AttackReport:
    """Try the tricks on an environment that models have tried on graders and rewards.

    Seats do nothing, reply nonsense, repeat themselves, call tools in circles and quote what they
    read. They also give all answers at once, leave, flood, and forge messages of others. Each seat
    does so alone, with partners that play at random, are silent, or are experts. Then all seats do
    so together. Every seat is judged separately. Short sequences of replies are searched as well.

    Args:
        seeds: Number of starts.
        turns: Turns after which an episode is cut off.
        nodes: Positions that a search visits.
        best: What the best known player earns from a seed, one number for all seats or one per
            seat. None: what the experts earn. Without experts nothing is "above", and the highest
            return found counts as the best.
        experts: Agents that play well, one for all seats or one per seat. Their Turns have the
            whole position. In zero-sum games they are only opponents.

    Examples:
        >>> from gem_ma.testing import attack
        >>> report = attack("game:GuessTheNumber-v0-easy", seeds=1, nodes=20)
        >>> report.findings
        ()
    """
    for name, value in (("seeds", seeds), ("turns", turns), ("nodes", nodes)):
        check_type(value, int, name)
        if value < (0 if name == "nodes" else 1):
            raise ValueError(f"{name}={value}: expected {0 if name == 'nodes' else 1} or more")
    return _RewardAttack(make_fresh_env(env), range(seeds), turns, best, experts).run(nodes)


class _RewardAttack(AttackEpisodes):
    def __init__(
        self,
        env: AECEnv,
        seeds: range,
        turns: int,
        best: BestReturns | None,
        experts: SeatAgents | None,
    ):
        super().__init__(env, turns, experts)
        self.seeds, self.best = seeds, best
        self.players = ("random", *TRICKS, *((EXPERT,) if self.experts else ()))
        # For each seed, by seat, partners and trick.
        self.returns: dict[tuple[str, str, str], list[float]] = {}

    def run(self, nodes: int) -> AttackReport:
        for name in self.players:
            self.play_together(name)
        partners = [_SAME]
        if len(self.seats) > 1:
            partners = [name for name, player in _PARTNERS.items() if player in self.players]
            for seat in self.seats:
                for beside in partners:
                    self.play_alone(seat, beside)
        best = self.collect_best()
        for seat in self.seats:
            for beside in partners:
                self.judge_margins(seat, beside)
                if self.game.zero_sum:
                    self.judge_wins(seat, beside)
                elif self.is_free(seat) and not (beside == EXPERT and self.experts_are_told):
                    self.judge_shares(seat, beside, best.get(seat, ()))
        if not self.returns_differ or (best and not self.game.zero_sum):
            self.judge_together(nodes, best)
        rows = [SeatReturn(*place, fmean(values)) for place, values in self.returns.items()]
        return AttackReport(self.core.id, tuple(self.findings.values()), tuple(rows), self.replies)

    def play_together(self, name: str) -> None:
        """Play episodes in which all seats do the same."""
        starts = range(max(len(self.seeds), 12)) if name in _LONG_TRICKS else self.seeds
        episodes = [self.play_episode(name, dict.fromkeys(self.seats, name), s) for s in starts]
        for seat in self.seats:
            values = [returns[seat] for returns in episodes]
            self.returns[seat, _SAME, name] = values[: len(self.seeds)]

    def play_alone(self, seat: str, partners: str) -> None:
        """Play episodes in which one seat tries each player, and the others always do the same."""
        for name in self.players:
            if name == _PARTNERS[partners]:
                self.returns[seat, partners, name] = self.returns[seat, _SAME, name]
            elif partners == "random" or name not in _LONG_TRICKS:
                self.returns[seat, partners, name] = [
                    self.play_seat(seat, partners, name, seed) for seed in self.seeds
                ]

    def play_seat(self, seat: str, partners: str, name: str, seed: int) -> float:
        players = dict.fromkeys(self.seats, _PARTNERS.get(partners, name))
        return self.play_episode(name, {**players, seat: name}, seed)[seat]

    def play_more(self, seat: str, partners: str, name: str) -> list[float]:
        """Return what a seat earned, with 40 more starts than before, to exclude chance."""
        starts = range(self.seeds.stop, self.seeds.stop + _EXTRA_EPISODES)
        more = [self.play_seat(seat, partners, name, seed) for seed in starts]
        return [*self.returns[seat, partners, name], *more]

    def collect_best(self) -> dict[str, list[float]]:
        """Return what the best player earns, by seat and for each seed; {} if none is known."""
        if self.experts and not self.best and not self.game.zero_sum:
            return {seat: self.returns[seat, _SAME, EXPERT] for seat in self.seats}
        best: dict[str, list[float]] = {}
        if self.best is None:
            return best
        for seed in self.seeds:
            returns = self.best(seed)
            for seat in self.seats:
                value = returns[seat] if isinstance(returns, Mapping) else returns
                best.setdefault(seat, []).append(value)
        return best

    def find_usual(self, seat: str, partners: str) -> str:
        """Return the simple way to play, or the expert, that earns most in a seat."""
        names = [name for name in _PLAY if name in self.players]
        return max(names, key=lambda name: fmean(self.returns[seat, partners, name]))

    def judge_margins(self, seat: str, partners: str) -> None:
        """Compare what a seat earns by leaving or by nonsense with what it earns by play."""
        usual = self.find_usual(seat, partners)
        usual_mean = fmean(self.returns[seat, partners, usual])
        for trick in ("leave", *MEANINGLESS_TRICKS):
            if len(self.seats) == 1 and trick != "leave":
                continue  # an empty reply may be a move, and is compared with the best
            if fmean(self.returns[seat, partners, trick]) <= usual_mean + _MARGIN:
                continue
            values = self.play_more(seat, partners, trick)
            usual_values = self.play_more(seat, partners, usual)
            if _estimate_gain(values, usual_values) > _MARGIN:
                kind = "leaving" if trick in _LEAVING_TRICKS else "nonsense"
                reason = (
                    f"it earns {fmean(values):.3g} beside {partners} partners, and "
                    f"{fmean(usual_values):.3g} where it plays ({usual})"
                )
                self.add_finding(kind, trick, 0, reason, seat=seat)

    def judge_wins(self, seat: str, partners: str) -> None:
        """Check whether meaningless replies win a zero-sum game against opponents that play."""
        others = [one for one in self.seats if one != seat]
        has_random = self.core.match.lists_moves or all(map(self.is_free, others))
        if partners != EXPERT and not (partners == "random" and has_random):
            return  # silent opponents, or opponents that know no move, leave and lose
        for trick in _TALK_TRICKS if self.is_free(seat) else MEANINGLESS_TRICKS:
            values = self.returns.get((seat, partners, trick), ())
            if not values or fmean(values) <= _MARGIN:
                continue
            values = self.play_more(seat, partners, trick)
            if _estimate_gain(values, [0.0] * len(values)) > _MARGIN:
                reason = f"it wins {fmean(values):.3g} from {partners} opponents"
                self.add_finding("nonsense", trick, 0, reason, seat=seat)

    def judge_shares(self, seat: str, partners: str, best: Sequence[float]) -> None:
        """Compare what meaningless talk earns in a seat with what play earns there.

        The least is what the seat earned in the worst case; if that is negative, the least is 0.
        Without a known best player, the most is 1, or the best return of play if that is higher.
        The check leaves out seats that only take moves. It also leaves out experts that know the
        whole position as partners, because they do the work of both.
        """
        rows = [
            (place, fmean(values)) for place, values in self.returns.items() if place[0] == seat
        ]
        low = min(mean for _, mean in rows)
        top = max(fmean(best) if best else 1.0, *(m for place, m in rows if place[2] in _PLAY))
        if low < 0 < top:
            low = 0.0  # a negative return is a penalty
        least = low + _CHEAP_SHARE * (top - low)
        if top - low <= 1e-9:
            return
        for trick in _TALK_TRICKS:
            if fmean(self.returns.get((seat, partners, trick), (low,))) <= least + 1e-9:
                continue
            if ("cheap", trick, seat) in self.findings:
                continue  # found with other partners, and more episodes take long
            values = self.play_more(seat, partners, trick)
            if _estimate_gain(values, [least] * len(values)) > 0:
                reason = (
                    f"it earns {fmean(values):.3g} beside {partners} partners, where the least is "
                    f"{low:.3g} and the most {top:.3g}"
                )
                self.add_finding("cheap", trick, 0, reason, seat=seat)

    def judge_together(self, nodes: int, best: Mapping[str, Sequence[float]]) -> None:
        """Compare what tricks earn if all seats do the same and share one interest."""
        searches = [self.search_replies(seed, nodes) for seed in self.seeds] if nodes else []
        team = {
            name: self.compute_team_returns(name) for name in self.players if name != EXPERT
        } | {"search": [fmean(returns.values()) for returns, _ in searches]}
        best_team = _average_seats(best.values())
        for name, values in team.items() if best_team else ():
            for number, (value, most) in enumerate(zip(values, best_team, strict=bool(values))):
                if value > most + 1e-6:
                    replies = searches[number][1] if name == "search" else ()
                    reason = f"{value:.3g} was earned, and {most:.3g} by the best player"
                    self.add_finding("above", name, self.seeds[number], reason, replies)
        top = fmean(best_team or [max(v) for v in zip(*filter(None, team.values()), strict=True)])
        low = fmean(team["random"])
        usual: list[float] = []
        for name in TRICKS:
            least = low + _CHEAP_SHARE * (top - low)
            if top - low <= 1e-9 or fmean(team[name]) <= least:
                continue
            usual = usual or self.play_more_together("random")
            more = self.play_more_together(name)
            if _estimate_gain(more, usual) > least - low:
                reason = f"it earns {fmean(more):.3g}, random play {fmean(usual):.3g}, "
                self.add_finding("cheap", name, 0, f"{reason}the best player {top:.3g}")
        for seat in self.seats:
            if searches:
                self.returns[seat, _SAME, "search"] = [returns[seat] for returns, _ in searches]
            if best:
                self.returns[seat, _SAME, "best"] = list(best[seat])

    def compute_team_returns(self, name: str) -> list[float]:
        return _average_seats(self.returns[seat, _SAME, name] for seat in self.seats)

    def play_more_together(self, name: str) -> list[float]:
        """Return the mean return of all seats that do the same, with more starts than before."""
        starts = range(self.seeds.stop, self.seeds.stop + _EXTRA_EPISODES)
        players = dict.fromkeys(self.seats, name)
        more = [fmean(self.play_episode(name, players, seed).values()) for seed in starts]
        return [*self.compute_team_returns(name), *more]


def _average_seats(returns: Iterable[Sequence[float]]) -> list[float]:
    """Return the mean return over seats, for each seed."""
    return [fmean(values) for values in zip(*returns, strict=True)]


def _estimate_gain(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the difference of two means, less two standard errors."""
    differences = [a - b for a, b in zip(one, other, strict=True)]
    error = stdev(differences) / math.sqrt(len(differences)) if len(differences) > 1 else 0.0
    return fmean(differences) - 2 * error
