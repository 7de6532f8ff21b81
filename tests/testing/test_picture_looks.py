"""What certify says of how pictures look: grounds, names of colours, speakers, and room."""

import dataclasses
import math

import packs
import pytest

import gem_ma
from gem_ma.envs.boards.connect_four import ConnectFour
from gem_ma.renderers import parse_theme
from gem_ma.renderers.themes import THEMES
from gem_ma.scene import Chat, Grid, Shapes, Tile
from gem_ma.testing import ContractError, certify, picture_certificates
from gem_ma.testing.picture_looks import ChatHistory, find_closest_grounds, find_misnamed_color

LIGHT = THEMES["light"]
TALK = (("Ann", "Hello."), ("Bob", "Hello."), ("Ann", "So?"), ("Cy", "No."), ("Bob", "Yes."))


def drawn_as(make_scene):
    """Return Connect Four with other pictures, each of another position."""

    class Redrawn(ConnectFour):
        def picture(self, view, agent):
            return make_scene(view)

    return gem_ma.Env(Redrawn())


def squares(*grounds, **more):
    tiles = tuple((str(i), Tile(ground=ground)) for i, ground in enumerate(grounds))
    return Grid(("01" * 4, "10" * 4) * 4, tiles, **more)


def test_squares_that_look_alike_are_found():
    assert find_closest_grounds(squares("light-square", "dark-square"), LIGHT)[0] >= 1.6
    assert find_closest_grounds(squares("gray", "gray"), LIGHT)[0] == math.inf
    assert find_closest_grounds(Grid(("0",), (("0", Tile()),)), LIGHT)[0] == math.inf
    upright = Grid(("0", "1"), (("0", Tile(ground="red")), ("1", Tile(ground="orange"))))
    assert 2 < find_closest_grounds(upright, LIGHT)[0] < 3
    assert {*find_closest_grounds(upright, LIGHT)[1:]} == {"red", "orange"}
    alike = dataclasses.replace(LIGHT, grounds={**LIGHT.grounds, "dark-square": (240, 240, 240)})
    env = drawn_as(lambda view: squares("light-square", "dark-square", status=(view.board,)))
    with pytest.raises(
        ContractError, match=r"'(light|dark)-square' and on .* contrast of 1\.\d\d;"
    ):
        certify(env, theme=alike, views=3)


def test_a_colour_with_a_wrong_name_is_found():
    orange = dict(LIGHT.colors, red=((213, 94, 0), "red"))
    wrong = dataclasses.replace(LIGHT, name="wrong", colors=orange)
    assert find_misnamed_color(Shapes((("disc", "red", 0.5, 0.5, 0.5, 0.0),)), LIGHT) is None
    assert find_misnamed_color(Shapes((("disc", "blue", 0.5, 0.5, 0.5, 0.0),)), wrong) is None
    with pytest.raises(ContractError, match="people would call the colour 'red' 'orange'"):
        certify("game:ConnectFour-v0", theme=wrong, views=3)


def test_a_board_that_is_too_small_is_found(monkeypatch):
    def draw(rows):
        return drawn_as(lambda view: Grid(rows, ((".", Tile()),), status=(str(hash(view)),)))

    certify(draw(("." * 12,)), views=3)  # as large as a row can be
    certify(draw(("." * 4,) * 4), views=3)
    monkeypatch.setattr(picture_certificates, "MIN_FILLED_SHARE", 1.0)
    with pytest.raises(
        ContractError, match=r"a board fills \d\d% of what its shape leaves it; expected 100%"
    ):
        certify(draw(("." * 4,) * 4), views=3)


def test_speakers_keep_their_colours_and_messages_are_counted():
    seats = "Ann", "Bob", "Cy"

    def find_faults(*scenes):
        history = ChatHistory()
        return [fault for scene in scenes if (fault := history.find_fault("Ann", scene, LIGHT))]

    whole = [Chat(TALK[:count], seats=seats) for count in range(6)]
    cut = [Chat(TALK[max(0, count - 3) : count], seats=seats, earlier=max(0, count - 3))
           for count in range(6)]  # fmt: skip
    assert not find_faults(*whole)
    assert not find_faults(*cut)
    uncounted = [dataclasses.replace(scene, earlier=0) for scene in cut]
    assert find_faults(*uncounted)[0] == "1 messages are no more in the Chat, and earlier=0"
    by_first_words = [dataclasses.replace(scene, seats=()) for scene in cut]
    assert "another colour than before" in find_faults(*by_first_words)[0]
    same = Chat((("Ann", "Hello."),) * 4, seats=seats)
    assert not find_faults(same, Chat((("Ann", "Hello."),) * 5, seats=seats))


@pytest.mark.parametrize("theme", [*THEMES, 3])
def test_chess_is_certified(theme):
    proof = certify("game:Chess-v0", theme=theme, views=4)
    assert proof.ground_contrast >= 1.6
    assert proof.contrast >= 3
    assert proof.filled >= 0.75
    assert proof.theme == parse_theme(theme).name


MAPS = ["game:Maze-v0", "game:MapTask-v0", "game:RadioMaze-v0", "game:Crosswords-v0"]
VISUAL = packs.present(["visual:Spiral-v0", "visual:MazeExit-v0", "visual:GridWalk-v0"])


@pytest.mark.parametrize("env_id", [*MAPS, *VISUAL])
def test_the_ground_of_a_map_is_that_of_the_theme(env_id):
    brightness = {}
    for theme in ("light", "dark"):
        env = gem_ma.make(env_id, theme=theme)
        env.reset(seed=1)
        brightness[theme] = env.picture(env.to_act[0]).array.mean()
    assert brightness["dark"] < 110 < 150 < brightness["light"]
