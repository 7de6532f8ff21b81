"""The registry, and the ids in Gymnasium's and PettingZoo's."""

import json
import subprocess
import sys

import gymnasium
import packs
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from playable import IDS

import gem_ma
from gem_ma import Spec, UnknownEnv
from gem_ma.envs import registry

new_pettingzoo = pytest.mark.skipif(
    not hasattr(pettingzoo, "register"),
    reason="PettingZoo has a registry since 1.27: pip install 'pettingzoo>=1.27'",
)


def test_ids_are_listed_by_pattern():
    assert "game:ConnectFour-v0" in gem_ma.list_envs()
    assert gem_ma.list_envs("game:GuessThe") == gem_ma.list_envs("game:GuessTheNumber*")
    assert "game:Sudoku-v0-easy" in gem_ma.list_envs("*-v0-easy")
    assert gem_ma.list_envs("nothing") == []


@packs.needs("bridges")
def test_a_pattern_is_of_all_libraries():
    assert "ta:Nim-v0" in gem_ma.list_envs("Nim-v0")
    assert "ta:Nim-v0" in gem_ma.list_envs("*:Nim-v0")
    assert {id.partition(":")[0] for id in gem_ma.list_envs("g*:*")} == {"game", "gym"}


def test_print_envs(capsys):
    gem_ma.print_envs("game:Kuhn")
    assert capsys.readouterr().out == "game:KuhnPoker-v0\n"


def test_a_spec_is_data():
    spec = gem_ma.spec("game:GuessTheNumber-v0-easy")
    assert spec == Spec(
        "game:GuessTheNumber-v0-easy",
        "gem_ma.envs.guessing.guess_the_number:GuessTheNumber",
        {"min_number": 1, "max_number": 10, "max_turns": 4},
    )
    assert gem_ma.make(spec, max_number=5).game.moves == ("1", "2", "3", "4", "5")


@pytest.mark.parametrize(
    ("id", "words"),
    packs.present(
        [
            ("game:ConectFour-v0", "did you mean 'game:ConnectFour-v0'"),
            ("game:ConnectFour-v1", "did you mean 'game:ConnectFour-v0'"),
            ("kuhn", "did you mean 'game:KuhnPoker-v0' or 'ta:KuhnPoker-v0'"),
            ("frisbee golf", "gem-ma list or list_envs"),
            ("tau:telecom", "did you mean 'tau2:telecom'"),
            ("gym:Chess", "did you mean 'game:Chess-v0'"),
            ("visual:wordl", "did you mean 'game:Wordle-v0'"),
            ("game:frisbee", "gem-ma list or list_envs"),
        ]
    ),
)
def test_an_unknown_id_says_what_is_close(id, words):
    with pytest.raises(UnknownEnv, match=words):
        gem_ma.make(id)


@pytest.mark.parametrize(
    ("name", "id"),
    packs.present(
        [
            ("ConnectFour", "game:ConnectFour-v0"),
            ("connect four", "game:ConnectFour-v0"),
            ("chess", "game:Chess-v0"),  # ours before those of others
            ("game:sudoku-hard", "game:Sudoku-v0-hard"),
            ("GuessTheNumber-v0-easy", "game:GuessTheNumber-v0-easy"),
            ("shop", "tau:shop"),
            ("leg_counting", "rg:leg_counting"),
            ("ta:kuhnpoker-v0", "ta:KuhnPoker-v0"),
        ]
    ),
)
def test_a_name_stands_for_the_one_id_that_it_fits(name, id):
    assert gem_ma.spec(name).id == id


@pytest.mark.parametrize("name", ["ConectFour", "conectfour-v0", "game:ConectFour"])
def test_a_misspelt_name_is_close_to_one(name):
    for make in (gem_ma.make, gem_ma.make_gym):
        with pytest.raises(UnknownEnv, match="did you mean 'game:ConnectFour-v0'"):
            make(name)


def test_a_name_that_fits_several_ids_is_none():
    for name in ("", ":", "game:", "v0", "-"):
        assert registry.find_ids(name) == []


@packs.needs("tasks")
def test_what_a_name_fits_is_told():
    with pytest.raises(UnknownEnv, match="did you mean 'eval:HotpotQA' or 'qa:HotpotQA'"):
        gem_ma.spec("HotpotQA")


def test_suggestions_are_few():
    with pytest.raises(UnknownEnv) as caught:
        gem_ma.spec("Poker Night")
    assert str(caught.value).count("'") <= 12


@packs.needs("bridges")
def test_suggestions_of_one_library_are_few():
    with pytest.raises(UnknownEnv) as caught:
        gem_ma.spec("ta:ker")
    assert 2 <= str(caught.value).count("'ta:") <= 5


