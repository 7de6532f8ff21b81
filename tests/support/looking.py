"""A game of one seat with a tool of its own."""

from dataclasses import dataclass

from gem_ma import Game, InvalidMove, Message

TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}


@dataclass(frozen=True)
class Looked:
    looks: int = 0
    ended: bool = False

    def to_act(self):
        return () if self.ended else ("a",)

    def returns(self):
        return {"a": float(self.looks)}

    def seen_by(self, agent):
        return self


class Looking(Game):
    """Look as often as you like; "stop" ends it."""

    agents = ("a",)

    def start(self, rng, options):
        return Looked()

    def read(self, text, view, agent):
        if text not in ("stop", '{"name": "look", "arguments": {}}'):
            raise InvalidMove("look or stop")
        return text

    def advance(self, state, moves, rng):
        if moves["a"] == "stop":
            return Looked(state.looks, True)
        return Looked(state.looks + 1)

    def tell(self, before, moves, after):
        return [Message(("a",), "tool", f"look number {after.looks}")]

    def rules(self, agent):
        return "Look around."

    def describe(self, view, agent):
        return f"Looks: {view.looks}"

    def tools(self, agent):
        return (TOOL,)
