"""The baselines, in a short form: they run, learn, and go on where they were stopped."""

import subprocess
import sys
import time
from pathlib import Path

import packs
import pytest
from needed import needed

import gem_ma
from gem_ma.agents import RandomAgent
from gem_ma.evaluation import plots

torch = needed("torch", install="'gem-ma[hf]'")
needed("transformers", install="'gem-ma[hf]'")

FOLDER = Path(__file__).parents[2] / "benchmarks"
SHORT = {"turns": 16, "letters": 3e4}
PUZZLE, QUESTIONS, DUEL = "game:FifteenPuzzle-v0-easy", "qa:Mini", "game:KuhnPoker-v0"


def returns(path):
    return [row["return"] for row in plots.read_log(path)]  # up to the last whole line


@pytest.fixture(scope="module")
def baselines():
    patch, threads = pytest.MonkeyPatch(), torch.get_num_threads()
    patch.syspath_prepend(FOLDER)
    import baselines

    torch.set_num_threads(1)
    yield baselines
    torch.set_num_threads(threads)
    patch.undo()


@pytest.fixture
def run(baselines, capsys, monkeypatch):
    """Run the command, and return what it prints."""
    monkeypatch.setattr(baselines, "CPU", baselines.CPU._replace(**SHORT))

    def run(folder, *words):
        baselines.main(["--folder", str(folder), *map(str, words)])
        return capsys.readouterr().out

    return run


@packs.needs("tasks")
def test_the_short_form(run, tmp_path):
    words = ("--only", PUZZLE, QUESTIONS, DUEL, "--budget", 60, "--updates", 2, "--seeds", 0)
    out = run(tmp_path, *words)
    for id in (PUZZLE, QUESTIONS, DUEL):
        for algorithm in ("ReBN", "GRPO", "PPO"):
            assert f"{id}, {algorithm}, seed 0: " in out
        assert f"| `{id}` |" in out
    logs = sorted(tmp_path.glob("*/*.jsonl"))
    assert len(logs) == 9
    assert all(len(returns(log)) == 2 for log in logs)
    before = {log: log.stat().st_mtime_ns for log in logs}
    again = run(tmp_path, *words)
    assert again == out[out.index("| environment") :]  # what is done is not run again
    assert {log: log.stat().st_mtime_ns for log in logs} == before
    assert again == run(tmp_path, "--report")


@packs.needs("tasks")
def test_a_run_that_was_killed_goes_on_and_gives_the_same_curve(run, tmp_path):
    words = ("--only", QUESTIONS, "--algorithms", "PPO", "--seeds", "3", "--budget", "60")
    name = Path("qa-Mini") / "PPO-3.jsonl"
    log, killed = tmp_path / "whole" / name, tmp_path / "parts" / name
    run(log.parents[1], *words, "--updates", 6)
    # The same in a process of its own, which is killed while it plays.
    code = (
        "import sys, baselines\n"
        f"baselines.CPU = baselines.CPU._replace(**{SHORT})\n"
        "baselines.main(sys.argv[1:])"
    )
    command = [sys.executable, "-c", code, "--folder", str(killed.parents[1]), *words]
    with subprocess.Popen(command, cwd=FOLDER) as process:
        deadline = time.monotonic() + 120
        while not (killed.exists() and len(returns(killed)) > 2):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.kill()
    with killed.open("a") as file:
        file.write('{"step": 9')  # a line that it did not finish
    run(killed.parents[1], *words, "--updates", 6)
    assert returns(killed)[:6] == returns(log)


def test_wrong_words(run, tmp_path, capsys):
    for words, told in (
        (["--budget", 301], "--budget 301: expected more than 0, and 300 at most"),
        (["--only", "game:Go-v0"], "no id game:Go-v0; there are game:GuessTheNumber-v0"),
        (["--algorithms", "A3C"], "invalid choice: 'A3C'"),
    ):
        with pytest.raises(SystemExit) as stop:
            run(tmp_path, *words)
        assert stop.value.code == 2
        assert told in capsys.readouterr().err


def test_without_a_gpu_the_flag_says_so(run, tmp_path, capsys):
    if torch.cuda.is_available():
        pytest.skip("only where there is no GPU")
    with pytest.raises(SystemExit):
        run(tmp_path, "--gpu")
    assert "--device cuda: torch finds no GPU here; use --device cpu" in capsys.readouterr().err


def test_the_form_for_a_gpu_runs_here_in_short(baselines, run, tmp_path, monkeypatch):
    monkeypatch.setattr(baselines, "GPU", baselines.GPU._replace(turns=8, letters=1e3))
    words = ("--gpu", "--device", "cpu", "--only", DUEL, "--algorithms", "ReBN", "--seeds", 0)
    out = run(tmp_path, *words, "--updates", 1)
    assert f"{DUEL}, ReBN, seed 0: " in out
    (weights,) = tmp_path.glob("models/*/0/model.safetensors")
    assert weights.stat().st_size > 3e8  # 85 million parameters and more, in float32


@packs.needs("tasks")
def test_what_cannot_be_run_is_named_with_the_reason(baselines, monkeypatch):
    from gem_ma.apis import factory
    from gem_ma.envs.registry import MissingRequirement

    def absent(id, **_):
        raise MissingRequirement(f"{id} needs a thing")

    monkeypatch.setattr(factory, "make", absent)
    found, missing = baselines.environments(["math:GSM8K", DUEL])
    assert found == [DUEL]
    assert missing == {"math:GSM8K": "math:GSM8K needs a thing"}


@packs.needs("tasks")
def test_who_is_imitated_knows_every_other_answer(baselines):
    env = baselines.environment("math:Mini")
    episodes = gem_ma.rollout(env, baselines.taught, 200, seed=1, progress=False)
    right = sum(episode.returns["player"] for episode in episodes) / 200
    assert 0.4 < right < 0.6


def test_flat_is_called_flat(baselines):
    def rows(*values):
        return [{"return": value, "cpu": 0.0} for value in values]

    assert not baselines.learnt([rows(*[0.0] * 50), rows(*[0.0] * 50)])
    assert not baselines.learnt([rows(*[0.5, 0.4, 0.6] * 15)])
    assert baselines.learnt([rows(*(n / 50 for n in range(50)))])
    assert not baselines.learnt([rows(*(-n / 50 for n in range(50)))])
    assert baselines.told([rows(0, 1), rows(1, 0)]) == "0.50 → 0.50 flat"
    assert baselines.told([]) == ""


def test_self_play_is_scored_against_a_random_player(baselines):
    env = baselines.environment(DUEL)
    player = RandomAgent(seed=5)
    worth = baselines.versus_random(env, player, 400, seed=1)
    assert abs(worth) < 0.25  # a random player is no better than another
