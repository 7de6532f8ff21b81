"""Programs on the real client of Google (`google-genai` 3.6 of 2026-11) in seats of games."""

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
from stub_server import completion, hang, status

import gem_ma
from gem_ma.agents.programs.gateway import ModelGateway

needed("aiohttp", install="'gem-ma[gateway]'")
genai = needed("google.genai", install="'gem-ma[google]'")

TTT, HANDS = "game:TicTacToe-v0", "game:RockPaperScissors-v0"
MODEL = "gemini-x"


@pytest.fixture(autouse=True)
def _plain(monkeypatch):
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"):
        monkeypatch.delenv(name, raising=False)


def client_of(seat):
    options = genai.types.HttpOptions(base_url=seat.root_address, timeout=20_000)
    return genai.Client(api_key="none", http_options=options)


@contextlib.contextmanager
def gate(model, **settings):
    """Open a gateway to a model, and yield it with a seat and a client."""
    with ModelGateway(model, **settings) as gateway:
        seat = gateway.open_seat("left", "e")
        client = client_of(seat)
        yield gateway, seat, client
        client.close()


def ask(client, contents="hi", stream=False, **config):
    """Return the parts of an answer, and the last piece of it."""
    arguments = {"model": MODEL, "contents": contents, "config": config or None}
    if not stream:
        whole = client.models.generate_content(**arguments)
        return whole.candidates[0].content.parts, whole
    pieces = list(client.models.generate_content_stream(**arguments))
    return [part for one in pieces for part in one.candidates[0].content.parts], pieces[-1]


def program(seat):
    """Play as a program does that knows nothing of gem_ma but how it moves."""
    client, turn = client_of(seat), seat.turn()
    chat = client.chats.create(model=MODEL, config={"system_instruction": turn.rules})
    while turn is not None:
        said = "".join(piece.text or "" for piece in chat.send_message_stream(turn.text))
        turn = seat.play(said)
    client.close()


@pytest.mark.parametrize("behind", ["random", lambda turn: turn.legal[-1]])
def test_a_program_plays_a_seat_with_any_agent_behind_it(behind, tmp_path):
    check_program(program, behind, 2, tmp_path / "played.jsonl")


@pytest.mark.slow
def test_an_unmodified_command_finds_its_address_in_its_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("GOOGLE_API_KEY", "of-mine")
    file = tmp_path / "plays.py"
    file.write_text(
        "import json, sys\n"
        "from google import genai\n"
        "client = genai.Client()\n"
        "for line in sys.stdin:\n"
        "    told = json.loads(line)\n"
        "    if told['type'] == 'turn':\n"
        "        said = client.models.generate_content(model='m', contents=told['text'])\n"
        "        print(json.dumps({'reply': said.text}), flush=True)\n"
    )
    check_command(file)


