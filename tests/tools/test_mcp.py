"""Tools of real MCP servers, which the tests start: over stdio, and over HTTP on the loopback."""

import contextlib
import copy
import gc
import gzip
import http.server
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("mcp.server.mcpserver", reason="pip install 'gem-ma[tools]'")

from gem_ma.chat.messages import find_tool_pictures
from gem_ma.tools import Tool, ToolError
from gem_ma.tools.mcp import MCPServer, MCPServerError, MCPTool

SERVER = str(Path(__file__).with_name("mcp_server.py"))
COMMAND = [sys.executable, SERVER]
UNICODE = "Grüße, 東京 \U0001f600\n\u2028\x00"


def alive(pid):
    try:
        status = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        pass
    else:
        return status != "Z"
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return not Path("/proc").is_dir()


def gone(pid, seconds=5.0):
    end = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.01)
    return not alive(pid)


def named(tools):
    return {tool.name: tool for tool in tools}


class Web:
    """A server over HTTP in a process, which can be started anew at its port."""

    def __init__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [*COMMAND, str(self.port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        end = time.monotonic() + 20
        while time.monotonic() < end:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                time.sleep(0.05)
            else:
                return
        raise AssertionError("the server does not listen")

    def kill(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="module")
def web():
    os.environ["NO_PROXY"] = "127.0.0.1"
    server = Web()
    yield server
    server.kill()


@pytest.fixture(params=["stdio", "http"], scope="module")
def server(request):
    if request.param == "stdio":
        target = COMMAND
    else:
        target = request.getfixturevalue("web").url
    with MCPServer(target, timeout=10) as server:
        yield server


@pytest.fixture(scope="module")
def tools(server):
    return named(server.list_tools())


def test_tools_carry_the_servers_names_and_schemas(tools):
    add = tools["add"]
    assert isinstance(add, Tool)
    assert add.blocking
    function = add.schema["function"]
    assert add.schema["type"] == "function"
    assert (function["name"], function["description"]) == ("add", "Add two integers.")
    assert function["parameters"]["required"] == ["a"]
    assert function["parameters"]["properties"]["b"]["default"] == 1
    assert tools["echo"].schema["function"]["description"] == ""


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("add", {"a": 2, "b": 3}, "5"),
        (
            "echo",
            {"text": "Grüße, 東京 \U0001f600\n\u2028\x00"},
            "Grüße, 東京 \U0001f600\n\u2028\x00",
        ),
        ("echo", {"text": ""}, ""),
        ("picture", {}, "[image: image/png, 8 bytes]"),
        ("broken", {}, "[image: image/png, 3 bytes]"),  # what no base64 decoder takes
        ("document", {}, "a note\nand a word"),
        ("point", {}, '{\n  "x": 1.5\n}'),
    ],
)
def test_results_become_text(tools, name, arguments, text):
    assert tools[name].call(arguments, ()) == text


def test_a_picture_comes_with_the_text(tools):
    said = tools["photo"].call({}, ())
    (picture,) = find_tool_pictures(said)
    assert said.startswith("two pixels\n[image: image/png, ")
    assert picture.array.tolist() == [[[255, 0, 0], [0, 0, 255]]]
    assert not find_tool_pictures(tools["picture"].call({}, ()))  # which no decoder takes


def test_a_large_result(tools):
    assert tools["echo"].call({"text": "ü" * 1000, "times": 2000}, ()) == "ü" * 2_000_000


def test_errors_of_a_tool_are_the_seats(tools):
    with pytest.raises(ToolError, match="fail"):
        tools["fail"].call({}, ())
    with pytest.raises(ToolError, match="should be a valid integer"):
        tools["add"].call({"a": "x"}, ())
    with pytest.raises(ToolError, match="nope"):
        MCPTool(tools["add"].server, "nope", "", {}).call({}, ())
    assert tools["add"].call({"a": 1}, ()) == "2"


def test_a_call_past_its_limit_leaves_the_server_usable(server, tools):
    before = tools["pid"].call({}, ())
    limited = copy.copy(server)
    assert limited is server  # one connection, however often it is copied
    quick = MCPServer(server.target, timeout=2)
    with quick:
        slow = named(quick.list_tools())
        before = slow["pid"].call({}, ())
        start = time.monotonic()
        with pytest.raises(ToolError, match=r"no answer within 2 s"):
            slow["nap"].call({"seconds": 60}, ())
        assert time.monotonic() - start < 12
        assert slow["add"].call({"a": 1}, ()) == "2"
        assert slow["pid"].call({}, ()) == before


