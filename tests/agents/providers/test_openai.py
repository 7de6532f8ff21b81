"""Models behind a server: a real one on the loopback, and one that does everything wrong."""

import gzip
import json
import logging
import pickle
import socket
import time
import tracemalloc
import zlib

import packs
import pytest
from broken_games import TOOL, Looking
from needed import needed
from stub_server import StubServer, body, completion, cut, half, raw, slow, status

import gem_ma
from gem_ma import Env, Reply, load_episodes, rollout, save_episodes
from gem_ma.agents import OpenAIAgent, load_agent
from gem_ma.agents.providers.errors import RequestCap, ServerError
from gem_ma.agents.providers.transport import parse_retry_after
from gem_ma.chat.messages import to_openai_chat
from gem_ma.rollouts.run import TooManyErrors

needed("openai", install="'gem-ma[openai]'")
needed("tenacity", install="'gem-ma[openai]'")

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


def saying(**changes):
    """Answer with a completion in which parts are changed: a choice's, its message's, the rest."""
    answer = completion("5")
    for name, value in changes.items():
        choice = answer["choices"][0]
        parts = (choice, choice["message"], answer)
        next((part for part in parts if name in part), choice)[name] = value
    return body(json.dumps(answer))


CALL = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
MALFORMED = {
    "a null for a call": body(json.dumps(completion({"content": None, "tool_calls": [None]}))),
    "calls that are no list": body(json.dumps(completion({"content": "5", "tool_calls": {}}))),
    "no function": body(json.dumps(completion({"tool_calls": [{**CALL, "function": None}]}))),
    "no name": body(json.dumps(completion({"tool_calls": [{**CALL, "function": {}}]}))),
    "a name that is none": body(
        json.dumps(
            completion({"tool_calls": [{**CALL, "function": {"name": [], "arguments": ""}}]})
        )
    ),
    "deep arguments": body(
        json.dumps(
            completion({"tool_calls": [{**CALL, "function": {"name": "f", "arguments": 0}}]})
        ).replace('"arguments": 0', '"arguments": {"a": ' * 500 + "1" + "}" * 500)
    ),
    "an identity that is none": body(json.dumps(completion({"tool_calls": [{**CALL, "id": {}}]}))),
    "log-probabilities in words": saying(logprobs={"content": [{"token": "5", "logprob": "low"}]}),
    "a log-probability that is missing": saying(logprobs={"content": [{"token": "5"}]}),
    "a null for a log-probability": saying(logprobs={"content": [None]}),
    "a log-probability above 0": saying(logprobs={"content": [{"token": "5", "logprob": 7}]}),
    "no number": saying(logprobs={"content": [{"token": "5", "logprob": float("nan")}]}),
    "an endless number": saying(logprobs={"content": [{"token": "5", "logprob": -float("inf")}]}),
    "log-probabilities that are none": saying(logprobs=[1]),
    "token ids in words": saying(token_ids=["5"]),
    "token ids below 0": saying(token_ids=[-5]),
    "usage in words": saying(usage="much"),
    "a count in words": saying(usage={"prompt_tokens": "abc"}),
    "a count below 0": saying(usage={"prompt_tokens": -5}),
    "a count without end": saying(usage={"prompt_tokens": 10**400}),
    "a count that is true": saying(usage={"completion_tokens": True}),
    "a reason that is none": saying(finish_reason=["stop"]),
    "a reason without end": saying(finish_reason="stop" * 1000),
    "an error in the place of a reason": saying(finish_reason="error"),
    "choices that are none": saying(choices={"0": {}}),
    "half a character": saying(content="\ud800"),
    "another charset": raw(json.dumps(completion("é"), ensure_ascii=False).encode("latin-1")),
    "UTF-16": raw(json.dumps(completion("5")).encode("utf-16")),
    "deep JSON": body("[" * 100_000),
    "deep JSON that ends": body('{"a":' * 5000 + "1" + "}" * 5000),
    "a long number": body('{"choices": ' + "9" * 100_000 + "}"),
    "no gzip": raw(b"{}", "Content-Encoding: gzip"),
    "half of some gzip": raw(
        gzip.compress(json.dumps(completion("5")).encode())[:60], "Content-Encoding: gzip"
    ),
    "an unknown coding": raw(b"{}", "Content-Encoding: zstd"),
    "gzip in gzip": raw(gzip.compress(gzip.compress(b"{}")), "Content-Encoding: gzip, gzip"),
    "a page for a browser": raw(b"<html>", "Content-Type: text/html; charset=hex"),
}


