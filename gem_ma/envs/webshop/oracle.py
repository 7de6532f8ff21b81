"""Agents of the web shop: one that knows the product, and one that buys the first result."""

from __future__ import annotations

from typing import Any

from gem_ma.chat.turn import Turn
from gem_ma.envs.webshop import pages
from gem_ma.validation.arguments import check_each


class ShopOracle:
    """An agent that knows the wanted product, its options, and the way to it."""

    portable = True

    def act(self, turns: list[Turn]) -> list[str]:
        return [self._reply(turn) for turn in check_each(turns, Turn, "turns")]

    def _reply(self, turn: Turn) -> str:
        game, state = _get_shop(turn, "shop-oracle")
        reply: str = game.plan(state, turn.seat)
        return reply

    def __repr__(self) -> str:
        return "ShopOracle()"


class FirstResultBuyer:
    """An agent that searches for all that it was told, and buys the first result as it is."""

    portable = True

    def act(self, turns: list[Turn]) -> list[str]:
        return [self._reply(turn) for turn in check_each(turns, Turn, "turns")]

    def _reply(self, turn: Turn) -> str:
        _, state = _get_shop(turn, "shop-first")
        view = state.seen_by(turn.seat)
        if view.asked:  # the customer of an errand
            wish: str = view.goal.text[:80]
            return wish
        if view.page.kind == "item":
            return f"click[{pages.BUY}]"
        if view.page.products:
            return f"click[{view.page.products[0].asin.lower()}]"
        search: str = view.legal(turn.seat)[0]
        return search

    def __repr__(self) -> str:
        return "FirstResultBuyer()"


def _get_shop(turn: Turn, name: str) -> tuple[Any, Any]:
    position = turn.position
    if position is None or not hasattr(position.game, "find_catalogue"):
        raise ValueError(f"{name} plays webshop:... only, got {turn.env_id or 'another game'}")
    return position.game, position.state
