"""Whom to play against while learning, how that goes, and how far a policy is from an equilibrium.

    pool = OpponentPool()
    for step in range(100):
        others = pool.make_opponents(learner, choice="hard", mirror=0.5)
        played = rollout(ENV, [learner, others], 256, seed=step, shuffle=True)
        episodes = others.name_opponents(played)
        pool.record(episodes)
        ...  # learn from the turns whose agent is episode.name_of(learner)
        if step % 10 == 9:
            pool.add(f"step {step}", learner)

`shuffle=True` draws for each episode who takes which seat. To play only oneself, seat the learner
everywhere: rollout(ENV, learner, ...). In a Trainer, where everybody has a seat, a SelfPlayOpponent
sits in the other one; its checkpoints then hold the pool and what came of playing.

    rivals = SelfPlayOpponent(learner, choice="hard")
    trainer = Trainer(ENV, {"x": learner, "o": rivals}, rebn, train=["x"], measure=rivals.record)
    trainer.run(100, "run/checkpoint.pt", after=rivals.copy_every(10))
"""

from __future__ import annotations

import copy
import dataclasses
import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from gem_ma.agents import AGENT_SPECS, load_agent
from gem_ma.agents.mixture import MixtureAgent
from gem_ma.chat.agent import AgentSource, format_agent_name
from gem_ma.chat.conversation import Conversation
from gem_ma.chat.turn import Turn
from gem_ma.engine.match import SeatError
from gem_ma.rollouts.episode import Episode
from gem_ma.validation.arguments import check_each, check_type
from gem_ma.validation.endpoints import redact_secrets
from gem_ma.validation.files import write_atomically
from gem_ma.validation.json_types import JSONMapping, JSONObject

OpponentWeighting: TypeAlias = Literal["uniform", "hard", "even"]
# seat, its view -> P of its legal moves
PolicyFunction: TypeAlias = Callable[[str, Any], Sequence[float]]

_WEIGHTINGS: dict[str, Callable[[float], float]] = {  # win rate -> weight
    "uniform": lambda rate: 1.0,
    "hard": lambda rate: (1 - rate) ** 2,
    "even": lambda rate: rate * (1 - rate),
}


class WinRates(NamedTuple):
    """Who wins how often: [i, j] is about the agent i against the agent j."""

    names: tuple[str, ...]
    rates: np.ndarray  # a draw is half a win; nan where they never met
    games: np.ndarray


