"""Programs on the real client of Anthropic (`anthropic` 2.14 of 2026-11) in seats of games."""

import asyncio
import base64
import contextlib
import json
import random

import pytest
from needed import needed
from programs_servers import (
    answers,
    as_body,
    check_command,
    check_program,
    delta,
    events,
    make_odd,
    post,
)
from stub_server import completion, cut, hang, status

import gem_ma
from gem_ma.agents.programs.gateway import ModelGateway

needed("aiohttp", install="'gem-ma[gateway]'")
anthropic = needed("anthropic", install="'gem-ma[anthropic]'")

TTT, HANDS = "game:TicTacToe-v0", "game:RockPaperScissors-v0"
ASKED = {"model": "claude-x", "max_tokens": 100, "messages": [{"role": "user", "content": "hi"}]}
TOOL = {
    "name": "look_up",
    "description": "Look a word up.",
    "input_schema": {"type": "object", "properties": {"word": {"type": "string"}}},
}
PICTURE = gem_ma.make(TTT, observe="image")


def picture():
    PICTURE.reset(seed=0)
    return PICTURE.observe("x", turn=True)["image"].base64


def client_of(seat, **settings):
    return anthropic.Anthropic(
        base_url=seat.root_address, api_key="none", max_retries=0, timeout=20, **settings
    )


@contextlib.contextmanager
def gate(model, **settings):
    """Open a gateway to a model, and yield it with a seat and a client."""
    with ModelGateway(model, **settings) as gateway:
        seat = gateway.open_seat("left", "e")
        with client_of(seat) as client:
            yield gateway, seat, client


def program(seat):
    """Play as a program does that knows nothing of gem_ma but how it moves."""
    with client_of(seat) as client:
        turn, chat = seat.turn(), []
        while turn is not None:
            chat.append({"role": "user", "content": turn.text})
            with client.messages.stream(
                model="claude-x", max_tokens=50, system=turn.rules, messages=chat
            ) as stream:
                said = "".join(stream.text_stream)
                message = stream.get_final_message()
            assert message.content[0].text == said
            chat.append({"role": "assistant", "content": message.content})
            turn = seat.play(said)


@pytest.mark.parametrize("behind", ["random", "search:depth=1", lambda turn: turn.legal[-1]])
def test_a_program_plays_a_seat_with_any_agent_behind_it(behind, tmp_path):
    check_program(program, behind, 3, tmp_path / "played.jsonl")


@pytest.mark.slow
def test_an_unmodified_command_finds_its_address_in_its_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-mine")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "of-mine")
    file = tmp_path / "plays.py"
    file.write_text(
        "import json, sys, anthropic\n"
        "client = anthropic.Anthropic()\n"
        "for line in sys.stdin:\n"
        "    told = json.loads(line)\n"
        "    if told['type'] == 'turn':\n"
        "        ask = [{'role': 'user', 'content': told['text']}]\n"
        "        said = client.messages.create(model='m', max_tokens=9, messages=ask)\n"
        "        print(json.dumps({'reply': said.content[0].text}), flush=True)\n"
    )
    check_command(file)


