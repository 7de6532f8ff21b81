"""Timetable: when you get to a town with the next train."""

from gem_ma.envs import answer_parsing
from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.question import Question, Task, some
from gem_ma.scene import TextTable

TOWNS = ("Aden", "Brno", "Cork", "Dover", "Essen", "Faro", "Ghent", "Hull")
MINUTES = tuple([f"{hour}:{minute:02}" for hour in range(6, 13) for minute in range(60)])


class Timetable(Task):
    # towns, trains
    levels = interpolate_levels({0: (2, 2), 2: (3, 3), 5: (4, 4), 8: (6, 6), 10: (8, 7)})
    moves = MINUTES
    about = (
        "It shows a timetable: a row for each town, a column for each train, which goes from the "
        "top down. Reply with hours and minutes, such as 9:05."
    )

    def draw(self, rng, many, trains):
        """Sample trains that do not overtake, and a time after the previous train has left."""
        starts = [365 + 5 * n for n in sorted(rng.permutation(36)[:trains].tolist())]
        legs = rng.integers(6, 18, size=many - 1).tolist()
        rows = [starts]
        for leg in legs:
            rows.append([at + leg for at in rows[-1]])
        late = rng.integers(0, 4, size=(many, trains)).tolist()
        rows = [
            [a + b for a, b in zip(*pair, strict=True)] for pair in zip(rows, late, strict=True)
        ]
        origin, destination = sorted(some(rng, range(many), 2))
        train = int(rng.integers(trains))
        early = rows[origin][train - 1] + 1 if train else rows[origin][0] - 20
        now = int(rng.integers(early, rows[origin][train] + 1))
        towns = tuple(sorted(some(rng, TOWNS, many)))
        timetable = towns, tuple([tuple(map(_hour, row)) for row in rows])
        text = (
            f"It is {_hour(now)} in {towns[origin]}. When do you get to {towns[destination]} "
            "at the earliest?"
        )
        return Question(
            text, timetable[1][destination][train], timetable, timetable[1][destination]
        )

    def read(self, text, view, agent):
        return super().read(answer_parsing.normalize_time(text), view, agent)

    def words(self, shown):
        towns, rows = shown
        return "\n".join(
            [f"{town:<6} {'  '.join(row)}" for town, row in zip(towns, rows, strict=True)]
        )

    def scene(self, shown):
        towns, rows = shown
        return TextTable(tuple([(town, *row) for town, row in zip(towns, rows, strict=True)]))


def _hour(minutes):
    return f"{minutes // 60}:{minutes % 60:02}"
