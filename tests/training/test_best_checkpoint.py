"""What a run is stopped for, and what of it is kept."""

import math

import pytest

from gem_ma.training.best_checkpoint import BestCheckpoint, TrainingCollapsed


class Run:
    """As much of a Trainer as a BestCheckpoint looks at."""

    train = ("x",)

    def __init__(self, rows):
        self.history, self.saved = list(rows), []

    def save(self, path):
        self.saved.append((path, len(self.history)))


def rows(scores, **columns):
    return [
        {"score": score, **{f"{name}/x": values[i] for name, values in columns.items()}}
        for i, score in enumerate(scores)
    ]


def watched(checkup, history):
    run = Run([])
    for row in history:
        run.history.append(row)
        checkup(run)
    return run


def test_the_best_is_kept():
    run = watched(
        BestCheckpoint("score", "best", window=2), rows([0.0, 0.4, 0.4, 0.2, 0.5, 0.1, 0.4, 0.5])
    )
    assert run.saved == [("best", 1), ("best", 2), ("best", 3), ("best", 8)]
    assert watched(BestCheckpoint("score", window=2), rows([0.0, 0.4])).saved == []


def test_what_is_kept_is_what_played_and_not_what_it_became():
    run, checkup = Run([]), BestCheckpoint("score", "best", window=2)
    for row in rows([0.0, 0.4, 0.4, 0.2, 0.5, 0.1, 0.4, 0.5]):
        checkup.before_learning(run, row)
        run.history.append(row)
        checkup(run)
    assert run.saved == [("best", 0), ("best", 1), ("best", 2), ("best", 7)]


def test_what_fell_within_the_best_window_is_not_kept():
    run = watched(
        BestCheckpoint("score", "best", window=3), rows([0.3, 0.8, 0.9, 0.0, 0.9, 0.9, 0.1])
    )
    assert run.saved == [("best", 1), ("best", 2), ("best", 3)]


def test_a_score_that_falls_stops_the_run_and_says_what_else_changed():
    scores = [0.2, 0.8, 0.8, 0.3, 0.1]
    history = rows(scores, entropy=[1.0, 1.0, 1.0, 0.2, 0.0], kl=[0.1] * 5)
    with pytest.raises(TrainingCollapsed) as caught:
        watched(BestCheckpoint("score", "here/best", window=2, drop=0.5), history)
    assert str(caught.value) == (
        "after 5 updates score has fallen from 0.80 to 0.20; entropy/x went from 1 to 0.1; "
        "the best checkpoint is here/best"
    )
    watched(BestCheckpoint("score", window=2, drop=0.7), history)


@pytest.mark.parametrize(
    ("columns", "cause"),
    [
        ({"invalid": [0.1, 0.2, 0.6, 0.8]}, "70% of the replies of x are invalid"),
        ({"length": [4.0, 4.0, 20.0, 30.0]}, "the replies of x have 25 tokens, 4 at first"),
        ({"loss": [0.1, 0.1, 0.1, math.nan]}, "loss/x is nan"),
    ],
)
def test_other_ends(columns, cause):
    with pytest.raises(TrainingCollapsed, match=cause):
        watched(BestCheckpoint("score", window=2), rows([0.5] * 4, **columns))


def test_who_never_replied_well_has_not_collapsed():
    watched(BestCheckpoint("score", window=2), rows([0.0] * 4, invalid=[0.9, 0.8, 0.9, 0.9]))


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(ValueError, match=r"score='won': the columns are score"):
        BestCheckpoint("won").diagnose(rows([0.0]), ["x"])
    with pytest.raises(ValueError, match="window=0"):
        BestCheckpoint("score", window=0)