def test_fifty_calls_from_eight_threads(tools):
    start = time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        sums = pool.map(lambda i: tools["add"].call({"a": i, "b": i}, ()), range(50))
        assert list(sums) == [str(2 * i) for i in range(50)]
        naps = pool.map(lambda _: tools["nap"].call({"seconds": 0.5}, ()), range(8))
        assert list(naps) == ["slept"] * 8
    assert time.monotonic() - start < 8  # the naps one after the other would take 4 of them


def test_a_call_inside_a_running_loop(tools):
    import asyncio

    async def main():
        return await asyncio.gather(
            *(asyncio.to_thread(tools["add"].call, {"a": i}, ()) for i in range(5))
        )

    assert asyncio.run(main()) == ["1", "2", "3", "4", "5"]


def test_an_answer_over_http_has_a_largest_size(web):
    with MCPServer(web.url, max_answer=1 << 20, timeout=10) as server:
        echo = named(server.list_tools())["echo"]
        assert len(echo.call({"text": "x", "times": 500_000}, ())) == 500_000
        with pytest.raises((ToolError, MCPServerError)) as error:
            echo.call({"text": "x", "times": 40_000_000}, ())
        assert "1048576 bytes" in str(error.value) or "too large" in str(error.value).lower()
        assert echo.call({"text": "x"}, ()) == "x"
    with pytest.raises(ValueError, match="max_answer=0"):
        MCPServer(web.url, max_answer=0)


class Odd(http.server.BaseHTTPRequestHandler):
    """Speak as an MCP server does until a tool is called."""

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(dict(self.headers))
        method = message["method"]
        tool = {"name": "t", "inputSchema": {"type": "object"}}
        about = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}
        about["serverInfo"] = {"name": "x", "version": "1"}
        result = {"initialize": about, "tools/list": {"tools": [tool]}}.get(method)
        if "id" not in message:
            self.send_response(202)
            self.end_headers()
        elif method == "tools/call":
            self.server.answer(self, message["id"])
        elif result is None:
            error = {"code": -32601, "message": "unknown"}
            self.say(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}))
        else:
            self.say(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}))

    def say(self, *parts, coding=None, code=200):
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        if coding:
            self.send_header("Content-Encoding", coding)
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            for part in parts:
                self.wfile.write(part if isinstance(part, bytes) else part.encode())

    def do_GET(self):
        self.send_error(405)

    def do_DELETE(self):
        self.do_GET()

    def log_message(self, *_):
        pass


def content(number, block):
    return json.dumps({"jsonrpc": "2.0", "id": number, "result": {"content": [block]}})


BOMB = gzip.compress(b"a" * (100 << 20), 1)


@pytest.mark.parametrize(
    "answer",
    [
        lambda self, number: self.say(*["a" * (1 << 20)] * 30),
        lambda self, number: self.say(BOMB, coding="gzip"),
        lambda self, number: self.say(BOMB, coding="gzip", code=500),
        lambda self, number: self.say(b"x", coding="br"),
        lambda self, number: self.say("[" * 100_000),
        lambda self, number: self.say(content(number, {"type": "nothing"})),
        lambda self, number: self.say(content(number, None)),
    ],
)
def test_answers_that_are_none(answer, monkeypatch, caplog):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    caplog.set_level("INFO")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Odd) as odd:
        odd.daemon_threads, odd.asked, odd.answer = True, [], answer
        threading.Thread(target=odd.serve_forever, kwargs={"poll_interval": 0.01}).start()
        url = f"http://me:pass-word@127.0.0.1:{odd.server_port}/mcp"
        try:
            with MCPServer(url, timeout=5, max_answer=1 << 20) as server:
                (tool,) = server.list_tools()
                with pytest.raises((ToolError, MCPServerError)) as error:
                    tool.call({}, ())
                assert "pass-word" not in str(error.value) + repr(tool)
        finally:
            odd.shutdown()
    assert odd.asked[0]["Authorization"] == "Basic bWU6cGFzcy13b3Jk"
    assert "pass-word" not in caplog.text


HEADERS = {"Authorization": "Bearer token-of-mine", "X-Api-Key": "key-of-mine"}
SAID = "no token-of-mine, no key-of-mine"


def refuse(handler, number):
    error = {"code": -1, "message": SAID}
    handler.say(json.dumps({"jsonrpc": "2.0", "id": number, "error": error}))


def fail(handler, number):
    result = {"content": [{"type": "text", "text": SAID}], "isError": True}
    handler.say(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}))


def malform(handler, number):
    handler.say(content(number, {"type": SAID}))


