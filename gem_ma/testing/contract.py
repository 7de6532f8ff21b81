"""The contract of an environment, in one call: `check_env("game:ConnectFour-v0")`."""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import itertools
import math
import os
import pickle
import random  # noqa: TID251 - to see that nobody uses its global state
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from pettingzoo.utils.conversions import aec_to_parallel

from gem_ma.apis import registry
from gem_ma.apis.env import BaseEnv, Env, ResetNeeded, SeatError
from gem_ma.game import Game, InvalidMove, Message
from gem_ma.guards.given import need
from gem_ma.match.actions import wrap
from gem_ma.match.seeding import mix
from gem_ma.scene import Grid

GARBAGE: tuple[Any, ...] = (
    "",
    " ",
    "\n\n",
    "\x00",
    "\x1b[31mred",
    "\ud800",
    "x" * 1_000_000,
    "\\boxed{" * 50_000,
    "[" * 100_000,
    "<think>" * 50_000,
    "\\boxed{",
    "\\boxed{}",
    "\\boxed{{}{}}",
    "\\boxed{\\boxed{}}",
    "\\boxed{" + "9" * 5_000 + "}",
    "<answer>",
    "</answer><answer>",
    "<answer></answer>",
    "</think>",
    "<think></think>",
    "[]",
    "][",
    "-1",
    "1e9",
    "9" * 5_000,
    "\u0664",  # a digit, though not one of 0..9
    "\U0001f600" * 1_000,
    "e\u0301\u202eabc",
    "{'a': 1}",
    "None",
    "__import__('os')",
)
WRONG_TYPES: tuple[Any, ...] = (None, 1.5, b"1", True, [], {}, object())
_CANARY = "CANARY-OF-{}-."


class ContractError(AssertionError):
    """An environment breaks the contract; the message says where and how."""


def check_env(
    env: str | BaseEnv, *, seeds: int = 3, max_turns: int = 1000, processes: bool = True
) -> None:
    """Check that an environment, given by its id or as an object, keeps the contract.

    seeds: how many random episodes each check plays.
    max_turns: a random episode that is longer counts as one that never ends.
    processes: play one episode in another process too, under another PYTHONHASHSEED.
    """
    base = _base(env)
    Checker(base, range(seeds), max_turns).check(processes)


def _base(env: str | BaseEnv) -> BaseEnv:
    if isinstance(env, str):
        return registry.make(env)
    need(env, BaseEnv, "env", "an id or an environment")
    return env._twin()


@dataclasses.dataclass(frozen=True)
class Certificate:
    """What was proven of an environment's pictures, and over how many views."""

    env_id: str
    theme: str
    views: int  # that were looked at, all different in words
    exact: int  # of them read back symbol by symbol from the pixels of a Grid
    distance: float  # between the two most similar tiles, mean levels a channel; inf without tiles


def certify(env: str | BaseEnv, *, theme: str | int = "light", views: int = 500) -> Certificate:
    """Prove that pictures leave out nothing that words say, over random play.

    Two views that differ in words must differ in their pictures, all tiles of a Grid must differ,
    and a Grid must be read back exactly from its pixels.
    """
    base = _base(env)
    core = base._core
    if core.game.conversation:
        raise ValueError(
            f"{core.id} is a conversation: its words arrive as text beside every picture, which "
            "shows the latest of them"
        )
    core.theme = theme
    look, exact, nearest = core._find_theme(), 0, math.inf
    seen: dict[bytes, str] = {}
    for seed in range(10 * views):
        base.reset(seed=seed)
        while core.to_act and len(seen) < views:
            for agent in (None, *core.possible_agents):
                view = core.game_state if agent is None else core._view(agent)
                words = core.game.describe(view, agent)
                frame = core._image(view, agent)
                other = seen.setdefault(frame.tobytes(), words)
                if other != words:
                    raise ContractError(f"{core.id}: one picture for {other!r} and {words!r}")
                read, closest = _read_back(core, view, agent, frame, look)
                exact, nearest = exact + read, min(nearest, closest)
            legal = {a: core._legal(a) for a in core.to_act}
            base.play({a: moves[mix(seed, core.turns) % len(moves)] for a, moves in legal.items()})
        if len(seen) >= views or (seed > 50 and seed > 5 * len(seen)):
            break
    if nearest <= 0:
        raise ContractError(f"{core.id}: two tiles look the same in the theme {look.name}")
    return Certificate(core.id, look.name, len(seen), exact, nearest)


