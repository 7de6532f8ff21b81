"""Users measured: traits asked for and shown, whose fault a failure was, and a report of it."""

import json
import warnings
from dataclasses import replace

import packs
import pytest
from playable import IDS

import gem_ma
from gem_ma import Reply, rollout
from gem_ma.cli.main import main
from gem_ma.envs.tau import measure_users
from gem_ma.envs.tau.agents.users.traits import TRAITS
from gem_ma.envs.tau.user_metrics import Report, Row, Shown, row_of, talk_of, traits_shown
from gem_ma.evaluation.statistics import IntervalEstimate
from gem_ma.rollouts.episode import EpisodeFailure

LONG = pytest.param(1000, marks=pytest.mark.slow)
NO_FAULTS = IntervalEstimate(0.0, 0.0, 0.0)
SHOWN = [name for name in TRAITS if name not in ("impatient", "leaving")]  # these two end it early
PHONE = [
    *("overclaiming", "partial", "evasive", "questioning", "reluctant", "returning"),
    *("misleading", "irritable", "terse", "forgetful", "mistaken", "suspicious", "typos"),
]


def measure_trait(env, trait, count, asked=0.5, **arguments):
    """Return what a user with one trait does, which shows as often as asked, and no other trait."""
    (row,) = measure_users(env, [f"user:plain:{trait}={asked}"], episodes=count, **arguments).rows
    shown = row.shown[trait]
    spread = (asked * (1 - asked) / shown.chances) ** 0.5
    assert abs(shown.share - asked) < 3.3 * spread, shown
    others = {name: one for name, one in row.shown.items() if name != trait and one.times}
    assert not others, others
    assert row.contradictions == 0
    return row


@pytest.mark.parametrize("count", [25, LONG])
@pytest.mark.parametrize("trait", SHOWN)
def test_a_trait_shows_as_often_as_it_is_asked_for_and_costs_nothing(trait, count):
    row = measure_trait("tau:shop", trait, count, dual=trait == "overclaiming")
    assert row.success.value >= 0.99
    assert row.faults.value <= 0.01


@pytest.mark.parametrize(
    "trait",
    [
        pytest.param(one, marks=() if one in ("terse", "typos") else pytest.mark.slow)
        for one in SHOWN
    ],
)
def test_it_shows_where_the_shop_asks_for_the_phone_too(trait):
    measure_trait("tau:shop", trait, 25 if trait in ("terse", "typos") else 300, dual=True)


@packs.needs("tau2")
@pytest.mark.parametrize(
    ("trait", "count"),
    [
        ("overclaiming", 8),
        ("terse", 8),
        *(pytest.param(trait, 300, marks=pytest.mark.slow) for trait in PHONE),
    ],
)
def test_it_shows_on_the_phone_too(trait, count):
    row = measure_trait("tau2:phone", trait, count)
    assert row.success.value >= 0.99
    assert row.faults.value <= 0.01


TELECOM = [*PHONE, "polite", "off_topic", "fickle"]
TELECOM = [one for one in TELECOM if one != "partial"]  # nothing there asks for two things


@pytest.mark.slow
@pytest.mark.skipif("tau2:telecom" not in IDS, reason="set TAU2_BENCH_DATA to tau2-bench's data")
@pytest.mark.parametrize("trait", TELECOM)
def test_it_shows_with_the_tasks_of_telecom_too(trait):
    row = measure_trait("tau2:telecom", trait, 300)
    assert row.success.value >= 0.99
    assert row.faults.value <= 0.01


@pytest.mark.parametrize("count", [25, LONG])
def test_who_gives_up_fails_by_its_own_fault(count):
    row = measure_trait("tau:shop", "leaving", count)
    share = row.shown["leaving"].share
    assert 0.9 * share <= row.faults.value <= share  # a few leave when all is done
    assert row.success.value == pytest.approx(1 - row.faults.value)
    assert row.success_without_faults.value == 1.0


@pytest.mark.parametrize("phrases", ["train", "held-out"])
def test_a_trait_of_one_shows_each_time_in_both_sets_of_phrases(phrases):
    for trait in [one for one in SHOWN if one != "typos"]:  # two equal letters swap unseen
        (row,) = measure_users(
            "tau:shop",
            [f"user:plain:{trait}=1&phrases={phrases}"],
            episodes=2,
            wishes=2,
            dual=trait == "overclaiming",
        ).rows
        assert row.shown[trait].share == 1.0, trait
        assert not [name for name, one in row.shown.items() if name != trait and one.times], trait


def test_a_plain_user_shows_nothing():
    (row,) = measure_users("tau:shop", ["rule-user"], episodes=60).rows
    assert not any(one.times for one in row.shown.values())
    assert (row.success.value, row.faults.value, row.contradictions) == (1.0, 0.0, 0)


