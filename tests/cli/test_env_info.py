"""What gem_ma.cli.env_info and gem-ma info say of an environment."""

import json

import numpy as np
import packs
import pytest
from PIL import Image
from playable import FEW, GAMES, IDS, unless

import gem_ma
from gem_ma import Env, Game
from gem_ma.cli.env_info import describe_env, draw_first_turn
from gem_ma.cli.main import main
from gem_ma.envs import registry
from gem_ma.envs.registry import MissingRequirement


@pytest.mark.parametrize("id", [unless(id in FEW, id) for id in GAMES])
def test_what_is_said_is_what_the_environment_does(id):
    found = describe_env(id)
    env = gem_ma.make(id)
    env.reset(seed=0)
    seat, rules, text, reply = found.example
    assert found.missing == ()
    assert found.summary.endswith((".", "!", "?"))
    assert found.seats == tuple(env.possible_agents)
    assert seat == env.to_act[0]
    assert env.observe(seat)["text"] == f"{rules}\n\n{text}"
    assert found.order
    assert "returns" in found.rewards or env.game.blocking
    assert found.reply in rules
    if reply is not None:
        env.step(reply)
        assert "invalid" not in env.info(seat)
    spaces = {
        "text": gem_ma.make(id).observation_space(seat)["text"],
        "image": gem_ma.make(id, observe="image").observation_space(seat)["image"],
    }
    assert {kind: str(space) for kind, space in spaces.items()}.items() <= (
        found.observations.items()
    )
    assert ("numbers" in found.observations) == (env.game.moves is not None)


def test_parameters_levels_and_what_is_documented():
    found = describe_env("game:GuessTheNumber-v0-easy")
    values = {one.name: one.default for one in found.parameters}
    assert values == {"min_number": 1, "max_number": 10, "max_turns": 4}
    assert set(found.levels) == {
        f"game:GuessTheNumber-v0{level}" for level in ("", "-hard", "-random")
    }
    assert found.levels["game:GuessTheNumber-v0-hard"]["max_number"] == 50
    assert [one.default for one in describe_env("game:RockPaperScissors-v0").parameters] == [10]
    sweeper = {one.name: one.meaning for one in describe_env("game:Minesweeper-v0").parameters}
    assert "the share of opened cells is paid" in sweeper["partial"]


@packs.needs("tau")
def test_what_is_documented_of_a_shop():
    shop = describe_env("tau:shop")
    meanings = {one.name: one.meaning for one in shop.parameters}
    assert meanings["size"] == "number of the shop's customers."
    assert shop.settings == {"format": "bare", "max_turns": 200}
    assert ("get_order_details", ("assistant",)) in {(one[0], one[2]) for one in shop.tools}


@pytest.mark.parametrize(
    ("id", "order"),
    [
        ("game:Maze-v0", "alone"),
        ("game:Nim-v0", "in turn"),
        ("game:RockPaperScissors-v0", "at the same time"),
        ("game:Werewolf-v0", "both"),
    ],
)
def test_how_seats_act(id, order):
    assert describe_env(id).order == order


def test_a_seat_alone_and_what_its_episodes_return(capsys):
    assert main(["info", "game:Maze-v0"]) == 0
    told = capsys.readouterr().out
    assert f"\nseats:\n  {gem_ma.make('game:Maze-v0').possible_agents[0]}\n" in told
    assert "returns lay between 0 and 1." in told
    assert describe_env("game:FrozenLake-v0").rewards == "In 20 random episodes, returns were 0."


@packs.needs("bridges")
def test_without_what_is_missing(monkeypatch, capsys):
    monkeypatch.setitem(registry._EXTRA_MODULES, "textarena", ("no_such_module",))
    found = describe_env("ta:Chess-v0")
    assert "pip install 'gem-ma[textarena]'" in found.missing
    assert found.summary
    assert "ta:Chess-v0-long" in found.levels
    assert found.seats == ()
    assert found.example is None
    assert main(["info", "ta:Chess-v0"]) == 0
    assert "pip install 'gem-ma[textarena]'" in capsys.readouterr().out
    with pytest.raises(MissingRequirement, match="textarena"):
        draw_first_turn("ta:Chess-v0")


@packs.needs("tasks")
def test_an_argument_without_a_default_is_asked_for():
    found = describe_env("math:Data")
    assert found.missing == ("make('math:Data', data=...): it has no default",)
    assert [one.name for one in found.parameters if one.required] == ["data"]


def test_a_file_that_cannot_be_imported_yet(monkeypatch, tmp_path):
    (tmp_path / "needy_game.py").write_text(
        '"""A needy game: it waits. And more."""\nimport nope_x\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    needy = gem_ma.Spec("mine:Needy", "needy_game:Needy", needs=("nope-x:nope_x",))
    monkeypatch.setitem(registry._specs, "mine:Needy", needy)
    found = describe_env("mine:Needy")
    assert found.summary == "A needy game: it waits."
    assert found.parameters == ()
    assert found.missing == ("pip install 'gem-ma[nope-x]'",)


@packs.needs("bridges", "tasks")
def test_a_family(capsys):
    found = describe_env("gym:CartPole-v1")
    assert found.seats == ("player",)
    assert "Discrete(2)" in found.action
    assert found.levels == {}
    assert describe_env("duo:Debate/math:Mini").seats == ("first", "second")


def test_the_picture_is_the_first_turns():
    env = gem_ma.make("game:KuhnPoker-v0", theme="dark", image_size=(140, 112))
    env.reset(seed=0)
    drawn = draw_first_turn("game:KuhnPoker-v0", theme="dark", image_size=(140, 112))
    assert np.array_equal(np.asarray(drawn), env.picture(env.to_act[0]).array)


def test_plain_json_and_picture(capsys, tmp_path):
    file = tmp_path / "board.png"
    assert main(["info", "game:ConnectFour-v0", "--picture", str(file)]) == 0
    with Image.open(file) as drawn:
        assert drawn.size == (252, 252)
    text = capsys.readouterr().out
    assert text.startswith("game:ConnectFour-v0\nConnect Four: two agents drop discs")
    assert "red, yellow (in turn)" in text
    assert "0 1 2 3 4 5 6" in text
    assert "\x1b" not in text
    assert main(["info", "game:ConnectFour-v0", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["seats"] == ["red", "yellow"]
    assert found["example"]["reply"] == "0"


@pytest.mark.parametrize("id", IDS[::7])
def test_json_of_many(id, capsys):
    assert main(["info", id, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["id"] == id


class Steering(Game):
    """A game whose words steer a terminal."""

    agents = ("one",)

    def start(self, rng, options):
        return gem_ma.make("game:Nim-v0").game.start(rng, options)

    def read(self, text, view, agent):
        return text

    def advance(self, state, moves, rng):
        return state

    def rules(self, agent):
        return "rules"

    def describe(self, view, agent):
        return "\x1b[2Jgone"


def test_words_that_steer_a_terminal_do_not(monkeypatch, capsys):
    class Alone(Steering):
        agents = ("first", "second")

    monkeypatch.setattr(f"{__name__}.Steering", Alone)
    spec = gem_ma.Spec("mine:Steering", f"{__name__}:Steering", {"max_turns": 3})
    monkeypatch.setitem(registry._specs, "mine:Steering", spec)
    assert isinstance(gem_ma.make("mine:Steering"), Env)
    assert main(["info", "mine:Steering"]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_a_terminal_gets_half_blocks(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert main(["info", "game:ConnectFour-v0"]) == 0
    out = capsys.readouterr().out
    assert "\u2580" in out
    assert "0 1 2 3 4 5 6" in out
