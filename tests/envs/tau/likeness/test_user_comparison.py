"""Users compared with people: distances, intervals, whose conversations count, and bad files."""

import functools
import json
import math
from dataclasses import replace

import numpy as np
import packs
import pytest

import gem_ma
from gem_ma import rollout, save_episodes
from gem_ma.cli.main import main
from gem_ma.envs.tau import compare_users
from gem_ma.envs.tau.likeness.conversation_features import DIMENSIONS
from gem_ma.envs.tau.likeness.recorded_conversations import load_recorded_episodes
from gem_ma.envs.tau.likeness.user_comparison import measure_distances
from gem_ma.rollouts.episode import EpisodeFailure
from gem_ma.validation.json_types import replace_tuples

COUNT = 24  # conversations of each kind of user


@functools.cache
def play(user, seed=0, count=COUNT):
    """Return conversations that users by rule made; the names of their agents say so."""
    players = {"user": user, "assistant": "informed-assistant"}
    return tuple(rollout("tau:shop", players, count, seed=seed))


def by_people(episodes, name="human:Ann"):
    return [replace(one, agents={**one.agents, "user": name}) for one in episodes]


def find_dimension(comparison, name):
    return next(row for row in comparison.dimensions if row.name == name)


@pytest.mark.parametrize(
    ("kind", "dimension"),
    [
        ("talkative", "length"),
        ("plain:vague=0.9", "information"),
        ("plain:forgetful=0.7", "hedging"),
        ("plain:suspicious=0.7", "questions"),
        ("plain:mistaken=0.9", "corrections"),
        ("plain:polite=0.8", "cooperation"),
    ],
)
def test_another_kind_of_user_is_further_away_than_the_same_kind(kind, dimension):
    plain, again = play("user:plain", count=2 * COUNT), play("user:plain", seed=1)
    same = find_dimension(compare_users(again, plain), dimension)
    other = find_dimension(compare_users(play(f"user:{kind}", seed=1), plain), dimension)
    assert same.distance.value <= same.halves.limit
    assert other.distance.value > other.halves.limit
    assert other.distance.low > same.distance.value


def test_another_ending_is_further_away_than_the_same():
    plain = play("user:plain")
    players = {"user": lambda turn: "Hi." if turn.first else "###STOP###"}
    gone = rollout("tau:shop", {**players, "assistant": "informed-assistant"}, 8, seed=1)
    row = find_dimension(compare_users(gone, plain), "ending")
    assert {one.name: one.distance for one in row.features} == {
        "messages": 1.0,
        "solved": 1.0,
        "way of ending": 0.0,
    }
    assert row.distance.value > row.halves.limit


def test_distances_by_hand():
    """Kolmogorov-Smirnov for numbers, total variation for a category, unknown values left out."""
    simulated = [{"messages": 1.0, "way of ending": "user"}, {"messages": 2.0, "answers": 1.0}]
    people = [
        {"messages": 2.0, "way of ending": "left"},
        {"messages": 9.0, "way of ending": "user"},
    ]
    rows, overall = measure_distances(simulated, people)
    ending = next(row for row in rows if row.name == "ending")
    assert [(one.name, one.distance) for one in ending.features[::2]] == [
        ("messages", 0.5),
        ("way of ending", 0.5),
    ]
    assert (ending.features[0].simulated, ending.features[0].people) == (1.5, 5.5)
    assert math.isnan(ending.features[1].distance)
    assert math.isnan(next(row for row in rows if row.name == "cooperation").distance.value)
    assert overall.distance.value == ending.distance.value == 0.5


def draw_conversations(rng, count, shift):
    """Return features of users whom `shift` makes wordier, politer and more likely to leave."""
    endings, chances = ["user", "limit", "left"], [0.8 - shift, 0.15, 0.05 + shift]
    return [
        {
            "words per message": float(rng.poisson(5 * (1 + shift))),
            "short messages": float(rng.random() < 0.2 + shift),
            "is polite": rng.binomial(5, 0.3 + shift) / 5,
            "messages": float(rng.poisson(5 * (1 + shift))),
            "way of ending": str(rng.choice(endings, p=chances)),
        }
        for _ in range(count)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("simulated", "people"), [(20, 20), (100, 40)])
