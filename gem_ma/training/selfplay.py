"""Opponent pools and win rates for self-play, and the distance of a policy to an equilibrium.

    pool = OpponentPool()
    for step in range(100):
        others = pool.make_opponents(learner, choice="hard", mirror=0.5)
        played = rollout(ENV, [learner, others], 256, seed=step, shuffle=True)
        episodes = others.name_opponents(played)
        pool.record(episodes)
        ...  # learn from the turns whose agent is episode.name_of(learner)
        if step % 10 == 9:
            pool.add(f"step {step}", learner)

`shuffle=True` draws the seats of the agents for each episode. For pure self-play, put the learner
in all seats: rollout(ENV, learner, ...). In a Trainer, each agent has a fixed seat, so put a
SelfPlayOpponent in the other seat. The trainer's checkpoints then contain the pool and its results.

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
# seat, its view -> probabilities of its legal moves
PolicyFunction: TypeAlias = Callable[[str, Any], Sequence[float]]

_WEIGHTINGS: dict[str, Callable[[float], float]] = {  # win rate -> weight
    "uniform": lambda rate: 1.0,
    "hard": lambda rate: (1 - rate) ** 2,
    "even": lambda rate: rate * (1 - rate),
}


class WinRates(NamedTuple):
    """Win rates and game counts of pairs: [i, j] is about agent i against agent j."""

    names: tuple[str, ...]
    rates: np.ndarray  # a draw counts as half a win; nan if the pair has no games
    games: np.ndarray


class OpponentPool:
    """Agents to play against, by name, and the results of the games.

    Args:
        agents: the agents that are in the pool from the start, by name.
        decay: factor from 0 to 1 by which each call of `record` multiplies earlier results that
            involve an agent outside the pool, such as a learner that changes. 1: all games count
            the same.
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
        """The names of the agents in the pool, the oldest first."""
        return tuple(self._agents)

    @property
    def agents(self) -> dict[str, Any]:
        """The agents of the pool, by name."""
        return dict(self._agents)

    def add(self, name: str, agent: Any) -> None:
        """Add an opponent: a spec string, or an agent, of which the pool keeps a frozen copy.

        If the agent has a method `make_snapshot`, as learners do, its result is the copy. The copy
        of a learner contains weights but no optimiser.
        """
        if name in self._agents:
            raise ValueError(f"the pool has an agent {name!r} already; choose another name")
        load_agent(agent)  # fails now rather than in a rollout
        self._agents[name] = agent if isinstance(agent, str) else _copy_agent(agent)

    def remove(self, name: str) -> None:
        """Remove an opponent; the results of its games are kept."""
        if name not in self.names:
            known = ", ".join(self.names) or "none"
            raise ValueError(f"no agent {name!r} in the pool; the agents are: {known}")
        del self._agents[name]

    def compute_weights(
        self, learner: str, choice: OpponentWeighting = "uniform", latest: int | None = None
    ) -> dict[str, float]:
        """Return the probability of drawing each opponent.

        Args:
            learner: name of the agent whose win rates count.
            choice: "uniform", or prioritised by the learner's win rate p against the opponent
                (PFSP: Vinyals et al. 2019): "hard" weighs by (1 - p)^2, "even" by p (1 - p). One
                extra win and one extra loss are added to p, so that no weight is 0.
            latest: how many of the newest opponents to draw from; None: all.
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
        """Return an agent that plays each seat of an episode as an opponent drawn from the pool.

        Args:
            learner: the agent that plays against the pool.
            choice: see `compute_weights`.
            latest: see `compute_weights`.
            mirror: share of the draws that return the current learner itself; 1 while the pool is
                empty.
            seed: decides the draws.
            name: the learner's name in the pool's results; None: its name in a rollout.
        """
        if not 0 <= mirror <= 1:
            raise ValueError(f"mirror={mirror}: expected 0 to 1")
        own = resolve_agent_name(learner) if name is None else name
        if own in self._agents:
            raise ValueError(
                f"the learner and an agent of the pool both have the name {own!r}; pass another "
                "name= for the learner"
            )
        weights = self.compute_weights(own, choice, latest)
        mirror = mirror if weights else 1.0
        shares = {name: (1 - mirror) * weight for name, weight in weights.items()}
        agents = {name: self._agents[name] for name in weights}
        return OpponentMixture({**agents, own: learner}, {**shares, own: mirror}, seed)

    def record(self, episodes: Iterable[Episode]) -> None:
        """Count the result of each pair of seats of each episode.

        Pass episodes whose agents are named by `OpponentMixture.name_opponents`. A pair is skipped
        if the same agent has both seats.
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
        """Return the win rates of all agents that are in the pool or in its results."""
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

        The file contains no agents that are objects and no spec strings with a password. Keep these
        yourself, and pass them to `load`.
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
        """Return a saved pool; `agents` contains the members that `save` does not write."""
        saved = json.loads(Path(path).read_text(encoding="utf-8"))
        if not isinstance(saved, dict) or saved.keys() != {"decay", "agents", "scores"}:
            raise ValueError(
                f"{path} is not a file of OpponentPool.save: expected an object with decay, "
                "agents and scores"
            )
        objects = dict(agents or {})
        pool = cls(decay=saved["decay"])
        missing = [n for n, spec in saved["agents"].items() if spec is None and n not in objects]
        strange = [name for name in objects if name not in saved["agents"]]
        if missing or strange:
            what = [f"needs {', '.join(missing)}"] if missing else []
            what += [f"may not have {', '.join(strange)}"] if strange else []
            raise ValueError(
                f"{path} has the agents {', '.join(saved['agents']) or 'none'}: agents= "
                f"{' and '.join(what)}"
            )
        for name, spec in saved["agents"].items():
            pool.add(name, objects[name] if name in objects else _check_spec(name, spec))
        pool._scores = {(one, two): (won, games) for one, two, won, games in saved["scores"]}
        return pool

    def state_dict(self) -> JSONObject:
        """Return agents, decay and results.

        Raises:
            ValueError: An agent is neither a spec string nor has a `state_dict`.
        """
        saved: JSONObject = {}
        for name, agent in self._agents.items():
            if not isinstance(agent, str) and not hasattr(agent, "state_dict"):
                raise ValueError(
                    f"{name} is a {type(agent).__name__} without a state_dict: give the pool a "
                    "spec string, or an agent with a state_dict"
                )
            saved[name] = agent if isinstance(agent, str) else agent.state_dict()
        return {
            "decay": self.decay,
            "agents": saved,
            "scores": [[*pair, *score] for pair, score in self._scores.items()],
        }

    def load_state_dict(self, state: JSONMapping, learner: Any = None) -> None:
        """Restore a state of `state_dict`; agents missing from the pool become learner copies."""
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
    """An agent that plays each seat of an episode as one of several agents, and can name it later.

    The choice depends only on the seed, the episode's id and the seat.
    """

    def __init__(self, agents: Mapping[str, Any], weights: Mapping[str, float], seed: int = 0):
        check_type(agents, Mapping, "agents")
        check_type(weights, Mapping, "weights")
        self.names = tuple(agents)
        if missing := [name for name in self.names if name not in weights]:
            raise ValueError(
                f"weights: expected one for each agent, got none for "
                f"{', '.join(map(repr, missing))}"
            )
        shares = [weights[name] for name in self.names]
        super().__init__(list(agents.values()), shares, per="episode", seed=seed)

    def find_opponent_name(self, episode: str, seat: str) -> str:
        """Return the name of the agent drawn for a seat of the episode with this id."""
        turn = Turn(seat, "", {}, "", chat=Conversation(seat, episode=episode))
        (place,) = self.group_turns([turn])
        return self.names[place]

    def name_opponents(self, episodes: Iterable[Episode]) -> list[Episode]:
        """Return the episodes with this agent's name replaced by the names of the drawn agents."""
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
    """Return a copy of an agent that no longer learns: its snapshot, else a deep copy."""
    return agent.make_snapshot() if hasattr(agent, "make_snapshot") else copy.deepcopy(agent)