def test_a_request_becomes_one_of_chat_completions():
    data = picture()
    source = {"type": "base64", "media_type": "image/png", "data": data}
    image = {"type": "image", "source": source}
    used = {"type": "tool_use", "id": "toolu_1", "name": "look_up", "input": {"word": "a"}}
    result = {
        "type": "tool_result",
        "tool_use_id": "toolu_1",
        "content": [{"type": "text", "text": "found"}, image],
    }
    linked = {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}
    with answers("ok") as server, gate(server.url) as (_, _, client):
        client.messages.create(
            model="claude-x",
            max_tokens=77,
            extra_body={"temperature": 0.5, "top_k": 4},  # no argument of this release
            stop_sequences=["END"],
            system=[{"type": "text", "text": "Be"}, {"type": "text", "text": "short."}],
            tools=[TOOL],
            tool_choice={"type": "tool", "name": "look_up", "disable_parallel_tool_use": True},
            messages=[
                {"role": "user", "content": [image, linked, {"type": "text", "text": "What?"}]},
                {"role": "assistant", "content": [{"type": "text", "text": "Hm."}, used]},
                {"role": "user", "content": [result, {"type": "text", "text": "So?"}]},
            ],
        )
        (body,) = server.requests
    url = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
    assert body == {
        "model": "claude-x",
        "max_tokens": 77,
        "temperature": 0.5,
        "top_k": 4,
        "stop": ["END"],
        "stream": False,
        "parallel_tool_calls": False,
        "tool_choice": {"type": "function", "function": {"name": "look_up"}},
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "look_up",
                    "description": "Look a word up.",
                    "parameters": TOOL["input_schema"],
                },
            }
        ],
        "messages": [
            {"role": "system", "content": "Be\n\nshort."},
            {
                "role": "user",
                "content": [
                    url,
                    {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
                    {"type": "text", "text": "What?"},
                ],
            },
            {
                "role": "assistant",
                "content": "Hm.",
                "tool_calls": [
                    {
                        "id": "toolu_1",
                        "type": "function",
                        "function": {"name": "look_up", "arguments": '{"word": "a"}'},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "toolu_1", "content": "found"},
            {"role": "user", "content": [url, {"type": "text", "text": "So?"}]},
        ],
    }


def call(arguments, name="look_up", identity="call_1"):
    function = {"name": name, "arguments": arguments}
    return {"id": identity, "type": "function", "function": function}


def said_with(finish="stop", usage=None, **message):
    """Return the message of a chat completion, as the stub server puts it into one."""
    return {"role": "assistant", "content": "", **message}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        ('{"word":"a"}', {"word": "a"}),
        ("", {}),
        ('{"word": ', {"arguments": '{"word": '}),
        ("[1]", {"arguments": [1]}),
        ('"\\ud800"', {"arguments": "?"}),
    ],
)
def test_tools_are_called_whatever_a_model_writes(stream, arguments, given):
    """And the model reads its call again as it wrote it, byte for byte."""
    made = said_with(content="Let me see.", tool_calls=[call(arguments)])
    with answers(made, "done") as server, gate(server.url) as (gateway, seat, client):
        asked = {**ASKED, "tools": [TOOL]}
        if stream:
            with client.messages.stream(**asked) as events:
                message = events.get_final_message()
        else:
            message = client.messages.create(**asked)
        text, used = message.content
        assert (text.type, text.text) == ("text", "Let me see.")
        assert (used.type, used.name, used.input) == ("tool_use", "look_up", given)
        assert message.stop_reason == "tool_use"
        back = {"type": "tool_result", "tool_use_id": used.id, "content": "no such word"}
        chat = [
            *ASKED["messages"],
            {"role": "assistant", "content": message.content},
            {"role": "user", "content": [back]},
        ]
        client.messages.create(**{**asked, "messages": chat})
        again = server.requests[1]["messages"]
        assert again[1]["tool_calls"] == [call(arguments.replace("\\ud800", "?"))] or (
            again[1]["tool_calls"] == [call(arguments)]
        )
        packed, _ = gateway.take_calls(seat)
    assert packed[1]["kept"] == 2  # nothing of the first call is stored again
    assert packed[1]["messages"] == again[2:]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("field", ["reasoning", "reasoning_content"])
def test_thoughts_come_if_they_are_asked_for_and_go_back(stream, field):
    thought = said_with(content="4", **{field: "The centre is free."})
    with answers(thought) as server, gate(server.url) as (gateway, seat, client):
        plain = client.messages.create(**ASKED)
        assert [one.type for one in plain.content] == ["text"]
        asked = {**ASKED, "max_tokens": 2000}
        asked["thinking"] = {"type": "enabled", "budget_tokens": 1024}
        if stream:
            with client.messages.stream(**asked) as events:
                message = events.get_final_message()
        else:
            message = client.messages.create(**asked)
        thinking, text = message.content
        assert (thinking.type, thinking.thinking) == ("thinking", "The centre is free.")
        assert text.text == "4"
        chat = [
            *ASKED["messages"],
            {"role": "assistant", "content": message.content},
            {"role": "user", "content": "And now?"},
        ]
        client.messages.create(**{**asked, "messages": chat})
        sent = server.requests[2]["messages"][1]
        assert sent == {"role": "assistant", "content": "4", field: "The centre is free."}
        packed, last = gateway.take_calls(seat)
    assert [one["thoughts"] for one in packed] == ["The centre is free."] * 3
    assert last.thoughts == "The centre is free."
    assert packed[2]["kept"] == 2


