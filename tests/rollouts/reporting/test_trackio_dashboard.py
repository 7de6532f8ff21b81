"""Trackio 0.43 gets curves, tables and pictures in its local store, without a network."""

import json
import subprocess
import sys

import pytest
from needed import needed

needed("trackio", install="'gem-ma[trackio]'")

pytestmark = pytest.mark.slow  # it takes seconds to import

SCRIPT = """
import contextlib, io, json, socket

def refuse(self, address):
    if self.family != getattr(socket, "AF_UNIX", None):
        raise SystemExit(f"to the network: {address}")
    return connect(self, address)

connect, socket.socket.connect = socket.socket.connect, refuse

import gem_ma
from gem_ma.rollouts.reporting import report_episodes
from gem_ma.rollouts.reporting.run_report import RunReport

with contextlib.redirect_stdout(io.StringIO()) as out:
    episodes = gem_ma.rollout("game:TicTacToe-v0", "random", 3, seed=0)
    report_episodes(episodes, "trackio", ".", "first", config={"seed": 0})
    history = [{"step": 0, "loss/x": 0.5}]
    with RunReport(["trackio"], ".", "resumed", history=history) as report:
        report.log_numbers({"step": 1, "loss/x": 0.25}, 1)
from trackio.sqlite_storage import SQLiteStorage as Store

runs = {name: Store.get_logs("gem-ma", name) for name in Store.get_runs("gem-ma")}
config = Store.get_run_config("gem-ma", "first")
returns = [episode.returns["x"] for episode in episodes]
print(json.dumps([out.getvalue(), config, runs, returns], default=str))
"""


def test_a_run_is_local_and_holds_what_was_reported(tmp_path, monkeypatch):
    for name in ("TRACKIO_SPACE_ID", "TRACKIO_SERVER_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path / "store"))
    command = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    printed, config, runs, returns = json.loads(done.stdout.splitlines()[-1])
    assert printed == ""  # commands print JSON there
    assert config["seed"] == "0"
    rows = runs["first"]
    assert [row["return/x"] for row in rows if "return/x" in row] == returns
    (table,) = [row["episodes"] for row in rows if "episodes" in row]
    assert len(table["_value"]) == 3
    assert len(list((tmp_path / "store" / "media").rglob("*.png"))) == 3
    assert [(row["step"], row["loss/x"]) for row in runs["resumed"]] == [(0, 0.5), (1, 0.25)]
