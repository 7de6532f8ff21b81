"""Programs in seats: functions, coroutines and commands, whose calls pass through a gateway."""

import json
import sys
import time
import urllib.error
import urllib.request
from collections import Counter

import packs
import pytest
from needed import needed
from stub_server import StubServer, response
from vllm_shaped import Shaped

import gem_ma
from gem_ma.agents import ProgramAgent
from gem_ma.agents.programs.program_seat import NotYourTurn
from gem_ma.chat.model_calls import unpack_calls
from gem_ma.rollouts.run import TooManyErrors

needed("aiohttp", install="'gem-ma[gateway]'")

GAME = "game:RockPaperScissors-v0"


def post(url, body, **headers):
    """Return the JSON that a request is answered with, by no client's library."""
    data = json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **headers})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.loads(answer.read())


def chat(seat, *messages, **more):
    said = [{"role": "user", "content": text} for text in messages]
    body = {"model": "m", "messages": said, **more}
    try:
        answer = post(f"{seat.address}/chat/completions", body)
    except urllib.error.HTTPError as error:
        with error:
            raise ConnectionError(f"HTTP Error {error.code}") from None
    return answer["choices"][0]["message"]["content"]


def rock(body, number):
    return "\\boxed{rock}"


def plain(seat):
    """Think aloud once, and then play."""
    turn = seat.turn()
    while turn is not None:
        thought = chat(seat, f"think: {turn.text}")
        turn = seat.play(chat(seat, turn.text, thought))


async def coroutine(seat):
    import asyncio

    turn = await seat.aturn()
    while turn is not None:
        reply = await asyncio.to_thread(chat, seat, turn.text)
        turn = await seat.aplay(reply)


def last(seat):
    """Let the last call count."""
    turn = seat.turn()
    while turn is not None:
        chat(seat, "other")
        chat(seat, turn.text)
        turn = seat.play()


COMMAND = """
import json, os, sys, urllib.request
for line in sys.stdin:
    told = json.loads(line)
    if told["type"] == "over":
        break
    print("not JSON, and passed over", flush=True)
    body = json.dumps({"model": "m", "messages": told["messages"]}).encode()
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    asked = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    said = json.loads(urllib.request.urlopen(asked).read())
    print(json.dumps({"reply": said["choices"][0]["message"]["content"]}), flush=True)
"""


def command(tmp_path, text=COMMAND, name="agent.py"):
    path = tmp_path / name
    path.write_text(text)
    return f"{sys.executable} -S {path}"


@pytest.mark.parametrize(("program", "calls"), [(plain, 2), (coroutine, 1), (last, 2), (None, 1)])
def test_programs_play_whole_episodes(program, calls, tmp_path):
    with Shaped(rock) as server:
        agent = ProgramAgent(program or command(tmp_path), server.url)
        played = gem_ma.rollout(GAME, agent, 3, seed=0, rounds=2, progress=False, max_errors=0)
        assert len(server.served) == 3 * 2 * 2 * calls
    for episode in played:
        episode.replay()
        for step in episode.steps:
            assert step.reply == "\\boxed{rock}"
            assert len(step.reply.calls) == calls
            assert step.reply.usage["completion_tokens"] == 12 * calls
            assert step.reply.latency is None or step.reply.latency >= 0


def whole(url, body):
    """Return what a server says at once; nothing is in it that nobody asked for."""
    answer = post(url, body)
    assert "prompt_token_ids" not in answer
    assert not {"token_ids", "logprobs"} & answer["choices"][0].keys()
    return answer["choices"][0]["message"]["content"]


def streamed(url, body):
    """Return what a server says bit by bit."""
    data = json.dumps({**body, "stream": True}).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        lines = [line[6:] for line in answer if line.startswith(b"data: ")]
    assert lines[-1].strip() == b"[DONE]"
    chunks = [json.loads(line) for line in lines[:-1]]
    choices = [choice for chunk in chunks for choice in chunk["choices"]]
    assert not [chunk for chunk in chunks if "prompt_token_ids" in chunk]
    assert not [choice for choice in choices if {"token_ids", "logprobs"} & choice.keys()]
    assert len(choices) > 10
    return "".join(choice["delta"].get("content", "") for choice in choices)


