"""Models behind a server: a real one on the loopback, and one that does everything wrong."""

import json
import logging
import pickle
import zlib
from dataclasses import replace

import pytest
from broken_games import TOOL, Looking
from needed import needed
from provider_checks import check_cache
from stub_server import StubServer, body, completion, cut, half, slow, status

import gem_ma
from gem_ma import Env, Reply, load_episodes, rollout, save_episodes
from gem_ma.agents import OpenAIAgent, load_agent
from gem_ma.agents.providers.errors import RequestCap
from gem_ma.chat.messages import to_openai_chat
from gem_ma.rollouts.run import TooManyErrors

needed("openai", install="'gem-ma[openai]'")

TWO = "game:TicTacToe-v0"
SAME_TIME = "game:RockPaperScissors-v0"
KEY = "sk-a-secret-that-nobody-may-read"
WORD = "pass-word-that-nobody-may-read"


@pytest.fixture
def key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def rock(message, attempt):
    return "rock"


def one_turn(env_id=TWO, **kwargs):
    env = gem_ma.make(env_id, **kwargs)
    env.reset(seed=0)
    return env.turn(env.agent_selection)


def ask(agent, turn=None):
    return gem_ma.chat.agent.ask_agent(agent, [turn or one_turn()])[0]


@pytest.fixture(scope="session")
def served(tmp_path_factory):
    """`transformers serve` with a LLaVA of random weights; yields its URL and the model's name."""
    pytest.importorskip("torch", reason="pip install 'gem-ma[hf]'")
    pytest.importorskip("uvicorn", reason="pip install 'transformers[serving]'")
    pytest.importorskip("fastapi", reason="pip install 'transformers[serving]'")
    import tiny_models

    with tiny_models.serving(*tiny_models.llava(), tmp_path_factory.mktemp("served")) as found:
        yield found


@pytest.mark.parametrize("observe", ["text", "image"])
def test_a_real_server_plays_from_text_and_from_pictures(served, observe):
    url, model = served
    agent = load_agent(f"openai:{model}@{url}?max_tokens=6&timeout=120")
    seats = {"x": agent, "o": "random"}
    episodes = rollout(TWO, seats, 3, seed=0, observe=observe, image_size=(112, 112))
    for episode in episodes:
        assert not episode.failure, episode.failure
        replies = [step.reply for step in episode.steps if step.agent == "x"]
        assert replies
        for reply in replies:
            assert isinstance(reply, Reply)
            assert 0 < reply.usage["completion_tokens"] <= 6
            assert reply.latency > 0
    prompts = [e.steps[0].reply.usage["prompt_tokens"] for e in episodes]
    import tiny_models

    from gem_ma.chat.tokenization import ChatTokenizer

    turn = one_turn(observe=observe, image_size=(112, 112))
    expected = len(ChatTokenizer(tiny_models.llava()[1]).build_prompt(turn.messages).ids)
    assert prompts == [expected] * 3  # the server was given what we count
    assert agent.usage["completion_tokens"] > 0


def test_a_real_server_is_seen_to_look_at_pictures(served):
    url, model = served
    agent = OpenAIAgent(model, url, max_tokens=1, timeout=120)
    sight = agent.check_sees_images(64)  # of this model
    assert sight == (True, 64, 64)
    assert not agent.check_sees_images("llava-1.5").sees  # it would be 576


FAULTS = [
    status(429, "Retry-After: 0"),
    status(429, "Retry-After: 1"),
    status(500),
    status(503),
    status(408),
    cut,
    half,
    body("{"),
    body("<html>bad gateway</html>"),
    body('{"choices": []}'),
    body('{"choices": [{"message": null}]}'),
    body('{"choices": [{"message": {"content": {"no": "text"}}}]}'),
    body("null"),
]


