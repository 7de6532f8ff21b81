"""The examples run."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


def run(name, *arguments):
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_train_sb3():
    pytest.importorskip("stable_baselines3", reason="pip install 'gem-ma[clients]'")
    assert "after" in run("train_sb3.py", "--steps", "512")
