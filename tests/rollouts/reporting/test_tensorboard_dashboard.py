"""TensorBoard 2.21 reads what is reported: curves, tables of episodes, pictures of boards."""

import io
import json

import packs
import pytest
from needed import needed
from PIL import Image

import gem_ma
from gem_ma.cli.main import main
from gem_ma.evaluation import evaluate, make_suite
from gem_ma.rollouts.reporting import report_episodes
from gem_ma.rollouts.reporting.run_report import RunReport

needed("tensorboard", install="'gem-ma[tensorboard]'")
accumulator = needed(
    "tensorboard.backend.event_processing.event_accumulator", install="'gem-ma[tensorboard]'"
)

TWO = "game:TicTacToe-v0"


@pytest.fixture(autouse=True)
def own_folders(monkeypatch):
    monkeypatch.delenv("TENSORBOARD_LOGGING_DIR", raising=False)


def read(folder):
    sizes = dict.fromkeys(("scalars", "images", "tensors"), 0)  # 0: keep all
    board = accumulator.EventAccumulator(str(folder), size_guidance=sizes)
    return board.Reload()


def read_text(board, tag):
    return [event.tensor_proto.string_val[0].decode() for event in board.Tensors(tag)]


def test_episodes_are_curves_a_table_and_boards(tmp_path):
    episodes = gem_ma.rollout(TWO, {"x": "search", "o": "random"}, 6, seed=0)
    report_episodes(episodes, "tensorboard", tmp_path, "first try", config={"seed": 0})
    board = read(tmp_path / "tensorboard" / "first-try")
    points = [(event.step, event.value) for event in board.Scalars("return/x")]
    assert points == [(one.number, one.returns["x"]) for one in episodes]
    assert [event.value for event in board.Scalars("turns")] == [len(e.steps) for e in episodes]
    (table,) = read_text(board, "episodes")
    assert len(table.splitlines()) == 2 + len(episodes)
    assert all(str(step.reply) in table for one in episodes for step in one.steps)
    assert "| seed | 0 |" in read_text(board, "config")[0]
    (image,) = board.Images("boards/0")
    picture = Image.open(io.BytesIO(image.encoded_image_string))
    env = gem_ma.make(TWO, render_mode="rgb_array")
    env.reset(seed=episodes[0].seed)
    for step in episodes[0].steps:
        env.step(step.reply)
    assert (env.render() == picture.convert("RGB")).all()
    assert "boards/4" not in board.Tags()["images"]  # a few are enough


def test_what_a_model_writes_stays_in_its_cell(tmp_path):
    def talkative(turn):
        return f"a | b\n<img src=x> [c](d) `e` \\boxed{{{turn.legal[0]}}}"

    report_episodes(gem_ma.rollout(TWO, talkative, seed=0), ["tensorboard"], tmp_path, "one")
    (table,) = read_text(read(tmp_path / "tensorboard" / "one"), "episodes")
    assert len(table.splitlines()) == 3
    assert "<img" not in table
    assert r"a \| b<br>&lt;img src=x&gt; \[c\](d) \`e\` \\boxed" in table


def test_a_resumed_run_goes_on_where_it_was(tmp_path):
    rows = [{"step": step, "loss/x": float(step)} for step in range(4)]
    with RunReport("tensorboard", tmp_path, "run") as report:
        for step, row in enumerate(rows):
            report.log_numbers(row, step)
    with RunReport("tensorboard", tmp_path, "run", history=rows[:2]) as report:  # 2 and 3 are lost
        report.log_numbers({"step": 2, "loss/x": 7.0}, 2)
    board = read(tmp_path / "tensorboard" / "run")
    assert [(e.step, e.value) for e in board.Scalars("loss/x")] == [(0, 0.0), (1, 1.0), (2, 7.0)]
    assert "step" not in board.Tags()["scalars"]
    with RunReport("tensorboard", tmp_path, "late", history=rows[:2]):
        pass  # reported for the first time, with the curve so far
    assert [e.value for e in read(tmp_path / "tensorboard" / "late").Scalars("loss/x")] == [0, 1]


def test_an_evaluation_is_its_metrics_its_rows_and_some_episodes(tmp_path):
    suite = make_suite([TWO])
    found = evaluate(suite, "search", tmp_path / "e", tasks=2, trials=1, report_to="tensorboard")
    board = read(tmp_path / "e" / "tensorboard" / "e")
    for row in found.rows:
        (event,) = board.Scalars(f"success/{TWO}/{row['seat']}")
        assert event.value == pytest.approx(row["success"].value)
    (event,) = board.Scalars("success/mean")
    assert event.value == pytest.approx(found.overall["success"].value)
    assert len(read_text(board, "results")[0].splitlines()) == 2 + len(found.rows)
    assert len(read_text(board, "episodes")[0].splitlines()) == 2 + 4
    assert "boards/3" in board.Tags()["images"]


def test_commands_report(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    line = ["run", TWO, "--episodes", "2", "--seed", "3", "--report-to", "tensorboard"]
    assert main([*line, "--out", "runs.jsonl"]) == 0
    assert len(read("tensorboard/runs").Scalars("return/x")) == 2
    assert main(line) == 0
    assert len(read("tensorboard/game-TicTacToe-v0-3").Scalars("return/x")) == 2
    line = ["eval", TWO, "--agents", "random", "--tasks", "1", "--out", "e", "--json"]
    capsys.readouterr()
    assert main([*line, "--report-to", "tensorboard"]) == 0
    json.loads(capsys.readouterr().out)
    assert read("e/tensorboard/e").Scalars("success/mean")


def test_a_failed_run_reports_what_was_played(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "def play(turn):\n"
        "    if turn.episode.endswith('-2'):\n"
        "        raise ValueError('no idea')\n"
        "    return turn.legal[0]\n"
    )
    line = ["run", TWO, "--agents", "mine.py:play", "--episodes", "3", "--max-errors", "0"]
    assert main([*line, "--seed", "1", "--out", "a.jsonl", "--report-to", "tensorboard"]) == 1
    board = read("tensorboard/a")
    assert [event.value for event in board.Scalars("failed")].count(1.0) == 1
    assert "ValueError: no idea" in read_text(board, "episodes")[0]
    capsys.readouterr()


@packs.needs("training")
def test_a_training_is_reported_as_it_goes(tmp_path):
    torch = pytest.importorskip("torch", reason="pip install 'gem-ma[hf]'")
    import numpy as np

    from gem_ma.training import MenuLearner, Trainer, rebn

    def look(messages):
        return np.ones(1, np.float32), ("rock", "paper", "scissors")

    def train(updates):
        torch.manual_seed(0)
        agents = {"left": MenuLearner(torch.nn.Linear(1, 3), look), "right": lambda turn: "rock"}
        trainer = Trainer("game:RockPaperScissors-v0", agents, rebn, episodes=2)
        path = tmp_path / "rps" / "checkpoint.pt"
        return trainer.run(updates, path, report_to=["tensorboard"])

    history = train(2)
    history = train(3)  # goes on
    board = read(tmp_path / "rps" / "tensorboard" / "rps")
    for name in ("return/left", "entropy/left", "turns"):
        points = [(event.step, pytest.approx(event.value)) for event in board.Scalars(name)]
        assert points == [(row["step"], row[name]) for row in history]
    assert len(board.Tensors("episodes")) == 3
    assert "boards/1" in board.Tags()["images"]
