"""Shell completion, asked for as a shell asks."""

import shutil
import subprocess
import sys
from pathlib import Path

import packs
import pytest

import gem_ma
from gem_ma.cli import completion
from gem_ma.cli.main import main
from gem_ma.envs.registry import MissingRequirement

HERE = Path(sys.executable).parent
ASK = r"""
export PATH="$1:$PATH"
eval "$3"
line=$2
COMP_LINE=$line COMP_POINT=${#line} COMP_TYPE=9
read -ra COMP_WORDS <<<"$line"
[[ $line == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_python_argcomplete gem-ma
printf '%s\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def written():
    """Return what `gem-ma completion bash` prints."""
    pytest.importorskip("argcomplete", reason="pip install 'gem-ma[completion]'")
    command = [HERE / "gem-ma", "completion", "bash"]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="install bash")
@pytest.mark.parametrize(
    ("line", "found"),
    packs.present(
        [
            pytest.param("gem-ma tour", {"tournament"}, marks=pytest.mark.slow),
            pytest.param("gem-ma play --se", {"--seed", "--set"}, marks=pytest.mark.slow),
            ("gem-ma play game:Conn", {"ConnectFour-v0"}),  # bash ends words at a colon
            pytest.param("gem-ma info tau:", {"airline", "retail", "shop"}, marks=pytest.mark.slow),
            pytest.param("gem-ma eval --suite sm", {"smoke"}, marks=pytest.mark.slow),
            pytest.param(
                "gem-ma play game:Nim-v0 --agents random,hu",
                {"random,human"},
                marks=pytest.mark.slow,
            ),
            pytest.param(
                "gem-ma completion ",
                {"bash", "zsh", "fish", "-h", "--help"},
                marks=pytest.mark.slow,
            ),
        ]
    ),
)
def test_bash(line, found, written):
    ask = ["bash", "--norc", "-c", ASK, "bash", str(HERE), line, written]
    run = subprocess.run(ask, capture_output=True, text=True, check=True, timeout=60)
    assert {one.strip() for one in run.stdout.splitlines()} == found


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_what_a_shell_reads(shell, capsys):
    pytest.importorskip("argcomplete", reason="pip install 'gem-ma[completion]'")
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "gem-ma" in script
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script, text=True, check=True)


def test_without_argcomplete(monkeypatch):
    monkeypatch.setitem(sys.modules, "argcomplete.shell_integration", None)
    with pytest.raises(MissingRequirement, match=r"pip install 'gem-ma\[completion\]'"):
        completion.make_completion_script("bash")


def test_ids_by_their_beginnings():
    beginnings = completion.complete_ids("")
    assert "game:" in beginnings
    assert all(one.endswith(":") for one in beginnings)
    assert completion.complete_ids("game:Nim-") == ["game:Nim-v0"]


@packs.needs("bridges")
def test_ids_of_other_libraries():
    assert {"ta:", "gym:"} <= set(completion.complete_ids(""))
    assert set(completion.complete_ids("ta:")) == set(gem_ma.list_envs("ta:*"))
