"""Tasks of grounding: what is right by the pixels of a picture pays, in every unit and size."""

import pickle
import re

import numpy as np
import pytest

import gem_ma
from gem_ma.envs.coordinates import UNITS
from gem_ma.envs.visual.grounding import pages, scattered
from gem_ma.envs.visual.question import AGENT
from gem_ma.renderers import draw
from gem_ma.renderers.figures import make_mask
from gem_ma.scene import Shapes

NAMES = ("BoxEach", "PointEach", "PointToPart", "ScreenBox", "ScreenPoint")
SIZES = ((252, 252), (448, 448), (504, 300), (300, 420))
CASES = [(UNITS[n % 4], size) for n, size in enumerate(SIZES)]
CASES += [
    pytest.param(unit, size, marks=pytest.mark.slow)
    for unit in UNITS
    for size in SIZES
    if (unit, size) not in CASES
]
units_and_sizes = pytest.mark.parametrize(("unit", "size"), CASES)
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")


def made(name, difficulty, seed, unit="pixels", size=(252, 252)):
    env = gem_ma.make(
        f"visual:{name}-v0", difficulty=difficulty, coordinates=unit, image_size=size,
        observe="image",
    )  # fmt: skip
    env = pickle.loads(pickle.dumps(env))
    env.reset(seed=seed)
    return env


def written(x, y, unit, size):
    """Return a point of pixels in a unit, as a model would write it."""
    wide, high = size
    if unit == "pixels":
        return round(x, 2), round(y, 2)
    whole = {"thousand": 1000, "percent": 100, "share": 1}[unit]
    return round(x * whole / wide, 4), round(y * whole / high, 4)


def find_changed(env, rest):
    """Return the box of pixels that are not the same in a scene without something."""
    shown = env.observe(AGENT)["image"]
    without = draw(rest, shown.shape[1::-1])
    changed = np.abs(shown.astype(int) - without).max(-1) > 30  # not what is only blurred
    rows, columns = np.nonzero(changed)
    return columns.min(), rows.min(), columns.max() + 1, rows.max() + 1


def write_points(boxes, unit, size):
    points = [written((a + c) / 2, (b + d) / 2, unit, size) for a, b, c, d in boxes]
    return "\n".join([f'<point x="{x}" y="{y}">it</point>' for x, y in points])


def write_boxes(boxes, unit, size):
    corners = [(*written(a, b, unit, size), *written(c, d, unit, size)) for a, b, c, d in boxes]
    return "[" + ", ".join([f'{{"bbox_2d": {list(map(float, one))}}}' for one in corners]) + "]"


def find_asked(scene, question):
    """Return the items of the figure and the colour that a question names."""
    figure, letter = re.search(r"every (\w+) of colour (\w)", question).groups()
    samples = [item for item in scene.items if item[3] < 0.08]
    letters = {
        item[1]: min(scene.labels, key=lambda label: abs(label[2] - item[2] - 0.07))[0]
        for item in samples
    }
    return [
        item
        for item in scene.items
        if item not in samples and item[0] == figure and letters[item[1]] == letter
    ]


@units_and_sizes
@pytest.mark.parametrize("name", ["PointEach", "BoxEach"])
def test_figures_that_pixels_show_are_right(name, unit, size):
    for difficulty in (0, 4, 9) if size == (300, 420) else (0, 4):
        env = made(name, difficulty, difficulty, unit, size)
        scene = env.scene(AGENT)
        asked = find_asked(scene, env.game_state.question)
        boxes = []
        for item in asked:
            others = tuple([one for one in scene.items if one is not item])
            boxes.append(find_changed(env, Shapes(others, lines=scene.lines, labels=scene.labels)))
        write = write_points if name == "PointEach" else write_boxes
        env.step(write(boxes, unit, size))
        assert env.rewards[AGENT] > (
            0.99 if name == "PointEach" else 0.8 if difficulty < 9 else 0.6
        )


