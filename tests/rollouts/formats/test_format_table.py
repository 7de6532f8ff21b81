"""Formats by name: what is written, what is read again, and what is said of the rest."""

import json
import warnings

import pytest
import record_kinds

import gem_ma
from gem_ma import load_episodes, save_episodes
from gem_ma.rollouts.formats import losses
from gem_ma.rollouts.formats.table import FORMATS


def test_what_is_lost_is_said_once(tmp_path):
    episodes = [*record_kinds.record("turns"), *record_kinds.record("failures")]
    with pytest.warns(UserWarning, match="openai") as told:
        save_episodes(episodes, tmp_path / "out.jsonl", format="openai")
    (one,) = told
    words = str(one.message)
    assert "failed episodes (2 of 4 episodes)" in words
    assert "what an episode can be played again from" in words
    assert "thoughts" not in words


def test_nothing_is_said_where_nothing_is_lost(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        save_episodes(record_kinds.record("turns"), tmp_path / "out", format="verifiers")
    assert list(load_episodes(tmp_path / "out", format="verifiers")) == list(
        record_kinds.record("turns")
    )


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("failures", "failed episodes"),
        ("turns", "returns"),
        ("turns", "rewards of turns"),
        ("thoughts", "thoughts"),
        ("tokens", "tokens, log-probabilities and usage"),
        ("tokens", "model calls of agent programs"),
        ("forfeits", "refusals of invalid replies"),
        ("branches", "steps before the rollout"),
        ("native calls", "text beside tool calls"),
        ("native calls", "where results of tools end"),
        ("hostile texts", "characters that are half of a surrogate pair"),
    ],
)
def test_each_thing_is_found_where_it_is(kind, name):
    for other, expected in ((kind, True), ("one seat", name in ("returns",))):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            list(losses.warn_of_losses(record_kinds.record(other), "f", [name]))
        assert bool(told) == expected


def test_formats_lack_only_what_has_a_name():
    for one in FORMATS.values():
        assert one.lacks <= losses.CONTENTS


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"format": "atf"}, ValueError, "format='atf': expected gem_ma, atif, openai"),
        ({"format": 3}, TypeError, "format=3"),
        ({"format": "openai", "path": "out"}, ValueError, r"ends in .jsonl, such as out.jsonl"),
        ({"format": "atif", "path": "out.json"}, ValueError, "expected a folder's name"),
        ({"format": "hf", "path": "out.csv"}, ValueError, "ends in .parquet"),
        ({"format": "atif", "seats": ["x"]}, ValueError, r"seats=\['x'\] does not go with"),
        ({"format": "gem_ma", "seats": ["x"]}, ValueError, "seats and rows go with"),
        ({"format": "openai", "path": "o.jsonl", "rows": "turn"}, ValueError, "rows='turn' does"),
        ({"format": "openai", "path": "o.jsonl", "seats": "x"}, ValueError, r"such as \['x'\]"),
        ({"format": "verifiers", "path": "no/out"}, FileNotFoundError, "create it first"),
        ({"format": "verifiers", "path": "there"}, FileExistsError, "nothing yet"),
        ({"format": "verifiers", "episodes": ["x"]}, TypeError, "one of episodes"),
    ],
)
def test_wrong_arguments(arguments, error, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    with pytest.raises(error, match=words):
        save_episodes(**{"episodes": record_kinds.record("turns"), "path": "out", **arguments})
    assert [one.name for one in tmp_path.iterdir()] == ["there"]


def test_what_cannot_be_read(tmp_path):
    with pytest.raises(ValueError, match="expected gem_ma, atif, inspect, verifiers"):
        list(load_episodes(tmp_path, format="openai"))
    with pytest.raises(FileNotFoundError, match="there is no file or folder"):
        list(load_episodes(tmp_path / "no", format="atif"))


@pytest.mark.parametrize(("format", "name"), [("openai", "o.jsonl"), ("verifiers", "o")])
def test_nothing_is_left_of_what_was_not_finished(format, name, tmp_path):
    def broken():
        yield from record_kinds.record("turns")
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        save_episodes(broken(), tmp_path / name, format=format)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format", ["sharegpt", "openai"])
def test_what_is_written_is_utf8(format, tmp_path):
    path = tmp_path / f"out{FORMATS[format].suffix}"
    with pytest.warns(UserWarning, match="surrogate"):
        save_episodes(record_kinds.record("hostile texts"), path, format=format)
    text = path.read_text("utf-8")
    rows = json.loads(text) if format == "sharegpt" else map(json.loads, text.splitlines())
    for row in rows:
        json.dumps(row, ensure_ascii=False).encode()


def test_the_command_writes_and_reads(tmp_path, monkeypatch, capsys):
    from gem_ma.cli.main import main

    monkeypatch.chdir(tmp_path)
    episodes = list(record_kinds.record("pictures"))
    gem_ma.save_episodes(episodes, "a.jsonl")
    assert main(["convert", "a.jsonl", "a.jsonl", "--to", "verifiers", "--out", "v"]) == 0
    assert capsys.readouterr().out == "4 episodes in v\n"
    assert main(["convert", "v", "--from", "verifiers", "--out", "b.jsonl"]) == 0
    assert list(gem_ma.load_episodes("b.jsonl")) == episodes * 2
    assert record_kinds.draw(gem_ma.load_episodes("b.jsonl")) == record_kinds.draw(episodes) * 2
    capsys.readouterr()
    assert (
        main(
            [
                "convert",
                "v",
                "--from",
                "verifiers",
                "--to",
                "openai",
                "--seats",
                "x",
                "--out",
                "c.jsonl",
            ]
        )
        == 0
    )
    read = capsys.readouterr()
    assert read.err.count("cannot hold") == 1
    assert len((tmp_path / "c.jsonl").read_text().splitlines()) == 4
