"""Point to part: where a part of a drawn thing is, such as the tip of a hand of a clock."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.grounding import parts
from gem_ma.envs.visual.grounding.grounded import UNIT, PointNear
from gem_ma.envs.visual.question import LETTERS, Question, pick
from gem_ma.scene import Shapes

SHARES = {1: 0.38, 2: 0.33, 3: 0.27}  # the least half size of a thing in its cell, by cells across
LABEL = 0.06  # height of letters as a share of the picture


class PointToPart(PointNear):
    # cells across, things, parts of bars and polygons beyond the fewest
    levels = interpolate_levels(
        {0: (1, 1, 0), 2: (2, 2, 1), 5: (2, 4, 2), 8: (3, 7, 3), 10: (3, 9, 4)}
    )
    about = "It shows drawn things, each with a letter at its top left. Reply with FORM."

    def draw(self, rng, across, many, detail):
        """Place things in cells, each with the letter of its place in rows."""
        cell = UNIT // across
        drawn_things = []
        for n, spot in enumerate(sorted(rng.permutation(across * across)[:many].tolist())):
            row, column = divmod(spot, across)
            left, top = column * cell, row * cell
            share = SHARES[across] + 0.05 * rng.random()
            room = 0.96 - 0.52 - share  # clear of the letter at the top left of the cell
            x, y = (round(at + cell * (0.52 + room * rng.random())) for at in (left, top))
            thing = pick(rng, parts.MAKERS)(rng, x, y, round(cell * share), detail)
            drawn_things.append((LETTERS[n], (left + 40, top + 45), thing))
        letter, _, thing = pick(rng, drawn_things)
        part, place = pick(rng, thing.parts)
        answer = self.coordinates.format_point(*place)
        text = f"Where is {part} of the {thing.name} {letter}?"
        return Question(text, answer, tuple(drawn_things), self.moves)

    def words(self, shown):
        lines = [f"Things and their parts, in {self.coordinates.describe()}."]
        for letter, _, thing in shown:
            told = [f"{name} at {self.coordinates.format_point(*at)}" for name, at in thing.told]
            lines.append(f"{letter}: {thing.name}; {'; '.join(told)}")
        return "\n".join(lines)

    def scene(self, shown):
        areas, lines, labels = [], [], []
        for letter, (x, y), thing in shown:
            areas += [
                (color, tuple([(a / UNIT, b / UNIT) for a, b in corners]))
                for color, corners in thing.areas
            ]
            lines += [("", *(end / UNIT for end in line)) for line in thing.lines]
            labels.append((letter, "", x / UNIT, y / UNIT, LABEL))
        return Shapes(lines=tuple(lines), labels=tuple(labels), areas=tuple(areas))
