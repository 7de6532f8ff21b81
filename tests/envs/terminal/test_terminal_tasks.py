"""A terminal: commands and their files, what a seat can send, goals, and what stays outside."""

import importlib
import os
import pickle
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import gem_ma
from gem_ma.envs.terminal import families, machine
from gem_ma.envs.terminal.file_tree import FileTree, diff_trees, make_file
from gem_ma.envs.terminal.game import DONE, TerminalTask, clean_output, read_command
from gem_ma.envs.terminal.problem import (
    Draw,
    FileMode,
    FileText,
    FolderFiles,
    JSONValue,
    LinkTarget,
    NoPath,
)
from gem_ma.game import InvalidMove
from gem_ma.sandbox.sandbox import check_level

FILES = FileTree.of({"a/b.txt": "one\ntwo\n", "run.sh": make_file("echo ran\n", executable=True)})
ONE_OF_EACH = ("MoveFiles", "ReplaceWord", "MergeBranch", "FixScript", "ChangeKey", "SumByGroup")


@pytest.fixture(autouse=True, scope="module")
def sandbox():
    if why := check_level("namespaces"):
        pytest.skip(why)


def skip_without_git(name):
    if name in families.GIT and not shutil.which("git"):
        pytest.skip("install the program git")


def draw_problem(name, seed, difficulty):
    module, _, function = families.REGISTER[name].partition(":")
    found = importlib.import_module(f"{families.__name__}.{module}")
    return getattr(found, function)(Draw(np.random.default_rng(seed), difficulty))


def run(*commands, tree=FILES, **options):
    """Run commands one after the other; return the last result."""
    trees, folder = {"task": tree}, "/task"
    for turn, command in enumerate(commands):
        result = machine.run_command(command, trees, folder, turn=turn, **options)
        trees, folder = result.trees, result.folder
    return result


def solve(name, seed, difficulty):
    """Return whether the commands of the solution reach the goals, and nothing does not."""
    problem = draw_problem(name, seed, difficulty)
    result = run(*problem.solution, tree=problem.tree)
    return problem.is_solved(result.trees["task"]) and not problem.is_solved(problem.tree)


def test_families():
    assert len(families.REGISTER) >= 40
    for name in families.REGISTER:
        for difficulty in (0, 5, 10):
            problem = draw_problem(name, 3, difficulty)
            assert problem == draw_problem(name, 3, difficulty)
            assert problem != draw_problem(name, 4, difficulty)
            assert len(problem.brief) < 1200
            assert all(read_command(one) == one.strip() for one in problem.solution)


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_a_solution_of_each_kind(name):
    skip_without_git(name)
    assert solve(name, seed=1, difficulty=5)


@pytest.mark.slow
@pytest.mark.parametrize("name", families.REGISTER)
def test_solutions(name):
    skip_without_git(name)
    assert [seed for seed in range(200 // 8) if not solve(name, seed, seed % 11)] == []


@pytest.mark.slow
def test_random_commands_earn_nothing():
    returns = []
    for name in families.REGISTER:
        if name not in families.GIT or shutil.which("git"):
            episodes = gem_ma.rollout(f"terminal:{name}-v0", "random", 5, seed=0)
            returns += [episode.returns["player"] for episode in episodes]
    assert np.mean(returns) <= 0.02


def test_files_and_the_folder_last():
    result = run("cd a; x=1", 'echo "$x$PWD" > c.txt; cat c.txt; exit 3')
    assert (result.output, result.exit_code, result.folder) == ("/task/a\n", 3, "/task/a")
    tree = result.trees["task"]
    assert tree.read("a/c.txt") == b"/task/a\n"
    assert diff_trees(FILES, tree).splitlines()[:3] == [
        "new file a/c.txt", "--- before/a/c.txt", "+++ after/a/c.txt"
    ]  # fmt: skip
    assert run("chmod 0 a; ln -s a l; mkfifo f", "stat -c %a a; ls").output == "0\na\nl\nrun.sh\n"


def test_the_same_commands_leave_the_same_files():
    commands = ("ls -la; touch new", "ls -la; find . -newer run.sh; id -un", "./run.sh > out")
    first, second = run(*commands), run(*commands)
    assert (first.output, first.trees) == (second.output, second.trees)
    assert "Jan  1  2026" in run("touch x", "ls -l x").output


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("rm -r a; sleep 60", "took more than 1 seconds"),
        ("rm -r a; kill -9 -1", "ended the terminal"),
        ("rm -r a; head -c 3000000 /dev/zero > big", "too large"),
        ("rm -r a; for i in {1..1100}; do : > $i; done", "more than 1000 files"),
        ("rm -r a; touch $'\\xff'", "not UTF-8"),
    ],
)
def test_a_command_that_is_stopped_changes_nothing(command, words):
    result = run(command, seconds=1.0)
    assert words in result.output
    assert (result.stopped, result.trees["task"], result.folder) == (True, FILES, "/task")


