"""Visual tasks: every answer once more from the picture's own scene, and nothing else tells it."""

import collections
import itertools
import math
import string

import numpy as np
import pytest
from looked_at import length_of, measured_angle, measured_length

from gem_ma import Env, InvalidMove
from gem_ma.envs.visual.charts.bar_chart import BarChart
from gem_ma.envs.visual.charts.line_chart import LineChart
from gem_ma.envs.visual.charts.table import Table
from gem_ma.envs.visual.mazes.grid_walk import GridWalk
from gem_ma.envs.visual.mazes.maze_exit import MazeExit
from gem_ma.envs.visual.mazes.maze_steps import MazeSteps
from gem_ma.envs.visual.measures.angles import Angles
from gem_ma.envs.visual.measures.clock import Clock
from gem_ma.envs.visual.measures.lengths import Lengths
from gem_ma.envs.visual.patterns import patterns
from gem_ma.envs.visual.patterns.jigsaw import Jigsaw
from gem_ma.envs.visual.patterns.mirror import Mirror
from gem_ma.envs.visual.patterns.rotation import Rotation
from gem_ma.envs.visual.question import AGENT, LEVELS
from gem_ma.envs.visual.shapes.compare_shapes import CompareShapes
from gem_ma.envs.visual.shapes.count_shapes import CountShapes
from gem_ma.envs.visual.shapes.odd_one_out import OddOneOut
from gem_ma.renderers import BadScene, draw, parse_theme
from gem_ma.scene import COLORS, Grid, Panels, Shapes
from gem_ma.testing import check_env


def turn_of(line):
    """Return how far a hand has turned from the top, clockwise."""
    _, x1, y1, x2, y2, _ = line
    return math.degrees(math.atan2(x2 - x1, y1 - y2)) % 360


def clock(scene, question):
    hour_hand, minute_hand = sorted(scene.lines, key=lambda line: -line[-1])
    assert length_of(hour_hand[1:5]) < length_of(minute_hand[1:5])
    minute = turn_of(minute_hand) / 6
    hour = turn_of(hour_hand) / 30 - minute / 60
    assert (minute, hour) == pytest.approx((round(minute), round(hour)), abs=0.001)
    return f"{round(hour) % 12 or 12}:{round(minute):02}"


def shapes_of(scene):
    """Return figure, letter of the colour, and whether it is large, of what is below the key."""
    letters = {}
    for text, _, x, y in scene.labels:
        for figure, color, at, down, *_ in scene.items:
            if (figure, down) == ("square", y) and 0 < x - at < 0.1:
                letters[color] = text
    assert len(letters) == 4
    below = [item for item in scene.items if item[3] > scene.lines[0][2]]
    largest = max(item[4] for item in below)
    return [(f, letters[c], size > 0.8 * largest) for f, c, _, _, size, _ in below], below


def apart(below):
    """Check that shapes do not overlap and are whole, whatever their turn."""
    for _, _, x, y, size, turn in below:
        assert min(turn, 360 - turn) <= 20  # a square is not a diamond
        half = 0.58 * size if turn else size / 2
        assert half <= x <= 1 - half
        assert half <= y <= 1 - half
    for a, b in itertools.combinations(below, 2):
        gap = max(abs(a[2] - b[2]), abs(a[3] - b[3]))
        assert gap > (a[4] + b[4]) / 2 * 1.05


def count_shapes(scene, question):
    shapes, below = shapes_of(scene)
    apart(below)
    *what, _, _ = question.removeprefix("How many ").removesuffix("?").split()
    if "colour" in what:
        at = what.index("of")
        shapes = [shape for shape in shapes if shape[1] == what[at + 2]]
        what = what[:at]
    if len(what) == 2:
        assert len({size for *_, size in shapes_of(scene)[0]}) == 2
        shapes = [shape for shape in shapes if shape[2] == (what[0] == "large")]
    return str(sum(figure + "s" == what[-1] for figure, *_ in shapes))