@pytest.mark.parametrize("answer", [refuse, fail, malform])
def test_no_error_repeats_what_was_sent(answer, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Odd) as odd:
        odd.daemon_threads, odd.asked, odd.answer = True, [], answer
        threading.Thread(target=odd.serve_forever, kwargs={"poll_interval": 0.01}).start()
        url = f"http://127.0.0.1:{odd.server_port}/mcp"
        try:
            with MCPServer(url, timeout=20, headers=HEADERS) as server:
                (tool,) = server.list_tools()
                with pytest.raises((ToolError, MCPServerError)) as error:
                    tool.call({}, ())
                assert "mine" not in str(error.value)
        finally:
            odd.shutdown()
    assert odd.asked[0]["Authorization"] == HEADERS["Authorization"]


def test_nobody_is_followed_to_another_server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    class Moved(Odd):
        def do_POST(self):
            self.server.asked.append(dict(self.headers))
            self.send_response(307)
            self.send_header("Location", self.server.other)
            self.send_header("Content-Length", "0")
            self.end_headers()

    with (
        http.server.ThreadingHTTPServer(("127.0.0.1", 0), Odd) as odd,
        http.server.ThreadingHTTPServer(("127.0.0.1", 0), Moved) as moved,
    ):
        odd.asked, moved.asked = [], []
        moved.other = f"http://me:hush@127.0.0.1:{odd.server_port}/mcp"
        for one in (odd, moved):
            threading.Thread(target=one.serve_forever, kwargs={"poll_interval": 0.01}).start()
        try:
            url = f"http://127.0.0.1:{moved.server_port}/mcp"
            with (
                pytest.raises(MCPServerError, match=f"{odd.server_port}.*give that as") as error,
                MCPServer(url, start_timeout=20, headers=HEADERS) as server,
            ):
                server.list_tools()
        finally:
            for one in (odd, moved):
                one.shutdown()
    assert "hush" not in str(error.value)
    assert moved.asked
    assert not odd.asked


def test_a_server_killed_between_calls_is_started_again():
    with MCPServer(COMMAND) as server:
        tools = named(server.list_tools())
        first = int(tools["pid"].call({}, ()))
        os.kill(first, signal.SIGKILL)
        with ThreadPoolExecutor(8) as pool:
            pids = set(pool.map(lambda _: tools["pid"].call({}, ()), range(20)))
        assert len(pids) == 1
        assert pids != {str(first)}

        # A call that kills it, again when it is repeated, is the seat's doing.
        with pytest.raises(ToolError, match="ended during this call, and again"):
            tools["die"].call({}, ())
    assert gone(first)
    assert gone(int(pids.pop()))


def test_a_web_server_started_again_is_found_again():
    os.environ["NO_PROXY"] = "127.0.0.1"
    web = Web()
    try:
        with MCPServer(web.url, start_timeout=10) as server:
            tools = named(server.list_tools())
            assert tools["add"].call({"a": 1}, ()) == "2"
            web.kill()
            with pytest.raises(MCPServerError, match=r"does not start.*ConnectError"):
                tools["add"].call({"a": 1}, ())
            web.start()
            assert tools["add"].call({"a": 1}, ()) == "2"
            web.kill()
            web.start()
            assert tools["add"].call({"a": 1}, ()) == "2"
    finally:
        web.kill()


def no_more_threads_than(count):
    """Check it within a moment: the thread that waits for a process ends after it."""
    end = time.monotonic() + 3
    while threading.active_count() > count and time.monotonic() < end:
        time.sleep(0.01)
    assert threading.active_count() <= count


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("raise SystemExit('no licence')", r"does not start.*it said: no licence"),
        ("import time; time.sleep(60)", r"no answer within 1 s"),
        (
            "import sys; print('Welcome!', flush=True); sys.stdin.read()",
            r"no answer within 1 s; it printed what is no MCP message:.*Welcome",
        ),
        ("import os\nwhile True: os.write(1, b'\\xff\\n' * 99)", r"does not start"),
        ("import os; os.close(1); input()", r"does not start"),
        ("import sys; print('{}', flush=True); sys.stdin.read()", r"no answer within 1 s"),
    ],
)
def test_commands_that_are_no_server(code, message, caplog):
    threads = threading.active_count()
    start = time.monotonic()
    with pytest.raises(MCPServerError, match=f"(?s)MCPServer.*{message}"):
        MCPTool.from_command([sys.executable, "-c", code], start_timeout=1)
    assert time.monotonic() - start < 9
    no_more_threads_than(threads)