def test_lists_ignore_case_and_read_what_is_said_of_a_game():
    assert gem_ma.list_envs("POKER") == gem_ma.list_envs("poker")
    assert {"game:KuhnPoker-v0", "game:LeducPoker-v0"} <= set(gem_ma.list_envs("poker"))
    assert "game:Mastermind-v0" in gem_ma.list_envs("pegs")
    assert gem_ma.list_envs("GAME:kuhn*") == ["game:KuhnPoker-v0"]
    assert gem_ma.spec("game:Nim-v0").summary.startswith("Nim: two agents take from heaps")
    assert gem_ma.Spec("x:y", "json:JSONDecoder").summary == ""


def test_every_id_is_in_gymnasiums_registry():
    for id in gem_ma.list_envs():
        spec = gymnasium.spec(registry.make_gymnasium_id(id))
        assert isinstance(spec.entry_point, str)
        read = gymnasium.envs.registration.EnvSpec.from_json(spec.to_json())
        assert read.kwargs == {"env_id": id}


def test_names_in_other_registries_are_apart_and_are_printed():
    ids = gem_ma.list_envs()
    names = {registry.make_gymnasium_id(id) for id in ids}
    assert len(names) == len(ids)
    printed = gymnasium.pprint_registry(disable_print=True, num_cols=1)
    assert names <= {line.strip() for line in printed.splitlines()}


# A name of each family that needs neither a key nor the network, and how it is made.
OTHERS = packs.present(
    [
        ("gym:CartPole-v1", {}),
        ("duo:Debate/math:Mini", {"others": "random"}),
        ("math:Mini", {}),
        ("social:KeepSecret-v0", {"others": "random"}),
        ("visual:Clock-v0", {"observe": "both"}),
        ("game:ConnectFour-v0", {"others": "random", "actions": "discrete"}),
        ("game:Werewolf-v0", {"others": "random", "observe": "image"}),
    ]
)


@pytest.mark.parametrize(("id", "options"), OTHERS, ids=[id for id, _ in OTHERS])
def test_gymnasiums_checker_passes_by_its_own_door(id, options):
    if "others" in options:
        options = {"agent": gem_ma.make(id).possible_agents[0], **options}
    name = f"gem_ma:{registry.make_gymnasium_id(id)}"
    env = gymnasium.make(name, **options)
    check_env(env.unwrapped, skip_render_check=True)
    vector = gymnasium.make_vec(name, num_envs=2, **options)
    _, infos = vector.reset(seed=0)
    assert infos["to_act"].tolist() == [True, True]
    vector.step(vector.action_space.sample())
    vector.close()


@new_pettingzoo
def test_every_id_is_in_pettingzoos_registry():
    for id in gem_ma.list_envs():
        for kind in ("aec", "parallel"):
            foreign = pettingzoo.spec(kind, registry.make_gymnasium_id(id))
            assert foreign.kwargs == {"env_id": id}


@new_pettingzoo
def test_pettingzoo_makes_every_id():
    for id in IDS:
        foreign = registry.make_gymnasium_id(id)
        env = pettingzoo.make("aec", foreign, observe="both")
        assert isinstance(env, pettingzoo.AECEnv), id
        assert env.observation_builder.config.observe == "both"
        assert isinstance(pettingzoo.make("parallel", foreign), pettingzoo.ParallelEnv), id


@new_pettingzoo
def test_pettingzoos_word_for_a_limit():
    env = pettingzoo.make("aec", "gem_ma/game.RockPaperScissors-v0", max_cycles=3)
    assert env.match.config.max_turns == 3