def resolve(question, widgets):
    """Return the widget that a question describes, found in another way than it was named."""
    text = re.search(r"(the .*?)[.?]$", question.replace("Which is the box of", "")).group(1)
    if sign := re.fullmatch("the button that (closes|hides) the window", text):
        (one,) = [w for w in widgets if w.text == {"closes": "\xd7", "hides": "_"}[sign[1]]]
        return one
    nouns = {noun: kind for kind, noun in pages.NOUNS.items()}
    if ranked := re.fullmatch(r"the (\w+) (.*) from the (top|left)", text):
        alike = [w for w in widgets if w.kind == nouns[ranked[2]] and w.seen]
        key = (lambda w: w.y) if ranked[3] == "top" else (lambda w: w.x)
        return sorted(alike, key=key)[ORDINALS.index(ranked[1])]
    row = re.search(r' in the row of "(.*?)"', text)
    column = re.search(r' and the column of "(.*?)"', text)
    noun, name = re.match(r'the ([a-z -]+?)(?: "(.*?)")?(?: in the row|$)', text).groups()
    alike = [w for w in widgets if w.kind == nouns[noun]]
    if name is not None:
        labels = {w.id: w.text for w in widgets if w.kind == "label"}
        alike = [w for w in alike if name in (w.text, labels.get(f"{w.id}-name"))]
    if row:
        (label,) = [w for w in widgets if w.text == row[1]]
        alike = [w for w in alike if w.y <= label.y + label.h / 2 < w.y + w.h]
    if column:
        (label,) = [w for w in widgets if w.text == column[1]]
        alike = [w for w in alike if w.x <= label.x + 4 < w.x + w.w]
    (one,) = alike
    return one


@units_and_sizes
@pytest.mark.parametrize("name", ["ScreenPoint", "ScreenBox"])
def test_widgets_that_pixels_show_are_right(name, unit, size):
    for difficulty in (0, 3, 6, 10):
        for seed in (0, 1) if size == (448, 448) else (difficulty,):
            env = made(name, difficulty, seed, unit, size)
            state = env.game_state
            widgets, _ = state.shown
            one = resolve(state.question, widgets)
            rest = tuple([w for w in widgets if w is not one])
            scene = env.game.scene((rest, state.shown[1]))
            box = find_changed(env, scene)
            if name == "ScreenPoint":
                env.step(write_points([box], unit, size))
                assert env.rewards[AGENT] == 1, (difficulty, seed, state.question)
            else:
                env.step(write_boxes([box], unit, size))
                assert env.rewards[AGENT] > 0.7, (difficulty, seed, state.question)


def test_a_click_beside_a_widget_or_on_another_is_wrong():
    env = made("ScreenPoint", 0, 0, size=(448, 448))
    one = resolve(env.game_state.question, env.game_state.shown[0])
    beside = [
        (one.x - 2, one.y + 5),
        (one.x + one.w + 2, one.y + 5),
        (one.x + 5, one.y - 2),
        (one.x + 5, one.y + one.h + 2),
    ]
    view = env.match.make_view(AGENT)
    for x, y in beside:
        said = env.game.read(f"({x}, {y})", view, AGENT)
        assert env.game.grade(env.game_state.answer, said) == 0
    for x, y in ((one.x, one.y), (one.x + one.w - 1, one.y + one.h - 1)):
        assert env.game.grade(env.game_state.answer, env.game.read(f"({x}, {y})", view, AGENT)) == 1


