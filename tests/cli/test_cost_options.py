"""--price, --max-cost and --cache of gem-ma run and gem-ma eval, against a server."""

import json

import pytest
from needed import needed
from stub_server import StubServer

import gem_ma
from gem_ma.cli.cost_options import parse_prices
from gem_ma.cli.main import main

needed("openai", install="'gem-ma[openai]'")

GAME = "game:RockPaperScissors-v0"  # of three rounds here
PRICE = ["--price", "1000,5000"]  # 0.02 for a reply


@pytest.fixture
def server():
    with StubServer(lambda body, attempt: "rock") as server:  # of 10 tokens, and 2 for the reply
        yield server


def play(*words):
    """Return the exit code of a command, with episodes one after the other."""
    command, *words = map(str, words)
    return main([command, GAME, "--set", "rounds=3", "--seed=0", "--concurrency=1", *words])


def test_a_run_stops_at_its_limit_and_continues(server, tmp_path, capsys):
    out = tmp_path / "a.jsonl"
    words = ["run", "--agents", f"left=openai:m@{server.url}", "--episodes", 4, "--out", out]
    words += [*PRICE, "--cache", tmp_path / "cache"]
    assert play(*words, "--max-cost", "0.1") == 1
    said, error = capsys.readouterr()
    assert len(server.requests) == 5
    (first,) = gem_ma.load_episodes(out)  # three replies; two were of an episode that was dropped
    costs = [getattr(step.reply, "cost", None) for step in first.steps]
    assert costs == [pytest.approx(0.02), None] * 3
    assert "1 of 4 episodes, seed 0\n" in said
    assert "cost: 0.0600\n" in said
    assert error.splitlines()[-2:] == [
        "gem-ma: --max-cost 0.1 is reached: replies have cost 0.1000; a higher limit continues",
        f"stopped: {out} keeps 1 of 4 episodes; the same command with --resume continues",
    ]
    assert play(*words, "--max-cost", "0.06", "--resume") == 1  # which the file has
    assert len(server.requests) == 5
    assert play(*words, "--max-cost", "0.9", "--resume") == 0
    assert len(server.requests) == 12  # those of the dropped episode came from the cache
    assert "cost: 0.2400\n2 of 24 replies came from the cache\n" in capsys.readouterr().out


def test_the_same_run_again_asks_nothing(server, tmp_path, capsys):
    words = ["run", "--agents", f"openai:m@{server.url}", "--episodes", 3]
    words += ["--cache", tmp_path / "cache"]
    assert play(*words, "--out", tmp_path / "a.jsonl") == 0
    asked = len(server.requests)
    assert asked == 18
    assert play(*words, "--out", tmp_path / "b.jsonl", "--workers", 1) == 0
    assert len(server.requests) == asked
    assert f"{asked} of {asked} replies came from the cache" in capsys.readouterr().out
    texts = []
    for name in "ab":
        lines = (tmp_path / f"{name}.jsonl").read_text().splitlines()
        episodes = sorted(map(json.loads, lines), key=lambda one: one["number"])
        texts.append([[step["reply"]["text"] for step in one["steps"]] for one in episodes])
    assert texts[0] == texts[1]


def test_an_evaluation_stops_at_its_limit_and_continues(server, tmp_path, capsys):
    out = tmp_path / "e"
    words = ["eval", "--agents", f"openai:m@{server.url}", "--tasks", 2, "--out", out]
    words += ["--cache", tmp_path / "cache"]
    assert play(*words, *PRICE, "--max-cost", "0.1") == 1
    said = capsys.readouterr().out
    assert len(server.requests) == 5
    reason = "--max-cost 0.1 is reached: replies have cost 0.1000; a higher limit continues"
    assert f"stopped {GAME} right: {reason}" in said
    results = json.loads((out / "results.json").read_text())
    assert results["overall"]["missing"] == 3
    assert len(results["stopped"]) == 2
    assert play(*words, *PRICE, "--max-cost", "9") == 0
    assert len(server.requests) == 12
    assert "cost: 0.2400" in capsys.readouterr().out
    results = json.loads((out / "results.json").read_text())
    assert results["overall"]["missing"] == 0
    assert [row["cost"]["value"] for row in results["rows"]] == pytest.approx([0.06, 0.06])
    assert play(*words) == 0  # without prices, those of the records
    assert "cost: 0.2400" in capsys.readouterr().out
    assert len(server.requests) == 12


def test_wrong_options_are_one_line(server, tmp_path, capsys):
    model = f"openai:m@{server.url}"
    (tmp_path / "file").write_text("")
    for command in ("run", "eval"):
        out = ["--out", tmp_path / command]
        for words, said in (
            (["--agents", "random", "--max-cost", "1"], "--max-cost 1 needs the prices of a model"),
            (["--agents", model, "--max-cost", "1"], "--max-cost 1 needs the prices of a model"),
            (["--agents", "random", "--cache", "c"], "--cache c keeps the answers of providers"),
            (["--agents", model, "--cache", str(tmp_path / "file")], "File exists"),
            (["--agents", model, "--price", "n=1,2"], "prices for 'n', but no agent has this name"),
            (["--agents", model, "--price", "1"], "--price 1: expected two numbers"),
            (
                ["--agents", model, "--price", "1,2", "--price", "1,2"],
                "got two prices",
            ),
            (["--agents", model, "--max-cost", "nan"], "expected a number above 0"),
        ):
            assert play(command, *words, *out) == 2, words
            error = capsys.readouterr().err
            assert said in error
            assert len(error.splitlines()) == 1
    assert not server.requests


def test_prices_are_parsed():
    assert parse_prices([]) == {}
    assert parse_prices(["1,2", "org/m=0.5,0"]) == {"": (1.0, 2.0), "org/m": (0.5, 0.0)}