class OpponentPool:
    """Agents to play against, by name, and what came of playing.

    Args:
        agents: those that are there from the start.
        decay: what each call of `record` leaves of the earlier games of those that are not in the
            pool. A learner changes; 1 counts all its games alike for ever.
    """

    def __init__(self, agents: Mapping[str, Any] | None = None, decay: float = 1.0):
        if not 0 <= decay <= 1:
            raise ValueError(f"decay={decay}: expected 0 to 1")
        self.decay = decay
        self._agents: dict[str, Any] = {}
        self._scores: dict[tuple[str, str], tuple[float, float]] = {}  # wins, games
        check_type(agents or {}, Mapping, "agents")
        for name, agent in (agents or {}).items():
            self.add(name, agent)

    @property
    def names(self) -> tuple[str, ...]:
        """Who is in the pool, the oldest first."""
        return tuple(self._agents)

    @property
    def agents(self) -> dict[str, Any]:
        """The agents of the pool, by name."""
        return dict(self._agents)

    def add(self, name: str, agent: Any) -> None:
        """Add an opponent: a spec string, or an agent, of which a frozen copy is kept.

        Of what has a method `make_snapshot`, as learners do, that is the copy: weights alone.
        """
        if name in self._agents:
            raise ValueError(f"there is a {name!r} in the pool already; take another name")
        load_agent(agent)  # an agent that cannot play is better found now
        self._agents[name] = agent if isinstance(agent, str) else _copy_agent(agent)

    def remove(self, name: str) -> None:
        """Let go of an opponent; what came of playing against it stays known."""
        if name not in self.names:
            known = ", ".join(self.names) or "nobody"
            raise ValueError(f"there is no {name!r} in the pool: it has {known}")
        del self._agents[name]

    def compute_weights(
        self, learner: str, choice: OpponentWeighting = "uniform", latest: int | None = None
    ) -> dict[str, float]:
        """Return how often each opponent is to be drawn; the weights sum to 1.

        Args:
            choice: "uniform"; or prioritised by the rate p at which the agent called `learner` wins
                against it (PFSP: Vinyals et al. 2019): "hard" by (1 - p)^2, "even" by p (1 - p). p
                counts a win and a loss that never were, so that nobody is ruled out.
            latest: only the newest so many.
        """
        if choice not in _WEIGHTINGS:
            raise ValueError(f"choice={choice!r}: expected one of {', '.join(_WEIGHTINGS)}")
        if latest is not None and latest < 1:
            raise ValueError(f"latest={latest}: expected 1 or more")
        found = {}
        for name in self.names[-latest if latest else None :]:
            won, games = self._scores.get((learner, name), (0.0, 0.0))
            found[name] = _WEIGHTINGS[choice]((won + 1) / (games + 2))
        total = sum(found.values())
        return {name: weight / total for name, weight in found.items()}

    def make_opponents(
        self,
        learner: Any,
        choice: OpponentWeighting = "uniform",
        latest: int | None = None,
        mirror: float = 0.0,
        seed: int = 0,
        name: str | None = None,
    ) -> OpponentMixture:
        """Return an agent that is, for each seat of an episode, another one out of the pool.

        Args:
            mirror: in this share of the episodes it is the learner as it is now; always, as long as
                the pool is empty.
            choice: see `weights`.
            latest: see `weights`.
            name: of the learner; None: what a rollout calls it.
        """
        if not 0 <= mirror <= 1:
            raise ValueError(f"mirror={mirror}: expected 0 to 1")
        own = resolve_agent_name(learner) if name is None else name
        if own in self._agents:
            raise ValueError(f"the learner is called {own!r}, as one in the pool is")
        weights = self.compute_weights(own, choice, latest)
        mirror = mirror if weights else 1.0
        shares = {name: (1 - mirror) * weight for name, weight in weights.items()}
        agents = {name: self._agents[name] for name in weights}
        return OpponentMixture({**agents, own: learner}, {**shares, own: mirror}, seed)

    def record(self, episodes: Iterable[Episode]) -> None:
        """Count who did better than whom.

        The episodes say who played (`OpponentMixture.name_opponents`).

        Every two seats of an episode count, unless the same agent sits in both.
        """
        if self.decay != 1:
            for pair, (won, games) in self._scores.items():
                if not set(pair) <= set(self._agents):
                    self._scores[pair] = won * self.decay, games * self.decay
        for episode in check_each(episodes, Episode, "episodes"):
            for one, two in combinations(episode.returns, 2):
                names = episode.agents[one], episode.agents[two]
                if names[0] != names[1]:
                    ahead = episode.returns[one] - episode.returns[two]
                    self._count_result(names, 0.5 + 0.5 * float(np.sign(ahead)))

    def _count_result(self, names: tuple[str, str], score: float) -> None:
        for pair, gained in ((names, score), (names[::-1], 1 - score)):
            won, games = self._scores.get(pair, (0.0, 0.0))
            self._scores[pair] = won + gained, games + 1

    def compute_win_rates(self) -> WinRates:
        """Return the win rates of all who are in the pool or have played against it."""
        names = tuple(dict.fromkeys([*self._agents, *(one for one, _ in self._scores)]))
        rates = np.full((len(names), len(names)), np.nan)
        games = np.zeros((len(names), len(names)))
        for (one, two), (won, count) in self._scores.items():
            place = names.index(one), names.index(two)
            games[place] = count
            if count:
                rates[place] = won / count
        return WinRates(names, rates, games)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write names, spec strings and results as JSON.

        Keep agents that are objects yourself, and spec strings that hold a password.
        """
        agents = {
            name: agent if isinstance(agent, str) and redact_secrets(agent) == agent else None
            for name, agent in self._agents.items()
        }
        scores = [[*pair, *score] for pair, score in self._scores.items()]
        text = json.dumps({"decay": self.decay, "agents": agents, "scores": scores}, indent=1)
        write_atomically(Path(path), (text + "\n").encode())

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], agents: Mapping[str, Any] | None = None
    ) -> OpponentPool:
        """Return a pool that was saved; `agents` are those of its members that are objects."""
        saved = json.loads(Path(path).read_text(encoding="utf-8"))
        if not isinstance(saved, dict) or saved.keys() != {"decay", "agents", "scores"}:
            raise ValueError(f"{path} holds something else than a pool that was saved")
        objects = dict(agents or {})
        pool = cls(decay=saved["decay"])
        missing = [n for n, spec in saved["agents"].items() if spec is None and n not in objects]
        strange = [name for name in objects if name not in saved["agents"]]
        if missing or strange:
            raise ValueError(
                f"{path} holds {', '.join(saved['agents']) or 'nobody'}: agents= has to give "
                f"{', '.join(missing) or 'nobody else'}"
                + (f", and not {', '.join(strange)}" if strange else "")
            )
        for name, spec in saved["agents"].items():
            pool.add(name, objects[name] if name in objects else _check_spec(name, spec))
        pool._scores = {(one, two): (won, games) for one, two, won, games in saved["scores"]}
        return pool

    def state_dict(self) -> JSONObject:
        """Return all of it, for agents that are spec strings or have a state_dict themselves."""
        saved: JSONObject = {}
        for name, agent in self._agents.items():
            if not isinstance(agent, str) and not hasattr(agent, "state_dict"):
                raise ValueError(
                    f"{name} is a {type(agent).__name__} without a state_dict: give the pool a "
                    "spec string, or an agent that has one"
                )
            saved[name] = agent if isinstance(agent, str) else agent.state_dict()
        return {
            "decay": self.decay,
            "agents": saved,
            "scores": [[*pair, *score] for pair, score in self._scores.items()],
        }

    def load_state_dict(self, state: JSONMapping, learner: Any = None) -> None:
        """Go on from such a state; an agent that is not here yet was a copy of the learner."""
        check_type(state, Mapping, "state")
        if not {"agents", "decay", "scores"} <= set(state):
            names = ", ".join(map(str, state)) or "nothing"
            raise ValueError(f"state has {names}: expected agents, decay and scores")
        agents: dict[str, Any] = {}
        for name, saved in state["agents"].items():
            known = name in self._agents
            if isinstance(saved, str):
                same = known and self._agents[name] == saved
                agents[name] = saved if same else _check_spec(name, saved)
                continue
            agents[name] = self._agents[name] if known else _copy_agent(learner)
            agents[name].load_state_dict(saved)
        self._agents, self.decay = agents, state["decay"]
        self._scores = {(one, two): (won, games) for one, two, won, games in state["scores"]}


class OpponentMixture(MixtureAgent):
    """Sit in each seat of an episode as one of several agents, and tell afterwards as whom.

    Who it is depends on the seed, the episode's id and the seat alone.
    """

    def __init__(self, agents: Mapping[str, Any], weights: Mapping[str, float], seed: int = 0):
        check_type(agents, Mapping, "agents")
        check_type(weights, Mapping, "weights")
        self.names = tuple(agents)
        if missing := [name for name in self.names if name not in weights]:
            raise ValueError(f"weights: none for {', '.join(map(repr, missing))}")
        shares = [weights[name] for name in self.names]
        super().__init__(list(agents.values()), shares, per="episode", seed=seed)

    def find_opponent_name(self, episode: str, seat: str) -> str:
        """Return the name of the agent that sits in this seat of the episode with this id."""
        turn = Turn(seat, "", {}, "", chat=Conversation(seat, episode=episode))
        (place,) = self.group_turns([turn])
        return self.names[place]

    def name_opponents(self, episodes: Iterable[Episode]) -> list[Episode]:
        """Return the episodes with the agent that was drawn wherever this one sat."""
        out, own = [], format_agent_name(self)
        for episode in check_each(episodes, Episode, "episodes"):
            agents = {
                seat: self.find_opponent_name(episode.id, seat) if name == own else name
                for seat, name in episode.agents.items()
            }
            out.append(dataclasses.replace(episode, agents=agents))
        return out

    def __repr__(self) -> str:
        shares = ", ".join(
            f"{name!r}: {weight:.3g}"
            for name, weight in zip(self.names, self.weights, strict=True)
            if weight
        )
        return f"OpponentMixture({{{shares}}}, seed={self.seed})"


def _copy_agent(agent: Any) -> Any:
    """Return an agent that stays as it is, without what it may learn with."""
    return agent.make_snapshot() if hasattr(agent, "make_snapshot") else copy.deepcopy(agent)


def _check_spec(name: str, spec: str) -> str:
    """Return a spec string out of a file, unless it names code that to load it would run."""
    if AGENT_SPECS.runs_own_code(spec):
        raise ValueError(
            f"the pool was saved with {name}={spec!r}, and to load it would run that code: give it "
            "to the pool yourself"
        )
    return spec


def resolve_agent_name(agent: AgentSource) -> str:
    """Return what a rollout calls an agent."""
    return redact_secrets(agent if isinstance(agent, str) else format_agent_name(load_agent(agent)))


def compute_expected_returns(game: Any, policy: PolicyFunction) -> dict[str, float]:
    """Return what each seat gets on average if all play by a policy, over all that chance may do.

    Args:
        game: a Game in which one seat acts at a time and legal moves are listed.
        policy: a function of a seat and what it sees (a State as `seen_by` masks it) that returns
            the probabilities of `view.legal(seat)`.
    """
    nodes = _list_starts(game)
    totals = dict.fromkeys(game.agents, 0.0)
    while nodes:
        state, weight = nodes.pop()
        if not state.to_act():
            for seat, value in state.returns().items():
                totals[seat] += weight * value
            continue
        nodes += _expand_by_policy(game, policy, state, weight)
    return totals


def compute_best_response(game: Any, policy: PolicyFunction, seat: str) -> float:
    """Return what a seat gets on average if it plays as well as can be against a policy.

    What the seat sees has to tell all it ever knew, as it does in games that list their moves so
    far: views that are the same are one information set.
    """
    nodes = _list_starts(game)
    if seat not in game.agents:
        raise SeatError(f"no seat {seat!r}; the seats are {', '.join(game.agents)}")
    return _maximize_value(game, policy, seat, nodes)


def nash_conv(game: Any, policy: PolicyFunction) -> float:
    """Return what all seats together could gain by deviating alone; 0 in an equilibrium only.

    In a game of two it is twice what is called exploitability.
    """
    returns = compute_expected_returns(game, policy)
    return sum(compute_best_response(game, policy, seat) - returns[seat] for seat in game.agents)


_WeightedState: TypeAlias = tuple[Any, float]  # a state, and how likely it is


def _maximize_value(
    game: Any, policy: PolicyFunction, seat: str, nodes: list[_WeightedState]
) -> float:
    total, own = 0.0, defaultdict(list)
    while nodes:
        state, weight = nodes.pop()
        acting = state.to_act()
        if not acting:
            total += weight * state.returns()[seat]
        elif acting == (seat,):
            own[state.seen_by(seat)].append((state, weight))
        else:
            nodes += _expand_by_policy(game, policy, state, weight)
    for view, there in own.items():
        total += max(
            _maximize_value(
                game, policy, seat, [n for node in there for n in _apply_move(game, *node, text)]
            )
            for text in view.legal(seat)
        )
    return total


def _expand_by_policy(
    game: Any, policy: PolicyFunction, state: Any, weight: float
) -> list[_WeightedState]:
    """Return what may follow a state as the policy plays."""
    acting = state.to_act()
    if len(acting) > 1:
        raise ValueError(
            f"{', '.join(acting)} act at the same time in {type(game).__name__}: exact values need "
            "a game in which one seat acts at a time"
        )
    view = state.seen_by(acting[0])
    legal = view.legal(acting[0])
    shares = policy(acting[0], view)
    if len(shares) != len(legal):
        raise ValueError(f"the policy gave {len(shares)} probabilities for {', '.join(legal)}")
    return [
        node
        for text, share in zip(legal, shares, strict=True)
        if share > 0
        for node in _apply_move(game, state, weight * share, text)
    ]


def _list_starts(game: Any) -> list[_WeightedState]:
    if not hasattr(game, "advance"):
        raise TypeError(f"game={game!r}: expected a Game, got {type(game).__name__}")
    return _enumerate_outcomes(lambda rng: game.start(rng, {}), 1.0)


def _apply_move(game: Any, state: Any, weight: float, text: str) -> list[_WeightedState]:
    (seat,) = state.to_act()
    move = game.read(text, state.seen_by(seat), seat)
    return _enumerate_outcomes(lambda rng: game.advance(state, {seat: move}, rng), weight)


def _enumerate_outcomes(draw: Callable[[Any], Any], weight: float) -> list[_WeightedState]:
    """Return all that a function of a generator may return, by trying all that it may draw."""
    found: dict[Any, float] = defaultdict(float)
    paths: list[tuple[int, ...]] = [()]
    while paths:
        dice = _EnumeratingRng(paths.pop())
        found[draw(dice)] += weight / dice.path_count
        for place in range(len(dice.path), len(dice.choices)):
            paths += [(*dice.choices[:place], n) for n in range(1, dice.sizes[place])]
    return list(found.items())


class _EnumeratingRng:
    """Stand in for a generator: draw what the path says, and then the first of all possible."""

    def __init__(self, path: tuple[int, ...]):
        self.path = path
        self.choices: tuple[int, ...] = ()
        self.sizes: tuple[int, ...] = ()

    @property
    def path_count(self) -> int:
        """How many paths there are of the kind that was taken, each as likely as this one."""
        return int(np.prod(self.sizes, dtype=object)) if self.sizes else 1

    def _draw_number(self, size: int) -> int:
        place = len(self.choices)
        number = self.path[place] if place < len(self.path) else 0
        self.choices += (number,)
        self.sizes += (size,)
        return number

    def integers(self, low: int, high: int | None = None) -> int:
        return self._draw_number(low) if high is None else low + self._draw_number(high - low)

    def permutation(self, items: Any) -> np.ndarray:
        left = list(range(items)) if isinstance(items, int) else list(items)
        return np.array([left.pop(self._draw_number(len(left))) for _ in range(len(left))])

    def __getattr__(self, name: str) -> Any:
        raise ValueError(
            f"chance draws by rng.{name} here: exact values need a game whose draws are by "
            "rng.integers or rng.permutation"
        )
