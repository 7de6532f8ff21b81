"""MCPTool by GEM's name: real servers over stdio, called in a reply's tags."""

import json
import sys
from pathlib import Path

import pytest

from gem_ma import gem
from gem_ma.gem.tools.mcp_tool import MCPTool
from gem_ma.gem.tools.tool_env_wrapper import ToolEnvWrapper

pytest.importorskip("mcp.server.mcpserver", reason="pip install 'gem-ma[tools]'")
FILE = str(Path(__file__).parents[2] / "tools/mcp_server.py")
SERVER = {"command": sys.executable, "args": [FILE]}


def call(name, arguments):
    return f"<tool_call><tool_name>{name}</tool_name><arguments>{arguments}</arguments></tool_call>"


@pytest.fixture(scope="module")
def tool():
    made = MCPTool.from_local_command(SERVER, execution_timeout=20)
    yield made
    made.close()


def test_tools_are_told_with_their_schemas(tool):
    by_name = {one["name"]: one for one in tool.get_available_tools()}
    assert by_name["add"]["description"] == "Add two integers."
    assert by_name["add"]["parameters"]["required"] == ["a"]
    text = tool.instruction_string()
    (block,) = (part.partition("</tools>")[0] for part in text.split("<tools>\n")[1:])
    functions = [json.loads(line)["function"]["name"] for line in block.splitlines()]
    assert functions == sorted(by_name)


def test_the_first_call_of_a_reply_is_made(tool):
    first = call("add", '{"a": 2, "b": 3}')
    assert tool.execute_action(f"I add. {first} and {call('add', '{}')}") == (
        True, False, "5", first,
    )  # fmt: skip
    spaced = (
        '<tool_call>\n<tool_name> add </tool_name>\n<arguments>\n{"a": 4}</arguments></tool_call>'
    )
    assert tool.execute_action(spaced)[:3] == (True, False, "5")


@pytest.mark.parametrize(
    "reply",
    [
        "no call",
        "<tool_call>add</tool_call>",
        call("add", '{"a": 2'),
        call("add", "[2]"),
        "</tool_call><tool_call><tool_name>add</tool_name><arguments>{}</arguments>",
    ],
)
def test_what_is_no_call_goes_to_the_environment(tool, reply):
    assert tool.execute_action(reply) == (False, True, "", "")


def test_what_fails_is_told(tool):
    reply = call("nothing", "{}")
    valid, failed, text, parsed = tool.execute_action(reply)
    assert (valid, failed, parsed) == (False, True, reply)
    assert text.startswith("no tool 'nothing'; there are ")
    valid, failed, text, _ = tool.execute_action(call("add", '{"b": 1}'))
    assert (valid, failed) == (True, True)
    assert text.startswith("[Tool execution error: ")


def test_it_is_given_to_an_environment(tool):
    env = ToolEnvWrapper(gem.make("game:GuessTheNumber-v0"), tools=[tool])
    assert "<tools>" in env.reset()[0]
    observation, _, terminated, _, info = env.step(call("add", '{"a": 1, "b": 1}'))
    assert (observation, terminated, info["tool_type"]) == ("2", False, "mcp")
    assert "Guesses left" in env.step("3")[0]


def test_several_servers_and_files(tmp_path):
    file = tmp_path / "servers.json"
    file.write_text(json.dumps({"mcpServers": {"one": SERVER, "two": SERVER}}))
    tool = MCPTool.from_config_file(file, execution_timeout=20)
    names = [one["name"] for one in tool.get_available_tools()]
    assert {"one_add", "two_add"} <= set(names)
    assert "add" not in names
    assert tool.execute_action(call("two_add", '{"a": 1}'))[2] == "2"
    tool.reconfigure(SERVER)
    assert "add" in [one["name"] for one in tool.get_available_tools()]
    tool.close()


def test_what_is_no_server_is_refused():
    for arguments, error, problem in (
        (({"mcpServers": {"a": {"path": "x"}}},), ValueError, "server 'a': expected 'url' or 'com"),
        ((3,), TypeError, "expected a URL or a mapping, got int"),
        (("no url",), ValueError, "expected an http"),
        (("http://127.0.0.1:9/mcp", object()), TypeError, "expected a bearer token"),
    ):
        with pytest.raises(error, match=problem):
            MCPTool(*arguments, validate_on_init=False)
    with pytest.raises(TypeError, match="log_handler= is not supported"):
        MCPTool("http://127.0.0.1:9/mcp", log_handler=print)


def test_tokens_and_headers_go_to_the_server_and_nowhere_else():
    tool = MCPTool.from_url(
        "http://127.0.0.1:9/mcp", "secret", {"X-Custom": "1"}, validate_on_init=False
    )
    (server,) = tool._servers.values()
    assert server.headers == {"X-Custom": "1", "Authorization": "Bearer secret"}
    assert "secret" not in repr(server)
    several = MCPTool.from_multi_server(
        {"a": "http://127.0.0.1:9/a", "b": "http://127.0.0.1:9/b"}, validate_on_init=False
    )
    assert [one.target for one in several._servers.values()] == [
        "http://127.0.0.1:9/a", "http://127.0.0.1:9/b",
    ]  # fmt: skip
