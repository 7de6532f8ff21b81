"""Files that grow: of a line there is all or nothing, on a full disk and after a kill."""

import ast
import errno

import pytest
import source

from gem_ma import rollout
from gem_ma.rollouts.records import EpisodeFile, load_episodes
from gem_ma.validation.files import append_line

# Where files are opened to be appended to: the shared function, records, and a lock of no content.
APPENDERS = {"validation/files.py", "rollouts/records.py", "evaluation/run_folder.py"}


@pytest.mark.parametrize("room", [0, 1, 9])
def test_a_line_is_written_whole_or_not_at_all(room, tmp_path, full_at):
    path = tmp_path / "lines"
    append_line(path, b"the first\n")
    with full_at(10 + room), pytest.raises(OSError, match="too large"):
        append_line(path, b"the second\n")
    assert path.read_bytes() == b"the first\n"
    append_line(path, b"the third\n")
    assert path.read_bytes() == b"the first\nthe third\n"


@pytest.mark.parametrize("half", [b"hal", b"x" * 200_000, b"\0" * 4096])
@pytest.mark.parametrize("before", [b"", b"the first\n", b"long" * 50_000 + b"\n"])
def test_nothing_is_glued_onto_half_a_line(before, half, tmp_path):
    path = tmp_path / "lines"
    path.write_bytes(before + half)
    append_line(path, b"the second\n")
    assert path.read_bytes() == before + b"the second\n"


def test_a_history_goes_on_after_a_full_disk(tmp_path, full_at):
    pytest.importorskip("torch", reason="pip install 'gem-ma[hf]'")
    from gem_ma.evaluation.plots import read_log
    from gem_ma.training.checkpoint import HistoryLog, save_checkpoint

    log = HistoryLog(tmp_path / "history.jsonl", [{"step": 0}])
    with full_at(20), pytest.raises(OSError, match="too large"):
        log.add({"step": 1, "return": 0.25})
    log.add({"step": 1, "return": 0.25})
    assert [row["step"] for row in read_log(log.path)] == [0, 1]
    save_checkpoint(tmp_path / "checkpoint.pt", {"update": 1})
    before = (tmp_path / "checkpoint.pt").read_bytes()
    with full_at(100), pytest.raises((OSError, RuntimeError)):
        save_checkpoint(tmp_path / "checkpoint.pt", {"update": 2})
    assert (tmp_path / "checkpoint.pt").read_bytes() == before
    assert sorted(one.name for one in tmp_path.iterdir()) == ["checkpoint.pt", "history.jsonl"]


def test_records_on_a_disk_that_is_full(small_disk):
    """A real one: what is left of it holds half a record, and goes to the next."""
    episodes = rollout("game:TicTacToe-v0", "random", 150, seed=0)
    with EpisodeFile(small_disk / "out.jsonl", pictures=False) as file:
        saved = _count_saved(file, episodes)
        assert 2 < saved < len(episodes)
        assert list(load_episodes(small_disk / "out.jsonl")) == episodes[:saved]
        assert (small_disk / "out.jsonl").read_bytes().endswith(b"}\n")


def test_all_that_is_appended_goes_through_one_function():
    found = set()
    for path in source.FILES:
        for node in ast.walk(source.parsed(path)) if "open" in path.read_text("utf-8") else ():
            by_flag = isinstance(node, ast.Attribute) and node.attr == "O_APPEND"
            is_open = isinstance(node, ast.Call) and "open" in ast.unparse(node.func)
            if by_flag or (is_open and any(map(_is_append_mode, _list_arguments(node)))):
                found.add(path.relative_to(source.ROOT).as_posix())
    assert found == APPENDERS


def _count_saved(file, episodes):
    """Return how many episodes there is room for."""
    for saved, episode in enumerate(episodes):
        try:
            file.append(episode)
        except OSError as error:
            assert error.errno == errno.ENOSPC  # noqa: PT017 - raised by one of many
            return saved
    return len(episodes)


def _list_arguments(call):
    return [*call.args, *(one.value for one in call.keywords)]


def _is_append_mode(node):
    value = getattr(node, "value", None)
    return isinstance(value, str) and "a" in value and not set(value) - set("abt+")


def test_the_walk_finds_an_append():
    for text in ('open(p, "a")', 'p.open(mode="ab")', 'os.fdopen(1, "a+")'):
        (call,) = (one for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Call))
        assert any(map(_is_append_mode, _list_arguments(call)))
    assert not any(map(_is_append_mode, _list_arguments(ast.parse('open("b", "w")').body[0].value)))
