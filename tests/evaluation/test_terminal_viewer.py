"""Watching in the terminal, and where there is none."""

import io
import os
import re
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest
from rich.console import Console

from gem_ma import Reply, rollout
from gem_ma.agents import FunctionAgent
from gem_ma.evaluation.terminal_viewer import (
    ShownReply,
    WatchError,
    WatchFrame,
    escape_invisible,
    fit_picture,
    format_frame,
    render_frame,
    render_half_blocks,
    replay_file_frames,
    watch,
)

FOUR = "game:ConnectFour-v0"


def told(capsys, *arguments, **named):
    assert watch(*arguments, delay=0, **named) == 0
    return capsys.readouterr().out


def terminal(width=120, height=40):
    return Console(
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        width=width,
        height=height,
        legacy_windows=False,
        _environ={},
    )


def test_plain_lines(capsys):
    out = told(capsys, FOUR, seed=3)
    assert out == told(capsys, FOUR, seed=3)
    assert "\x1b" not in out
    assert "game:ConnectFour-v0, seed 3, turn 1\n0 1 2 3 4 5 6\n" in out
    assert "to act: red\nred: " in out
    assert re.search(r"  reward \+1\n", out)
    assert re.search(r"returns: red [+-]1, yellow [+-]1\n$", out)


def test_a_seat_sees_its_own_secrets(capsys):
    whole = told(capsys, "game:KuhnPoker-v0", seed=1)
    first = told(capsys, "game:KuhnPoker-v0", seed=1, seat="first")
    card = re.search(r"second ([JQK])", whole)[1]
    assert f"second {card}" not in first


def test_recorded_episodes_go_as_the_match_went(tmp_path, capsys):
    path = tmp_path / "a.jsonl"

    def odd(turn):
        return "ninety" if turn.index == 1 else Reply(f"<think>?</think>{turn.legal[0]}")

    episodes = rollout(FOUR, [FunctionAgent(odd), "random"], 3, seed=2, out=path, observe="both")
    out = told(capsys, str(path))
    for episode in episodes:
        assert f"episode {episode.number}, 0 of {len(episode.steps)}\n" in out
    assert out.count("  invalid: 'ninety' is not a legal move") == 3
    assert "?" not in out
    one = told(capsys, str(path), episode=1, seat="yellow")
    assert "episode 1," in one
    assert "episode 0," not in one
    assert one.endswith(
        "returns: "
        + ", ".join(f"{seat} {value:+g}" for seat, value in episodes[1].returns.items())
        + "\n"
    )
    shutil.rmtree(path.with_suffix(".pictures"))
    assert told(capsys, str(path), episode=1, seat="yellow").count("0 1 2 3 4 5 6") > 3
    # redrawn
    assert all(moment.pixels is not None for moment in list(replay_file_frames(path, "red", 1)))
    path.write_text(path.read_text().replace(FOUR, "game:Nobody-v0"))
    assert all(moment.pixels is None for moment in replay_file_frames(path, "red", 1))


def test_what_was_earned_is_told_after_the_move_that_earned_it(tmp_path):
    path = tmp_path / "a.jsonl"
    episodes = rollout("game:TicTacToe-v0", "random", 6, seed=0, out=path)
    won = [episode for episode in episodes if episode.returns["x"]]
    assert len({episode.returns["x"] for episode in won}) == 2
    for episode in won:
        *before, end = replay_file_frames(path, None, episode.number)
        assert {value for moment in before for value in moment.returns.values()} == {0.0}
        assert end.returns == episode.returns
        assert [one.reward for one in end.replies] == [1.0]
        assert {one.reward for moment in before for one in moment.replies} == {0.0}


def test_what_cannot_be_played_again_is_shown_as_the_seats_saw_it(tmp_path, capsys):
    path = tmp_path / "a.jsonl"
    rollout(FOUR, "random", 1, seed=2, out=path)
    path.write_text(path.read_text().replace(FOUR, "game:Nobody-v0"))
    assert "as the seats saw it: no environment" in told(capsys, str(path))


def test_half_blocks():
    pixels = np.zeros((40, 80, 3), np.uint8)
    pixels[:20] = 255, 0, 0
    pixels[20:] = 0, 0, 255
    columns, rows = fit_picture(pixels, 20, 20)
    assert (columns, rows) == (20, 5)
    assert fit_picture(pixels, 100, 3) == (12, 3)
    console = terminal()
    console.print(render_half_blocks(pixels, columns, rows), end="")
    lines = console.file.getvalue().split("\n")
    assert [line.count("\u2580") for line in lines[:5]] == [20] * 5
    assert "\x1b[38;2;255;0;0;48;2;255;0;0m" in lines[0]
    assert "\x1b[38;2;255;0;0;48;2;0;0;255m" in lines[2]  # the border runs through this cell
    assert "\x1b[38;2;0;0;255;48;2;0;0;255m" in lines[4]


