"""Who wins from whom, and where nobody does."""

import packs
import pytest
from evaluations import BOARD, QUIET, suite

import gem_ma
from gem_ma.evaluation.contests import find_contest, find_outcome, is_contest
from gem_ma.evaluation.runner.suite_runner import evaluate
from gem_ma.rollouts.episode import Episode


def test_wins_are_above_the_mean():
    assert find_outcome({"a": 1.0, "b": -0.5, "c": -0.5}, ["a"]) == "win"
    assert find_outcome({"a": 1.0, "b": -0.5, "c": -0.5}, ["c"]) == "loss"
    assert find_outcome({"a": 0.1 + 0.2, "b": 0.3}, ["a"]) == "draw"


CONTESTS = {
    "game:KuhnPoker-v0": True,
    "game:ConnectFour-v0": True,
    "game:ColonelBlotto-v0": True,
    "game:LiarsDice-v0": True,
    "game:Codewords-v0": True,
    "game:Chameleon-v0": True,
    "game:Werewolf-v0": True,
    "game:PrisonersDilemma-v0": False,
    "game:PublicGoods-v0": False,
    "game:Bargaining-v0": False,
    "game:ReferenceGame-v0": False,
    "game:MapTask-v0": False,
    "game:Negotiation-v0": False,
    "game:Pictionary-v0": False,
    "game:Taboo-v0": False,
    "game:Tangram-v0": False,
    "game:SpotTheDifference-v0": False,
    "game:TwentyQuestions-v0": False,
    "tau:shop": False,
}


@pytest.mark.parametrize("id", packs.present(CONTESTS))
def test_who_wins_is_told_where_seats_win_from_each_other_only(id, tmp_path):
    found = evaluate(suite({"id": id, "tasks": 4}), "random", tmp_path, **QUIET)
    assert {row["win"] is not None for row in found.rows} == {CONTESTS[id]}
    assert {row["loss"] is not None for row in found.rows} == {CONTESTS[id]}
    together = suite({"id": id, "tasks": 1, "seats": "all"})
    (row,) = evaluate(together, "random", tmp_path / "all", **QUIET).rows
    assert row["win"] is None


def ended(*returns, **more):
    spec = gem_ma.spec(BOARD)
    given = {"id": "0", "number": 0, "spec": spec, "seed": 0, "agents": {}}
    names = dict(zip("abcdef", returns, strict=False))
    return Episode(**given, returns=names, ended="terminated", **more)


@pytest.mark.parametrize(
    ("zero_sum", "ends", "expected"),
    [
        (True, [(1, -1), (0, 0)], True),
        (True, [(0, 0)], True),  # drawn
        (True, [(-0.1, 0), (1, -1.2)], True),  # with penalties
        (True, [(3, 5)], False),  # a bridge said so of a game in which both gain
        (True, [], True),
        (False, [(1, 1), (0, 0)], False),
        (False, [(0, 0)], False),
        (False, [(1, 0)], False),  # one seat alone is paid
        (False, [(1, 1, -1), (-1, -1, 1)], True),  # sides of unlike size
        (False, [(1, -1), (2, 3)], False),
    ],
)
def test_what_makes_a_contest(zero_sum, ends, expected):
    found = find_contest([ended(*one) for one in ends], zero_sum)
    assert is_contest([found], zero_sum) == expected
