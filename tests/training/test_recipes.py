"""The recipes: each runs in its short form, goes on where it stopped, and writes what came out."""

import importlib
import json
import sys
from pathlib import Path

import pytest
from needed import needed

torch = needed("torch", install="'gem-ma[hf]'")
needed("transformers", install="'gem-ma[hf]'")

from gem_ma.training.callbacks import BestCheckpoint

RECIPES = Path(__file__).parents[2] / "examples" / "recipes"
RUNS = {
    "guess": [[], ["--staleness", "1"]],
    "tictactoe": [["--pool", "past"], ["--pool", "none", "--kl", "0", "--length", "five"]],
    "kuhn": [[]],
    "pixels": [
        ["--game", "lake", "--observe", "image"],
        ["--game", "tictactoe", "--observe", "text"],
    ],
    "shop": [[]],
    "reference": [[]],
    "tools": [["--tool", "python"], ["--tool", "none"]],
    "discount": [[]],
    "transfer": [[]],
    "users": [["--reward", "likeness"], ["--reward", "task"]],
    "with_trl": [["--model", "scratch"], ["--model", "smollm2"]],
    "pretrained": [["--game", "guess"], ["--game", "kuhn"], ["--game", "sort"]],
}
NEEDED = {  # by recipe, or by recipe and words: libraries and how to install them
    "shop": {"peft": "peft"},
    "tools": {"reasoning_gym": "'gem-ma[reasoning-gym]'"},
    "with_trl": {"trl": "trl==1.16.0", "peft": "peft"},
    "pretrained": {"peft": "'gem-ma[lora]'"},
    "pretrained --game sort": {"reasoning_gym": "'gem-ma[reasoning-gym]'"},
}
SLOW = [["--model", "smollm2"]]  # TRL takes long to begin
CASES = [(name, words) for name, all_words in RUNS.items() for words in all_words]


@pytest.fixture
def recipe(monkeypatch):
    """Run a recipe, and return what it wrote."""
    monkeypatch.syspath_prepend(str(RECIPES))
    threads = torch.get_num_threads()

    def run(name, folder, *words):
        given = [f"{name}.py", "--short", "--out", str(folder), *words]
        monkeypatch.setattr(sys, "argv", given)
        importlib.import_module(name).main()
        return json.loads((folder / "result.json").read_text())

    yield run
    torch.set_num_threads(threads)
    for name in ("common", *RUNS):
        sys.modules.pop(name, None)


def test_a_recipe_shows_signs_of_life_from_its_first_part_on(recipe, tmp_path, capfd):
    recipe("guess", tmp_path)
    told = capfd.readouterr()
    lines = told.err.splitlines()
    assert [line for line in lines if line.startswith("20/20")]  # of the games to learn from
    assert [line for line in lines if " loss " in line]  # of the imitation
    assert [line for line in lines if line.startswith("2/2  ")]  # of the updates
    assert "\r" not in told.err  # no bars, of weights or else
    assert "weights" not in told.err
    assert "shards" not in told.err


def test_every_recipe_is_tried():
    scripts = {path.stem for path in RECIPES.glob("*.py")} - {"common", "report"}
    assert scripts == set(RUNS)


@pytest.mark.filterwarnings("ignore")  # those of peft and TRL
@pytest.mark.parametrize(
    ("name", "words"),
    [
        pytest.param(name, words, marks=[pytest.mark.slow] * (words in SLOW))
        for name, words in CASES
    ],
    ids=[" ".join([name, *words]) for name, words in CASES],
)
def test_short_form(recipe, tmp_path, name, words):
    for key in (name, " ".join([name, *words])):
        for library, install in NEEDED.get(key, {}).items():
            pytest.importorskip(library, reason=f"pip install {install}")
    told = recipe(name, tmp_path, *words)
    assert told["seed"] == 0
    assert told["results"]
    for seconds in told["cpu_seconds"], told["wall_seconds"]:
        assert all(value >= 0 for value in seconds.values())
    curves = list(tmp_path.glob("*/history.jsonl"))
    assert curves
    for curve in curves:
        rows = [json.loads(line) for line in curve.read_text().splitlines()]
        assert [row["step"] for row in rows] == [0, 1]


@pytest.mark.parametrize("window", [1, 10])
def test_one_that_collapses_says_so_and_is_judged_by_its_best(
    recipe, tmp_path, monkeypatch, window
):
    class Strict(BestCheckpoint):
        def __init__(self, score, path):
            super().__init__(score, path, window=window)

        def diagnose(self, history, learners):
            return "it talks nonsense" if len(history) == 2 else None

    monkeypatch.setattr("gem_ma.training.BestCheckpoint", Strict)
    found = recipe("guess", tmp_path)["results"]
    kept = tmp_path / "best.pt"
    assert kept.exists()
    assert found["collapsed"].startswith("after 2 updates it talks nonsense")
    assert "greedy" in found


def test_one_that_is_run_again_gives_the_same(recipe, tmp_path):
    first = recipe("guess", tmp_path)
    (tmp_path / "result.json").unlink()
    again = recipe("guess", tmp_path)
    assert again["results"] == first["results"]
    assert sum(again["cpu_seconds"].values()) >= sum(first["cpu_seconds"].values())
