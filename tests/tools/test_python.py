"""What a seat reads from PythonTool, and the variables of a session through forks."""

import json
import pickle
import sys
import threading

import pytest

import gem_ma
import gem_ma.rollouts.records
from gem_ma.sandbox import LEVELS, Sandbox
from gem_ma.tools import PythonTool, Tool, ToolError, with_tools

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the sandbox needs a Unix")


@pytest.fixture(scope="module")
def box():
    """Return a sandbox for all tools."""
    with Sandbox(seconds=2.0, memory=2**26) as made:
        yield made


@pytest.fixture(scope="module")
def tool(box):
    """Return a tool whose calls are on their own."""
    return PythonTool(box, seconds=1.0)


def play(tool, *codes, past=()):
    """Make calls one after the other, and return them with their results."""
    past = list(past)
    for code in codes:
        past.append(({"code": code}, tool.call({"code": code}, past)))
    return past


def said(past):
    return [result for _, result in past]


def test_it_is_a_tool(tool, box):
    assert isinstance(tool, Tool)
    assert (tool.name, tool.fence_language, tool.blocking) == ("python", "python", True)
    assert tool.level == box.level
    function = tool.schema["function"]
    assert function["name"] == "python"
    assert list(function["parameters"]["properties"]) == ["code"]
    assert "1 seconds" in function["description"]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("print(1)", "1"),
        ("print(1)\nprint(2)", "1\n2"),
        ("x = 6\nx * 7", "42"),
        ("print(5)\n6", "5"),
        ("x = 5", "(no output)"),
        ("```python\nprint(5)\n```", "5"),
        ("import sys; sys.exit(3)", "The program ended with exit code 3."),
        ("import sys; sys.exit('gone')", "gone"),
        ("print('é', '\\x00')", "é \x00"),
        ("import sys; sys.stdout.buffer.write(b'\\xff')", "\ufffd"),
        ("print('so far')\nwhile True: pass",
         "so far\nThe program was stopped: it took more than 1 seconds."),
        ("import os; os.kill(os.getpid(), 6)", "The program was killed by SIGABRT."),
    ],
)  # fmt: skip
def test_results_in_words(tool, code, text):
    assert tool.call({"code": code}) == text


@pytest.mark.parametrize(
    ("code", "last"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("1 +", "SyntaxError: invalid syntax"),
        ("undefined", "NameError: name 'undefined' is not defined"),
        ("[0] * 10**9", "The program needed more memory than the 64 MB there are."),
        ("print('x' * 10**6)", "The program was stopped: it printed more than 65,536 bytes."),
    ],
)
def test_the_last_line_says_what_was_wrong(tool, code, last):
    assert tool.call({"code": code}).splitlines()[-1] == last


def test_code_with_a_nul(tool):
    # A SyntaxError since Python 3.11.4, a ValueError before.
    text = tool.call({"code": "print(1)\0"})
    assert text.endswith("Error: source code string cannot contain null bytes")


def test_a_long_error_is_cut(tool):
    text = tool.call({"code": "raise ValueError('\\n'.join(map(str, range(100))))"})
    assert text.startswith("...\n80\n")
    assert text.endswith("\n99")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "got none"),
        ({"cod": "1"}, "got cod"),
        ({"code": "1", "n": 1}, "got code, n"),
        ({"code": 1}, "not '1'"),
        ({"code": " \n"}, "a Python program"),
        ("print(1)", r"got print\(1\)"),
    ],
)
def test_bad_calls(tool, arguments, message):
    with pytest.raises(ToolError, match=message):
        tool.call(arguments)


def test_calls_are_on_their_own(tool):
    assert "NameError" in said(play(tool, "x = 1", "x"))[1]


def test_sessions_keep_variables(box):
    tool = PythonTool(box, session=True)
    assert said(play(tool, "x = 1", "x += 1", "1 / 0", "x"))[3] == "2"
    assert len(box._servers) <= 2
    tool.close()


def test_a_fork_and_a_step_back_see_the_variables_of_their_own_past(box):
    tool = PythonTool(box, session=True)
    start = play(tool, "x = [1]")
    one = play(tool, "x.append(2)", "x", past=start)
    other = play(tool, "x.append(3)", "x", past=start)
    assert said(one)[-1] == "[1, 2]"
    assert said(other)[-1] == "[1, 3]"
    assert tool.call({"code": "x"}, one) == "[1, 2]"
    assert tool.call({"code": "x"}, start) == "[1]"
    assert tool.call({"code": "'x' in globals()"}) == "False"
    tool.close()


def test_a_session_that_ended_is_told_and_not_run_again(box):
    tool = PythonTool(box, session=True, seconds=0.3)
    lost = "The variables are lost; the next call starts anew."
    past = play(tool, "x = 1", "while True: pass", "y = 2", "'x' in globals(), y")
    assert said(past)[1].endswith(lost)
    assert said(past)[3] == "(False, 2)"
    tool.close()
    assert tool.call({"code": "'x' in globals(), y"}, past) == "(False, 2)"
    assert play(tool, "exit()")[-1][1].endswith(lost)
    tool.close()


def test_bad_calls_in_the_past_are_passed_over(box):
    tool = PythonTool(box, session=True)
    past = [({"code": "x = 5"}, "(no output)"), ({"cod": "x = 6"}, "Error"), ("x", "Error")]
    assert tool.call({"code": "x"}, past) == "5"
    tool.close()


def test_few_sessions_live_at_once(box):
    tool = PythonTool(box, session=True, sessions=2)
    pasts = [play(tool, f"x = {n}") for n in range(5)]
    assert len(tool._live_sessions) == 2
    assert [tool.call({"code": "x"}, past) for past in pasts] == list("01234")
    assert len(tool._live_sessions) == 2
    tool.close()
    assert len(box._servers) <= 1


def test_threads_share_a_tool(box):
    tool = PythonTool(box, session=True)
    results = {}

    def work(n):
        results[n] = said(play(tool, f"x = {n}", "x * 2", "x * 3"))[1:]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {n: [str(n * 2), str(n * 3)] for n in range(4)}
    tool.close()


def test_pickling(box):
    tool = pickle.loads(pickle.dumps(PythonTool(box, session=True, seconds=3.0)))
    assert (tool.seconds, tool.session, tool.sandbox.memory) == (3.0, True, 2**26)
    assert said(play(tool, "x = 1", "x"))[1] == "1"
    tool.close()
    tool.sandbox.close()


def test_without_a_sandbox_there_is_a_shared_one():
    one, other = PythonTool(), PythonTool()
    assert one.sandbox is other.sandbox
    assert one.call({"code": "print(1)"}) == "1"


def test_wrong_options():
    with pytest.raises(ValueError, match="sessions=0"):
        PythonTool(sessions=0)
    with pytest.raises(ValueError, match="level='none'"):
        PythonTool(level="none")


def test_an_episode_says_how_well_its_code_was_kept_in(tool, tmp_path):
    env = with_tools(gem_ma.make("game:TicTacToe-v0"), [tool])
    code = '<tool_call>{"name": "python", "arguments": {"code": "print(1)"}}</tool_call>'

    def player(turn):
        return turn.legal[0] if turn.results else code

    out = tmp_path / "out.jsonl"
    (played,) = gem_ma.rollout(env, player, 1, out=out)
    assert played.returns
    (episode,) = gem_ma.rollouts.records.load_episodes(out)
    assert LEVELS.index(episode.sandbox) >= LEVELS.index(tool.level)
    line = json.loads(out.read_text())
    del line["sandbox"]  # as before there was such a field
    assert gem_ma.rollouts.records.episode_from_json(line).sandbox == ""