def _check_spec(name: str, spec: str) -> str:
    """Return a spec string from a file; raise ValueError if loading it would run its code."""
    if AGENT_SPECS.runs_own_code(spec):
        raise ValueError(
            f"the saved pool has {name}={spec!r}, which runs code when loaded: add this agent to "
            "the pool yourself to allow that"
        )
    return spec


def resolve_agent_name(agent: AgentSource) -> str:
    """Return the name of an agent in the episodes of a rollout."""
    return redact_secrets(agent if isinstance(agent, str) else format_agent_name(load_agent(agent)))


def compute_expected_returns(game: Any, policy: PolicyFunction) -> dict[str, float]:
    """Return the exact expected return of each seat if all seats play by a policy.

    Args:
        game: a Game in which one seat acts at a time and legal moves are listed.
        policy: a function of a seat and its view (a State masked by `seen_by`) that returns the
            probabilities of `view.legal(seat)`.
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
    """Return the exact expected return of a seat that plays a best response to a policy.

    Equal views count as one information set. The view must therefore contain all that the seat has
    observed so far, as in games that list their moves.
    """
    nodes = _list_starts(game)
    if seat not in game.agents:
        raise SeatError(f"no seat {seat!r}; the seats are {', '.join(game.agents)}")
    return _maximize_value(game, policy, seat, nodes)


def nash_conv(game: Any, policy: PolicyFunction) -> float:
    """Return NashConv: the sum of what each seat gains by deviating alone; 0 at an equilibrium.

    In a two-player game it is twice the exploitability.
    """
    returns = compute_expected_returns(game, policy)
    return sum(compute_best_response(game, policy, seat) - returns[seat] for seat in game.agents)


_WeightedState: TypeAlias = tuple[Any, float]  # a state and its probability


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
    """Return the possible next states of a state under the policy."""
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
        raise ValueError(
            f"the policy gave {len(shares)} probabilities for {', '.join(legal)}; expected "
            f"{len(legal)}, one for each"
        )
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
    """Return all results of a function of a generator with their weights, for all its draws."""
    found: dict[Any, float] = defaultdict(float)
    paths: list[tuple[int, ...]] = [()]
    while paths:
        dice = _EnumeratingRng(paths.pop())
        found[draw(dice)] += weight / dice.path_count
        for place in range(len(dice.path), len(dice.choices)):
            paths += [(*dice.choices[:place], n) for n in range(1, dice.sizes[place])]
    return list(found.items())


class _EnumeratingRng:
    """A stand-in for a generator: it draws the numbers of a path, and then 0 each time."""

    def __init__(self, path: tuple[int, ...]):
        self.path = path
        self.choices: tuple[int, ...] = ()
        self.sizes: tuple[int, ...] = ()

    @property
    def path_count(self) -> int:
        """The number of equally likely paths: the product of the sizes of the draws so far."""
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