def test_a_request_becomes_one_of_chat_completions():
    types = genai.types
    env = gem_ma.make(TTT, observe="image")
    env.reset(seed=0)
    png = env.observe("x", turn=True)["image"].png
    schema = types.Schema(
        type="OBJECT",
        properties={"word": types.Schema(type="STRING", nullable=True), "type": {"type": "ARRAY"}},
        required=["word"],
    )
    declared = [
        {"name": "look_up", "description": "Look a word up.", "parameters": schema},
        {"name": "stop", "parameters_json_schema": {"type": "object", "properties": {}}},
    ]
    call = types.Part.from_function_call(name="look_up", args={"word": "a"})
    result = types.Part.from_function_response(name="look_up", response={"output": "found"})
    contents = [
        types.Content(
            role="user",
            parts=[
                types.Part.from_bytes(data=png, mime_type="image/png"),
                types.Part.from_uri(file_uri="https://example.org/a.png", mime_type="image/png"),
                types.Part(text="What?"),
            ],
        ),
        types.Content(role="model", parts=[types.Part(text="Hm.", thought=True), call]),
        types.Content(role="user", parts=[result, types.Part(text="So?")]),
    ]
    with answers("ok") as server, gate(server.url) as (_, _, client):
        ask(
            client,
            contents,
            system_instruction="Be short.",
            temperature=0.5,
            top_k=4,
            max_output_tokens=77,
            seed=3,
            stop_sequences=["END"],
            response_mime_type="application/json",
            response_json_schema={"type": "integer"},
            tools=[{"function_declarations": declared}],
            tool_config={
                "function_calling_config": {"mode": "ANY", "allowed_function_names": ["look_up"]}
            },
            safety_settings=[],
        )
        (body,) = server.requests
    parameters = {
        "type": "object",
        "properties": {"word": {"type": ["string", "null"]}, "type": {"type": "array"}},
        "required": ["word"],
    }
    url = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    made = body["messages"][2].pop("tool_calls")
    assert [one["function"] for one in made] == [{"name": "look_up", "arguments": '{"word": "a"}'}]
    tools = body.pop("tools")
    assert [one["function"]["name"] for one in tools] == ["look_up", "stop"]
    assert tools[0]["function"]["parameters"] == parameters
    assert body == {
        "model": MODEL,
        "max_tokens": 77,
        "temperature": 0.5,
        "top_k": 4,
        "seed": 3,
        "stop": ["END"],
        "stream": False,
        "tool_choice": {"type": "function", "function": {"name": "look_up"}},
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "output", "schema": {"type": "integer"}},
        },
        "messages": [
            {"role": "system", "content": "Be short."},
            {
                "role": "user",
                "content": [
                    {"type": "image_url", "image_url": {"url": url}},
                    {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
                    {"type": "text", "text": "What?"},
                ],
            },
            {"role": "assistant", "content": ""},
            {"role": "tool", "tool_call_id": made[0]["id"], "content": "found"},
            {"role": "user", "content": "So?"},
        ],
    }


def call(arguments, name="look_up", identity="call_1", **more):
    function = {"name": name, "arguments": arguments}
    return {"id": identity, "type": "function", "function": function, **more}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("arguments", "given"),
    [('{"word":"a"}', {"word": "a"}), ('{"word": ', {"arguments": '{"word": '})],
)
def test_tools_are_called_whatever_a_model_writes(stream, arguments, given):
    """And the model reads its call again as it wrote it, with what its server adds to it."""
    signed = {"extra_content": {"google": {"thought_signature": "c2ln"}}}
    made = call(arguments, **signed)
    message = {"role": "assistant", "content": "Let me see.", "tool_calls": [made]}
    tool = {"name": "look_up", "parameters_json_schema": {"type": "object"}}
    tools = [{"function_declarations": [tool]}]
    with answers(message, "done") as server, gate(server.url) as (gateway, seat, client):
        parts, last = ask(client, stream=stream, tools=tools)
        assert parts[0].text == "Let me see."
        asked = next(one for one in parts if one.function_call)
        assert (asked.function_call.name, asked.function_call.args) == ("look_up", given)
        assert asked.thought_signature == b"sig"
        assert last.candidates[0].finish_reason == "STOP"
        assert last.usage_metadata.prompt_token_count == 10
        types = genai.types
        result = types.FunctionResponse(
            id=asked.function_call.id, name="look_up", response={"found": 0}
        )
        contents = [
            types.Content(role="user", parts=[types.Part(text="hi")]),
            types.Content(role="model", parts=parts),
            types.Content(role="user", parts=[types.Part(function_response=result)]),
        ]
        ask(client, contents, tools=tools)
        again = server.requests[1]["messages"]
        assert again[1]["tool_calls"] == [made]
        assert again[2] == {"role": "tool", "tool_call_id": "call_1", "content": '{"found": 0}'}
        packed, _ = gateway.take_calls(seat)
    assert packed[1]["kept"] == 2  # nothing of the first call is stored again


def test_functions_of_the_program_are_called_by_its_client():
    """As with the real API, the client runs them itself and asks again."""

    def look_up(word: str) -> str:
        """Look a word up."""
        return f"{word} is a letter"

    message = {"role": "assistant", "content": "", "tool_calls": [call('{"word": "a"}')]}
    with answers(message, "done") as server, gate(server.url) as (_, _, client):
        parts, _ = ask(client, tools=[look_up])
        assert [one.text for one in parts] == ["done"]
        first, second = server.requests
    assert first["tools"][0]["function"]["parameters"]["properties"]["word"]["type"] == "string"
    assert second["messages"][2]["content"] == "a is a letter"