@pytest.mark.parametrize("shift", [0.0, 0.1, 0.3])
def test_intervals_cover_the_expected_distance(simulated, people, shift):
    """Nearly 95 of 100; the halves of the people say how far equal users are from each other."""
    rng = np.random.default_rng(1)
    rows = [
        measure_distances(
            draw_conversations(rng, simulated, shift), draw_conversations(rng, people, 0.0)
        )[1]
        for _ in range(150)
    ]
    expected = np.mean([row.distance.value for row in rows])
    covered = [row.distance.low <= expected <= row.distance.high for row in rows]
    assert np.mean(covered) >= 0.89
    beyond = np.mean([row.distance.value > row.halves.limit for row in rows])
    if shift:
        assert beyond > (0.9 if shift == 0.3 else 0.25)
    else:
        assert np.mean([row.halves.mean for row in rows]) == pytest.approx(expected, rel=0.1)
        assert beyond < 0.15


def test_one_conversation_has_a_distance_and_no_interval():
    (one,), many = play("user:plain", count=1), play("user:talkative")
    for comparison in (compare_users([one], many), compare_users(many, [one])):
        assert 0.0 < comparison.overall.distance.value < 1.0
        assert math.isnan(comparison.likeness.low)
    assert math.isnan(comparison.overall.halves.mean)
    assert "likeness" in str(comparison)
    assert comparison.to_json()["overall"]["halves"] == {"mean": None, "limit": None}


def test_only_people_count_if_there_are_any():
    plain, talkative = play("user:plain"), play("user:talkative")
    people = [*by_people(talkative[:4]), *by_people(talkative[4:5], "human")]
    people += [*by_people(talkative[5:6], "HumanAgent()"), *plain]
    comparison = compare_users(plain, people)
    assert comparison.has_people
    players = {"human:Ann": 4, "human": 1, "HumanAgent()": 1}
    assert comparison.people == (6, players, {"not played by a person": COUNT})
    assert f"human:Ann, human, HumanAgent() (left out: {COUNT} not pl" in str(comparison)
    assert comparison.dimensions == compare_users(plain, talkative[:6]).dimensions
    assert "no record says" not in str(comparison)
    stand_in = compare_users(plain, talkative)
    assert not stand_in.has_people
    assert "user:talkative; no record says that a person played" in str(stand_in)


def test_what_does_not_show_how_people_behave_is_left_out():
    plain = play("user:plain")
    first, second, third, fourth, fifth, *rest = by_people(play("user:plain", seed=1))
    silent = replace(fifth, steps=[one for one in fifth.steps if one.agent != "user"])
    other = by_people(rollout("game:TicTacToe-v0", "random", 1, seed=0))
    people = [
        replace(first, failure=EpisodeFailure("assistant", "Left", "gone")),
        replace(second, begun=2),
        replace(third, report={**third.report, "out of time": {"user": 1}}),
        replace(fourth, failure=EpisodeFailure("user", "Left", "gone"), report={}),
        silent,
        *other,
        *rest,
    ]
    comparison = compare_users(plain, people)
    assert comparison.people.left_out == {
        "failed": 1,
        "continued from another record": 1,
        "with a move of the clock": 1,
        "without a message of the user": 1,
        "without a user of tau: or tau2:": 1,
    }
    assert comparison.people.conversations == len(rest) + 1  # with the person who left
    assert "(left out: 1 failed, 1 continued" in str(comparison)
    ending = find_dimension(comparison, "ending").features[2]
    assert ending.distance == pytest.approx(1 / (len(rest) + 1))


def test_a_report_as_json_and_tasks_in_both():
    plain, talkative = play("user:plain"), play("user:talkative")
    comparison = compare_users(plain, talkative)
    assert comparison.common_tasks == COUNT  # of the same seed
    assert compare_users(plain, play("user:plain", seed=1)).common_tasks == 0
    data = json.loads(json.dumps(comparison.to_json(), allow_nan=False))
    assert data == replace_tuples(comparison.to_json())
    assert [row["name"] for row in data["dimensions"]] == [*DIMENSIONS]
    assert data["likeness"]["value"] == 1 - data["overall"]["distance"]["value"]
    assert compare_users(plain, talkative) == comparison  # nothing is drawn by chance