def compare_shapes(scene, question):
    shapes, below = shapes_of(scene)
    apart(below)
    if "colour" in question:
        shapes = [shape for shape in shapes if shape[1] == question[-2]]
    counts = collections.Counter(figure for figure, *_ in shapes).most_common()
    first, second = counts[:2] if "most" in question else counts[:-3:-1]
    assert first[1] != second[1]
    return first[0]


def odd_one_out(scene, question):
    _, below = shapes_of(scene)
    apart(below)
    odd = set()
    for trait in (0, 1, 4):
        counts = collections.Counter(item[trait] for item in below)
        odd |= {item for item in below if counts[item[trait]] == 1}
    ((_, _, x, y, *_),) = odd
    places = [(text, at, down) for text, _, at, down in scene.labels]
    (column,) = [t for t, at, down in places if at == x and t.isalpha() and down > 0.08]
    (row,) = [t for t, at, down in places if down == y and t.isdecimal()]
    return column + row


def chart(scene, question):
    rows = {name: dict(zip(scene.labels, row, strict=True)) for name, row in scene.series}
    top = max(map(max, (row.values() for row in rows.values())))
    for row in rows.values():  # on a line, or half way between two
        assert all((10 * value / top) % 1 == 0 and value > 0 for value in row.values())
    words = question.removesuffix("?").split()
    named = [word for word in words if word in rows]
    at = [word for word in words if word in scene.labels]
    if len(rows) == 2:
        assert all(a != b for a, b in zip(*(row.values() for row in rows.values()), strict=True))
    if len(rows) == 2 and len(named) != 1:
        first, second = (rows[name] for name in named or rows)
        return of_two(first, second, words)
    return of_one(rows[named[0]] if named else next(iter(rows.values())), words, at)


def of_two(first, second, words):
    gaps = {label: first[label] - second[label] for label in first}
    if "apart" in words:
        return only_most({label: abs(gap) for label, gap in gaps.items()})
    sides = [gap > 0 for gap in gaps.values()]
    if "cross" in words:
        return str(sum(a != b for a, b in itertools.pairwise(sides)))
    assert "higher" in words
    return str(sum(sides))


def of_one(row, words, at):
    climbs = {b: row[b] - row[a] for a, b in itertools.pairwise(row)}
    if "most" in words:
        return only_most(climbs)
    if words[-1] in ("highest", "lowest"):
        sign = 1 if words[-1] == "highest" else -1
        return only_most({label: sign * value for label, value in row.items()})
    if "rise" in words:
        answer = sum(climb > 0 for climb in climbs.values())
    elif "above" in words:
        answer = sum(value > int(words[-1]) for value in row.values())
    elif "difference" in words:
        answer = abs(row[at[0]] - row[at[1]])
    else:
        (label,) = at
        answer = row[label]
    return str(answer)


def only_most(values):
    first, second = sorted(values, key=values.get)[:-3:-1]
    assert values[first] > values[second]
    return first


def table(scene, question):
    columns = scene.head[1:]
    rows = {name: dict(zip(columns, map(int, cells), strict=True)) for name, *cells in scene.rows}
    words = question.removesuffix("?").split()
    asked = [word for word in words if word in columns]
    if "in all" in question and asked:
        return str(sum(row[asked[0]] for row in rows.values()))
    if "in all" in question:
        sign = 1 if "most" in words else -1
        return only_most({name: sign * sum(row.values()) for name, row in rows.items()})
    if "people" in words:
        return str(sum(row[asked[0]] > row[asked[1]] for row in rows.values()))
    if words[0] == "Who":
        return only_most({name: row[asked[0]] for name, row in rows.items()})
    return str(rows[words[-2]][asked[0]])