@pytest.mark.parametrize("stream", [False, True])
def test_thoughts_come_if_they_are_asked_for(stream):
    thought = {"role": "assistant", "content": "4", "reasoning": "The centre is free."}
    with answers(thought) as server, gate(server.url) as (gateway, seat, client):
        parts, _ = ask(client, stream=stream)
        assert [one.text for one in parts if one.text] == ["4"]
        thinking = {"include_thoughts": True, "thinking_level": "LOW"}
        parts, _ = ask(client, stream=stream, thinking_config=thinking)
        assert [(one.text, bool(one.thought)) for one in parts if one.text] == [
            ("The centre is free.", True),
            ("4", False),
        ]
        assert server.requests[1]["reasoning_effort"] == "low"
        assert gateway.take_calls(seat)[1].thoughts == "The centre is free."


@pytest.mark.parametrize(
    ("finish", "reason"),
    [("stop", "STOP"), ("length", "MAX_TOKENS"), ("content_filter", "SAFETY"), (None, "STOP")],
)
def test_why_a_model_stopped(finish, reason):
    whole = completion("x")
    whole["choices"][0]["finish_reason"] = finish
    with answers(as_body(json.dumps(whole))) as server, gate(server.url) as (_, _, client):
        assert ask(client)[1].candidates[0].finish_reason == reason


TEXT = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}
REFUSED = [
    ({"contents": "hi"}, "contents: expected a list of objects"),
    ({"contents": [{"role": "dog", "parts": []}]}, "expected user or model"),
    ({"contents": [{"role": "user", "parts": [{"executableCode": {}}]}]}, "got executableCode"),
    (
        {"contents": [{"parts": [{"inlineData": {"mimeType": "audio/wav", "data": ""}}]}]},
        "an image",
    ),
    ({"tools": [{"googleSearch": {}}]}, "a tool of Google's own servers"),
    ({"cachedContent": "cachedContents/1"}, "this gateway caches nothing"),
    ({"generationConfig": []}, "generationConfig: expected an object"),
]


@pytest.mark.parametrize(("change", "words"), REFUSED)
def test_what_cannot_be_passed_on_is_refused(change, words):
    with answers("x") as server, gate(server.url) as (gateway, seat, _):
        url = f"{seat.root_address}/v1beta/models/{MODEL}:generateContent"
        code, told = post(url, json.dumps({**TEXT, **change}).encode())
        error = json.loads(told)["error"]
        assert (code, error["code"], error["status"]) == (400, 400, "INVALID_ARGUMENT")
        assert words in error["message"]
        assert not server.requests
        assert gateway.take_calls(seat) == ([], None)


def test_both_spellings_and_versions_are_read():
    config = {"max_output_tokens": 7, "stop_sequences": ["x"]}
    system = {"parts": [{"text": "Be short."}]}
    asked = {**TEXT, "generation_config": config, "system_instruction": system}
    with answers("x") as server, gate(server.url) as (_, seat, _):
        for version in ("v1", "v1alpha", "v1beta"):
            url = f"{seat.root_address}/{version}/models/{MODEL}:generateContent"
            assert post(url, json.dumps(asked).encode())[0] == 200
        assert server.requests[0]["max_tokens"] == 7
        assert server.requests[0]["stop"] == ["x"]
        assert server.requests[0]["messages"][0] == {"role": "system", "content": "Be short."}
        url = f"{seat.root_address}/v1beta/models/{MODEL}:streamGenerateContent"
        code, told = post(url, json.dumps(TEXT).encode())
        assert code == 400
        assert b"?alt=sse" in told
        code, told = post(url.replace("stream", "no"), json.dumps(TEXT).encode())
        assert code == 404
        assert b"models/MODEL:generateContent" in told


