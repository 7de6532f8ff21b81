"""Weights & Biases 0.31 gets curves, tables and pictures, in files and without a network."""

import json
import struct
import subprocess
import sys

import pytest
from needed import needed

needed("wandb", install="'gem-ma[wandb]'")
messages = needed("wandb.proto.wandb_internal_pb2", install="'gem-ma[wandb]'")

pytestmark = pytest.mark.slow  # it takes seconds to import, and starts a process

SCRIPT = """
import socket

def refuse(self, address):
    if self.family != getattr(socket, "AF_UNIX", None):
        print("to the network:", address)
        raise OSError("no network here")
    return connect(self, address)

connect, socket.socket.connect = socket.socket.connect, refuse

import gem_ma
from gem_ma.rollouts.reporting import report_episodes
from gem_ma.rollouts.reporting.run_report import RunReport

episodes = gem_ma.rollout("game:TicTacToe-v0", "random", 3, seed=0)
report_episodes(episodes, "wandb", "runs", "first", config={"seed": 0})
history = [{"step": 0, "loss/x": 0.5}, {"step": 1, "loss/x": float("nan")}]
with RunReport(["wandb"], "runs", "resumed", history=history) as report:
    report.log_numbers({"step": 2, "loss/x": 0.25}, 2)
print([episode.returns["x"] for episode in episodes])
"""
BLOCK = 1 << 15  # bytes; the file is a log in the form of LevelDB's


def read_records(path):
    """Yield the records of a file of an offline run."""
    data, at, parts = path.read_bytes(), 7, b""
    while at < len(data):
        room = BLOCK - at % BLOCK
        if room < 7:
            at += room
            continue
        _, size, kind = struct.unpack("<IHB", data[at : at + 7])
        parts += data[at + 7 : at + 7 + size]
        at += 7 + size
        if kind in (1, 4):  # a whole record, or the last part of one
            record = messages.Record()
            record.ParseFromString(parts)
            yield record
            parts = b""


def read_history(records):
    rows = []
    for record in records:
        if record.WhichOneof("record_type") == "history":
            items = record.history.item
            rows.append({(i.key or i.nested_key[0]): json.loads(i.value_json) for i in items})
    return rows


def play(folder, monkeypatch, **environment):
    for name in ("WANDB_MODE", "WANDB_DIR", "WANDB_PROJECT", "WANDB_NAME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    command = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert "to the network" not in done.stdout
    return json.loads(done.stdout.splitlines()[-1])


def test_runs_are_offline_and_hold_what_was_reported(tmp_path, monkeypatch):
    returns = play(tmp_path, monkeypatch)
    runs = {}
    for path in tmp_path.glob("runs/wandb/offline-run-*/*.wandb"):
        records = list(read_records(path))
        (run,) = [one.run for one in records if one.WhichOneof("record_type") == "run"]
        assert run.project == "gem-ma"
        runs[run.display_name] = path.parent, run, read_history(records)
    assert sorted(runs) == ["first", "resumed"]
    folder, run, rows = runs["first"]
    assert {item.key: item.value_json for item in run.config.update}["seed"] == '"0"'
    assert [row["return/x"] for row in rows] == returns
    assert [row["_step"] for row in rows] == [0, 1, 2]
    (table,) = (folder / "files" / "media" / "table").glob("episodes_*.json")
    assert len(json.loads(table.read_text())["data"]) == 3
    assert len(list((folder / "files" / "media" / "images").glob("boards_*.png"))) == 3
    assert [row.get("loss/x") for row in runs["resumed"][2]][::2] == [0.5, 0.25]


def test_the_environment_variables_of_wandb_are_followed(tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    play(tmp_path, monkeypatch, WANDB_DIR="elsewhere", WANDB_PROJECT="mine")
    paths = list(tmp_path.glob("elsewhere/wandb/offline-run-*/*.wandb"))
    assert len(paths) == 2
    kinds = [one for one in read_records(paths[0]) if one.WhichOneof("record_type") == "run"]
    assert kinds[0].run.project == "mine"
    play(tmp_path, monkeypatch, WANDB_MODE="disabled")
    assert not (tmp_path / "runs" / "wandb").exists()