def test_words_around_a_picture():
    said = (
        ShownReply("red", "a" * 2000, "", 0.0),
        ShownReply("blue", "b" * 2001, "no such column", -0.5),
    )
    moment = WatchFrame("turn 2", ("red",), None, "a board", said, {"red": 0.0, "blue": -0.5})
    (lines, title, words) = (format_frame(moment), *render_frame(moment, 80, 20).renderables)
    told = f"red: {'a' * 2000}\nblue: {'b' * 2000} ... (2001)\n"
    told += "  invalid: no such column\n  reward -0.5"
    assert lines == f"{told}\n\nturn 2\na board\nto act: red\n"
    assert words.plain == f"{told}\nto act: red\nso far: red +0, blue -0.5\n\na board"
    assert {str(span.style) for span in words.spans} == {"red", "bold"}
    assert (title.plain, title.style) == ("turn 2", "bold")
    over = moment._replace(acting=())
    assert format_frame(over).endswith("a board\nreturns: red +0, blue -0.5\n")
    assert "so far" not in render_frame(over, 80, 20).renderables[1].plain


@pytest.mark.parametrize(("width", "height"), [(120, 40), (80, 24), (40, 30), (20, 6)])
def test_it_fits_the_terminal(tmp_path, width, height):
    rollout(FOUR, "random", 1, seed=2, out=tmp_path / "a.jsonl", observe="both")
    *_, last = replay_file_frames(tmp_path / "a.jsonl", None, None)
    console = terminal(width, height)
    with console.capture() as shown:
        console.print(render_frame(last, width, height))
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shown.get()).splitlines()
    assert all(len(line) <= width for line in lines)
    blocks = [number for number, line in enumerate(lines) if "\u2580" in line]
    assert len(blocks) >= height / 2 - 2
    assert blocks[-1] < height - 1
    beside = "returns: red" in lines[blocks[0]] + lines[blocks[1]] + lines[blocks[2]]
    assert beside == (width >= 80)


def test_no_reply_steers_the_terminal(tmp_path, capsys):
    bad = "\x1b[2J\x1b]0;mine\x07 \u202ebackward \x9b31m [bold]plain[/bold] \ud800 \u2028"
    path = tmp_path / "a.jsonl"
    rollout(FOUR, FunctionAgent(lambda turn: bad), 1, seed=2, out=path)
    out = told(capsys, str(path))
    for steers in ("\x1b", "\x07", "\u202e", "\x9b", "\u2028"):
        assert steers not in out
    assert "\u241b[2J" in out
    assert "<U+202E>backward" in out
    console = terminal()
    watch(str(path), delay=0, console=console)
    screen = console.file.getvalue()
    assert "\x1b]0;" not in screen
    assert "[bold]plain[/bold]" in screen
    assert escape_invisible("plain \u200d \t\n") == "plain \u200d \t\n"


def test_wrong_requests(tmp_path):
    file = tmp_path / "a.jsonl"
    rollout(FOUR, "random", 1, seed=2, out=file)
    (tmp_path / "b.jsonl").write_text("nothing\n")
    for what, named, words in (
        ("game:ConectFour-v0", {}, "did you mean"),
        (FOUR, {"seat": "green"}, "the seats are red, yellow"),
        (str(file), {"seat": "green"}, "the seats are red, yellow"),
        (str(file), {"episode": 7}, "number 7"),
        (FOUR, {"episode": 0}, "--episode"),
        (FOUR, {"agents": "human"}, "gem-ma play"),
        (FOUR, {"agents": "nobody"}, "no agent"),
        (FOUR, {"agents": "random,random,random"}, "got 3 agents"),
        (FOUR, {"image_size": 0}, "image_size=0"),
        (FOUR, {"theme": "lite"}, "did you mean 'light'"),
        (FOUR, {"delay": -1}, "--delay"),
        (FOUR, {"delay": float("nan")}, "--delay"),
        (str(tmp_path / "b.jsonl"), {}, "no file of episodes"),
        (str(tmp_path), {}, "expected an environment, or a file"),
        (str(tmp_path / "c.jsonl"), {}, "expected an environment, or a file"),
    ):
        with pytest.raises(WatchError, match=re.escape(words)):
            watch(what, **{"delay": 0, **named})


@pytest.mark.skipif(not shutil.which("tmux"), reason="apt-get install tmux")
def test_ctrl_c_gives_the_terminal_back(tmp_path):
    tmux = ["tmux", "-f", "/dev/null", "-S", str(tmp_path / "socket")]
    script = tmp_path / "script.py"
    script.write_text(
        "from gem_ma.evaluation.terminal_viewer import watch\n"
        "try:\n"
        f"    watch({FOUR!r}, seed=3, delay=60)\n"
        "except KeyboardInterrupt:\n"
        "    print('stopped')\n"
    )
    environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    run = f"{sys.executable} {script}; echo rc $?; sleep 100"

    def screen(words, blocks=0):
        for _ in range(600):
            shown = subprocess.run(
                [*tmux, "capture-pane", "-p"], capture_output=True, text=True, encoding="utf-8"
            ).stdout
            if words in shown and shown.count("\u2580") >= blocks:  # and not half of it
                return shown
            time.sleep(0.1)
        raise AssertionError(f"no {words!r} on the screen:\n{shown}")

    subprocess.run(
        [*tmux, "-u", "new-session", "-d", "-x", "100", "-y", "30", run],
        check=True,
        env=environment,
    )
    try:
        screen("to act: red", 500)
        subprocess.run([*tmux, "send-keys", "C-c"], check=True)
        shown = screen("stopped\nrc 0")
        assert "turn 1" in shown  # what was seen last stays
    finally:
        subprocess.run([*tmux, "kill-server"], check=False)
