"""Departure board: platforms, times and delays of the next trains."""

from gem_ma.envs import answer_parsing
from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.documents import paper
from gem_ma.envs.visual.documents.paper import Sheet, columns
from gem_ma.envs.visual.question import Question, Task, numbers, pick, some

TOWNS = ("Aden", "Brno", "Cork", "Dover", "Essen", "Faro", "Ghent", "Hull", "Izmir", "Jena")
TIMES = tuple([f"{hour}:{minute:02}" for hour in range(6, 13) for minute in range(60)])
PLATFORMS = numbers(19)
DELAYS = (5, 10, 15, 20, 25, 30, 40, 50)
WIDTHS = (-5, 6, -4, -5)  # of the columns, in letters


def platform(rng, trains):
    """Ask where a train leaves."""
    time, town, place, _ = pick(rng, trains)
    text = f"From which platform does the {time} to {town} leave?"
    return text, str(place), PLATFORMS


def next_one(rng, trains):
    """Ask where the next train to a town leaves: by the timetable, and really too."""
    time, town, _, _ = pick(rng, trains)
    now = max(_minutes(trains[0][0]) - 3, _minutes(time) - int(rng.integers(1, 50)))
    first = next(one for one in trains if one[1] == town and _minutes(one[0]) > now)
    real = [_minutes(at) + delay for at, to, _, delay in trains if to == town]
    waiting = [at for at in real if at >= now]  # a train of this very minute could be meant
    leaves = _minutes(first[0]) + first[3]
    if leaves > min(waiting) or waiting.count(leaves) > 1:
        return None
    text = f"It is {_hour(now)}. From which platform does the next train to {town} leave?"
    return text, str(first[2]), PLATFORMS


def late(rng, trains):
    """Ask when a train that is late will really leave."""
    delayed = [one for one in trains if one[3]]
    if not delayed:
        return None
    time, town, _, delay = pick(rng, delayed)
    return f"When does the {time} to {town} really leave?", _hour(_minutes(time) + delay), TIMES


def first_of_all(rng, trains):
    """Ask which train to a town leaves first, with its delay."""
    town = pick(rng, trains)[1]
    real = sorted(_minutes(time) + delay for time, to, _, delay in trains if to == town)
    if len(real) < 2 or _hour(real[0]) == next(t for t, to, _, d in trains if to == town):
        return None
    return f"When does the first train to {town} really leave?", _hour(real[0]), TIMES


def last_of_all(rng, trains):
    """Ask from which platform the train leaves that leaves last, with delays."""
    real = sorted([(_minutes(t) + d, place) for t, _, place, d in trains])
    if len(real) < 3 or real[-1][0] == real[-2][0] or real[-1][1] == trains[-1][2]:
        return None
    text = "From which platform does the train leave that really leaves last?"
    return text, str(real[-1][1]), PLATFORMS


class DepartureBoard(Task):
    # kinds of questions, trains, towns
    levels = interpolate_levels(
        {
            0: ((platform,), 2, 2),
            2: ((platform, late), 4, 4),
            4: ((platform, late, next_one), 6, 4),
            5: ((late, next_one), 7, 4),
            8: ((first_of_all, next_one, last_of_all), 11, 4),
            10: ((first_of_all, last_of_all), 15, 5),
        }
    )
    moves = (*PLATFORMS, *TIMES)
    about = (
        "It shows the departures of a station: time, town, platform, and how many minutes a train "
        "is late. Reply with a platform or with a time, such as 9:05, as the question asks."
    )
    words = staticmethod(paper.words)
    scene = staticmethod(paper.scene)

    def draw(self, rng, kinds, many, towns):
        kind, asked = pick(rng, kinds), None
        while asked is None:
            starts = sorted(some(rng, range(366, 690, 4), many))
            names = some(rng, TOWNS, towns)
            trains = [
                (
                    _hour(start),
                    pick(rng, names),
                    int(rng.integers(1, 20)),
                    pick(rng, DELAYS) if rng.random() < 0.4 else 0,
                )
                for start in starts
            ]
            asked = kind(rng, trains)
        text, answer, choices = asked
        rows = [columns(("Time", "To", "Plat", "Late"), WIDTHS)]
        for time, town, place, delay in trains:
            rows.append(columns((time, town, place, f"+{delay}" if delay else ""), WIDTHS))
        return Question(text, answer, Sheet(tuple(rows), (1,)), choices)

    def read(self, text, view, agent):
        return super().read(answer_parsing.normalize_time(text), view, agent)


def _minutes(time):
    hour, minute = time.split(":")
    return 60 * int(hour) + int(minute)


def _hour(minutes):
    return f"{minutes // 60}:{minutes % 60:02}"
