"""Task folders of Harbor; `harbor` 0.26.0 read the folder of `make_task` (2026-11-29)."""

import pytest

import gem_ma
from gem_ma.envs.terminal.harbor_tasks import UnsupportedTask, load_task
from gem_ma.sandbox.sandbox import check_level

TEST = 'if [ "$(cat /app/sum.txt)" = "$WANTED" ]; then echo 1; else echo 0; fi > /logs/verifier/'
DOCKERFILE = """\
# an image
FROM ubuntu:24.04
WORKDIR /app
ENV STEP=2 NAME="a b"
COPY numbers.txt more /app/
RUN mkdir out && \\
    echo "$NAME" > out/state
CMD ["bash"]
"""


@pytest.fixture(autouse=True, scope="module")
def sandbox():
    if why := check_level("namespaces"):
        pytest.skip(why)


def make_task(folder, **changes):
    """Make a task that asks for a sum; `changes` replace the texts of its files."""
    files = {
        "task.toml": 'schema_version = "1.1"\n[task]\nname = "example/sum"\n'
        '[verifier]\ntimeout_sec = 30.0\nenv = { WANTED = "42" }\n',
        "instruction.md": "Write the sum of the numbers in numbers.txt into sum.txt.\n",
        "environment/Dockerfile": DOCKERFILE,
        "environment/numbers.txt": "1\n2\n39\n",
        "environment/more/deep/x.txt": "x\n",
        "solution/solve.sh": "awk '{s += $1} END {print s}' numbers.txt > sum.txt\n",
        "tests/test.sh": f"#!/bin/bash\n{TEST}reward.txt\n",
    }
    for path, text in {**files, **changes}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def test_a_task_is_played(tmp_path):
    folder = make_task(tmp_path / "sum")
    env = gem_ma.make("terminal:Harbor", folder=str(tmp_path))
    env.reset(seed=0)
    assert "Write the sum" in env.turn("player").rules
    env.step("cat out/state deep/x.txt; echo $STEP $HOME; ls /tests /solution")
    log = env.game_state.log[-1]
    assert log.output.startswith("a b\nx\n2 /app\nls: cannot access '/tests'")
    env.step((folder / "solution/solve.sh").read_text())
    env.step("done")
    assert env.game_state.returns() == {"player": 1.0}
    (episode,) = gem_ma.rollout(
        gem_ma.make("terminal:Harbor", folder=str(folder)), "terminal-oracle", 1, seed=0
    )
    assert episode.returns == {"player": 1.0}


@pytest.mark.parametrize(
    ("reward", "score"),
    [
        ('{"reward": 0.5}', 0.5),
        ("1e999", 0.0),
        ("NaN", 0.0),
        ('{"other": 1}', 0.0),
        ("[" * 99, 0.0),
    ],
)
def test_rewards(tmp_path, reward, score):
    test = f"echo '{reward}' > /logs/verifier/reward.json; echo checked\n"
    make_task(tmp_path, **{"tests/test.sh": test})
    env = gem_ma.make("terminal:Harbor", folder=str(tmp_path))
    env.reset(seed=0)
    env.step("done")
    assert env.game_state.returns() == {"player": score}
    assert env.game_state.tests == "checked"


@pytest.mark.parametrize(
    ("path", "text", "words"),
    [
        ("environment/Dockerfile", "FROM x\nRUN apt-get update", "uses apt-get"),
        ("environment/Dockerfile", "FROM x\nCOPY --from=x a b", "COPY --from=x a b"),
        ("environment/Dockerfile", "FROM x\nWORKDIR /usr/src", "it uses the folder /usr/src"),
        ("environment/Dockerfile", "FROM x\nVOLUME /app", "VOLUME /app"),
        ("environment/Dockerfile", "FROM x\nRUN no-such-program", "command not found"),
        ("environment/Dockerfile", "FROM x\nCOPY nothing .", "there is no nothing"),
        ("environment/docker-compose.yaml", "", "several containers"),
        ("tests/test.sh", "uvx pytest", "tests/test.sh uses uvx"),
        ("task.toml", "[environment]\ngpus = 1", "task.toml asks for GPUs"),
        ("task.toml", "[[steps]]\nname = 'a'", "several steps"),
    ],
)
def test_what_needs_a_container_is_refused_by_name(tmp_path, path, text, words):
    folder = make_task(tmp_path / "sum", **{path: text})
    with pytest.raises(UnsupportedTask, match="the task sum needs a container") as error:
        load_task(folder)
    assert words in str(error.value)


def test_folders_without_tasks(tmp_path):
    with pytest.raises(ValueError, match=r"no task\.toml"):
        gem_ma.make("terminal:Harbor", folder=str(tmp_path))
    (tmp_path / "task.yaml").write_text("")
    with pytest.raises(ValueError, match="harbor task migrate"):
        gem_ma.make("terminal:Harbor", folder=str(tmp_path))
    with pytest.raises(ValueError, match="cannot be read"):
        load_task(make_task(tmp_path / "sum", **{"task.toml": "="}))