@pytest.mark.parametrize("fault", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_answer_is_a_fault_like_any_other(fault, key):
    with StubServer(lambda message, attempt: fault if attempt == 0 else "5") as server:
        agent = OpenAIAgent("stub", server.url, retries=1)
        assert ask(agent) == "5"
        assert len(server.requests) == 2
        assert agent.usage["completion_tokens"] == 2  # of the second alone
        server.answer = lambda message, attempt: fault
        (episode,) = rollout(TWO, OpenAIAgent("stub", server.url, retries=0), seed=0)
    assert episode.failure.kind == "ServerError"
    assert episode.failure.message.startswith("BadAnswer: ")
    assert f"stub@{server.url}" in episode.failure.message
    assert len(episode.failure.message) < 1500


def test_what_servers_do_beside_the_letter_is_no_fault(key):
    call = {
        "id": "",
        "function": {"name": "f", "arguments": {"a": 1}, "more": 1},
        "extra": {"b": 2},
    }
    answers = [
        saying(usage=None),
        saying(usage={"prompt_tokens": None, "details": {"cached": 1}, "cost": 0.5}),
        saying(logprobs={"content": None}, finish_reason=None),
        saying(logprobs={"tokens": ["5"], "token_logprobs": [-1]}),
        saying(logprobs={"content": [{"token": "5", "logprob": 1e-7}]}),
        raw(json.dumps(completion("5")).encode(), "Content-Type: application/json; charset=hex"),
        raw(gzip.compress(json.dumps(completion("5")).encode()), "Content-Encoding: gzip"),
        body(json.dumps(completion({"content": None, "tool_calls": [call]}))),
    ]
    with StubServer(None) as server:
        for answer in answers:
            server.answer = lambda message, attempt, answer=answer: answer
            reply = ask(OpenAIAgent("stub", server.url, retries=0))
            assert reply in ("5", "")
        assert reply.tool_calls == [call]  # with all that servers may want back
        assert server.headers[0]["accept-encoding"] == "gzip"


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("code", [200, 500, 400])
def test_an_answer_has_a_largest_size(packed, code, key):
    sent = 0

    async def flood(writer):
        """Send without end, as many bytes as somebody takes."""
        nonlocal sent
        pack = zlib.compressobj(wbits=31)
        head = [f"HTTP/1.1 {code} X", "Content-Type: application/json", "Connection: close"]
        head += ["Content-Encoding: gzip"] if packed else []
        writer.write("\r\n".join([*head, "", ""]).encode())
        part = b'{"choices": "' + b"a" * (1 << 20)
        for _ in range(200):
            chunk = pack.compress(part) + pack.flush(zlib.Z_SYNC_FLUSH) if packed else part
            writer.write(chunk)
            await writer.drain()
            sent += len(part)
        return False

    with StubServer(lambda message, attempt: flood) as server:
        agent = OpenAIAgent("stub", server.url, retries=0, max_answer=1 << 20)
        with pytest.raises(ServerError, match="BadAnswer: an answer of more than 1048576 bytes"):
            ask(agent)  # which imports what is not there yet
        before = sent
        tracemalloc.start()
        with pytest.raises(ServerError, match="BadAnswer: an answer of more than 1048576 bytes"):
            ask(agent)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert most < 16 << 20
    if not packed:
        assert sent - before < 100 << 20
    with pytest.raises(ValueError, match="max_answer=0"):
        OpenAIAgent("stub", max_answer=0)


def test_a_redirect_is_not_followed(key):
    with StubServer(rock) as other:
        there = other.url.replace("//", f"//me:{WORD}@") + "/chat/completions"
        for code in (301, 302, 303, 307, 308):
            moved = status(code, f"Location: {there}")
            with StubServer(lambda message, attempt, moved=moved: moved) as server:
                with pytest.raises(
                    ServerError, match=f"{other.port}.*give that as base_url"
                ) as said:
                    ask(OpenAIAgent("stub", server.url))
                assert len(server.requests) == 1
                assert WORD not in str(said.value)
        assert not other.requests


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("1.5", 1.5),
        ("0", 0),
        ("1e300", 1e300),
        ("-5", None),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        ("", None),
        ("Mon, 01 Jan 2001 00:00:00 GMT", 0),
        ("Mon, 01 Jan 999999999999 00:00:00 GMT", None),
    ],
)
def test_what_a_server_asks_to_wait(value, seconds):
    assert parse_retry_after({"retry-after": value}) == seconds


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_tried_again(fault, key):
    with StubServer(lambda message, attempt: fault if attempt == 0 else "5") as server:
        agent = OpenAIAgent("stub", server.url, timeout=5.0)
        assert ask(agent) == "5"
        assert len(server.requests) == agent.requests == 2


