"""Suites: those of the package, files, and what makes no sense."""

from collections import Counter
from importlib import resources
from pathlib import Path

import packs
import pytest
from evaluations import BOARD

import gem_ma
from gem_ma.envs.registry import UnknownEnv
from gem_ma.evaluation import suites
from gem_ma.evaluation.suites import BadSuite
from gem_ma.packs import list_packs


def test_the_suites_that_come_with_the_package():
    own = ["multi", "prompts", "smoke"]
    added = {
        "inject": ["inject"],
        "screens": ["phones", "screens"],
        "social": ["social"],
        "tasks": ["games24"],
        "tau": ["tau-airline", "tau-retail"],
        "tau2": ["tau2-all", "tau2-telecom"],
        "terminal": ["terminal"],
        "visual": [
            *("vision", "vision-diagrams", "vision-figures", "vision-grounding"),
            *("vision-robust", "vision-walks"),
        ],
        "webshop": ["webshop"],
    }
    here = [name for pack in added.keys() & packs.HERE for name in added[pack]]
    assert suites.list_suites() == sorted([*own, *here])
    for name in suites.list_suites():
        loaded = suites.load_suite(name)
        assert loaded.description
        for entry in packs.present(loaded.entries):
            gem_ma.spec(entry.id)


@packs.needs("tasks")
def test_a_suite_of_games_and_tasks():
    counts = Counter(one.id.partition(":")[0] for one in suites.load_suite("games24").entries)
    assert counts == {"game": 12, "rg": 4, "math": 3, "code": 2, "qa": 3}


@packs.needs("tau")
def test_a_suite_of_a_benchmark_has_all_of_its_tasks():
    assert len(suites.load_suite("tau-retail").entries[0].list_reset_options()) == 115


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({}, "has no"),
        ({"entry": [{"id": BOARD, "trials": 0}]}, "trials is 0; expected a whole number"),
        ({"entry": [{"id": BOARD, "tasks": True}]}, "tasks is True"),
        ({"entry": [{"id": BOARD, "seats": "some"}]}, "seats is 'some'; expected \"each\""),
        ({"entry": [{"id": BOARD, "task": 3}]}, "unknown key 'task'; the keys are"),
        ({"entry": [{"tasks": 3}]}, "expected id ="),
        ({"entry": [{"id": BOARD}, {"id": BOARD}]}, "twice"),
        ({"entry": [{"id": BOARD, "opponents": 3}]}, "opponents is 3"),
        ({"entry": [{"id": BOARD}], "seed": "x"}, "seed is 'x'"),
        ({"entries": []}, "unknown key 'entries'"),
        ({"entry": [{"id": BOARD, "vary": {"noise": "blur"}}]}, "vary is {'noise': 'blur'}"),
        ({"defaults": {"id": BOARD}, "entry": [{}]}, "unknown key 'id'"),
    ],
)
def test_suites_that_make_no_sense(data, words):
    with pytest.raises(BadSuite, match=words):
        suites.parse_suite(data, "test")


def test_an_argument_that_varies_makes_an_entry_of_each_value():
    vary = {"noise": ["", "blur:2"], "theme": [1, 2]}
    given = {"arguments": {"observe": "image", "theme": 9}, "vary": vary}
    made = suites.parse_suite(
        {"defaults": given, "entry": [{"id": [BOARD, "game:Nim-v0"]}]}, "test"
    ).entries
    assert [one.name for one in made][:3] == [
        f"{BOARD} theme=1",
        f"{BOARD} theme=2",
        f"{BOARD} noise=blur:2 theme=1",
    ]
    assert made[7].arguments == {"observe": "image", "noise": "blur:2", "theme": 2}
    assert made[7].id == "game:Nim-v0"
    assert len(made) == 8


def test_suites_in_files(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(f'[[entry]]\nid = "{BOARD}"\nseats = ["x", ["x", "o"]]\n')
    (entry,) = suites.load_suite(str(path)).entries
    assert entry.list_lineups(("x", "o")) == [("x",), ("x", "o")]
    path.write_text("[[entry\n")
    with pytest.raises(BadSuite, match=r"mine\.toml is not TOML"):
        suites.load_suite(str(path))
    with pytest.raises(BadSuite, match="No such file"):
        suites.load_suite(str(tmp_path / "other.toml"))
    with pytest.raises(BadSuite, match=r"no suite 'smok'; there are .*smoke"):
        suites.load_suite("smok")
    with pytest.raises(UnknownEnv, match="TicTacToe"):
        suites.make_suite(["game:TicTacToe-v9"])


@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(one, marks=packs.needs("tau")) for one in ("tau-retail", "tau-airline")),
        *(pytest.param(one, marks=packs.needs("tau2")) for one in ("tau2-telecom", "tau2-all")),
    ],
)
def test_suites_of_the_originals_draw_as_they_do(name):
    seats = ["assistant"] if name.startswith("tau-") else ["assistant", "user"]
    for entry in suites.load_suite(name).entries:
        assert entry.sampling == {seat: {"temperature": 0} for seat in seats}


def test_suites_are_part_of_the_package():
    top = Path(gem_ma.__file__).parent
    folders = [top / "evaluation" / "suites"]
    folders += [
        Path(str(resources.files(one.package))) / one.pack.suites
        for one in list_packs()
        if one.pack.suites
    ]
    assert {path.stem for one in folders for path in one.iterdir()} == set(suites.list_suites())