def _read_back(core: Env[Any], view: Any, agent: str | None, frame: Any, look: Any) -> Any:
    from gem_ma.renderers import grid

    scene = core._scene(view, agent)
    if not isinstance(scene, Grid):
        return 0, math.inf
    rows = tuple("".join(row) for row in scene.rows)
    found = grid.decode(frame, scene, look, core.image_unit)
    if found != rows and not scene.marks:
        raise ContractError(f"{core.id}: the picture of {rows} reads {found}")
    cell = grid.layout(scene, core.image_size, core.image_unit).cell
    return 1, grid.distance(scene.tiles, cell, look)


class Checker:
    def __init__(self, base: BaseEnv, seeds: range, max_turns: int):
        self.base, self.core, self.game = base, base._core, base._core.game
        self.seeds, self.max_turns = seeds, max_turns

    def check(self, processes: bool) -> None:
        self.seats()
        for seed in self.seeds:
            self.rules(seed)
            self.seeding(seed)
            self.forks(seed)
            self.nothing_is_shared(seed)
            for options in self.variants():
                self.aec(self.make(**options), seed)
                self.parallel(self.make(**options), seed)
                self.cycles(self.make(**options), seed)
                self.one_seat(self.make(**options), seed)
        self.order()
        self.garbage()
        self.invalid_replies()
        self.privacy()
        self.rendering()
        if processes:
            self.other_process()

    def expect(self, holds: Any, message: str) -> None:
        if not holds:
            raise ContractError(f"{self.core.id}: {message}")

    def make(self, **options: Any) -> BaseEnv:
        """Return a new environment; options can change an Env, not what a wrapper holds."""
        if not options or self.base is not self.core:
            return self.base._twin()
        own = {"max_turns": self.core.max_turns, "format": self.core.format}
        return type(self.core)(self.game, id=self.core.id, **{**own, **options})

    def variants(self) -> Iterator[dict[str, Any]]:
        yield {}
        if self.base is self.core:
            yield {"observe": "both"}
            yield {"observe": "image"}
            if self.game.moves is not None:
                yield {"actions": "discrete"}
                yield {"actions": "discrete", "observe": "image"}

    # -- the rules, without any environment ------------------------------------------------------

    def seats(self) -> None:
        agents = self.game.agents
        self.expect(agents, "there is no seat")
        self.expect(len(set(agents)) == len(agents), f"a seat is named twice: {agents}")
        for agent in agents:
            self.expect(isinstance(agent, str) and agent, f"{agent!r} is no name of a seat")
            self.expect(agent not in ("game", "tool", "system"), f"no seat may be named {agent}")
            self.expect(str(self.game.rules(agent)).strip(), f"no rules for {agent}")
        moves = self.game.moves
        if moves is not None:
            self.expect(len(set(moves)) == len(moves), "a move is listed twice in Game.moves")
        self.expect(
            len(agents) < 3 or type(self.game).forfeit is not Game.forfeit,
            "a game of three or more goes on after a forfeit: it must define Game.forfeit",
        )

    def rules(self, seed: int) -> None:
        game, rng = self.game, np.random.default_rng(seed)
        state = game.start(rng, {})
        self.expect(
            not any(state.returns().values()), f"returns are not 0 at the start: {state.returns()}"
        )
        gone: dict[str, float] = {}
        for turn in range(self.max_turns):
            self.position(state, gone)
            acting = state.to_act()
            if not acting:
                return
            if turn < 30:
                self.forfeits(state, acting[turn % len(acting)], rng)
            moves = {a: self.some_move(state, a, mix(seed, turn)) for a in acting}
            given, kept = dict(moves), _frozen(state)
            after = game.advance(state, moves, rng)
            self.expect(moves == given, "advance changed the moves it was given")
            self.expect(_frozen(state) == kept, "advance changed the state instead of making one")
            self.tells(state, moves, after)
            state = after
        if self.core.max_turns is None:
            self.expect(False, f"no end after {self.max_turns} random turns (seed {seed})")

    def position(self, state: Any, gone: dict[str, float]) -> None:
        agents, kept = self.game.agents, _frozen(state)
        acting = state.to_act()
        self.expect(isinstance(acting, tuple), f"to_act returned {acting!r}, expected a tuple")
        self.expect(set(acting) <= set(agents), f"to_act names {acting}; seats are {agents}")
        self.expect(len(set(acting)) == len(acting), f"to_act names a seat twice: {acting}")
        self.frozen(state)
        returns = state.returns()
        self.expect(set(returns) == set(agents), f"returns has {set(returns)}; seats are {agents}")
        for agent, value in returns.items():
            self.expect(
                isinstance(value, int | float) and math.isfinite(value),
                f"the return of {agent} is {value!r}",
            )
        out = set(state.out()) if hasattr(state, "out") else set()
        self.expect(out <= set(agents), f"out names {out}; seats are {agents}")
        if self.game.together and acting:
            here = set(agents) - out
            self.expect(set(acting) == here, f"together, yet of {here} only {acting} act")
        self.expect(not out & set(acting), f"{out & set(acting)} is out and to act")
        self.expect(set(gone) <= out or not acting, f"{set(gone) - out} came back from being out")
        for agent in out:
            value = gone.setdefault(agent, returns[agent])
            self.expect(value == returns[agent], f"{agent} is out, yet its return changed")
        for agent in agents:
            view = state.seen_by(agent)
            self.expect(view.seen_by(agent) == view, f"seen_by({agent!r}) of a view differs")
            self.says(view, agent)
            if agent in acting:
                self.legal(view, agent)
        self.says(state, None)
        self.expect(_frozen(state) == kept, "looking at a state changed it")

    def frozen(self, state: Any) -> None:
        fields = dataclasses.fields(state) if dataclasses.is_dataclass(state) else ()
        for field in fields:
            try:
                setattr(state, field.name, getattr(state, field.name))
            except (AttributeError, TypeError):
                continue
            self.expect(False, f"State.{field.name} can be set: make the dataclass frozen")
        for field in fields:
            value = getattr(state, field.name)
            self.expect(
                not isinstance(value, list | dict | set | bytearray),
                f"State.{field.name} is a {type(value).__name__}, which can change",
            )

    def says(self, view: Any, agent: str | None) -> None:
        game = self.game
        text = game.describe(view, agent)
        self.expect(isinstance(text, str) and text, f"describe returned {text!r} for {agent}")
        self.expect(text == game.describe(view, agent), f"describe varies for {agent}")
        if agent is not None:
            numbers = game.encode(view, agent)
            space = self.core._encoding_space()
            if numbers is not None:
                self.expect(
                    space is not None and space.contains(numbers), f"encode: not in {space}"
                )
                self.expect(numbers.any(), "encode gave nothing but zeros")

    def legal(self, view: Any, agent: str) -> None:
        if not hasattr(view, "legal"):
            return
        game, legal = self.game, view.legal(agent)
        self.expect(len(legal), f"{agent} is to act and has no legal move")
        self.expect(len(set(legal)) == len(legal), f"a legal move of {agent} is listed twice")
        for text in legal:
            try:
                game.read(text, view, agent)
            except InvalidMove as error:
                self.expect(False, f"{text!r} is in legal({agent!r}), but read says: {error}")
        if game.moves is not None:
            self.expect(
                set(legal) <= set(game.moves), f"{set(legal) - set(game.moves)} not in moves"
            )
            self.expect(
                not game.together or len(legal) == len(game.moves),
                f"together, yet {agent} may only play {legal}",
            )
            for text in game.moves:
                if text not in legal:
                    try:
                        game.read(text, view, agent)
                    except InvalidMove:
                        continue
                    self.expect(False, f"read takes {text!r}, which legal({agent!r}) does not list")

    def some_move(self, state: Any, agent: str, number: int) -> Any:
        view = state.seen_by(agent)
        if hasattr(view, "legal"):
            legal = view.legal(agent)
            return self.game.read(legal[mix(number) % len(legal)], view, agent)
        return self.game.skip(view, agent)

    def forfeits(self, state: Any, agent: str, rng: np.random.Generator) -> None:
        game, alone = self.game, copy.deepcopy(rng)
        after = game.forfeit(state, agent, alone)
        if after is not None:
            self.expect(agent not in after.to_act(), f"{agent} forfeited and is still to act")
            self.expect(
                after.returns()[agent] <= state.returns()[agent],
                f"{agent} earns something by forfeiting",
            )
            present = set(game.agents) - set(state.out() if hasattr(state, "out") else ())
            if len(present) > 2:
                self.expect(after.to_act(), f"the game ended when {agent} of {present} forfeited")
        elif len(game.agents) > 2:
            self.expect(False, "forfeit returned None in a game of three or more")
        if type(game).skip is not Game.skip and len(state.to_act()) == 1:
            move = game.skip(state.seen_by(agent), agent)
            skipped = game.advance(state, {agent: move}, alone)
            self.tells(state, {agent: move}, skipped)

    def tells(self, before: Any, moves: Mapping[str, Any], after: Any) -> None:
        for message in self.game.tell(before, moves, after) or ():
            self.expect(isinstance(message, Message), f"tell gave {message!r}, not a Message")
            self.expect(isinstance(message.text, str), f"tell gave the text {message.text!r}")
            known = {*self.game.agents, "game", "tool"}
            self.expect(message.role in known, f"tell: nobody is called {message.role!r}")
            to = set(self.game.agents) if message.to is None else set(message.to)
            self.expect(to <= set(self.game.agents), f"tell: unknown seats in to={message.to}")

    # -- the views -------------------------------------------------------------------------------

    def contains(self, env: Any, agent: str, observation: Any) -> None:
        space = env.observation_space(agent)
        self.expect(space.contains(observation), f"{agent} got what is not in {space}")

    def masked(self, env: BaseEnv, agent: str, info: Mapping[str, Any]) -> None:
        core = env._core
        mask, legal = info.get("action_mask"), info.get("legal_actions")
        if core.discrete and env is core:  # a wrapper may add what it likes
            told = {name: type(value) for name, value in info.items()}
            self.expect(
                told == {"to_act": np.bool_, "invalid": np.int64},
                f"a discrete view tells {told}: a learner needs the same keys and shapes always",
            )
        if mask is None or agent not in core.to_act:
            return
        space: Any = core.action_space(agent)
        named = [space.examples[i] for i, allowed in enumerate(mask) if allowed]
        self.expect(sorted(named) == sorted(legal or ()), "action_mask and legal_actions differ")

    def action(self, env: BaseEnv, agent: str, number: int) -> Any:
        core = env._core
        legal: Any
        if core.discrete and agent in core.to_act:
            legal = np.flatnonzero(env.observe(agent)["action_mask"]).tolist()
        else:
            legal = env.info(agent).get("legal_actions")
        number = mix(number, core._index[agent])
        return legal[number % len(legal)] if legal else "?"

    def aec(self, env: BaseEnv, seed: int) -> None:
        env.reset(seed=seed)
        core = env._core
        earned = dict.fromkeys(env.possible_agents, 0.0)
        heard = dict(earned)
        dead: set[str] = set()
        for number, agent in enumerate(env.agent_iter(20 * self.max_turns)):
            observation, reward, terminated, truncated, info = env.last()
            assert observation is not None
            self.contains(env, agent, observation)
            self.masked(env, agent, info)
            self.expect(agent not in dead, f"{agent} acts after its last step")
            self.expect(info == env.infos[agent], "last() and infos differ")
            for flag in (terminated, truncated):
                self.expect(type(flag) is bool, f"a flag is {flag!r}, not a bool")
            heard[agent] += reward
            keys: list[Any] = [env.rewards, env.terminations, env.truncations, env.infos]
            self.expect(
                all(list(k) == env.agents for k in keys), "rewards, flags or infos miss a seat"
            )
            over = terminated or truncated
            if over:
                dead.add(agent)
            if core._over:
                ends = {(env.terminations[a], env.truncations[a]) for a in env.agents}
                self.expect(len(ends) == 1, f"at the end the flags differ: {ends}")
            env.step(None if over else self.action(env, agent, mix(seed, number)))
            for seat, value in env.rewards.items():
                earned[seat] += value
        self.expect(not env.agents, "an episode through the AEC API never ended")
        self.totals("AEC", env, earned)
        self.totals("AEC, last()", env, heard)

    def totals(self, where: str, env: BaseEnv, earned: Mapping[str, float]) -> None:
        if env is not env._core:
            return  # a wrapper may change rewards
        final = env.game_state.returns()
        for agent, value in earned.items():
            if env._core.max_turns is None or agent in env._core._paid:
                self.expect(
                    math.isclose(value, final[agent], abs_tol=1e-9),
                    f"{where}: the rewards of {agent} sum to {value}, its return is {final[agent]}",
                )

    def parallel(self, env: BaseEnv, seed: int) -> None:
        view, number = env.parallel(), 0
        observations, infos = view.reset(seed=seed)
        results: Any
        earned = dict.fromkeys(view.possible_agents, 0.0)
        while view.agents:
            number += 1
            for agent in view.agents:
                self.contains(view, agent, observations[agent])
                self.masked(env, agent, infos[agent])
            alive, idle = list(view.agents), {}
            for agent in alive:
                if agent not in env._core.to_act:
                    idle = {agent: None}
            actions = {a: self.action(env, a, mix(seed, number)) for a in alive}
            results = view.step({**actions, **idle})
            observations, rewards, terminations, truncations, infos = results
            for result in results:
                self.expect(list(result) == alive, f"parallel step: expected {alive}, got {result}")
            for agent in alive:
                self.contains(view, agent, observations[agent])
                earned[agent] += rewards[agent]
            left = [a for a in alive if not terminations[a] and not truncations[a]]
            self.expect(view.agents == left, f"parallel: alive are {view.agents}, expected {left}")
        self.totals("parallel", env, earned)

    def cycles(self, env: BaseEnv, seed: int) -> None:
        """Play through PettingZoo's own conversion, where the metadata say that it works."""
        if not env.metadata["is_parallelizable"]:
            return
        view: Any = aec_to_parallel(env)
        view.reset(seed=seed)
        for number in itertools.count():
            if not view.agents:
                return
            self.expect(number < 20 * self.max_turns, "no end through aec_to_parallel")
            actions = {a: self.action(env, a, mix(seed, number)) for a in view.agents}
            try:
                view.step(actions)
            except AssertionError as error:
                self.expect(False, f"is_parallelizable, and aec_to_parallel says: {error}")

    def one_seat(self, env: BaseEnv, seed: int) -> None:
        agents = env.possible_agents
        agent = agents[seed % len(agents)]
        others = "random" if len(agents) > 1 else None
        if others and not hasattr(self.game.start(np.random.default_rng(0), {}), "legal"):
            return
        view = env.gym(agent=agent, others=others)
        once, again = self.steps_of_seat(view, seed), self.steps_of_seat(view, seed)
        same = [_frozen(step) for step in once] == [_frozen(step) for step in again]
        self.expect(same, f"seed {seed} gave two different episodes through Gymnasium")
        self.totals("Gymnasium", env, {agent: sum(step[1] for step in once)})

    def steps_of_seat(self, view: Any, seed: int) -> list[tuple[Any, ...]]:
        space = view.observation_space
        view.action_space.seed(seed)
        observation, info = view.reset(seed=seed)
        steps: list[tuple[Any, ...]] = [(observation, 0.0, False, False, info)]
        while not (steps[-1][2] or steps[-1][3]):
            self.expect(len(steps) < 20 * self.max_turns, "no end through the Gymnasium view")
            steps.append(view.step(view.sample_random_action()))
            self.expect(space.contains(steps[-1][0]), f"Gymnasium: got what is not in {space}")
            self.expect(isinstance(steps[-1][4], dict), f"info is {steps[-1][4]!r}")
        return steps

    # -- the episode -----------------------------------------------------------------------------

    def transcript(self, env: BaseEnv, seed: int | None = None) -> Iterator[tuple[Any, ...]]:
        """Play on at random, as the turns and seats decide it; yield all that is delivered."""
        if seed is not None:
            env.reset(seed=seed)
        core = env._core
        while core.to_act:
            self.expect(core.turns <= self.max_turns, f"no end after {self.max_turns} turns")
            seen = tuple((a, env.observe(a), env.info(a)) for a in core.agents)
            yield seen, env.play({a: self.action(env, a, core.turns) for a in core.to_act})
        yield tuple((a, env.observe(a), env.info(a)) for a in env.possible_agents), None

    def steps(self, env: BaseEnv, seed: int | None = None) -> list[bytes]:
        return [_frozen(step) for step in self.transcript(env, seed)]

    def seeding(self, seed: int) -> None:
        before = random.getstate(), _frozen(np.random.get_state())  # noqa: NPY002
        alone = self.steps(self.make(), seed)
        env, rival = self.make(), self.make()
        rival.reset(seed=seed + 1)
        both = []
        for step in self.transcript(env, seed):
            both.append(_frozen(step))
            if not rival._core.to_act:
                rival.reset()
            rival.play({a: self.action(rival, a, seed) for a in rival._core.to_act})
        self.expect(alone == both, "another environment beside it changes an episode")
        self.expect(alone == self.steps(env, seed), f"seed {seed} gave two different episodes")
        after = random.getstate(), _frozen(np.random.get_state())  # noqa: NPY002
        self.expect(before == after, "the process's own random state was used")

    def forks(self, seed: int) -> None:
        env, moments = self.make(), []
        for _ in self.transcript(env, seed):
            moments.append(env.fork()[0])
        whole = self.steps(self.make(), seed)
        for number in range(0, len(whole) - 1, max(1, len(whole) // 4)):
            point, rest = moments[number], whole[number + 1 :]
            back = self.make()
            back.restore(pickle.loads(pickle.dumps(point.snapshot())))
            copies = {
                "fork": point.fork()[0],
                "deepcopy": copy.deepcopy(point),
                "pickle": pickle.loads(pickle.dumps(point)),
                "snapshot": back,
            }
            redrawn = [[self.steps(f) for f in point.fork(2, seed=7)] for _ in range(2)]
            self.expect(redrawn[0] == redrawn[1], "fork(2, seed=7) gave different futures")
            for how, other in copies.items():
                same = self.steps(other) == rest
                self.expect(same, f"a {how} of turn {number} goes on differently")

    def nothing_is_shared(self, seed: int) -> None:
        for options in self.variants():
            kept = [(step, _frozen(step)) for step in self.transcript(self.make(**options), seed)]
            for step, before in kept:
                self.expect(_frozen(step) == before, "what was delivered changed later")
            spoiled = []
            for step in self.transcript(self.make(**options), seed):
                spoiled.append(_frozen(step))
                _spoil(step)
            self.expect(
                spoiled == [before for _, before in kept],
                "changing what was delivered changed the episode",
            )

    # -- replies that are wrong ------------------------------------------------------------------

    def order(self) -> None:
        env = self.make()
        agent = env.possible_agents[0]
        for call in (lambda: env.step("x"), lambda: env.observe(agent), lambda: env.last()):
            self.raises(ResetNeeded, call, "before reset")
        for _ in self.transcript(env, 0):
            pass
        self.raises(ResetNeeded, lambda: env.submit({agent: "x"}), "after the end")
        self.raises(ResetNeeded, lambda: env.step("x"), "after the end")
        env.reset(seed=0)
        self.raises(SeatError, lambda: env.submit({"nobody": "x"}), "for an unknown seat")
        for agent in set(env.agents) - set(env._core.to_act):
            self.raises(SeatError, self.calls(env, agent, "x"), f"for {agent}, not to act")

    def calls(self, env: BaseEnv, agent: str, reply: Any) -> Callable[[], Any]:
        return lambda: env.submit({agent: reply})

    def raises(self, error: type[Exception], call: Callable[[], Any], when: str) -> None:
        try:
            call()
        except error:
            return
        self.expect(False, f"no {error.__name__} {when}")

    def garbage(self) -> None:
        env = self.make()
        env.reset(seed=0)
        core = env._core
        styles = ("{}", "\\boxed{{{}}}", "[{}]", "<answer>{}</answer>", "<think>{}", "{}</think>{}")
        longest = 0
        for number in range(500):
            if not core.to_act:
                env.reset(seed=number)
            reply = GARBAGE[number % len(GARBAGE)]
            if number >= len(GARBAGE) and len(reply) < 10_000:
                reply = styles[number // len(GARBAGE) % len(styles)].format(reply, number)
            env.play({core.to_act[number % len(core.to_act)]: reply})
            shown = sum(len(_words(env, a)) for a in env.possible_agents)
            if len(reply) < 100:
                longest = max(longest, shown)
            elif longest:
                grown = f"a reply of {len(reply)} characters makes {shown}, short ones {longest}"
                self.expect(shown <= 2 * longest + 2_000, grown)
        for wrong in WRONG_TYPES:
            if not core.to_act:
                env.reset(seed=0)
            before = _frozen(env.game_state)
            self.raises(TypeError, self.calls(env, core.to_act[0], wrong), f"for {wrong!r}")
            self.expect(_frozen(env.game_state) == before, f"{wrong!r} changed the game")

    def invalid_replies(self) -> None:
        if self.base is not self.core:
            return
        policies = ["retry", "lose"]
        if type(self.game).skip is not Game.skip:
            policies.append("skip")
        if hasattr(self.game.start(np.random.default_rng(0), {}), "legal"):
            policies.append("random")
        for policy in policies:
            self.policy(policy)

    def policy(self, policy: str) -> None:
        env = self.make(invalid=policy, penalty=0.25, max_invalid=1, max_turns=50)
        env.reset(seed=0)
        core, nonsense = env._core, "\\boxed{no such move in any game, surely}"
        agent = core.to_act[0]
        env.step(nonsense)
        if not core._records:
            return  # free text: this game takes any words
        record = env.info(agent)["invalid"]
        self.expect(record["policy"] == policy, f"{record} does not say {policy}")
        if policy == "retry":
            self.expect(agent in core.to_act, "retry did not ask again")
            self.expect(env.rewards[agent] == -0.25, "no penalty was paid")
            legal = env.info(agent).get("legal_actions")
            if legal:
                self.expect(legal[0] in _words(env, agent), "the notice lists no legal move")
            while core.agent_selection != agent:
                env.step(self.action(env, str(core.agent_selection), 0))
            env.step(nonsense)
        if policy in ("retry", "lose"):
            self.expect(env.terminations[agent], f"{agent} did not forfeit by {policy}")
            if self.game.zero_sum and len(env.possible_agents) == 2:
                (winner,) = set(env.possible_agents) - {agent}
                self.expect(env.rewards[winner] > 0, "a forfeit did not pay the opponent")

    def privacy(self) -> None:
        """Say a secret word beside every move, and look for it in front of the others."""
        for style in (
            "{secret} {boxed}",
            "<think>{secret}</think>{plain}",
            "{secret}</think>{plain}",
        ):
            env = self.make()
            env.reset(seed=1)
            core = env._core
            if core.format in ("bare", "verbatim") and "think" not in style:
                continue  # here everything that is said is meant for others
            for number in range(60):
                if not core.to_act:
                    break
                env.play({seat: self.with_secret(env, seat, style, number) for seat in core.to_act})
                for seat in env.possible_agents:
                    shown = _words(env, seat)
                    for other in set(env.possible_agents) - {seat}:
                        leak = _CANARY.format(other) in shown
                        self.expect(not leak, f"{seat} reads the reasoning of {other}")

    def with_secret(self, env: BaseEnv, seat: str, style: str, number: int) -> str:
        action = str(self.action(env, seat, number))
        boxed = wrap(action, "boxed") if env._core.format == "auto" else action
        return style.format(secret=_CANARY.format(seat), plain=action, boxed=boxed)

    def rendering(self) -> None:
        if self.base is not self.core:
            return
        env = self.make(render_mode="ansi")
        env.reset(seed=0)
        for agent in (None, *env.possible_agents):
            text = env._core.render(agent)
            self.expect(isinstance(text, str) and text, f"ansi rendering gave {text!r}")
        env = self.make(render_mode="rgb_array")
        env.reset(seed=0)
        width, height = env._core.image_size
        frame = env._core.render()
        self.expect(
            frame.shape == (height, width, 3) and frame.dtype == np.uint8,
            f"rgb_array rendering gave {frame.dtype} of {frame.shape}",
        )

    def other_process(self) -> None:
        here = _digest(self.base, self.max_turns)
        child = subprocess.run(
            [sys.executable, "-c", "from gem_ma.testing.contract import _child; _child()"],
            input=pickle.dumps((self.base, self.max_turns)),
            capture_output=True,
            check=False,
            env={
                **os.environ,
                "PYTHONHASHSEED": "42",
                "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),  # noqa: TID251
            },
        )
        self.expect(child.returncode == 0, f"another process failed: {child.stderr.decode()}")
        there = child.stdout.decode().strip()
        self.expect(here == there, "another process plays another episode from the same seed")


def _child() -> None:
    base, max_turns = pickle.loads(sys.stdin.buffer.read())
    sys.stdout.write(_digest(base, max_turns))


def _digest(base: BaseEnv, max_turns: int) -> str:
    checker = Checker(base, range(1), max_turns)
    digest = hashlib.sha256()
    for seed in range(3):
        for step in checker.transcript(checker.make(), seed):
            digest.update(_frozen(step))
    return digest.hexdigest()


def _words(env: BaseEnv, agent: str) -> str:
    """Return all the text that a seat can read now."""
    return f"{_plain(env.observe(agent))} {_plain(env.info(agent))}"


def _frozen(value: Any) -> bytes:
    """Return bytes that are equal for equal values, whatever they share inside."""
    return _plain(value).encode("utf-8", "surrogatepass")


def _plain(value: Any) -> str:
    if type(value) is str or (type(value) is list and set(map(type, value)) == {str}):
        return repr(value)  # as the rest would, and most of what there is
    if isinstance(value, np.ndarray):
        return f"array({value.dtype}, {value.shape}, {hashlib.sha256(value.tobytes()).hexdigest()})"
    if isinstance(value, dict):
        return "{" + ",".join(f"{_plain(k)}:{_plain(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}(" + ",".join(map(_plain, value)) + ")"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return type(value).__name__ + _plain(
            [getattr(value, f.name) for f in dataclasses.fields(value)]
        )
    return repr(value)


def _spoil(value: Any) -> None:
    """Change whatever can be changed inside what an environment delivered."""
    if isinstance(value, np.ndarray):
        if value.flags.writeable:
            value[...] = 0
    elif isinstance(value, dict):
        for inner in value.values():
            _spoil(inner)
        value.clear()
    elif isinstance(value, list):
        for inner in value:
            _spoil(inner)
        value.clear()
    elif isinstance(value, tuple):
        for inner in value:
            _spoil(inner)
