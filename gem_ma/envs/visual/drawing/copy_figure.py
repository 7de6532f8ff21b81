"""Copy figure: write an SVG that looks like a figure."""

from gem_ma.envs.visual.drawing import figures, raster, svg
from gem_ma.envs.visual.question import AGENT, Question, Task
from gem_ma.game import Message


class CopyFigure(Task):
    levels = figures.LEVELS
    has_own_seeds = True
    names_points = True
    moves = figures.SAMPLES
    about = (
        "It shows a figure in a frame, and above it a key with a sample of each colour and its "
        f"letter. Reply with an SVG that looks like the figure. {figures.FORM}."
    )
    pays = f"you earn {figures.PAYS}"
    words = staticmethod(figures.describe)
    scene = staticmethod(figures.make_scene)

    def draw(self, rng, *level):
        elements = figures.sample_figure(rng, *level)
        return Question("Copy this figure.", svg.format_svg(elements), elements, self.moves)

    def read(self, text, view, agent):
        """Return an SVG in its normal form."""
        return svg.format_svg(svg.parse_svg(text))

    def grade(self, answer, said):
        right, painted = (raster.paint(svg.parse_svg(one)) for one in (answer, said))
        return raster.grade(right, painted)

    def tell(self, before, moves, after):
        said = moves[AGENT]
        earned = 0.0 if said is None else self.grade(before.answer, said)
        left = f" Tries left: {after.left}." if after.to_act() else ""
        return [Message(None, "game", f"The drawing earns {earned:.2f}.{left}")]