@pytest.mark.parametrize("ask", [whole, streamed])
def test_all_ids_are_those_that_the_server_got_and_gave(ask, tmp_path):
    """Two conversations take turns, each of which goes on where it was."""

    def two(seat):
        talks = [], []
        turn = seat.turn()
        while turn is not None:
            for talk in talks:
                talk.append({"role": "user", "content": f"{len(talk)} {turn.text}"})
                said = ask(f"{seat.address}/chat/completions", {"model": "m", "messages": talk})
                talk.append({"role": "assistant", "content": said})
            turn = seat.play(said)

    out = tmp_path / "episodes.jsonl"
    with Shaped(lambda body, number: f"{number} \\boxed{{paper}}") as server:
        agent = ProgramAgent(two, server.url, token_ids=True)
        gem_ma.rollout(GAME, agent, 4, seed=0, rounds=3, out=out, progress=False, max_errors=0)
        served = Counter((*map(tuple, one[:3]), one[3]) for one in server.served)
    kept = Counter(
        (call.prompt_ids, call.token_ids, call.logprobs, True)
        for episode in gem_ma.load_episodes(out)
        for seat in episode.agents
        for step, calls in both_of(episode, seat)
        for call in calls
    )
    assert kept == served
    assert sum(kept.values()) == 4 * 2 * 3 * 2
    assert out.stat().st_size < 150_000  # each call as what it adds


def both_of(episode, seat):
    """Return the steps of a seat with their calls, the last of which is the move."""
    steps = [step for step in episode.steps if step.agent == seat]
    found = list(zip(steps, unpack_calls(steps), strict=True))
    for step, calls in found:
        assert (step.reply, step.reply.token_ids) == (calls[-1].text, list(calls[-1].token_ids))
    return found


def only_failure(program, server, seconds=20.0, **settings):
    agent = ProgramAgent(program, server.url, seconds=seconds, patience=0.5, **settings)
    (episode,) = gem_ma.rollout(GAME, agent, 1, seed=0, rounds=2, progress=False)
    assert episode.failure is not None
    return episode.failure


def fails(seat):
    seat.turn()
    raise KeyError("no such key")


def stops(seat):
    seat.turn()


def says_nothing(seat):
    seat.turn()
    seat.play()


def plays_a_number(seat):
    seat.turn()
    seat.play(7)


def sleeps(seat):
    seat.turn()
    time.sleep(1.0)


@pytest.mark.parametrize(
    ("program", "seconds", "words"),
    [
        (fails, 20, r"fails, .* failed: KeyError: 'no such key', and (left|right) was to act"),
        (stops, 20, "ended, and (left|right) was to act"),
        (says_nothing, 20, "played None for (left|right), .* but it made no model call"),
        (plays_a_number, 20, "played a int for (left|right): expected a text, a message"),
        (sleeps, 0.2, "made no move of (left|right) within 0.2 s"),
    ],
)
def test_a_program_that_does_not_play(program, seconds, words):
    with StubServer(rock) as server:
        failure = only_failure(program, server, seconds)
    assert failure.kind == "ProgramFailed"
    import re

    assert re.search(words, failure.message)


def test_a_server_that_is_gone_is_named():
    with StubServer(rock) as server:
        pass
    failure = only_failure(plain, server)
    assert "HTTP Error 502" in failure.message


def test_what_a_server_says_of_a_wrong_request_comes_back():
    def refuse(body, attempt):
        async def write(writer):
            writer.write(response(b'{"error": {"message": "no such model"}}', "404 Not Found"))
            await writer.drain()
            return True

        return write

    seen = []

    def asks(seat):
        seat.turn()
        try:
            post(f"{seat.address}/chat/completions", {"messages": []})
        except urllib.error.HTTPError as error:
            with error:
                seen.append((error.code, json.loads(error.read())))
        seat.play("rock")

    with StubServer(refuse) as server:
        agent = ProgramAgent(asks, server.url)
        (episode,) = gem_ma.rollout(
            GAME, {"left": agent, "right": "random"}, 1, seed=0, rounds=1, progress=False
        )
    assert seen == [(404, {"error": {"message": "no such model"}})]
    assert episode.steps[0].reply.calls == []