def test_a_retry_is_said_while_it_happens(key, caplog):
    def told():
        return [one.getMessage() for one in caplog.records if one.name.startswith("gem_ma")]

    faults = [status(429, "Retry-After: 0.2"), status(429, "Retry-After: 0")]
    with StubServer(lambda message, attempt: (*faults, "5")[min(attempt, 2)]) as server:
        agent = OpenAIAgent("stub", server.url)
        assert ask(agent) == "5"
        assert told() == ["openai: 429, waiting 0.2 s (retry 1)"]  # the other: too soon
        agent._last_logged -= 10
        assert ask(agent, one_turn(SAME_TIME)) == "5"
        assert told()[1].endswith("(retry 1), and 1 more since the last line")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(ServerError):
        ask(OpenAIAgent("stub", url, retries=1))
    assert told()[2].startswith("openai: Connection error, waiting ")
    assert KEY not in caplog.text


def test_retry_after_is_honoured(key):
    def answer(message, attempt):
        return status(429, "Retry-After: 1") if attempt < 2 else "5"

    with StubServer(answer) as server:
        ask(OpenAIAgent("stub", server.url))
        gaps = [b - a for a, b in zip(server.times, server.times[1:], strict=False)]
        assert len(gaps) == 2
        assert all(1.0 <= gap < 5.0 for gap in gaps)


def test_a_slow_body_has_a_deadline(key):
    with StubServer(lambda message, attempt: slow) as server:
        agent = OpenAIAgent("stub", server.url, timeout=0.5, retries=0)
        start = time.monotonic()
        with pytest.raises(ServerError, match=r"TimeoutError: no reply within 0.5 s"):
            ask(agent)
        assert time.monotonic() - start < 5


@pytest.mark.parametrize("code", [400, 401, 403, 404, 422])
def test_what_cannot_pass_is_not_tried_again(code, key):
    with StubServer(lambda message, attempt: status(code)) as server:
        with pytest.raises(ServerError, match=str(code)):
            ask(OpenAIAgent("stub", server.url))
        assert len(server.requests) == 1


def test_a_server_that_is_not_there(key):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        agent = OpenAIAgent("stub", f"http://127.0.0.1:{port}/v1", retries=0)
        (episode,) = rollout(TWO, agent, seed=0)
    assert episode.failure.kind == "ServerError"
    assert "APIConnectionError" in episode.failure.message
    assert f"stub@http://127.0.0.1:{port}/v1" in episode.failure.message


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


@packs.needs("tau", "training")
def test_what_a_url_holds_is_written_nowhere(key, caplog, tmp_path):
    from gem_ma.agents import LLMUser, MixtureAgent
    from gem_ma.evaluation.runner.suite_runner import evaluate
    from gem_ma.evaluation.suites import parse_suite
    from gem_ma.evaluation.tournament import run_tournament
    from gem_ma.evaluation.viewer.page import write_page

    caplog.set_level(logging.DEBUG)
    with StubServer(rock) as server:
        spec = f"openai:stub@{server.url.replace('//', f'//me:{WORD}@')}?retries=0"
        shown = f"openai:stub@{server.url}?retries=0"
        assert WORD not in repr(LLMUser(spec))
        for number, who in enumerate((spec, load_agent(spec), MixtureAgent([spec]))):
            (episode,) = rollout(SAME_TIME, who, seed=0, rounds=1, out=tmp_path / f"{number}.jsonl")
            assert not episode.failure, episode.failure
            assert WORD not in repr(episode)
        basic = {headers["authorization"] for headers in server.headers}
        assert {name.partition(" ")[0] for name in basic} == {"basic"}  # they are sent all the same
        again = rollout(SAME_TIME, spec, seed=0, rounds=1, out=tmp_path / "0.jsonl", resume=True)
        assert again[0].agents == {"left": shown, "right": shown}

        entry = {"id": SAME_TIME, "tasks": 1, "arguments": {"rounds": 1}, "opponents": spec}
        suite = parse_suite({"entry": [entry]}, "mine")
        found = evaluate(suite, spec, tmp_path / "eval", progress=False)
        assert found.code == 0
        assert evaluate(suite, spec, tmp_path / "eval", progress=False).code == 0
        run_tournament([SAME_TIME], [spec], tmp_path / "cup", matches=1, progress=False)
        board = run_tournament([SAME_TIME], [spec], tmp_path / "cup", matches=2, progress=False)
        assert board.agents == [shown, "random"]
        write_page(tmp_path / "0.jsonl", tmp_path / "page.html")
    nowhere(WORD, tmp_path, caplog.text)


