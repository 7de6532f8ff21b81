"""What all providers share, where no client library is needed; with one, see provider_checks."""

import ast
import importlib
import inspect
import pickle
import sys
import textwrap

import pytest
from needed import needed
from provider_checks import make_turn

import gem_ma
from gem_ma.agents import AGENT_SPECS, load_agent
from gem_ma.agents.providers import PROVIDERS
from gem_ma.agents.providers.base import ProviderAgent
from gem_ma.agents.providers.tool_calls import flatten_tool, make_tool_call
from gem_ma.agents.providers.transport import find_retry_delay, read_status


def make_agent(spec):
    return load_agent(f"{spec}:some-model@http://me:word@127.0.0.1:9/v1?retries=2&max_tokens=5")


@pytest.mark.parametrize("spec", PROVIDERS)
def test_a_provider_is_one_file_and_its_line(spec):
    file, name = PROVIDERS[spec]
    found = getattr(importlib.import_module(f"gem_ma.agents.providers.{file}"), name)
    assert getattr(gem_ma.agents, name) is found
    assert issubclass(found, ProviderAgent)
    agent = make_agent(spec)
    assert type(agent) is found
    assert repr(agent) == f"{name}(some-model@http://127.0.0.1:9/v1)"
    assert (agent.retries, agent.max_tokens) == (2, 5)
    assert {"temperature", "concurrency", "max_requests", "body"} <= set(
        AGENT_SPECS.list_options(f"{spec}:m")
    )
    again = pickle.loads(pickle.dumps(agent))
    assert (repr(again), again.usage, again.retries) == (repr(agent), agent.usage, 2)


def find_library(agent):
    """Return the module that `connect` of a provider imports first."""
    body = ast.parse(textwrap.dedent(inspect.getsource(type(agent).connect))).body[0].body
    (first, *_) = (one for one in body if isinstance(one, ast.Import | ast.ImportFrom))
    return first.module if isinstance(first, ast.ImportFrom) else first.names[0].name


@pytest.mark.parametrize("spec", PROVIDERS)
def test_a_library_that_is_not_there_is_named_with_its_extra(spec, monkeypatch):
    agent = make_agent(spec)
    monkeypatch.setitem(sys.modules, find_library(agent), None)
    remedy = rf"{type(agent).__name__} needs \w+: pip install 'gem-ma\[{agent.provider}\]'"
    with pytest.raises(ImportError, match=remedy):
        gem_ma.chat.agent.ask_agent(agent, [make_turn()])


@pytest.mark.parametrize("spec", PROVIDERS)
@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("concurrency=0", "concurrency=0"),
        ("timeout=0", "timeout=0.*timeout > 0"),
        ("requests_per_minute=0", "requests_per_minute=0: expected more than 0, or None"),
        ("nonsense=1", "expected options such as"),
        ("key=sk-1", "the name of an environment variable"),
    ],
)
def test_wrong_options_are_named(spec, wrong, words):
    with pytest.raises(ValueError, match=words):
        load_agent(f"{spec}:m?{wrong}")


class Refused(Exception):
    def __init__(self, headers=None, details=None, **status):
        self.response = None if headers is None else type("Response", (), {"headers": headers})
        self.details = details
        vars(self).update(status)


def retry_info(delay):
    return {"error": {"details": ["x", {"@type": "RetryInfo", "retryDelay": delay}]}}


def test_how_long_a_server_asks_to_wait():
    assert find_retry_delay(Refused({"retry-after": "3"}, retry_info("7s"))) == 3
    assert find_retry_delay(Refused({}, retry_info("7.5s"))) == 7.5
    for details in (None, [], "x", {"error": None}, {"error": {}}, *map(retry_info, ("soon", 5))):
        assert find_retry_delay(Refused({}, details)) is None
    assert find_retry_delay(ValueError()) is None
    assert find_retry_delay(None) is None


def test_the_status_of_an_error_has_several_places():
    assert read_status(Refused(status_code=429, code="rate_limit")) == 429
    assert read_status(Refused(code=503)) == 503
    assert read_status(Refused(code="insufficient_quota")) is None
    error = Refused({})
    error.response.status_code = 502
    assert read_status(error) == 502


def test_tools_and_calls_in_other_forms():
    look = {"name": "look", "description": "Look.", "parameters": {"type": "object"}}
    tool = {"type": "function", "function": look}
    assert flatten_tool(tool) == look
    assert flatten_tool({"function": {"name": "f"}}, "input_schema") == {
        "name": "f",
        "input_schema": {"type": "object", "properties": {}},
    }
    call = make_tool_call("c", "f", {"a": 1})
    assert call["function"] == {"name": "f", "arguments": '{"a": 1}'}
    assert make_tool_call(None, None, None)["function"] == {"name": "", "arguments": "{}"}
    assert make_tool_call("c", "f", "{}") == {
        "id": "c",
        "type": "function",
        "function": {"name": "f", "arguments": "{}"},
    }


def test_what_is_no_answer_is_named():
    needed("pydantic", install="'gem-ma[openai]'")
    from gem_ma.agents.providers.answers import count_usage
    from gem_ma.agents.providers.errors import BadAnswer

    agent = make_agent("anthropic")
    with pytest.raises(BadAnswer, match=r"no valid message: content: .*; it begins with b'{}'"):
        agent.parse_reply(b"{}")
    usage = {"a": 1, "b": 2, "c": -1, "d": True, "e": 10**400, "f": "5"}
    assert count_usage(usage, ("a", "c"), ("b", "d", "e", "f")) == {
        "a": 1,
        "b": 2,
        "prompt_tokens": 1,
        "completion_tokens": 2,
    }
    assert count_usage(None, ("a",), ("b",)) == {"prompt_tokens": 0, "completion_tokens": 0}
