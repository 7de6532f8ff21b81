"""Checks of bad replies: out of order, garbage, invalid, or private."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gem_ma.apis.aec import AECEnv
from gem_ma.engine.action_parsing import format_action
from gem_ma.engine.match import ResetNeeded, SeatError
from gem_ma.game import Game
from gem_ma.testing.env_probe import EnvProbe
from gem_ma.testing.fingerprints import fingerprint, read_seat_text

GARBAGE_REPLIES: tuple[Any, ...] = (
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
    "\u0664",  # a digit, but none of 0 to 9
    "\U0001f600" * 1_000,
    "e\u0301\u202eabc",
    "{'a': 1}",
    "None",
    "__import__('os')",
)
WRONG_TYPES: tuple[object, ...] = (None, 1.5, b"1", True, [], {}, object())
_CANARY = "CANARY-OF-{}-."


class ReplyChecks(EnvProbe):
    """Checks that every reply of a model is handled correctly."""

    def check_order(self) -> None:
        env = self.make()
        agent = env.possible_agents[0]
        for call in (lambda: env.step("x"), lambda: env.observe(agent), lambda: env.last()):
            self.raises(ResetNeeded, call, "before reset")
        for _ in self.play_transcript(env, 0):
            pass
        self.raises(ResetNeeded, lambda: env.submit({agent: "x"}), "after the end")
        self.raises(ResetNeeded, lambda: env.step("x"), "after the end")
        env.reset(seed=0)
        self.raises(SeatError, lambda: env.submit({"nobody": "x"}), "for an unknown seat")
        for agent in set(env.agents) - set(env.core.to_act):
            self.raises(SeatError, self.make_submit(env, agent, "x"), f"for {agent}, not to act")

    def make_submit(self, env: AECEnv, agent: str, reply: Any) -> Callable[[], object]:
        return lambda: env.submit({agent: reply})

    def check_garbage(self) -> None:
        env = self.make()
        env.reset(seed=0)
        core = env.core
        styles = ("{}", "\\boxed{{{}}}", "[{}]", "<answer>{}</answer>", "<think>{}", "{}</think>{}")
        short = [reply for reply in GARBAGE_REPLIES if len(reply) < 10_000]
        styled_replies = [
            style.format(reply, i) for style in styles for i, reply in enumerate(short)
        ]
        longest = 0
        for number, reply in enumerate([*GARBAGE_REPLIES, *styled_replies, *GARBAGE_REPLIES]):
            if not core.to_act:
                env.reset(seed=number)
            if len(reply) >= 100:  # another episode may show more
                longest = max(longest, _measure_texts(env))
            env.step_seats({core.to_act[number % len(core.to_act)]: reply})
            length = _measure_texts(env)
            if len(reply) < 100:
                longest = max(longest, length)
            elif longest:
                self.expect(
                    length <= 2 * longest + 2_000,
                    f"after a reply of {len(reply)} characters seats read {length} characters, "
                    f"after short replies {longest}",
                )
        for value in WRONG_TYPES:
            if not core.to_act:
                env.reset(seed=0)
            before = fingerprint(env.game_state)
            self.raises(TypeError, self.make_submit(env, core.to_act[0], value), f"for {value!r}")
            self.expect(fingerprint(env.game_state) == before, f"{value!r} changed the game")

    def check_numbers(self) -> None:
        """Submit numbers outside the action space: an error of the caller, not of a model."""
        if self.base is not self.core or self.game.moves is None:
            return
        env = self.make(actions="discrete")
        env.reset(seed=0)
        agent, before = env.core.to_act[0], fingerprint(env.game_state)
        for number in (-1, len(self.game.moves)):
            self.raises(ValueError, self.make_submit(env, agent, number), f"for the move {number}")
            self.expect(fingerprint(env.game_state) == before, f"{number} changed the game")

    def check_invalid_replies(self) -> None:
        if self.base is not self.core:
            return
        policies = ["retry", "lose"]
        if type(self.game).skip is not Game.skip:
            policies.append("skip")
        if hasattr(self.game.start(np.random.default_rng(0), {}), "legal"):
            policies.append("random")
        for policy in policies:
            self.check_policy(policy)

    def check_policy(self, policy: str) -> None:
        env = self.make(invalid=policy, penalty=0.25, max_invalid=1, max_turns=50)
        env.reset(seed=0)
        core, nonsense = env.core, "\\boxed{no such move in any game, surely}"
        agent = core.to_act[0]
        env.step(nonsense)
        if not core.match.invalid_replies:
            return  # a game of free text accepts any words
        record = env.info(agent)["invalid"]
        self.expect(record["policy"] == policy, f"invalid is {record}, expected policy {policy}")
        if policy == "retry":
            self.expect(agent in core.to_act, "invalid='retry' did not ask the seat again")
            self.expect(
                env.rewards[agent] == -0.25,
                f"penalty=0.25 gave the reward {env.rewards[agent]}, expected -0.25",
            )
            legal = core.match.list_legal_moves(agent)
            if legal and core.game.notices_list_legal:
                is_listed = legal[0] in env.observe(agent)["text"]
                self.expect(is_listed, "the notice lists no legal move")
            while core.agent_selection != agent:
                env.step(self.choose_action(env, str(core.agent_selection), 0))
            env.step(nonsense)
        if policy in ("retry", "lose"):
            self.expect(env.terminations[agent], f"{agent} did not forfeit with invalid={policy!r}")
            if self.game.zero_sum and len(env.possible_agents) == 2:
                (winner,) = set(env.possible_agents) - {agent}
                self.expect(
                    env.rewards[winner] > 0,
                    f"the opponent got {env.rewards[winner]} for a forfeit, expected more than 0",
                )

    def check_privacy(self) -> None:
        """Add a secret word to every move, and look for it in the texts of the other seats."""
        for style in (
            "{secret} {boxed}",
            "<think>{secret}</think>{plain}",
            "{secret}</think>{plain}",
        ):
            env = self.make()
            env.reset(seed=1)
            core = env.core
            if (
                core.observation_builder.config.format in ("bare", "verbatim")
                and "think" not in style
            ):
                continue  # in these formats, others may read the whole reply
            for number in range(60):
                if not core.to_act:
                    break
                env.step_seats(
                    {seat: self.add_secret(env, seat, style, number) for seat in core.to_act}
                )
                for seat in env.possible_agents:
                    text = read_seat_text(env, seat)
                    for other in set(env.possible_agents) - {seat}:
                        leak = _CANARY.format(other) in text
                        self.expect(not leak, f"{seat} reads the reasoning of {other}")

    def add_secret(self, env: AECEnv, seat: str, style: str, number: int) -> str:
        action = str(self.choose_action(env, seat, number))
        boxed_action = (
            format_action(action, "boxed")
            if env.core.observation_builder.config.format == "auto"
            else action
        )
        return style.format(secret=_CANARY.format(seat), plain=action, boxed=boxed_action)


def _measure_texts(env: AECEnv) -> int:
    """Return the number of characters that all seats read."""
    return sum(len(read_seat_text(env, agent)) for agent in env.possible_agents)