def test_specs_with_a_password_play_in_workers(key):
    with StubServer(rock) as server:
        spec = f"openai:stub@{server.url.replace('//', f'//me:{WORD}@')}?retries=0"
        same = bytes(spec, "ascii").decode()  # equal, and another object
        for specs in ([spec, same], {"left": spec, "right": f"{spec}&seed=1"}):
            (episode,) = rollout(SAME_TIME, specs, seed=0, rounds=1, workers=1)
            assert not episode.failure, episode.failure
            assert WORD not in repr(episode)


@packs.needs("training")
def test_names_in_numbers_and_pools_hold_no_password(key, tmp_path):
    from gem_ma.evaluation.exploitability import compute_exploitability
    from gem_ma.training.selfplay import OpponentPool

    with StubServer(rock) as server:
        spec = f"openai:stub@{server.url.replace('//', f'//me:{WORD}@')}?retries=0"
        assert WORD not in repr(compute_exploitability("game:KuhnPoker-v0", spec, samples=2))
        pool = OpponentPool({"it": spec})
        pool.save(tmp_path / "pool.json")
        with pytest.raises(ValueError, match="it"):  # it has to be given again
            OpponentPool.load(tmp_path / "pool.json")
        assert OpponentPool.load(tmp_path / "pool.json", {"it": spec}).names == ("it",)

    nowhere(WORD, tmp_path, "")


def test_errors_about_a_url_do_not_repeat_it(key, caplog, tmp_path, capfd):
    from gem_ma.cli.main import main

    caplog.set_level(logging.DEBUG)
    refused = status(404, message=f"no page http://me:{WORD}@host")
    with StubServer(lambda message, attempt: refused) as server:
        spec = f"openai:stub@{server.url.replace('//', f'//me:{WORD}@')}?retries=0"
        with pytest.raises(TooManyErrors) as stopped:
            rollout(SAME_TIME, spec, 3, seed=0, max_errors=0, out=tmp_path / "bad.jsonl")
        assert WORD not in str(stopped.value)
        assert WORD not in repr(stopped.value.episodes)
        for command in (
            ["run", SAME_TIME, "--agents", spec, "--out", str(tmp_path / "cli.jsonl")],
            ["run", SAME_TIME, "--agents", f"{spec}&nonsense=1"],
            ["run", SAME_TIME, "--agents", f"openai:m@http://me:{WORD}?x@host/v1"],
            ["run", SAME_TIME, "--agents", f"openai:m@http://me:{WORD}/x@host/v1"],
            ["run", SAME_TIME, "--agents", f"openai:m@http://h/v1?key={WORD}"],
            ["play", SAME_TIME, "--agents", spec],
            ["eval", SAME_TIME, "--agents", spec, spec, "--out", str(tmp_path / "no")],
            ["watch", SAME_TIME, "--agents", spec],
            ["run", SAME_TIME, "--nonsense", spec],
        ):
            assert main(command) in (1, 2), command
    written = capfd.readouterr()
    assert "openai:stub@http://" in written.err
    nowhere(WORD, tmp_path, written.out + written.err + caplog.text)


def nowhere(word, folder, text):
    assert word not in text
    for path in folder.rglob("*"):
        assert word not in str(path)
        assert path.is_dir() or word.encode() not in path.read_bytes(), path


def test_the_key_is_sent(key, monkeypatch):
    monkeypatch.setenv("MINE", "sk-mine")
    with StubServer(rock) as server:
        ask(OpenAIAgent("stub", server.url))
        ask(OpenAIAgent("stub", server.url, key="MINE"))
        assert [h["authorization"] for h in server.headers] == [f"bearer {KEY}", "bearer sk-mine"]


def test_requests_are_bounded_and_capped(key):
    with StubServer(rock) as server:
        agent = OpenAIAgent("stub", server.url, max_requests=7)
        with pytest.raises(TooManyErrors, match="has made 7 requests, all that it may") as stopped:
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