def test_thoughts_that_anthropic_signed_go_back_to_an_agent():
    blocks = [
        {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "aGlk"},
    ]
    turns = []

    def behind(turn):
        turns.append(turn)
        return gem_ma.Reply("4", thinking_blocks=blocks, usage={"prompt_tokens": 3})

    with gate(behind) as (_, _, client):
        asked = {**ASKED, "thinking": {"type": "adaptive"}}
        for stream in (False, True):
            if stream:
                with client.messages.stream(**asked) as events:
                    message = events.get_final_message()
            else:
                message = client.messages.create(**asked)
            assert message.content[0].signature == "c2ln"
            assert message.content[-1].text == "4"
        whole = client.messages.create(**asked)
        assert [one.type for one in whole.content] == ["thinking", "redacted_thinking", "text"]
        chat = [*ASKED["messages"], {"role": "assistant", "content": whole.content}]
        chat.append({"role": "user", "content": "And?"})
        client.messages.create(**{**asked, "messages": chat})
    assert turns[-1].messages[1]["thinking_blocks"] == blocks
    assert whole.usage.input_tokens == 3


def test_an_agent_of_another_provider_answers():
    """Its spec string is no URL, though it contains one; what it returns of tokens is recorded."""
    needed("openai", install="'gem-ma[openai]'")
    with answers("paper") as server, gate(f"openai:m@{server.url}") as (gateway, _, client):
        message = client.messages.create(**ASKED, system="Be short.")
        assert message.content[0].text == "paper"
        assert [one["role"] for one in server.requests[0]["messages"]] == ["system", "user"]
        assert server.requests[0]["model"] == "m"
        assert "OpenAIAgent" in gateway.model_label


def test_tokens_of_an_agent_are_recorded():
    reply = gem_ma.Reply("4", token_ids=[7], logprobs=[-0.5])
    with gate(lambda turn: reply) as (gateway, seat, client):
        assert "token_ids" not in client.messages.create(**ASKED).to_json()
        _, last = gateway.take_calls(seat)
    assert (last.token_ids, last.logprobs) == ((7,), (-0.5,))


def test_an_agent_sees_pictures_and_tools():
    turns = []

    def behind(turn):
        turns.append(turn)
        return gem_ma.Reply("", tool_calls=[call('{"word": "a"}', identity="")])

    source = {"type": "base64", "media_type": "image/png", "data": picture()}
    content = [{"type": "image", "source": source}, {"type": "text", "text": "What is it?"}]
    with gate(behind) as (_, _, client):
        message = client.messages.create(
            **{**ASKED, "messages": [{"role": "user", "content": content}]}, tools=[TOOL]
        )
    (turn,) = turns
    seen, text = turn.messages[0]["content"]
    assert base64.b64encode(seen.png).decode() == picture() or seen.array.ndim == 3
    assert text == turn.text == "What is it?"
    assert [one["function"]["name"] for one in turn.tools] == ["look_up"]
    (used,) = message.content
    assert used.input == {"word": "a"}
    assert used.id


@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        ("stop", "end_turn"),
        ("length", "max_tokens"),
        ("content_filter", "refusal"),
        ("tool_calls", "tool_use"),
        ("odd", "end_turn"),
        (None, "end_turn"),
    ],
)
def test_why_a_model_stopped(finish, reason):
    whole = completion("x")
    whole["choices"][0]["finish_reason"] = finish

    with answers(as_body(json.dumps(whole))) as server, gate(server.url) as (_, _, client):
        message = client.messages.create(**ASKED)
    assert message.stop_reason == reason
    assert (message.usage.input_tokens, message.usage.output_tokens) == (10, 2)