@pytest.mark.parametrize(
    ("code", "name"), [(401, "ClientError"), (429, "ClientError"), (500, "ServerError")]
)
@pytest.mark.parametrize("stream", [False, True])
def test_a_refusal_of_the_server_is_one_of_the_dialect(code, name, stream, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-mine-123")
    refuses = status(code, message="no, sk-secret-of-mine-123 is bad")
    with (
        answers(refuses) as server,
        gate(server.url) as (_, _, client),
        pytest.raises(getattr(genai.errors, name)) as error,
    ):
        ask(client, stream=stream)
    assert error.value.code == code
    assert error.value.message == "no, $OPENAI_API_KEY is bad"


def test_faults_are_errors_of_the_dialect():
    none = pytest.raises(genai.errors.ClientError, match="no model is served here")
    with gate(None) as (_, _, client), none:
        ask(client)
    with answers(hang) as server, gate(server.url, timeout=1.0) as (gateway, seat, client):
        with pytest.raises(genai.errors.ServerError, match="no usable answer"):
            ask(client)
        assert gateway.take_calls(seat) == ([], None)
    fails = events(delta(content="ro"), 'data: {"error": {"message": "out of memory"}}')
    with answers(fails) as server, gate(server.url) as (gateway, seat, client):
        with pytest.raises(genai.errors.APIError, match="out of memory"):
            ask(client, stream=True)
        assert gateway.take_calls(seat) == ([], None)


WHOLE = {
    "contents": [
        {"role": "user", "parts": [{"text": "a"}]},
        {
            "role": "model",
            "parts": [{"functionCall": {"name": "look_up", "args": {}}, "thoughtSignature": "a"}],
        },
        {
            "role": "user",
            "parts": [{"functionResponse": {"name": "look_up", "response": {"output": "a"}}}],
        },
    ],
    "systemInstruction": {"parts": [{"text": "a"}]},
    "generationConfig": {"responseMimeType": "application/json", "responseSchema": {"type": "A"}},
    "tools": [{"functionDeclarations": [{"name": "look_up", "parameters": {"type": "OBJECT"}}]}],
    "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("behind", ["server", "agent"])
def test_no_request_and_no_answer_of_google_is_a_traceback(seed, behind, caplog):
    """Whatever comes is answered in the dialect; and what is kept can be written down."""
    rng = random.Random(seed)
    shape = completion({"role": "assistant", "content": "a", "tool_calls": [call("{}")]})
    shape["choices"][0]["delta"] = shape["choices"][0]["message"]
    given = []
    for number in range(40):
        odd = json.dumps(make_odd(shape, rng))
        given.append(events(f"data: {odd}", "x{") if number % 2 else as_body(odd))
    with answers(*given) as server:
        model = server.url if behind == "server" else (lambda turn: "a")
        with gate(model) as (gateway, seat, _):
            url = f"{seat.root_address}/v1beta/models/{MODEL}:"
            for number in range(40):
                odd = {name: make_odd(one, rng) for name, one in WHOLE.items()}
                method = "streamGenerateContent?alt=sse" if number % 3 else "generateContent"
                code, told = post(url + method, json.dumps(odd).encode())
                assert code in (200, 400, 502)
                last = json.loads(told.rpartition(b"data:")[2])
                assert code == 200 or last["error"]["code"] == code
            packed, _ = gateway.take_calls(seat)
    json.dumps(packed, ensure_ascii=False, allow_nan=False).encode()
    assert not [one for one in caplog.records if one.levelname == "ERROR"], caplog.text


def test_a_schema_that_is_too_deep_is_refused():
    schema = {"type": "OBJECT"}
    for _ in range(60):
        schema = {"type": "OBJECT", "items": schema}
    tools = [{"functionDeclarations": [{"name": "f", "parameters": schema}]}]
    with answers("x") as server, gate(server.url) as (_, seat, _):
        url = f"{seat.root_address}/v1beta/models/{MODEL}:generateContent"
        code, told = post(url, json.dumps({**TEXT, "tools": tools}).encode())
    assert code == 400
    assert b"nested too deeply" in told