def test_models_are_measured_by_the_same_rules():
    game = gem_ma.make("tau:shop").game
    wants = game.wants(game.task(1))
    lines = iter(
        ["Hi. I want soemthing.", "I do not recall it, thank you.", "My email is x@y.org."]
    )

    def model(turn):
        return next(lines, "###STOP###")

    players = {"user": model, "assistant": lambda turn: "What is your email?"}
    (episode,) = rollout("tau:shop", players, 1, options={"task": 1})
    shown = traits_shown(talk_of(episode), wants)
    assert shown["forgetful"] == Shown(1, 1)
    assert shown["polite"].times == 1
    row = row_of("model", "asker", [episode], game)
    assert row.contradictions == 1  # an email that is nobody's
    assert row.success_without_faults is None  # the only episode has a fault
    assert "0.000 [0.000, 0.793]  1.000 [0.207, 1.000]  -" in str(Report("tau:shop", 1, (row,)))
    assert row.success.value == 0.0
    assert (episode.report["user_fault"], row.faults.value) == (True, 1.0)
    solved = replace(episode, report={**episode.report, "reward": 1.0})
    assert row_of("model", "asker", [solved], game).faults.value == 0.0


def test_a_user_that_ranks_assistants_as_all_do_or_the_other_way_round():
    """The ranks are known: of three in order, of three the other way, of a tie, and of equals."""
    shares = {"fair": (0.9, 0.5, 0.1), "odd": (0.1, 0.2, 0.3), "tied": (0.8, 0.8, 0.2)}
    rows = [
        Row(user, f"assistant {place}", IntervalEstimate(share, 0, 1), NO_FAULTS, None, 0, 1.0, {})
        for user, all_shares in {**shares, "same": (0.4, 0.4, 0.4)}.items()
        for place, share in enumerate(all_shares)
    ]
    agreement = Report("tau:shop", 10, tuple(rows)).agreement
    assert agreement == pytest.approx({"fair": 1.0, "odd": -1.0, "tied": 0.75**0.5})


def test_a_report_of_pairs():
    report = measure_users(
        "tau:shop", ["user:plain", "user:wary"], ["informed-assistant", "random"], episodes=6
    )
    assert [(row.user, row.assistant) for row in report.rows] == [
        ("user:plain", "informed-assistant"),
        ("user:plain", "random"),
        ("user:wary", "informed-assistant"),
        ("user:wary", "random"),
    ]
    assert isinstance(report.rows[0], Row)
    assert report.agreement == {"user:plain": 1.0, "user:wary": 1.0}
    text = str(report)
    assert "tau:shop: 6 episodes of each pair" in text
    assert "suspicious" in text
    assert "user:wary: ranks the assistants as all do: 1.00" in text
    assert json.loads(json.dumps(report.to_json()))["rows"][2]["shown"]["suspicious"]["times"]
    alone = measure_users("tau:shop", ["user:plain"], episodes=2)
    assert alone.agreement == {}


@packs.needs("tau2")
def test_phones_have_users_too():
    rows = measure_users("tau2:phone", ["user:plain", "user:careless"], episodes=12).rows
    assert [row.success.value for row in rows] == [1.0, 1.0]
    assert rows[0].turns < rows[1].turns


def test_thoughts_are_not_said_and_native_calls_are_no_messages():
    calls = iter(["get_user_details", "list_all_product_types"])

    def call(turn):
        if (name := next(calls, None)) is None:
            return "<think>whatever</think>Could you tell me your email?"
        return Reply("I look it up.", tool_calls=[{"function": {"name": name, "arguments": "{}"}}])

    (episode,) = rollout(
        "tau:shop", {"user": lambda turn: "<think>I lie.</think>Hello.", "assistant": call},
        seed=0, max_turns=6,
    )  # fmt: skip
    talk = talk_of(episode)
    assert set(talk.said) == {"Hello."}
    assert set(talk.heard) == {"", "Could you tell me your email?"}


def test_who_forfeits_is_measured_and_what_failed_is_not():
    agents = {"user": "rule-user", "assistant": lambda turn: ""}
    played = rollout("tau:shop", agents, 3, seed=0, invalid="lose")
    assert {episode.report["ended"] for episode in played} == {"forfeit"}
    game = gem_ma.make("tau:shop").game
    row = row_of("rule-user", "silent", played, game)
    assert (row.success.value, row.turns) == (0.0, 2.0)
    failed = replace(played[0], failure=EpisodeFailure(None, "KeyError", "x"), report={})
    assert row_of("rule-user", "silent", [failed, *played], game) == row
    first = "all 1 episodes of a with b failed, the first by KeyErr"
    with pytest.raises(RuntimeError, match=first):
        row_of("a", "b", [failed], game)


def test_the_command_exits_with_1_if_every_episode_failed(tmp_path, capsys):
    agent = tmp_path / "broken.py"
    agent.write_text("def reply(turn):\n    raise KeyError('nothing')\n")
    call = ["users", "tau:shop", "--users", f"{agent}:reply", "--episodes", "2"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # each failure is a warning
        assert main(call) == 1
    assert "all 2 episodes of" in capsys.readouterr().err


def test_what_cannot_be_measured():
    with pytest.raises(ValueError, match="has no user with a task; use an environment of tau:"):
        measure_users("game:TicTacToe-v0", ["random"])
    with pytest.raises(ValueError, match="episodes=0: expected 1 or more"):
        measure_users("tau:shop", ["rule-user"], episodes=0)


def test_on_the_command_line(capsys):
    assert (
        main(["users", "tau:shop", "--users", "user:plain,user:forgetful", "--episodes", "3"]) == 0
    )
    assert "user:forgetful" in capsys.readouterr().out
