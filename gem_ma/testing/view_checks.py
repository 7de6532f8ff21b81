"""Checks of the views of an environment: PettingZoo's two APIs, Gymnasium's, and rendering."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from pettingzoo.utils.conversions import aec_to_parallel

from gem_ma.apis.aec import AECEnv
from gem_ma.apis.gymnasium_view import GymnasiumStep, GymnasiumView
from gem_ma.apis.parallel_view import ParallelView
from gem_ma.apis.text_space import UnicodeText
from gem_ma.engine.observations import Observation
from gem_ma.engine.seeding import derive_seed
from gem_ma.game import Info
from gem_ma.testing.env_probe import EnvProbe
from gem_ma.testing.fingerprints import fingerprint


class ViewChecks(EnvProbe):
    """Checks that observations are in their spaces, and that rewards sum to returns."""

    def check_observation(
        self, env: AECEnv | ParallelView, agent: str, observation: Observation
    ) -> None:
        space = env.observation_space(agent)
        if not space.contains(observation):  # printing a space takes long
            self.expect(False, f"{agent} got an observation that is not in {space}")

    def check_mask(self, env: AECEnv, agent: str, info: Info) -> None:
        core = env.core
        mask, legal = info.get("action_mask"), info.get("legal_actions")
        if core.observation_builder.discrete and env is core:  # a wrapper may add keys
            types = {name: type(value) for name, value in info.items()}
            self.expect(
                types == {"to_act": np.bool_, "invalid": np.int64},
                f"with actions='discrete' info has {types}; expected to_act and invalid always",
            )
        if mask is None or agent not in core.to_act:
            return
        space = core.action_space(agent)
        assert isinstance(space, UnicodeText)  # because there are legal texts
        legal_texts = [space.examples[i] for i, allowed in enumerate(mask) if allowed]
        listed = core.match.list_legal_moves(agent)
        names = core.observation_builder.format_replies(core.game.name_moves(listed))
        self.expect(sorted(legal_texts) == sorted(names), "action_mask and legal_actions differ")
        replies = core.observation_builder.format_replies(listed)
        self.expect(sorted(replies) == sorted(legal or ()), "action_mask and legal_actions differ")

    def check_aec(self, env: AECEnv, seed: int) -> None:
        env.reset(seed=seed)
        core = env.core
        returns = dict.fromkeys(env.possible_agents, 0.0)
        last_returns = dict(returns)
        dead: set[str] = set()
        for number, agent in enumerate(env.agent_iter(20 * self.max_turns)):
            observation, reward, terminated, truncated, info = env.last()
            assert observation is not None
            self.check_observation(env, agent, observation)
            self.check_mask(env, agent, info)
            self.expect(agent not in dead, f"{agent} acts after its last step")
            self.expect(info == env.infos[agent], "last() and infos differ")
            for flag in (terminated, truncated):
                self.expect(
                    type(flag) is bool, f"terminated or truncated is {flag!r}, expected a bool"
                )
            last_returns[agent] += reward
            keys: list[Mapping[str, object]] = [
                env.rewards,
                env.terminations,
                env.truncations,
                env.infos,
            ]
            self.expect(
                all(list(k) == env.agents for k in keys), "rewards, flags or infos miss a seat"
            )
            over = terminated or truncated
            if over:
                dead.add(agent)
            if core.match.over:
                ends = {(env.terminations[a], env.truncations[a]) for a in env.agents}
                self.expect(
                    len(ends) == 1, f"at the end terminated and truncated differ by seat: {ends}"
                )
            env.step(None if over else self.choose_action(env, agent, derive_seed(seed, number)))
            for seat, value in env.rewards.items():
                returns[seat] += value
        self.expect(not env.agents, "an episode through the AEC API never ended")
        self.check_totals("AEC", env, returns)
        self.check_totals("AEC, last()", env, last_returns)

    def check_totals(self, where: str, env: AECEnv, earned: Mapping[str, float]) -> None:
        if env is not env.core:
            return  # a wrapper may change rewards
        final = env.game_state.returns()
        for agent, value in earned.items():
            if env.core.match.config.max_turns is None or agent in env.match.total_returns:
                self.expect(
                    math.isclose(value, final[agent], abs_tol=1e-9),
                    f"{where}: the rewards of {agent} sum to {value}, its return is {final[agent]}",
                )

    def check_parallel(self, env: AECEnv, seed: int) -> None:
        view, number = env.parallel(), 0
        observations, infos = view.reset(seed=seed)
        returns = dict.fromkeys(view.possible_agents, 0.0)
        while view.agents:
            number += 1
            for agent in view.agents:
                self.check_observation(view, agent, observations[agent])
                self.check_mask(env, agent, infos[agent])
            alive = list(view.agents)
            idle: dict[str, None] = {}
            for agent in alive:
                if agent not in env.core.to_act:
                    idle = {agent: None}
            actions = {a: self.choose_action(env, a, derive_seed(seed, number)) for a in alive}
            results = view.step({**actions, **idle})
            observations, rewards, terminations, truncations, infos = results
            for result in results:
                agents = list(result)
                self.expect(agents == alive, f"parallel step: expected {alive}, got {agents}")
            for agent in alive:
                self.check_observation(view, agent, observations[agent])
                returns[agent] += rewards[agent]
            alive_after = [a for a in alive if not terminations[a] and not truncations[a]]
            self.expect(
                view.agents == alive_after,
                f"parallel: agents is {view.agents}, expected {alive_after}",
            )
        self.check_totals("parallel", env, returns)

    def check_cycles(self, env: AECEnv, seed: int) -> None:
        """Play through PettingZoo's aec_to_parallel, if the metadata say that it works."""
        if not env.metadata["is_parallelizable"]:
            return
        view: Any = aec_to_parallel(env)
        view.reset(seed=seed)
        for number in itertools.count():
            if not view.agents:
                return
            self.expect(number < 20 * self.max_turns, "no end through aec_to_parallel")
            actions = {
                a: self.choose_action(env, a, derive_seed(seed, number)) for a in view.agents
            }
            try:
                view.step(actions)
            except AssertionError as error:
                self.expect(False, f"is_parallelizable is True, but aec_to_parallel fails: {error}")

    def check_one_seat(self, env: AECEnv, seed: int) -> None:
        agents = env.possible_agents
        agent = agents[seed % len(agents)]
        others = "random" if len(agents) > 1 else None
        if others and not hasattr(self.game.start(np.random.default_rng(0), {}), "legal"):
            return
        view = env.gym(agent=agent, others=others)
        once, again = self.play_seat(view, seed), self.play_seat(view, seed)
        same = [fingerprint(step) for step in once] == [fingerprint(step) for step in again]
        self.expect(same, f"seed {seed} gave two different episodes through Gymnasium")
        self.check_totals("Gymnasium", env, {agent: sum(step[1] for step in once)})

    def play_seat(self, view: GymnasiumView, seed: int) -> list[GymnasiumStep]:
        space = view.observation_space
        view.action_space.seed(seed)
        observation, info = view.reset(seed=seed)
        steps: list[GymnasiumStep] = [(observation, 0.0, False, False, info)]
        while not (steps[-1][2] or steps[-1][3]):
            self.expect(len(steps) < 20 * self.max_turns, "no end through the Gymnasium view")
            steps.append(view.step(view.sample_random_action()))
            if not space.contains(steps[-1][0]):
                self.expect(False, f"Gymnasium: got an observation that is not in {space}")
            kind = type(steps[-1][4])
            self.expect(issubclass(kind, dict), f"info is a {kind.__name__}, expected a dict")
        return steps

    def check_rendering(self) -> None:
        if self.base is not self.core:
            return
        env = self.make(render_mode="ansi")
        env.reset(seed=0)
        for agent in (None, *env.possible_agents):
            text = env.core.render(agent)
            self.expect(
                isinstance(text, str) and text, f"ansi rendering gave {text!r}, expected a text"
            )
        env = self.make(render_mode="rgb_array")
        env.reset(seed=0)
        width, height = env.core.observation_builder.image_size
        frame = env.core.render()
        description = (
            f"{frame.dtype} of {frame.shape}" if isinstance(frame, np.ndarray) else repr(frame)
        )
        self.expect(
            description == f"uint8 of {(height, width, 3)}",
            f"rgb_array rendering gave {description}, expected uint8 of {(height, width, 3)}",
        )