def hostile(message, attempt):
    """Play TicTacToe; every third request fails once or twice, and one in two hundred for ever."""
    chance = zlib.crc32(json.dumps(message["messages"]).encode())
    if chance % 200 == 0:
        return status(500)
    if chance % 1000 == 1 and attempt == 0:
        return slow
    if chance % 3 == 0 and attempt < 1 + chance % 2:
        return FAULTS[(chance // 3 + attempt) % len(FAULTS)]
    return str(chance // 7 % 9)


def test_a_thousand_episodes_against_a_hostile_server(key, tmp_path):
    out = tmp_path / "out.jsonl"
    with StubServer(hostile) as server:
        agent = OpenAIAgent("stub", server.url, timeout=2.0, retries=3)
        episodes = rollout(
            TWO, agent, 1000, seed=0, concurrency=64, max_errors=1000, out=out, invalid="random"
        )
        failed = [episode for episode in episodes if episode.failure]
        assert [episode.number for episode in episodes] == list(range(1000))
        assert 0 < len(failed) < 300
        for episode in episodes:
            if episode.failure:
                assert episode.failure.kind == "ServerError"
                assert "InternalServerError" in episode.failure.message
                assert episode.returns == {}
            else:
                assert episode.returns == episode.replay().returns
            # Every reply is one that the server gave to just this chat.
            for seat in ("x", "o"):
                chat = episode.chat(seat)
                for index, step in enumerate(chat.steps):
                    sent = json.dumps(to_openai_chat(chat.build_messages(index)))
                    assert server.given[sent] == step.reply
        assert sorted(e.number for e in load_episodes(out)) == list(range(1000))
        # All that was answered is on record: nothing was asked and then lost.
        answered = sum(len(episode.steps) for episode in episodes)
        assert agent.usage["completion_tokens"] == 2 * answered
        assert KEY not in out.read_text()

        with pytest.raises(TooManyErrors, match="6 episodes failed") as stopped:
            rollout(TWO, agent, 1000, seed=0, concurrency=16, max_errors=5, invalid="random")
        assert sum(1 for e in stopped.value.episodes if e.failure) == 6


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_tried_again(fault, key):
    with StubServer(lambda message, attempt: fault if attempt == 0 else "5") as server:
        agent = OpenAIAgent("stub", server.url, timeout=5.0)
        assert ask(agent) == "5"
        assert len(server.requests) == agent.requests == 2


def test_the_key_is_written_nowhere(key, caplog, tmp_path, monkeypatch):
    caplog.set_level(logging.DEBUG)
    refused = status(401, message=f"Incorrect API key provided: {KEY}")
    with StubServer(lambda message, attempt: refused) as server:
        agent = OpenAIAgent("stub", server.url)
        (episode,) = rollout(TWO, agent, seed=0)
        assert [headers["authorization"] for headers in server.headers] == [f"bearer {KEY}"]
    save_episodes([episode], tmp_path / "out.jsonl")
    written = [
        (tmp_path / "out.jsonl").read_text(),
        repr(agent),
        repr(episode),
        repr(vars(agent)),
        pickle.dumps(agent).decode("latin-1"),
        caplog.text,
    ]
    assert "Incorrect API key provided: $OPENAI_API_KEY" in episode.failure.message
    for text in written:
        assert KEY not in text
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ValueError, match="set the environment variable OPENAI_API_KEY"):
        ask(OpenAIAgent("gpt"))


def test_specs_with_a_password_play_in_workers(key):
    with StubServer(rock) as server:
        spec = f"openai:stub@{server.url.replace('//', f'//me:{WORD}@')}?retries=0"
        same = bytes(spec, "ascii").decode()  # equal, and another object
        for specs in ([spec, same], {"left": spec, "right": f"{spec}&seed=1"}):
            (episode,) = rollout(SAME_TIME, specs, seed=0, rounds=1, workers=1)
            assert not episode.failure, episode.failure
            assert WORD not in repr(episode)


def test_the_key_is_sent(key, monkeypatch):
    monkeypatch.setenv("MINE", "sk-mine")
    with StubServer(rock) as server:
        ask(OpenAIAgent("stub", server.url))
        ask(OpenAIAgent("stub", server.url, key="MINE"))
        assert [h["authorization"] for h in server.headers] == [f"bearer {KEY}", "bearer sk-mine"]


def test_requests_are_bounded_and_capped(key):
    with StubServer(rock) as server:
        agent = OpenAIAgent("stub", server.url, max_requests=7)
        with pytest.raises(TooManyErrors, match="made 7 requests, and max_requests=7") as stopped:
            rollout(SAME_TIME, agent, 50, seed=0, rounds=1, concurrency=1)
        assert isinstance(stopped.value.__cause__, RequestCap)
        assert len(server.requests) in (6, 7)  # both seats ask: the eighth ends the seventh
        assert sum(1 for e in stopped.value.episodes if not e.failure) == 3

        alive = most = 0

        async def counted(writer):
            nonlocal alive, most
            alive += 1
            most = max(most, alive)
            import asyncio

            await asyncio.sleep(0.02)
            alive -= 1
            return await body(json.dumps(completion("rock")))(writer)

        server.answer = lambda message, attempt: counted
        agent = OpenAIAgent("stub", server.url, concurrency=5)
        rollout(SAME_TIME, agent, 30, seed=0, rounds=1, concurrency=30)
        assert most == 5


def test_what_is_sent(key):
    with StubServer(rock) as server:
        agent = OpenAIAgent(
            "stub", server.url, temperature=0.5, max_tokens=9, seed=1, logprobs=True,
            token_ids=True, body={"top_k": 4},
        )  # fmt: skip
        ask(agent)
        sent = server.requests[0]
        assert {name: sent[name] for name in ("model", "temperature", "max_tokens", "top_k")} == {
            "model": "stub",
            "temperature": 0.5,
            "max_tokens": 9,
            "top_k": 4,
        }
        assert sent["logprobs"] is sent["return_token_ids"] is True
        assert 0 <= sent["seed"] < 2**31
        ask(agent)
        assert server.requests[1] == sent  # the same turn, the same request
        ask(OpenAIAgent("stub", server.url))
        assert set(server.requests[2]) == {"model", "messages"}
        ask(agent, one_turn(observe="image"))
        picture = server.requests[3]["messages"][1]["content"][0]
        assert picture["image_url"]["url"].startswith("data:image/png;base64,")


def test_replies_are_kept_to_the_legal_ones_as_vllm_and_as_openai_do(key):
    turn = one_turn()
    with StubServer(lambda message, attempt: '{"reply": "4"}') as server:
        free, choice, schema = (
            ask(OpenAIAgent("stub", server.url, guided=how), turn)
            for how in (None, "choice", "json")
        )
        assert (free, choice, schema) == ('{"reply": "4"}', '{"reply": "4"}', "4")
        assert schema.usage["completion_tokens"] == choice.usage["completion_tokens"]
        sent = server.requests
        assert not {"structured_outputs", "response_format"} & set(sent[0])
        assert sent[1]["structured_outputs"] == {"choice": list(turn.legal)}
        form = sent[2]["response_format"]
        assert form["json_schema"]["schema"]["properties"]["reply"]["enum"] == list(turn.legal)
        ask(OpenAIAgent("stub", server.url, guided="json"), replace(turn, legal=None))
        assert "response_format" not in server.requests[3]  # nobody can list what may be said
    for text in ("4", '{"reply": 4}', "[" * 99, '{"move": "4"}'):
        with StubServer(lambda message, attempt, text=text: text) as server:
            assert ask(OpenAIAgent("stub", server.url, guided="json"), turn) == text
    with pytest.raises(ValueError, match="guided='choice' is an option of vLLM"):
        OpenAIAgent("m", guided="choice")
    with pytest.raises(ValueError, match="guided='yes': expected 'choice', 'json' or None"):
        OpenAIAgent("m", guided="yes")


def test_what_comes_back(key):
    answer = completion("rock", prompt_tokens=33)
    choice = answer["choices"][0]
    choice["token_ids"] = [5, 6]
    choice["logprobs"] = {
        "content": [{"token": "ro", "logprob": -0.5}, {"token": "ck", "logprob": -2}]
    }
    answer["usage"]["details"] = {"cached": 1}
    with StubServer(lambda message, attempt: body(json.dumps(answer))) as server:
        agent = OpenAIAgent("stub", server.url, prices=(1.0, 10.0))
        reply = ask(agent)
    assert reply == "rock"
    assert (reply.token_ids, reply.logprobs) == ([5, 6], [-0.5, -2])
    assert reply.finish_reason == "stop"
    assert reply.usage == {"prompt_tokens": 33, "completion_tokens": 2, "total_tokens": 12}
    assert agent.usage == {"prompt_tokens": 33, "completion_tokens": 2}
    assert agent.cost == pytest.approx((33 * 1 + 2 * 10) / 1e6)


def test_all_that_a_server_drew_comes_back_with_what_it_was_given(key):
    """A parser of vLLM takes thoughts out of the text; their tokens are among the ids."""
    for name in ("reasoning", "reasoning_content"):
        answer = completion("rock")
        choice = answer["choices"][0]
        choice["message"][name] = "hm"
        choice["token_ids"] = [7, 8, 5, 6]
        choice["logprobs"] = {"content": [{"token": "x", "logprob": -1.0}] * 4}
        answer["prompt_token_ids"] = [1, 2, 3]
        with StubServer(lambda message, attempt, answer=answer: body(json.dumps(answer))) as server:
            reply = ask(OpenAIAgent("stub", server.url, token_ids=True))
            assert server.requests[0]["return_token_ids"] is True
        assert reply == "rock"
        assert (reply.prompt_ids, reply.token_ids) == ([1, 2, 3], [7, 8, 5, 6])
        assert reply.logprobs == [-1.0] * 4
        assert reply.thinking_blocks == [{"text": "hm"}]


def test_a_server_that_tells_only_what_it_drew_is_known_by_that(key):
    answer = completion("rock")
    with StubServer(lambda message, attempt: body(json.dumps(answer))) as server:
        assert ask(OpenAIAgent("stub", server.url)).prompt_ids is None
        answer["choices"][0]["token_ids"] = [5, 6]
        assert ask(OpenAIAgent("stub", server.url)).prompt_ids == ()


def test_native_tool_calls_and_their_answers(key):
    def answer(message, attempt):
        if len(message["messages"]) > 4:
            return "stop"
        call = {"id": "call-1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        return {"role": "assistant", "content": None, "tool_calls": [call]}

    with StubServer(answer) as server:
        agent = OpenAIAgent("stub", server.url)
        (episode,) = rollout(Env(Looking()), agent, seed=0)
        assert episode.returns == {"a": 1.0}
        assert server.requests[0]["tools"] == [TOOL]
        asked, called, result, view = server.requests[1]["messages"][1:]
    assert called["tool_calls"][0]["id"] == result["tool_call_id"] == "call-1"
    assert (result["role"], result["content"]) == ("tool", "look number 1")
    assert (view["role"], view["content"]) == ("user", "Looks: 1")
    assert asked["content"] == "Looks: 0"


def test_cache(tmp_path, monkeypatch):
    def make(url, **options):
        return OpenAIAgent("stub", url, **options)

    check_cache(make, completion("rock"), tmp_path / "cache", "OPENAI_API_KEY", monkeypatch)


def test_a_server_that_drops_pictures_is_found_out(key):
    with StubServer(rock) as server:  # as many tokens with the picture as without
        assert OpenAIAgent("stub", server.url).check_sees_images() == (False, 0, 16)


def test_others_in_a_gymnasium_view(key):
    with StubServer(rock) as server:
        agent = OpenAIAgent("stub", server.url)
        env = gem_ma.make_gym(SAME_TIME, agent="left", others=agent, rounds=3)
        env.reset(seed=0)
        for _ in range(3):
            env.step("paper")
        lengths = [len(request["messages"]) for request in server.requests]
    assert lengths == [2, 4, 6]  # it reads its whole chat


def test_named_errors():
    with pytest.raises(ValueError, match="concurrency=0"):
        OpenAIAgent("m", concurrency=0)
    with pytest.raises(ValueError, match="expected a URL such as"):
        load_agent("openai:m@127.0.0.1")
    with pytest.raises(ValueError, match="expected openai:MODEL@URL"):
        load_agent("openai:")
    with pytest.raises(ValueError, match=r"expected options such as a=1&b=2 out of .*retries"):
        load_agent("openai:m@http://h/v1?retry=3")
    agent = load_agent("openai:org/m:tag@http://127.0.0.1:1/v1?retries=2&temperature=0.5")
    assert (agent.model, agent.base_url, agent.retries) == ("org/m:tag", "http://127.0.0.1:1/v1", 2)
    assert repr(agent) == "OpenAIAgent(org/m:tag@http://127.0.0.1:1/v1)"
