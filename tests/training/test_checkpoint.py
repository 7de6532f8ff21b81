"""Checkpoints: whole or refused, what of a run is kept, and nothing in them is run."""

import io
import math
import multiprocessing
import pickle
import zipfile
from pathlib import Path

import pytest
from needed import needed

from gem_ma.training.callbacks import BestCheckpoint, TrainingCollapsed

torch = needed("torch", install="'gem-ma[hf]'")


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


def test_columns_that_updates_without_a_step_lack_are_left_out_of_the_cause():
    history = rows([0.2, 0.2, 0.8, 0.8, 0.3, 0.1], entropy=[1.0] * 6, kl=[0.1, 0.1, 0.1, 0.1, 1, 1])
    for row in history[2:5]:
        del row["entropy/x"]
    with pytest.raises(TrainingCollapsed) as caught:
        watched(BestCheckpoint("score", window=2, drop=0.5), history)
    assert str(caught.value) == (
        "after 6 updates score has fallen from 0.80 to 0.20; kl/x went from 0.1 to 1"
    )


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
    said = "score='won' is no column of the history; the columns are score"
    with pytest.raises(ValueError, match=said):
        BestCheckpoint("won").diagnose(rows([0.0]), ["x"])
    with pytest.raises(ValueError, match="window=0"):
        BestCheckpoint("score", window=0)


class Bomb:
    """Write a file, once it is unpickled."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return exec, (f"open({self.path!r}, 'w').close()",)


def save(state, **how):
    file = io.BytesIO()
    torch.save(state, file, **how)
    return file.getvalue()


def repack(content, pickled):
    """Return a checkpoint in whose archive something else is pickled."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        for one in old.namelist():
            new.writestr(one, pickled if one.endswith("data.pkl") else old.read(one))
    return out.getvalue()


@pytest.mark.filterwarnings("ignore:Detected pickle protocol")
def test_no_pickle_is_run(tmp_path):
    from gem_ma.training.checkpoint import load_checkpoint

    mark, path = tmp_path / "hurt", tmp_path / "checkpoint.pt"
    bomb, good = Bomb(mark), save({"a": torch.zeros(3)})
    attempts = [pickle.dumps(bomb, protocol) for protocol in range(6)]
    attempts += [save({"a": bomb}), save(bomb, _use_new_zipfile_serialization=False)]
    attempts += [repack(good, pickle.dumps(bomb, 2)), repack(good, b"")]
    attempts += [b"", b"\x00" * 100, good[:-30], good[:100], b"PK\x03\x04", b"{}", b"\x80\x02" * 50]
    for content in attempts:
        path.write_bytes(content)
        with pytest.raises(ValueError, match="is no checkpoint"):
            load_checkpoint(path)
        assert not mark.exists()
    path.write_bytes(good)
    assert load_checkpoint(path)["a"].tolist() == [0, 0, 0]
    pickle.loads(attempts[0])  # and it would have
    assert mark.exists()


def write_often(path, number):
    from gem_ma.training.checkpoint import save_checkpoint

    for _ in range(60):
        save_checkpoint(path, {"number": number, "of": torch.full((20_000,), number)})


def test_two_processes_that_write_leave_a_whole_one(tmp_path):
    """Whoever comes last has the place; nobody ever reads half of one and half of the other."""
    from gem_ma.training.checkpoint import load_checkpoint

    path = tmp_path / "checkpoint.pt"
    fork = multiprocessing.get_context("fork")
    writers = [fork.Process(target=write_often, args=(path, number)) for number in (1, 2)]
    for writer in writers:
        writer.start()
    seen = set()
    while any(writer.is_alive() for writer in writers):
        if path.exists():
            state = load_checkpoint(path)
            seen.add(state["number"])
            assert (state["of"] == state["number"]).all()
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    assert seen <= {1, 2}
    assert [one.name for one in Path(tmp_path).iterdir()] == ["checkpoint.pt"]


def test_what_a_killed_process_left_is_removed(tmp_path):
    from gem_ma.training.checkpoint import save_checkpoint

    path = tmp_path / "a[1].pt"
    names = ["a[1].pt.4194999.part", "a[1].pt.1.part", "a1.pt.4194999.part", "a[1].pt.x.part"]
    for name in names:
        (tmp_path / name).write_bytes(b"PK half")
    save_checkpoint(path, {"a": 1})
    assert {one.name for one in tmp_path.iterdir()} == {"a[1].pt", *names[1:]}


def test_a_full_disk_leaves_the_one_before(tmp_path, monkeypatch):
    from gem_ma.training import checkpoint

    path = tmp_path / "checkpoint.pt"
    checkpoint.save_checkpoint(path, {"a": 1})

    def full(state, file):
        file.write(b"PK half of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoint.torch, "save", full)
    with pytest.raises(OSError, match="No space left"):
        checkpoint.save_checkpoint(path, {"a": 2})
    monkeypatch.undo()
    assert checkpoint.load_checkpoint(path) == {"a": 1}
    assert [one.name for one in tmp_path.iterdir()] == ["checkpoint.pt"]
