"""Questions about pictures of which a seat sees a part at a time: a reply looks or answers."""

from collections.abc import Sequence

from gem_ma.envs.visual.position.neighbour import FIGURES
from gem_ma.envs.visual.question import AGENT, Task, pick
from gem_ma.game import InvalidMove, Message, parse_choice


class Looking(Task):
    """A task whose `Question.shown` has a method `seen(at)`, which returns the visible part."""

    looks: Sequence[str] = ()  # the replies that look elsewhere

    def __init__(self, level: str | int | None = "normal", tries: int = 60):
        """Take a level and the number of replies, including the answer."""
        super().__init__(level, tries)

    def begin(self, rng, shown) -> object:
        """Sample the first viewpoint."""
        raise NotImplementedError

    def look(self, at, asked, shown) -> object:
        """Return the next viewpoint after a look."""
        raise NotImplementedError

    def start(self, rng, options):
        state = super().start(rng, options)
        return state._replace(at=self.begin(rng, state.shown))

    def read(self, text, view, agent):
        try:
            return parse_choice(text, self.looks)
        except InvalidMove:
            return super().read(text, view, agent)

    def advance(self, state, moves, rng):
        reply = moves[AGENT]
        if reply is None:
            return state._replace(left=state.left - 1)
        if reply in self.looks:
            at = self.look(state.at, reply, state.shown)
            return state._replace(left=state.left - 1, at=at)
        return super().advance(state, moves, rng)._replace(left=0)

    def tell(self, before, moves, after):
        if moves[AGENT] in self.looks:
            return [Message(None, "game", f"{moves[AGENT]}. Replies left: {after.left}.")]
        return super().tell(before, moves, after)

    def rules(self, agent):
        return (
            "You are asked a question about a picture, of which you see a part at a time, as a "
            f"picture or as words. {self.about} You have {self.tries} replies; the first answer "
            f"counts, and {self.pays}."
        )


def strewn(rng, cells, wide, most, beside=()):
    """Return a figure, its number of cells (up to `most`), and a board of `cells` cells in rows.

    The other cells have other figures or symbols from `beside`.
    """
    kind = pick(rng, tuple(FIGURES))
    many = int(rng.integers(most + 1))
    others = [s for s in FIGURES if s != kind] + list(beside)
    order = rng.permutation(cells).tolist()
    symbols = [kind if place < many else pick(rng, others) for place in order]
    return kind, many, tuple(["".join(symbols[i : i + wide]) for i in range(0, cells, wide)])