def test_gymnasium_needs_no_import_of_ours():
    code = (
        "import gymnasium; env = gymnasium.make('gem_ma:gem_ma/game.GuessTheNumber-v0-easy');"
        "print(env.reset(seed=1)[0].split(chr(10))[0])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.startswith("You are playing Guess the Number")


def test_registering(clean):
    gem_ma.register("mine:Four-v0", "gem_ma.envs.boards.connect_four:ConnectFour", format="boxed")
    assert gem_ma.make("mine:Four-v0").observation_builder.config.format == "boxed"
    assert gymnasium.make("gem_ma/mine.Four-v0", agent="red", others="random").reset()
    with pytest.raises(ValueError, match="'mine:Four-v0' is registered already"):
        gem_ma.register("mine:Four-v0", "gem_ma.envs.boards.connect_four:ConnectFour")
    with pytest.raises(ValueError, match="expected 'module:class'"):
        gem_ma.register("mine:Five-v0", "gem_ma.envs.boards.connect_four")


def test_a_record_of_what_was_registered_with_tuples_is_as_registered(clean):
    four = "gem_ma.envs.boards.nim:Nim"
    gem_ma.register("mine:Heaps-v0", four, heaps=(1, 2), levels={"long": {"image_size": (84, 84)}})
    for id in ("mine:Heaps-v0", "mine:Heaps-v0-long"):
        spec = gem_ma.spec(id)
        fields = json.loads(json.dumps({"id": id, "entry_point": four, "kwargs": spec.kwargs}))
        assert Spec(**fields, recorded=True) == spec == gem_ma.make(id).spec
    words = Spec("mine:Words", "a:b", {"words": [("x", {"y": ("z",)})]}, dial=({"n": (1,)},))
    assert words.kwargs == {"words": [["x", {"y": ["z"]}]]}
    assert words.dial == ({"n": [1]},)


def test_registering_levels(clean):
    four = "gem_ma.envs.boards.connect_four:ConnectFour"
    levels = {"short": {"max_turns": 4}, "long": {"max_turns": 40, "format": "auto"}}
    gem_ma.register("mine:Four-v0", four, needs=["hub"], levels=levels, format="boxed")
    assert gem_ma.list_envs("mine:*") == [f"mine:Four-v0{end}" for end in ("", "-long", "-short")]
    assert gem_ma.spec("mine:Four-v0").kwargs == {"format": "boxed"}
    short, long = (gem_ma.spec(f"mine:Four-v0-{level}") for level in levels)
    assert (short.kwargs, short.needs) == ({"format": "boxed", "max_turns": 4}, ("hub",))
    assert long.kwargs == {"format": "auto", "max_turns": 40}
    assert "gem_ma/mine.Four-v0-short" in gymnasium.registry
    with pytest.raises(ValueError, match="'mine:Four-v0-short' is registered already"):
        gem_ma.register("mine:Four-v0-short", four)


def test_nothing_is_registered_if_one_level_cannot_be(clean):
    four = "gem_ma.envs.boards.connect_four:ConnectFour"
    gem_ma.register("mine:Four-v0-long", four)
    with pytest.raises(ValueError, match="'mine:Four-v0-long' is registered already"):
        gem_ma.register("mine:Four-v0", four, levels={"short": {}, "long": {}})
    assert gem_ma.list_envs("mine:*") == ["mine:Four-v0-long"]


def test_listing_imports_nothing_heavy():
    code = (
        "import sys, gem_ma; gem_ma.list_envs();"
        "heavy = {'PIL', 'torch', 'datasets', 'textarena', 'reasoning_gym', 'ssl', 'minigrid'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


def test_a_dial(clean):
    maze = "gem_ma.envs.puzzles.maze:Maze"
    dial = {0: {"size": 2}, 5: {"size": 4}, 10: {"size": 20, "sight": 1}}
    with pytest.raises(ValueError, match="one sets size, the next sight, size"):
        gem_ma.register("mine:Maze-v0", maze, dial=dial)
    dial[10].pop("sight")
    gem_ma.register("mine:Maze-v0", maze, levels={"easy": 1, "far": {"sight": 2}}, dial=dial)
    sizes = [gem_ma.make("mine:Maze-v0", difficulty=at).game.size for at in range(11)]
    assert sizes == [2, 2, 3, 3, 4, 4, 7, 10, 14, 17, 20]
    assert gem_ma.spec("mine:Maze-v0-easy").kwargs == {"size": 2}
    far = gem_ma.make("mine:Maze-v0-far", difficulty=10)
    assert (far.game.size, far.game.sight) == (20, 2)
    assert gem_ma.make("mine:Maze-v0", difficulty=10, size=6).game.size == 6  # said by itself
    assert gem_ma.make(far.spec).game.size == 20
    for wrong, error in ((11, ValueError), (-1, ValueError), (2.5, TypeError), (True, TypeError)):
        with pytest.raises(error, match=r"difficulty=.*: expected .*0 to 10"):
            gem_ma.make("mine:Maze-v0", difficulty=wrong)
    with pytest.raises(TypeError, match="did you mean 'difficulty'"):
        gem_ma.make("mine:Maze-v0", dificulty=1)
    with pytest.raises(TypeError, match="unexpected keyword argument 'difficulty'"):
        gem_ma.make("game:TicTacToe-v0", difficulty=1)
    with pytest.raises(ValueError, match=r"expected 0, 10 and any in between"):
        gem_ma.register("mine:Other-v0", maze, dial={0: {"size": 2}})