def find_part(scene, question, told):
    """Return where a part is in the unit square, from the lines and areas of its cell."""
    part, name, letter = re.match(r"Where is (.*) of the ([a-z ]+) (\w)\?", question).groups()
    at = next(label[2:4] for label in scene.labels if label[0] == letter)
    across = (
        1 if len({label[2] for label in scene.labels}) == 1 and len(scene.labels) == 1 else None
    )
    cells = across or round(1 / find_cell(scene))
    cell = 1 / cells

    def inside(x, y):
        return int(x // cell) == int(at[0] // cell) and int(y // cell) == int(at[1] // cell)

    lines = [line[1:] for line in scene.lines if inside(*line[1:3])]
    areas = [corners for _, corners in scene.areas if inside(*corners[0])]
    if name == "clock":
        middle = np.mean([line[:2] for line in lines if line[4] == 8 / 1000], axis=0)  # of the rim
        hands = [line for line in lines if np.hypot(*(np.array(line[:2]) - middle)) < 0.02]
        lengths = [np.hypot(line[2] - line[0], line[3] - line[1]) for line in hands]
        chosen = np.argmin(lengths) if "short" in part else np.argmax(lengths)
        return hands[chosen][2:4]
    if name == "polygon":
        axis, sign = {
            "topmost": (1, 1), "lowest": (1, -1), "leftmost": (0, 1), "rightmost": (0, -1)
        }[part.split()[1]]  # fmt: skip
        return min(areas[0], key=lambda corner: sign * corner[axis])
    if name == "bar chart":
        tops = [(np.mean([x for x, _ in bar]), min(y for _, y in bar)) for bar in areas]
        return (min if "tallest" in part else max)(tops, key=lambda top: top[1])
    if name == "arrow":
        shaft = max(lines, key=lambda line: np.hypot(line[2] - line[0], line[3] - line[1]))
        return shaft[2:4] if part == "the tip" else shaft[:2]
    (pole,) = lines
    if "pole" in part:
        ends = sorted([pole[:2], pole[2:4]], key=lambda end: end[1])
        return ends[0] if "top" in part else ends[1]
    return max(areas[0], key=lambda corner: abs(corner[0] - pole[0]))


def find_cell(scene):
    """Return the width of a cell, by the places of letters, which stand at its top left."""
    if len(scene.labels) == 1:
        return 1.0
    starts = [(round(x - 0.04, 2), round(y - 0.045, 2)) for _, _, x, y, _ in scene.labels]
    return 1 / 3 if any({0.33, 0.67} & {*start} for start in starts) else 1 / 2


@units_and_sizes
def test_parts_of_a_scene_are_right(unit, size):
    asked = set()
    for difficulty in (0, 4, 10):
        for seed in range(8):
            env = made("PointToPart", difficulty, seed, unit, size)
            state = env.game_state
            x, y = find_part(env.scene(AGENT), state.question, state.shown)
            wide, high = size
            whole = min(size)  # the square in the middle of the picture
            x, y = (wide - whole) // 2 + x * whole, (high - whole) // 2 + y * whole
            x, y = written(x, y, unit, size)
            env.step(f"({x}, {y})")
            assert env.rewards[AGENT] == 1, (difficulty, seed, state.question)
            asked.add(state.question.split(" of the ")[-1].rsplit(" ", 1)[0])
    assert len(asked) == 5


def test_figures_reach_as_far_as_is_said():
    for figure, reach in scattered.REACHES.items():
        rows, columns = np.nonzero(make_mask(figure, 100, 0.0, 1.0) > 127)
        found = columns.min(), rows.min(), columns.max() + 1, rows.max() + 1
        assert np.array(found) / 100 == pytest.approx(np.array(reach), abs=0.016)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("unit", UNITS)
def test_rules_name_the_unit_and_words_have_it(name, unit):
    env = gem_ma.make(f"visual:{name}-v0", coordinates=unit, image_size=(500, 400), observe="both")
    env.reset(seed=4)
    place = "screen" if name.startswith("Screen") else "picture"
    said = {
        "pixels": f"pixels of the {place}, which is 500 wide and 400 high",
        "thousand": f"thousandths of the {place}, 0 to 1000 across and down",
        "percent": f"percent of the {place}, 0 to 100 across and down",
        "share": f"shares of the {place}, 0 to 1 across and down",
    }[unit]
    assert said in env.rules(AGENT)
    example = re.search(r"such as ([(\[].*?[)\]])", env.rules(AGENT)).group(1)
    assert env.game.read(example, env.match.make_view(AGENT), AGENT)
    most = {"pixels": 500, "thousand": 1000, "percent": 100, "share": 1}[unit]
    words = env.game.describe(env.match.make_view(AGENT), AGENT)
    numbers = re.findall(r"(?:in|at) [(\[]([\d., ]+)[)\]]", words)
    assert numbers
    assert all(float(one) <= most for group in numbers for one in group.split(", "))


@pytest.mark.parametrize("seeds", [4, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", NAMES)
def test_the_right_answer_earns_everything(name, seeds):
    for difficulty in (0, 5, 10):
        unit = UNITS[difficulty % 4]
        env = made(name, difficulty, 0, unit)
        for seed in range(seeds):
            env.reset(seed=seed)
            env.step(env.game_state.answer)
            assert env.rewards[AGENT] == 1, (difficulty, seed)


def test_an_unknown_unit_is_an_error():
    with pytest.raises(ValueError, match="coordinates='metres': expected one of"):
        gem_ma.make("visual:ScreenPoint-v0", coordinates="metres")