@packs.needs("tau2")
def test_users_with_tools_are_compared_by_what_they_say():
    players = {"assistant": "informed-assistant"}
    sets = [
        rollout("tau2:phone", {**players, "user": user}, 6, seed=0)
        for user in ("user:plain", "user:talkative")
    ]
    comparison = compare_users(*sets)
    assert comparison.envs == ("tau2:phone",)
    assert find_dimension(comparison, "cooperation").distance.value > 0.0
    with pytest.raises(ValueError, match="simulated users played tau2:phone, and the people tau:s"):
        compare_users(sets[0], play("user:plain"))
    assert compare_users([*sets[0], *play("user:plain")], sets[1]).simulated.left_out == {
        "of an id that the other has not": COUNT
    }


@packs.needs("serving")
def test_the_folder_of_an_arena_holds_people(tmp_path):
    """One person finishes, another leaves; a comparison with its origin does not count."""
    from gem_ma.serving.arena.match_files import MatchInfo, open_records
    from gem_ma.serving.arena.match_session import MatchSession

    for name in ("finished", "left"):
        agents = {"assistant": "oracle-assistant"}
        info = MatchInfo(name, "tau:shop", {}, 5, {"user": ("Ann", "hash")}, agents)
        match = MatchSession.create(tmp_path / name, info)
        match.submit_reply("user", "Hello, it is about my order.")
        match.submit_reply("assistant", "Which one?")
        match.submit_reply("user", "###STOP###") if name == "finished" else match.leave("user")
        match.write_record()
        match.write_comparison(play("user:plain")[0])
        with open_records(tmp_path / "episodes.jsonl")[0] as file:
            file.append(match.episode)
    comparison = compare_users(play("user:plain"), load_recorded_episodes(tmp_path))
    assert (comparison.has_people, comparison.people) == (True, (2, {"human:Ann": 2}, {}))
    assert find_dimension(comparison, "ending").features[2].distance == 0.5  # one left


def test_on_the_command_line(tmp_path, capsys):
    simulated, people = tmp_path / "simulated.jsonl", tmp_path / "runs" / "people.jsonl"
    people.parent.mkdir()
    save_episodes(play("user:plain"), simulated)
    save_episodes(by_people(play("user:talkative"), "human:\x1b[31mAnn"), people)
    command = ["users", "compare", str(simulated), "--humans", str(people.parent)]
    assert main(command) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"tau:shop: {COUNT} tasks in both\nsimulated: {COUNT} conversations")
    assert "\x1b" not in text
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["people"]["has_people"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["compare", "SIMULATED"], "expected gem-ma users compare RECORDS --humans FILE"),
        (["compare", "SIMULATED", "x", "--humans", "SIMULATED"], "expected gem-ma users compare"),
        (
            ["compare", "SIMULATED", "--humans", "SIMULATED", "--users", "x"],
            "compare plays nothing",
        ),
        (["compare", "SIMULATED", "--humans", "nothing.jsonl"], "there is no such file or folder"),
        (["compare", "SIMULATED", "--humans", "EMPTY"], "is no file of episodes"),
        (["compare", "SIMULATED", "--humans", "FOREIGN"], "got 1 without a user of tau: or tau2:"),
        (["compare", "HOSTILE", "--humans", "SIMULATED"], "its task cannot be made again: task="),
        (["tau:shop"], "expected an environment and --users SPEC, or compare RECORDS"),
        (["tau:shop", "--users", "x", "--humans", "EMPTY"], "expected an environment and --users"),
    ],
)
def test_what_cannot_be_compared_is_answered_by_a_sentence(words, message, tmp_path, capsys):
    episodes = play("user:plain", count=1)
    files = {
        "SIMULATED": episodes,
        "EMPTY": [],
        "FOREIGN": rollout("game:TicTacToe-v0", "random", 1, seed=0),
        "HOSTILE": [replace(episodes[0], options={"task": "; rm"}, report={"task": [1]})],
    }
    for name, content in files.items():
        save_episodes(content, tmp_path / name)
    words = [str(tmp_path / word) if word in files else word for word in words]
    assert main(["users", *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_a_record_of_another_game_under_this_name_is_refused():
    (episode,) = play("user:plain", count=1)
    spec = replace(gem_ma.spec("game:TicTacToe-v0"), id="tau:shop")
    with pytest.raises(ValueError, match="TicTacToe has no user with a task"):
        compare_users([replace(episode, spec=spec)], [episode])