def test_targets_that_are_none():
    with pytest.raises(MCPServerError, match=r"does not start.*No such file"):
        MCPTool.from_command(["/absent/program"])
    with pytest.raises(MCPServerError, match=r"does not start.*ConnectError"):
        MCPTool.from_url("http://127.0.0.1:9/mcp")
    with pytest.raises(ValueError, match=r"expected an http\(s\) URL, or a command as a list"):
        MCPServer("server.py")
    with pytest.raises(TypeError, match="expected a list"):
        MCPTool.from_command("python server.py")
    with pytest.raises(ValueError, match=r"target=\[\]: expected a command"):
        MCPServer([])
    with pytest.raises(TypeError, match="belong to a command"):
        MCPServer("http://127.0.0.1", env={})
    with pytest.raises(TypeError, match="belong to a URL"):
        MCPServer(["x"], headers={})
    with pytest.raises(ValueError, match="timeout=0"):
        MCPServer(["x"], timeout=0)


def test_closing_ends_the_process_and_the_thread(monkeypatch):
    monkeypatch.setenv("SECRET", "hidden")
    threads = threading.active_count()
    tools = named(MCPTool.from_command(COMMAND, env={"GIVEN": "shown"}))
    pid = int(tools["pid"].call({}, ()))
    assert alive(pid)
    # A command sees no more of the environment than it is given.
    assert tools["secret"].call({}, ()) == "None shown"
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(tools["nap"].call, {"seconds": 30}, ())
        time.sleep(0.3)
        tools["add"].close()
        with pytest.raises(MCPServerError, match="was closed during a call"):
            call.result(5)
    assert gone(pid, 0.1)
    no_more_threads_than(threads)
    with pytest.raises(MCPServerError, match="is closed; make a new one"):
        tools["add"].call({"a": 1}, ())
    tools["add"].close()


def test_a_server_that_nobody_holds_ends_and_a_banner_does_no_harm():
    code = (
        "print('Welcome!', flush=True)\n"
        f"import runpy; runpy.run_path({SERVER!r}, run_name='__main__')"
    )
    tools = named(MCPTool.from_command([sys.executable, "-c", code]))
    pid = int(tools["pid"].call({}, ()))
    add = tools.pop("add")
    del tools
    gc.collect()
    assert add.call({"a": 1}, ()) == "2"
    del add
    gc.collect()
    assert gone(pid)


EXIT = """
import os, sys
from gem_ma.tools import MCPTool
tools = {tool.name: tool for tool in MCPTool.from_command([sys.executable, sys.argv[1]])}
print(tools["pid"].call({}, ()), flush=True)
END
"""


@pytest.mark.parametrize("end", ["", "os.kill(os.getpid(), 9)"])
def test_a_process_that_ends_takes_its_server_along(end):
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", EXIT.replace("END", end), SERVER],
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert gone(int(run.stdout))
    if not end:
        assert (run.stderr, run.returncode) == ("", 0)


def test_a_web_connection_ends_quietly_with_its_process(web):
    code = (
        "import sys; from gem_ma.tools import MCPTool\n"
        "tools = {tool.name: tool for tool in MCPTool.from_url(sys.argv[1])}\n"
        "print(tools['add'].call({'a': 1}, ()))"
    )
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, web.url],
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert (run.stdout, run.stderr, run.returncode) == ("2\n", "", 0)


@pytest.mark.parametrize("server", ["stdio"], indirect=True)
def test_tools_pickle_as_how_to_connect(server, tools):
    pid = tools["pid"].call({}, ())
    content = pickle.dumps(tools)
    again = pickle.loads(content)
    assert again["pid"].server is server
    assert copy.deepcopy(tools["pid"]).server is server
    assert again["pid"].schema == tools["pid"].schema
    assert again["pid"].call({}, ()) == pid
    code = (
        "import pickle, sys; tools = pickle.load(sys.stdin.buffer)\n"
        "assert tools['pid'].server is tools['add'].server\n"
        "print(tools['pid'].call({}, ()), tools['pid'].server.timeout)"
    )
    run = subprocess.run([sys.executable, "-c", code], input=content, capture_output=True)
    other, timeout = run.stdout.decode().split()
    assert (other != pid, timeout) == (True, "10")
    assert gone(int(other))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that can fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.parametrize("server", ["stdio"], indirect=True)
def test_the_child_of_a_fork_opens_a_connection_of_its_own(server, tools):
    pid = tools["pid"]
    mine = pid.call({}, ())
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write, pid.call({}, ()).encode())
            server.close()
        finally:
            os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    with os.fdopen(read) as pipe:
        theirs = pipe.read()
    assert theirs.isdigit()
    assert theirs != mine
    assert pid.call({}, ()) == mine
    assert gone(int(theirs))