def test_an_output_is_bounded():
    result = run("yes")
    assert len(result.output) < 70_000
    shown = clean_output(result.output + "\x1b[31m" + "x" * 9999)
    assert len(shown) < 4200
    assert "characters left out" in shown
    assert "\x1b" not in shown


def test_no_program_outlives_its_command():
    result = run("(sleep 0.2; touch late) & echo started", "sleep 0.4; ls")
    assert result.output == "a\nrun.sh\n"


def test_what_is_outside_cannot_be_seen(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("word")
    commands = (
        f"cat {secret}; ls {tmp_path}; cat /etc/shadow; ls /proc /home; env | grep -i pytest",
        f"echo x > {secret}; touch /usr/bin/x /etc/x; python3 -c 'import socket; "
        'socket.create_connection(("127.0.0.1", 22))\'',
    )
    outputs = [run(one).output for one in commands]
    assert "word" not in "".join(outputs)
    assert "Network is unreachable" in outputs[1]
    assert outputs[1].count("Read-only") + outputs[1].count("No such file") >= 3
    assert secret.read_text() == "word"


HOSTILE = """
rm -rf / --no-preserve-root
rm -rf {outside}
rm -rf /task; ln -s / /tmp/task
echo x > {outside}/f
cat {outside}/f > /task/f
ln -s {outside} d; echo x > d/f; rm -r d/
kill -9 -1
kill -9 1
kill -STOP -1
:(){{ :|:& }};:
mv /usr/bin/bash /usr/bin/x
chmod -R 777 /etc /task
chown -R 0 /dev /task
mount -t proc proc /proc
umount -a
dd if=/dev/zero of=big bs=1M count=9
cat /dev/zero > z
mkfifo p; exec 3<> p
touch -- -rf
cp /bin/sh s; chmod 4755 s; ./s -c id
su
unshare -r id
python3 -c 'import os; os.fork(); os.setsid(); os.chdir("/"); open("{outside}/f", "w")'
python3 -c 'import os; [os.mkdir("d") or os.chdir("d") for _ in range(3000)]'
python3 -c 'import socket; socket.socket().connect(("127.0.0.1", 1))'
python3 -c 'import ctypes; ctypes.CDLL(None).ptrace(16, 1, 0, 0)'
python3 -c 'print("x" * 10**8)'
ulimit -n 9; ulimit -v 999999
export PATH=/; trap "" TERM EXIT; exit 9
exec 1>&- 2>&-
exec 9>&-; cd /
set -e; false
cd {outside}
printf '\\0\\377\\x1b]0;x\\7'
echo '{{"reason": "", "roots": {{}}}}'
echo /etc >&9
cat /proc/1/environ
ls -R /etc /dev
nohup sleep 9 &
setsid sleep 9 & disown
git clone {outside}
"""


@pytest.mark.slow
def test_5000_hostile_commands_change_nothing_outside(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f").write_text("a secret")
    pool = HOSTILE.format(outside=outside).strip().split("\n")
    rng = np.random.default_rng(0)
    commands = ["\n".join(rng.choice(pool, rng.integers(1, 4))) for _ in range(5000)]
    bystander = subprocess.Popen(["sleep", "36000"])
    before = {path.name: path.stat() for path in Path("/").iterdir()}

    def attack(command):
        return machine.run_command(command, {"task": FILES}, "/task", seconds=0.3)

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        results = list(threads.map(attack, commands))
    assert bystander.poll() is None
    bystander.kill()
    bystander.wait()
    assert all("a secret" not in result.output for result in results)
    assert [path.name for path in outside.iterdir()] == ["f"]
    assert (outside / "f").read_text() == "a secret"
    after = {path.name: path.stat() for path in Path("/").iterdir()}
    assert before.keys() == after.keys()
    assert all(before[name].st_mode == after[name].st_mode for name in before)
    assert run("echo well").output == "well\n"


@pytest.mark.parametrize(
    ("text", "command"),
    [
        (" ls -la\n", "ls -la"),
        ("I look.\n```bash\nls\npwd\n```", "ls\npwd"),
        ("[ -f x ] && echo $((1 + 1))", "[ -f x ] && echo $((1 + 1))"),
        ('{"name": "bash", "arguments": {"command": "ls"}}', "ls"),
        ('{"name": "done", "arguments": {}}', DONE),
        ("done", DONE),
        ("{ ls; }", "{ ls; }"),
    ],
)
def test_replies(text, command):
    assert read_command(text) == command


@pytest.mark.parametrize("text", ["", "x\0", "x" * 10_001, '{"name": "bash", "arguments": 3}'])
def test_replies_that_are_no_command(text):
    with pytest.raises(InvalidMove, match="command"):
        read_command(text)


def test_goals():
    tree = FileTree.of({"a/x": "1 \n2\n", "j": '{"a": [1.0, "b"]}', "l": None})
    link = run("ln -s ../a/x l/x; ln -s /task/a/x l/y", tree=tree).trees["task"]
    good = [FileText("a/x", "1\n2"), FolderFiles("a", ("x",)), NoPath("b"), FileMode("a/x", 0o644)]
    good += [JSONValue("j", '{"a": [1, "b"]}'), LinkTarget("l/x", "a/x"), LinkTarget("l/y", "a/x")]
    bad = [FileText("a/x", "1"), FolderFiles("a", ()), NoPath("a"), FileMode("a/x", 0o600)]
    bad += [JSONValue("j", '{"a": [1, "c"]}'), JSONValue("a/x", "1"), LinkTarget("l/x", "a")]
    assert [goal.holds(link) for goal in good] == [True] * 7
    assert [goal.holds(link) for goal in bad] == [False] * 7


def test_an_episode():
    env = gem_ma.make("terminal:MoveFiles-v0", difficulty=0)
    env.reset(seed=5)
    turn = env.turn("player")
    assert "Task: Move every file" in turn.rules
    solution = env.game_state.problem.solution
    assert not any(one in str(env.game_state.seen_by("player")) for one in solution)
    env.step(solution[0])
    fork = env.fork(1)[0]
    pickle.loads(pickle.dumps(env.game_state))
    for command in (*solution[1:], DONE):
        env.step(command)
    assert env.game_state.returns() == {"player": 1.0}
    fork.step(DONE)
    assert fork.game_state.returns() == {"player": 0.0}


def test_the_last_command_is_followed_by_the_check():
    game = TerminalTask("LargestFiles", limit=1)
    state = game.start(np.random.default_rng(0), {})
    state = game.advance(state, {"player": state.problem.solution[0]}, None)
    assert (state.to_act(), state.returns()) == ((), {"player": 1.0})


def test_arguments():
    with pytest.raises(ValueError, match="expected one or more of MoveFiles"):
        TerminalTask("Nothing")
    with pytest.raises(ValueError, match="limit=0: expected 1 or more"):
        TerminalTask("MoveFiles", limit=0)
    with pytest.raises(ValueError, match="difficulty=11: expected 0 to 10"):
        TerminalTask("MoveFiles", difficulty=11)


def test_no_settings_of_a_repository_reach_the_check():
    skip_without_git("TagReleases")
    problem = draw_problem("TagReleases", 1, 0)
    forged = (
        "git config alias.tag '!echo'; git config core.pager x; git tag x; echo x > .git/hooks/x"
    )
    tree = run(forged, *problem.solution, tree=problem.tree).trees["task"]
    assert not problem.is_solved(tree)  # because of the tag x
    assert problem.is_solved(run("git tag -d x", tree=tree).trees["task"])