def test_strangers_are_refused():
    refused = []

    def asks(seat):
        turn = seat.turn()
        place, _, _ = seat.address.rpartition("/seat/")
        for path, body in (
            (f"{place}/seat/guess/v1/chat/completions", {"messages": []}),
            (f"{seat.address}/embeddings", {"input": "a"}),
            (f"{seat.address}/chat/completions", "no object"),
            (f"{place}/seat/guess/play", {"reply": "rock"}),
        ):
            try:
                post(path, body)
            except urllib.error.HTTPError as error:
                with error:
                    refused.append((error.code, json.loads(error.read())["error"]["message"]))
        while turn is not None:
            turn = seat.play("rock")
        try:
            seat.play("rock")
        except NotYourTurn as error:
            refused.append(str(error))

    with StubServer(rock) as server:
        agent = ProgramAgent(asks, server.url)
        gem_ma.rollout(
            GAME, {"left": agent, "right": "random"}, 1, seed=0, rounds=1, progress=False
        )
    codes = [one[0] if isinstance(one, tuple) else one for one in refused]
    assert codes == [404, 404, 400, 404, "the episode is over"]


@pytest.mark.parametrize("model", ["127.0.0.1:8000", "m@127.0.0.1", "ftp://x/v1"])
def test_a_model_is_a_server(model):
    with pytest.raises(ValueError, match="expected the URL of a server, such as"):
        ProgramAgent(plain, model)


def test_secrets_in_an_address_stand_nowhere():
    agent = ProgramAgent(plain, "m@http://me:word@127.0.0.1:1/v1")
    assert repr(agent) == "ProgramAgent(plain, m@http://127.0.0.1:1/v1)"


def test_a_killed_run_goes_on(tmp_path):
    """Episodes of a run that was stopped are neither lost nor doubled."""
    out = tmp_path / "episodes.jsonl"

    with Shaped(rock) as server:
        first = ProgramAgent(plain, server.url)
        gem_ma.rollout(GAME, first, 2, seed=5, rounds=1, out=out, progress=False)
        whole = ProgramAgent(plain, server.url)
        both = gem_ma.rollout(
            GAME, whole, 5, seed=5, rounds=1, out=out, resume=True, progress=False
        )
    ids = [episode.id for episode in gem_ma.load_episodes(out)]
    assert sorted(ids) == sorted(episode.id for episode in both) == [f"5-{i}" for i in range(5)]


def test_too_many_failures_say_the_cause():
    agent = ProgramAgent(fails)
    with pytest.raises(TooManyErrors, match="no such key"):
        gem_ma.rollout(GAME, agent, 30, seed=0, progress=False)


@packs.needs("training")
def test_samples_of_branches():
    """Each conversation of a program is a sample, and its calls are paid as `credit` says."""
    pytest.importorskip("transformers", reason="pip install 'gem-ma[hf]'")
    import tiny_models

    from gem_ma.training.token_samples import build_samples

    tokenizer = tiny_models.tokenizer()

    def talks(seat):
        turn, talk = seat.turn(), []
        while turn is not None:
            aside = [{"role": "user", "content": f"aside {len(talk)}"}]
            post(f"{seat.address}/chat/completions", {"messages": aside})
            talk.append({"role": "user", "content": turn.text})
            said = post(f"{seat.address}/chat/completions", {"messages": talk})
            talk.append(said["choices"][0]["message"])
            turn = seat.play(talk[-1]["content"])

    with Shaped(rock) as server:
        agent = ProgramAgent(talks, server.url)
        (episode,) = gem_ma.rollout(
            GAME, {"left": agent, "right": "random"}, 1, seed=1, rounds=2, progress=False
        )
    rewards = [step.reward for step in episode.steps if step.agent == "left"]
    found = build_samples(episode, "left", tokenizer)
    assert sorted(len(one.spans) for one in found) == [1, 1, 2]  # two asides and one talk
    assert not any(one.exact for one in found)
    assert "the server gave no prompt_ids" in found[0].notes[0]
    (last,) = build_samples(episode, "left", tokenizer, credit="last")
    assert [span.reward for span in last.spans] == rewards
    even = build_samples(episode, "left", tokenizer, credit="even")
    assert {span.share for one in even for span in one.spans} == {0.5}
    assert sum(span.reward for one in even for span in one.spans) == pytest.approx(sum(rewards))
    assert len(build_samples(episode, "left", tokenizer, per="turn")) == 4
    with pytest.raises(ValueError, match="credit='none': expected"):
        build_samples(episode, "left", tokenizer, credit="none")
