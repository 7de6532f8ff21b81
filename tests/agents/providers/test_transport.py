"""What goes to a server and what is waited for: keys, addresses, redirects, and another try."""

import itertools
import json
import logging
import random
import socket
import time

import packs
import pytest
from needed import needed
from stub_server import StubServer, body, completion, cut, garble, half, hang, raw, slow, status

import gem_ma
from gem_ma import rollout
from gem_ma.agents import OpenAIAgent, load_agent
from gem_ma.agents.providers import base
from gem_ma.agents.providers.errors import ServerError
from gem_ma.agents.providers.transport import parse_retry_after
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


def test_pauses_grow_and_nobody_elses_numbers_are_drawn(key, monkeypatch):
    limits = []

    class Impatient(base.SystemRandom):
        def uniform(self, low, high):
            assert 0 <= super().uniform(low, high) <= high
            limits.append(high)
            return 0.0

    monkeypatch.setattr(base, "SystemRandom", Impatient)
    drawn = random.getstate()
    with StubServer(lambda message, attempt: status(500) if attempt < 8 else "5") as server:
        assert ask(OpenAIAgent("stub", server.url, retries=8)) == "5"
    assert limits == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]
    assert random.getstate() == drawn


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
        assert found.exit_code == 0
        assert evaluate(suite, spec, tmp_path / "eval", progress=False).exit_code == 0
        run_tournament([SAME_TIME], [spec], tmp_path / "cup", matches=1, progress=False)
        board = run_tournament([SAME_TIME], [spec], tmp_path / "cup", matches=2, progress=False)
        assert board.agents == [shown, "random"]
        write_page(tmp_path / "0.jsonl", tmp_path / "page.html")
    nowhere(WORD, tmp_path, caplog.text)


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


def wrong(**choice):
    return body(json.dumps({**completion("rock"), "choices": [choice]}))


FAULTS = [
    *(status(code, "Retry-After: 0", message=f"no {KEY}") for code in (408, 409, 429, 500, 503)),
    *(cut, half, garble, hang, body(""), body("{"), body("[]"), body("null"), body("<html>")),
    *(raw(b"\x1f\x8b junk", "Content-Encoding: gzip"), raw(b"{}", "Content-Encoding: zstd")),
    *(body('{"choices": []}'), body('{"error": {"message": "no"}}'), body("[" * 100_000)),
    *(wrong(), wrong(message=5), wrong(message={"content": ["a"]}), wrong(message=None)),
    wrong(message={"content": "a"}, finish_reason="error"),
    wrong(message={"content": "a", "tool_calls": [{"function": 5}]}),
    wrong(message={"content": "\ud800"}),
    status(401, message=f"no {KEY}"),
    status(400, message="x" * 1_000_000),
]


@pytest.mark.parametrize("count", [100, pytest.param(2_000, marks=pytest.mark.slow)])
def test_an_endpoint_that_fails_in_every_way(count, key, caplog, tmp_path):
    """Every episode is there once, whole or failed with a sentence, and can be made good."""
    faults, out = itertools.cycle(FAULTS), tmp_path / "out.jsonl"

    def answer(message, attempt):
        if random.Random(len(server.times)).random() < 0.5:
            return "\\boxed{rock}"
        return next(faults)

    settings = {"seed": 3, "rounds": 1, "out": out, "progress": False, "max_errors": count}
    with StubServer(answer) as server:
        agent = OpenAIAgent("stub", server.url, retries=1, timeout=1.0)
        episodes = rollout(SAME_TIME, agent, count, concurrency=64, **settings)
        assert len(episodes) == count
        failed = [one for one in episodes if one.failure]
        assert 0 < len(failed) < count
        assert {one.failure.kind for one in failed} == {"ServerError"}
        assert max(len(one.failure.message) for one in failed) < 3000
        for one in episodes:
            if not one.failure:
                one.replay()
        server.answer = lambda message, attempt: "\\boxed{rock}"
        patient = OpenAIAgent("stub", server.url, timeout=60.0)
        again = rollout(SAME_TIME, patient, count, resume=True, **settings)
    assert len(server.requests) > 2 * count
    assert not [one for one in again if one.failure]
    read = gem_ma.load_episodes(out)
    assert sorted(one.number for one in read) == list(range(count))
    assert KEY not in out.read_text() + caplog.text + repr(episodes)