def distances(rows):
    """Return how far every symbol is from the person, where one can walk."""
    free = {(y, x): s for y, row in enumerate(rows) for x, s in enumerate(row) if s != "#"}
    (start,) = [place for place, symbol in free.items() if symbol == "@"]
    found, frontier = {start: 0}, [start]
    for y, x in frontier:
        for place in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
            if place in free and place not in found:
                found[place] = found[y, x] + 1
                frontier.append(place)
    return {place: (free[place], steps) for place, steps in found.items()}


def maze_exit(scene, question):
    side = len(scene.rows)
    exits = [s for row in scene.rows for s in row if s.isalpha()]
    assert sorted(exits) == list(string.ascii_uppercase[: len(exits)])
    for y, row in enumerate(scene.rows):
        for x, symbol in enumerate(row):
            if {x, y} & {0, side - 1}:
                assert symbol == "#" or symbol.isalpha()
    (reached,) = [s for s, _ in distances(scene.rows).values() if s.isalpha()]
    return reached


def maze_steps(scene, question):
    (steps,) = [steps for s, steps in distances(scene.rows).values() if s == "*"]
    cells = sum(s != "#" for row in scene.rows for s in row)
    assert cells == 2 * (len(scene.rows) // 2) ** 2 - 1  # a tree: there is one way only
    return str(steps)


def grid_walk(scene, question):
    ((row, column),) = [
        (y, x) for y, line in enumerate(scene.rows) for x, s in enumerate(line) if s == "@"
    ]
    ahead = -1, 0
    for told in question.partition(" Go ")[2].partition(". At")[0].split(", "):
        if told.startswith("turn"):
            for _ in range(("turn right", "turn around", "turn left").index(told) + 1):
                ahead = ahead[1], -ahead[0]
            continue
        steps, way = told.split()
        compass = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
        down, right = compass.get(way, ahead)
        row, column = row + int(steps) * down, column + int(steps) * right
        assert 0 <= row < len(scene.rows)
        assert 0 <= column < len(scene.rows)
    return scene.rows[row][column]


def panels_of(scene):
    (_, first), *options = scene.scenes
    return np.array([*map(list, first.rows)]), {
        name: np.array([*map(list, inner.rows)]) for name, inner in options
    }


def one_of(options, right):
    (name,) = [name for name, option in options.items() if np.array_equal(option, right)]
    assert len({option.tobytes() for option in options.values()}) == len(options)
    return name


def rotation(scene, question):
    pattern, options = panels_of(scene)
    quarters = {"half": 2, "clockwise": -1, "counterclockwise": 1}
    (turns,) = {quarters[w] for w in question.removesuffix("?").split() if w in quarters}
    return one_of(options, np.rot90(pattern, turns))


def mirror(scene, question):
    pattern, options = panels_of(scene)
    if "beside" in question:
        return one_of(options, np.fliplr(pattern))
    return one_of(options, np.flipud(pattern) if "below" in question else pattern.T)


def covered(cells):
    """Return which cells of an array of bools are on, without the empty rim."""
    rows, columns = np.nonzero(cells)
    cut = cells[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    return cut.shape, cut.tobytes()


def jigsaw(scene, question):
    board, pieces = panels_of(scene)
    hole = board == patterns.EMPTY
    assert hole[1:-1, 1:-1].sum() == hole.sum()  # the board goes around it
    turns = 1 if "without" in question else 4
    fitting = [
        name
        for name, piece in pieces.items()
        if covered(hole) in [covered(np.rot90(piece == patterns.FULL, n)) for n in range(turns)]
    ]
    (name,) = fitting
    return name


TASKS = {
    Clock: clock,
    CountShapes: count_shapes,
    CompareShapes: compare_shapes,
    BarChart: chart,
    LineChart: chart,
    MazeExit: maze_exit,
    MazeSteps: maze_steps,
    Jigsaw: jigsaw,
    Rotation: rotation,
    Mirror: mirror,
    GridWalk: grid_walk,
    Table: table,
    Angles: measured_angle,
    Lengths: measured_length,
    OddOneOut: odd_one_out,
}
every_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.__name__)


@pytest.mark.parametrize("seeds", [30, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("level", LEVELS)
@every_task
def test_every_answer_follows_from_the_picture(task, level, seeds):
    env = Env(task(level), observe="image")
    pictures, answers = set(), collections.Counter()
    for seed in range(seeds):
        env.reset(seed=seed)
        state = env.game_state
        assert TASKS[task](env.scene(AGENT), state.question) == state.answer
        assert state.answer in state.choices
        pictures.add(env.observe(AGENT)["image"].tobytes())
        answers[state.answer] += 1
    assert len(pictures) >= 0.95 * seeds
    assert answers.most_common(1)[0][1] / seeds < (0.6 if level == "easy" else 0.5)


@every_task
def test_what_is_right_pays_and_nothing_else(task):
    for seed in range(5):
        for reply, paid in (("right", 1), ("wrong", 0), ("garbage", 0)):
            env = Env(task(None), invalid="lose")
            env.reset(seed=seed)
            answer, choices = env.game_state.answer, env.game_state.choices
            wrong = next(choice for choice in reversed(choices) if choice != answer)
            env.step({"right": answer, "wrong": wrong, "garbage": "no such answer"}[reply])
            assert env.terminations[AGENT]
            assert env.rewards[AGENT] == paid
            assert ("invalid" in env.infos[AGENT]) == (reply == "garbage")


@every_task
def test_what_is_no_answer_is_a_notice_and_costs_no_try(task):
    env = Env(task())
    env.reset(seed=1)
    state = env.game_state
    for reply in ("a banana", "", "3 or 4", "A or B"):
        env.reset(seed=1)
        env.step(reply)
        assert env.game_state == state
        assert "Invalid: " in env.observe(AGENT)["text"]
    env.step(f"I looked closely. \\boxed{{The answer is {state.answer}.}}")
    assert env.rewards[AGENT] == 1.0


@every_task
def test_more_tries(task):
    env = Env(task("easy", tries=3))
    env.reset(seed=2)
    assert "You have 3 tries" in env.rules(AGENT)
    wrong = [choice for choice in env.game_state.choices if choice != env.game_state.answer][:2]
    for left, reply in zip((2, 1), wrong, strict=True):
        env.step(reply)
        assert f"{reply} is wrong. Tries left: {left}." in env.observe(AGENT)["text"]
        assert env.rewards[AGENT] == 0
    env.step(env.game_state.answer)
    assert env.rewards[AGENT] == 1.0
    assert env.infos[AGENT]["right"]
    env.reset(seed=2)
    for reply in (*wrong, wrong[0]):
        env.step(reply)
    assert env.terminations[AGENT]
    assert env.game_state.returns()[AGENT] == 0


@pytest.mark.parametrize("level", LEVELS)
@every_task
def test_the_answer_is_told_in_no_way(task, level):
    env = Env(task(level), observe="both")
    told = set()
    for seed in range(10):
        env.reset(seed=seed)
        state = env.game_state
        assert state.seen_by(AGENT).answer is None
        other = next(choice for choice in state.choices if choice != state.answer)
        seen = []
        for answer in (state.answer, other):
            view = state._replace(answer=answer).seen_by(AGENT)
            words = env.game.describe(view, AGENT), env.game.brief(view, AGENT)
            seen.append((*words, env.game.picture(view, AGENT), view.legal(AGENT)))
        assert seen[0] == seen[1]
        shown = env.picture(AGENT)
        assert shown.alt == env.game.describe(state, None)
        assert chunks(shown.png) <= {b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"}  # no text
        told.add(state.choices.index(state.answer))
        words = f"{env.observe(AGENT)} {env.info(AGENT)['to_act']}"
        if task is Clock:
            assert state.answer not in words
    assert len(told) > 1  # no place in the list of choices is always right


def chunks(data):
    """Return the names of the parts of a PNG file."""
    names, position = set(), 8
    while position < len(data):
        names.add(data[position + 4 : position + 8])
        position += 12 + int.from_bytes(data[position : position + 4], "big")
    return names


@every_task
def test_words_name_no_colour(task):
    for seed in range(20):
        env = Env(task(None))
        env.reset(seed=seed)
        words = f"{env.rules(AGENT)} {env.observe(AGENT)['text']}".lower().split()
        assert not {word.strip(".,:;?") for word in words} & set(COLORS)


def test_a_random_level_draws_each_of_them():
    env, sizes = Env(GridWalk(None)), collections.Counter()
    for seed in range(60):
        env.reset(seed=seed)
        sizes[len(env.scene(AGENT).rows)] += 1
    assert sizes.keys() == {5, 6, 8}
    assert min(sizes.values()) >= 10


@pytest.mark.parametrize(
    ("task", "answer", "replies"),
    [
        (Clock, "3:05", ("3:05", "03:05", "The time is 3:05.", "`3:05`")),
        (Jigsaw, "B", ("B", "b.", "option B", "Piece B", "(b)", "The answer is B.")),
        (MazeExit, "C", ("c", "exit C")),
        (Angles, "60", ("60", "060", "60°", "60 degrees", "60 degrees.")),
        (CountShapes, "7", ("7", "7.", "+7", "**7**")),
        (CompareShapes, "star", ("star", "Stars", "stars.")),
        (OddOneOut, "B3", ("b3", "cell B3")),
        (BarChart, "tea", ("tea", "Tea.")),
    ],
)
def test_forms_of_an_answer(task, answer, replies):
    game = task()
    choices = ("tea", "milk") if task is BarChart else tuple(game.moves)
    view = game.start(np.random.default_rng(0), {})._replace(choices=choices, answer=None)
    for reply in replies:
        assert game.read(reply, view, AGENT) == answer
    for reply in ("Z9", "none of them", "1e3", ""):
        with pytest.raises(InvalidMove, match="is not a"):
            game.read(reply, view, AGENT)


def test_a_number_that_is_not_listed_is_wrong_and_no_notice():
    env = Env(CountShapes())
    env.reset(seed=0)
    env.step("12345")
    assert env.terminations[AGENT]
    assert "invalid" not in env.infos[AGENT]


@pytest.mark.parametrize("arguments", [{"level": "harder"}, {"tries": 0}, {"level": 11}])
def test_arguments_that_make_no_sense(arguments):
    with pytest.raises(ValueError, match="expected"):
        Clock(**arguments)


@pytest.mark.parametrize("task", [Clock, Jigsaw])
def test_the_contract_with_more_tries(task):
    check_env(Env(task(None, tries=2)), seeds=1, processes=False)


@pytest.mark.parametrize(
    ("scene", "words"),
    [
        (Shapes(lines=(("rde", 0, 0, 1, 1, 0.1),)), "no colour 'rde'"),
        (Shapes(lines=(("", 0, 0, 1, 1.1, 0.1),)), "not in the unit square"),
        (Shapes(lines=(("", 0, 0, 1, 1, 0),)), "not in the unit square"),
        (Shapes(labels=(("a", "", 0, -0.1),)), "label 'a' at 0, -0.1 is not in the unit square"),
        (Panels((("", Shapes()),), gap=1.0), "gap=1.0: expected a share"),
    ],
)
def test_a_scene_that_makes_no_sense(scene, words):
    with pytest.raises(BadScene, match=words):
        draw(scene, (252, 252))


def test_panels_keep_a_gap():
    board = Grid(("##", "##"), patterns.TILES)
    for gap, clear in ((0.0, False), (0.2, True)):
        frame = draw(Panels((("", board), ("", board)), gap=gap), (252, 126))
        assert (frame[:, 101:126] == parse_theme("light").paper).all() == clear
