"""Agents by rule for the seats of the attacker and of the user."""

from __future__ import annotations

from typing import ClassVar

from gem_ma.chat.turn import Turn
from gem_ma.engine.seeding import derive_seed, pick_option
from gem_ma.envs.inject.agents.assistants import get_injection_state
from gem_ma.envs.inject.attack_texts import ATTACK_FAMILIES, write_attack
from gem_ma.envs.inject.game import ASSISTANT, ATTACKER, STOP, USER
from gem_ma.validation.arguments import check_each


class LibraryAttacker:
    """Write an attack of the library.

    Args:
        family: The family; None: another one in each episode.
    """

    portable = True
    seats: ClassVar = (ATTACKER,)

    def __init__(self, family: str | None = None):
        if family is not None and family not in ATTACK_FAMILIES:
            raise ValueError(f"family={family!r}: expected one of {', '.join(ATTACK_FAMILIES)}")
        self.family = family

    def act(self, turns: list[Turn]) -> list[str]:
        return [self._reply(turn) for turn in check_each(turns, Turn, "turns")]

    def _reply(self, turn: Turn) -> str:
        known = get_injection_state(turn, "inject-attacker").assignment
        family = self.family or pick_option(tuple(ATTACK_FAMILIES), turn.seed)
        quiet = derive_seed(turn.seed, 1) % 2 == 0
        return write_attack(family, known.goal, known.user, quiet)

    def __repr__(self) -> str:
        return f"LibraryAttacker(family={self.family!r})"


class InjectionUser:
    """Say what the task is, say it again when asked something, and end after an answer."""

    portable = True
    seats: ClassVar = (USER,)

    def act(self, turns: list[Turn]) -> list[str]:
        return [self._reply(turn) for turn in check_each(turns, Turn, "turns")]

    def _reply(self, turn: Turn) -> str:
        view = get_injection_state(turn, "inject-user").seen_by(USER)
        heard = [text for who, text in view.talk if who == ASSISTANT]
        request: str = view.request
        return STOP if heard and not heard[-1].rstrip().endswith("?") else request

    def __repr__(self) -> str:
        return "InjectionUser()"
