"""What is reported, and which dashboards are meant, without their libraries."""

import importlib.util

import pytest

import gem_ma
from gem_ma.cli.main import main
from gem_ma.rollouts.reporting import report_episodes, run_report
from gem_ma.rollouts.reporting.dashboards import choose_dashboards
from gem_ma.rollouts.reporting.run_report import (
    COLUMNS,
    RunReport,
    draw_last_position,
    make_episode_rows,
    measure_episode,
)
from gem_ma.tools import with_tools

TWO = "game:TicTacToe-v0"


class NotedDashboard:
    """Notes what it is told."""

    def __init__(self, run):
        self.run, self.numbers, self.tables, self.pictures = run, [], {}, {}
        self.closed = False

    def log_numbers(self, numbers, step):
        self.numbers.append((step, numbers))

    def log_table(self, name, columns, rows, step):
        self.tables[name] = list(columns), rows

    def log_pictures(self, name, pictures, step):
        self.pictures[name] = pictures

    def close(self):
        self.closed = True


@pytest.fixture
def opened(monkeypatch):
    found = []

    def open_dashboard(name, run):
        if name == "wandb":
            raise ImportError("this feature needs wandb")
        found.append(NotedDashboard(run))
        return found[-1]

    monkeypatch.setattr(run_report, "open_dashboard", open_dashboard)
    return found


def test_names_are_those_of_transformers(monkeypatch):
    assert choose_dashboards(None) == choose_dashboards("none") == choose_dashboards([]) == []
    assert choose_dashboards("wandb") == choose_dashboards(["wandb", "wandb"]) == ["wandb"]
    assert choose_dashboards(["wandb", "tensorboard"]) == ["wandb", "tensorboard"]
    there = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "wandb" else there("json")
    )
    assert choose_dashboards("all") == choose_dashboards(["all"]) == ["tensorboard", "trackio"]
    with pytest.raises(ValueError, match="report_to='mlflow': expected some of tensorboard, track"):
        choose_dashboards(["wandb", "mlflow"])


def test_a_dashboard_is_closed_where_the_next_cannot_be_opened(opened, tmp_path):
    with pytest.raises(ImportError, match="needs wandb"):
        RunReport(["tensorboard", "wandb"], tmp_path)
    assert [one.closed for one in opened] == [True]


def test_a_run_is_named_by_its_folder_and_secrets_are_left_out(opened, tmp_path):
    config = {"agents": "openai:m@http://me:hunter2@host/v1"}
    with RunReport(["tensorboard"], tmp_path / "ttt", config=config) as report:
        report.log_numbers({"step": 3, "turns": 2.0}, 3)
    (board,) = opened
    assert (board.run.name, board.closed) == ("ttt", True)
    assert "hunter2" not in board.run.format_config()["agents"]
    assert board.numbers == [(3, {"turns": 2.0})]


def test_an_episode_is_numbers_and_a_row(opened):
    episodes = gem_ma.rollout(TWO, "random", 3, seed=0)
    report_episodes(episodes, "tensorboard")
    (board,) = opened
    assert [step for step, _ in board.numbers] == [0, 1, 2]
    assert board.numbers[1][1] == measure_episode(episodes[1])
    columns, rows = board.tables["episodes"]
    assert columns == list(COLUMNS)
    assert [len(row) for row in rows] == [len(COLUMNS)] * 3
    row = dict(zip(columns, rows[0], strict=True))
    assert row["episode"] == episodes[0].id
    assert row["agents"] == "x=random, o=random"
    assert row["transcript"].splitlines()[0] == f"x: {episodes[0].steps[0].reply}"
    assert len(board.pictures["boards"]) == 3


def test_a_long_transcript_is_cut():
    (episode,) = gem_ma.rollout(TWO, lambda turn: "word " * 5000, seed=0, invalid="lose")
    ((*_, transcript),) = make_episode_rows([episode])
    assert len(transcript.encode()) <= 4000


def test_the_last_position_is_drawn_of_a_game_that_shows_text(opened):
    (episode,) = gem_ma.rollout(TWO, "random", seed=0)
    env = gem_ma.make(TWO)
    env.reset(seed=episode.seed)
    for step in episode.steps:
        env.step(step.reply)
    assert draw_last_position(episode).key == env.picture().key


def test_what_a_seat_saw_is_shown_where_nothing_can_be_played_again():
    def add(a: int, b: int) -> int:
        """Return the sum."""
        return a + b

    wrapped = with_tools(gem_ma.make(TWO, observe="image"), add)
    (episode,) = gem_ma.rollout(wrapped, "random", seed=0)
    seen = episode.steps[-1].observation["image"]
    assert (draw_last_position(episode).array == seen.array).all()
    (blind,) = gem_ma.rollout(with_tools(gem_ma.make(TWO), add), "random", seed=0)
    assert draw_last_position(blind) is None


def test_a_record_that_does_not_replay_has_no_picture():
    (episode,) = gem_ma.rollout(TWO, "random", seed=0)
    for step in episode.steps:
        step.agent = "nobody"
    assert draw_last_position(episode) is None


def test_wrong_names_are_told_before_anything_is_played(capsys):
    assert main(["run", TWO, "--report-to", "mlflow"]) == 2
    told = capsys.readouterr()
    assert "mlflow" in told.err
    assert "expected some of tensorboard" in told.err
    assert told.out == ""