def test_a_stop_sequence_is_told():
    whole = completion("x")
    whole["choices"][0]["stop_reason"] = "END"  # as vLLM does

    with answers(as_body(json.dumps(whole))) as server, gate(server.url) as (_, _, client):
        message = client.messages.create(**ASKED, stop_sequences=["END"])
    assert (message.stop_reason, message.stop_sequence) == ("stop_sequence", "END")


REFUSED = [
    ({"messages": "hi"}, "messages: expected a list of objects"),
    ({"messages": [{"role": "dog", "content": "hi"}]}, "expected user, assistant or system"),
    ({"messages": [{"role": "user", "content": 5}]}, "messages.0.content: expected a list"),
    ({"messages": [{"role": "user", "content": [{"type": "text", "text": 5}]}]}, "expected a text"),
    ({"messages": [{"role": "user", "content": [{"type": "video"}]}]}, "got 'video'"),
    ({"tools": [{"type": "web_search_20250305", "name": "web_search"}]}, "Anthropic's own servers"),
    ({"tools": [TOOL], "tool_choice": {"type": "often"}}, "expected auto, any, tool or none"),
    ({"system": 5}, "system: expected a list of objects"),
    ({"thinking": "much"}, "thinking: expected an object"),
]


@pytest.mark.parametrize(("change", "words"), REFUSED)
def test_what_cannot_be_passed_on_is_refused(change, words):
    with answers("x") as server, gate(server.url) as (gateway, seat, client):
        with pytest.raises(anthropic.BadRequestError, match=words) as error:
            client.post("/v1/messages", body={**ASKED, **change}, cast_to=object)
        assert error.value.body["type"] == "error"
        assert error.value.body["error"]["type"] == "invalid_request_error"
        assert not server.requests
        assert gateway.take_calls(seat) == ([], None)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (401, "AuthenticationError"),
        (403, "PermissionDeniedError"),
        (404, "NotFoundError"),
        (429, "RateLimitError"),
        (500, "InternalServerError"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_a_refusal_of_the_server_is_one_of_the_dialect(code, kind, stream, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-mine-123")
    refuses = status(code, message="no, sk-secret-of-mine-123 is bad")
    with (
        answers(refuses) as server,
        gate(server.url) as (_, _, client),
        pytest.raises(getattr(anthropic, kind)) as error,
    ):
        client.messages.create(**ASKED, stream=stream)
    assert "no, $OPENAI_API_KEY is bad" in error.value.body["error"]["message"]
    assert "secret" not in str(error.value)


def test_no_model_and_no_seat_are_said_in_the_dialect():
    with gate(None) as (gateway, seat, client):
        with pytest.raises(anthropic.NotFoundError, match="no model is served here"):
            client.messages.create(**ASKED)
        gateway.close_seat(seat)
        with pytest.raises(anthropic.NotFoundError, match="its episode is over"):
            client.messages.create(**ASKED)


@pytest.mark.parametrize("fault", [cut, hang])
def test_a_server_without_an_answer_is_an_error_of_the_dialect(fault):
    with answers(fault) as server, gate(server.url, timeout=1.0) as (gateway, seat, client):
        with pytest.raises(anthropic.InternalServerError) as error:
            client.messages.create(**ASKED)
        assert error.value.body["error"]["type"] == "api_error"
        assert gateway.take_calls(seat) == ([], None)


def test_an_agent_that_fails_is_an_error_of_the_dialect(caplog):
    def behind(turn):
        raise LookupError("no such thing at http://me:hush@a")

    with gate(behind) as (gateway, seat, client):
        with pytest.raises(anthropic.InternalServerError, match="LookupError: no such") as error:
            client.messages.create(**ASKED)
        assert "hush" not in str(error.value)
        assert gateway.take_calls(seat) == ([], None)
    assert not [one for one in caplog.records if one.levelname == "ERROR"], caplog.text


def test_an_agent_that_is_slow_is_not_waited_for():
    async def behind(turn):
        await asyncio.sleep(60)

    slow = pytest.raises(anthropic.InternalServerError, match=r"did not answer within 0\.3 s")
    with gate(behind, timeout=0.3) as (_, _, client), slow:
        client.messages.create(**ASKED)


def test_an_error_within_a_stream_is_an_error_there():
    """Half an answer is not taken for a whole one, and none of it is kept."""
    fails = events(delta(content="ro"), 'data: {"error": {"message": "out of memory"}}')
    with answers(fails) as server, gate(server.url) as (gateway, seat, client):
        with pytest.raises(anthropic.APIError, match="out of memory"):
            list(client.messages.create(**ASKED, stream=True))
        assert gateway.take_calls(seat) == ([], None)


def test_pieces_come_as_they_are_made():
    """Thoughts, text and calls that arrive mixed are blocks one after the other."""
    pieces = events(
        ": a comment",
        delta(reasoning="Hm"),
        delta(reasoning="m."),
        delta(content="A"),
        delta(tool_calls=[{"index": 0, **call('{"wo')}]),
        delta(content="B"),
        delta(tool_calls=[{"index": 0, "function": {"arguments": 'rd": "a"}'}}]),
        delta(tool_calls=[{"index": 1, **call("{}", identity="call_2")}]),
        "data: [DONE]",
    )
    asked = {**ASKED, "thinking": {"type": "adaptive"}, "tools": [TOOL]}
    with (
        answers(pieces) as server,
        gate(server.url) as (_, _, client),
        client.messages.stream(**asked) as stream,
    ):
        texts = list(stream.text_stream)
        message = stream.get_final_message()
    assert texts == ["A", "B"]
    assert [one.type for one in message.content] == ["thinking", "text", "tool_use", "tool_use"]
    assert message.content[0].thinking == "Hmm."
    assert message.content[0].signature == "reasoning"
    assert message.content[2].input == {"word": "a"}
    assert [one.id for one in message.content[2:]] == ["call_1", "call_2"]


WHOLE = {
    **ASKED,
    "system": [{"type": "text", "text": "a"}],
    "thinking": {"type": "enabled", "budget_tokens": 1024},
    "tools": [TOOL],
    "tool_choice": {"type": "tool", "name": "look_up"},
    "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": {}}},
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "a"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "a", "signature": "reasoning"},
                {"type": "redacted_thinking", "data": "a"},
                {"type": "tool_use", "id": "call_1", "name": "look_up", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": "a"}],
        },
    ],
}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("behind", ["server", "agent"])
def test_no_request_and_no_answer_is_a_traceback(seed, behind, caplog):
    """Whatever comes is answered in the dialect; and what is kept can be written down."""
    rng = random.Random(seed)
    shape = completion(said_with(content="a", reasoning="b", tool_calls=[call("{}")]))
    shape["choices"][0]["delta"] = shape["choices"][0]["message"]
    given = []
    for number in range(40):
        odd = json.dumps(make_odd(shape, rng))
        given.append(events(f"data: {odd}", "x{") if number % 2 else as_body(odd))
    with answers(*given) as server:
        model = server.url if behind == "server" else (lambda turn: "a")
        with gate(model) as (gateway, seat, _):
            for number in range(40):
                odd = {name: make_odd(one, rng) for name, one in WHOLE.items()}
                body = json.dumps({**odd, "stream": bool(number % 3)})
                code, told = post(f"{seat.address}/messages", body.encode())
                assert code in (200, 400, 502)
                last = json.loads(told.rpartition(b"data:")[2])
                assert code == 200 or last["type"] == "error"
            packed, _ = gateway.take_calls(seat)
    json.dumps(packed, ensure_ascii=False, allow_nan=False).encode()
    assert not [one for one in caplog.records if one.levelname == "ERROR"], caplog.text


def test_token_ids_are_recorded_and_not_shown():
    whole = completion("rock")
    whole["prompt_token_ids"] = [1, 2]
    whole["choices"][0] |= {"token_ids": [7], "logprobs": {"content": [{"logprob": -0.5}]}}
    with (
        answers(as_body(json.dumps(whole))) as server,
        gate(server.url, token_ids=True) as (gateway, seat, client),
    ):
        message = client.messages.create(**ASKED)
        assert server.requests[0]["return_token_ids"] is True
        assert "token_ids" not in message.to_json()
        _, last = gateway.take_calls(seat)
    assert (last.prompt_ids, last.token_ids, last.logprobs) == ((1, 2), (7,), (-0.5,))
