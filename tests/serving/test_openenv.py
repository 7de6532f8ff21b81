"""OpenEnv both ways over a real socket; run as a script, this file starts the servers."""

import base64
import contextlib
import gc
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import packs
import pytest

packs.need("bridges")
pytest.importorskip("openenv", reason="pip install 'gem-ma[openenv]'")

import numpy as np
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

import gem_ma
from gem_ma.envs import registry
from gem_ma.envs.bridges.openenv import Lost, ServerError
from gem_ma.envs.bridges.openenv_ids import address, find
from gem_ma.game import Game
from gem_ma.testing import check_env

GAMES = {
    "game:ConnectFour-v0": {},
    "game:LiarsDice-v0": {"players": 3},
    "game:RockPaperScissors-v0": {},
    "game:GuessTheNumber-v0": {},
}
TOKEN = "open-sesame-0123456789"


class Servers:
    """A process that has imported everything and forks one server for each request."""

    def __init__(self, log):
        self.log = log
        self.file = open(log, "w")  # noqa: SIM115 - closed with the rest
        self.process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.file,
            text=True,
            env={**os.environ, "GEM_MA_TOKEN": "", "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        self.pids = []

    def start(self, id, **options):
        """Return the URL of a new server, and its process."""
        self.process.stdin.write(json.dumps({"id": id, **options}) + "\n")
        self.process.stdin.flush()
        started = json.loads(self.process.stdout.readline())
        if "error" in started:
            raise ValueError(started["error"])
        self.pids.append(started["pid"])
        return started["url"], started["pid"]

    def kill(self, pid):
        self.pids.remove(pid)
        os.kill(pid, signal.SIGKILL)

    def close(self):
        for pid in list(self.pids):
            self.kill(pid)
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(10)
        self.file.close()


@pytest.fixture(scope="module")
def servers(tmp_path_factory):
    servers = Servers(tmp_path_factory.mktemp("openenv") / "log.txt")
    yield servers
    servers.close()


@pytest.fixture(scope="module")
def url(servers):
    """Return a function from an id and arguments to the URL of a server, each started once."""
    urls = {}

    def find_url(id, **options):
        key = json.dumps([id, options])
        if key not in urls:
            urls[key] = servers.start(id, **options)[0]
        return urls[key]

    return find_url


@contextlib.contextmanager
def session(url, **options):
    """Yield a function that sends a message and returns the whole answer."""
    with connect(f"{url}/ws", compression=None, proxy=None, **options) as link:

        def ask(kind, data=None, raw=None):
            message = {"type": kind} if data is None else {"type": kind, "data": data}
            link.send(json.dumps(message) if raw is None else raw)
            return json.loads(link.recv(10))

        ask.link = link
        yield ask


def reply(env, seat, number):
    """Return some reply, an invalid one now and then."""
    legal = env.info(seat).get("legal_actions")
    if number % 7 == 3:
        return "I would rather not \U0001f600"
    if legal:
        return legal[number % len(legal)]
    return str(1 + number % 20)


def plays(env, seed):
    """Play an episode; yield all that is delivered."""
    env.reset(seed=seed)
    number = seed
    while env.to_act:
        yield env.to_act, [(a, env.rules(a), env.observe(a), env.info(a)) for a in env.agents]
        number += 1
        alive = env.agents
        rewards = env.step_seats({seat: reply(env, seat, number) for seat in env.to_act})
        yield {a: rewards.get(a, 0.0) for a in alive}, *env.collect_end_flags(alive)
    yield [(a, env.observe(a), env.info(a)) for a in env.possible_agents]


def plain(value):
    """Return what was delivered in a form that can be compared, pixels and all."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.tobytes()
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value


@pytest.mark.parametrize("id", GAMES)
def test_a_remote_game_equals_the_local_one(id, url):
    local = gem_ma.make(id, **GAMES[id])
    remote = gem_ma.make(f"openenv:{url(id, **GAMES[id])}")
    assert remote.possible_agents == local.possible_agents
    assert remote.game.moves == local.game.moves
    for seed in range(20):
        for here, there in zip(plays(local, seed), plays(remote, seed), strict=True):
            assert plain(here) == plain(there)
        assert local.game.report(local.game_state) == remote.game.report(remote.game_state)


@packs.needs("tau")
def test_a_remote_game_of_tools_is_told_in_the_same_words(url):
    as_there = {"format": "verbatim", "invalid": "lose"}
    local = gem_ma.make("tau:shop", strict=True, max_steps=2)
    remote = gem_ma.make(f"openenv:{url('tau:shop', strict=True, max_steps=2)}", **as_there)
    call = '{"name": "calculate", "arguments": {"expression": "1"}}'
    seen = []
    for env in (local, remote):
        env.reset(seed=0, options={"task": 0})
        env.step("Hello,\nassistant")
        assert env.turn("assistant").calls == 1
        shown = [env.turn("assistant").text]
        env.step(f"[{call}, {call}]")
        shown += [env.turn("assistant").text, env.turn("assistant").results]
        env.step("")
        shown.append(env.turn("user").text)
        env.step("Well?")
        seen.append((shown, env.info("user")["ended"]))
    assert seen[0] == seen[1] == (["Hello,\nassistant", "1.0", ("1.0",), ""], "limit")


@pytest.mark.parametrize("id", GAMES)
@pytest.mark.parametrize("observe", ["both", "image"])
def test_pictures_are_the_same_to_the_byte(id, observe, url):
    arguments = {"observe": observe, "theme": 5, "image_size": (280, 196)}
    local = gem_ma.make(id, **GAMES[id], **arguments)
    remote = gem_ma.make(f"openenv:{url(id, **GAMES[id])}", **arguments)
    for seed in range(2):
        for here, there in zip(plays(local, seed), plays(remote, seed), strict=True):
            assert plain(here) == plain(there)
    local.reset(seed=1)
    remote.reset(seed=1)
    for seat in local.to_act:
        ours, theirs = local.turn(seat), remote.turn(seat)
        assert ours.observation["image"].png == theirs.observation["image"].png
        assert ours.observation["image"].alt == theirs.observation["image"].alt


@pytest.mark.parametrize(
    "arguments",
    [
        {"invalid": "random", "penalty": 0.5},
        {"invalid": "skip"},
        {"invalid": "lose"},
        {"invalid": "retry", "max_invalid": 0, "format": "boxed"},
        {"max_turns": 3},
        {"actions": "discrete"},
    ],
    ids=str,
)
def test_the_arguments_of_env_are_those_of_the_client(arguments, url):
    for id in ("game:ConnectFour-v0", "game:LiarsDice-v0"):
        if "actions" in arguments and gem_ma.make(id).game.moves is None:
            continue
        local = gem_ma.make(id, **GAMES[id], **arguments)
        remote = gem_ma.make(f"openenv:{url(id, **GAMES[id])}", **arguments)
        for seed in range(4):
            for here, there in zip(plays(local, seed), plays(remote, seed), strict=True):
                assert plain(here) == plain(there)


def test_numbers_stay_within_the_mask_where_talk_is_free(url):
    id = "game:Bargaining-v0"
    env = gem_ma.make(f"openenv:{url(id)}", actions="discrete", invalid="lose")
    env.reset(seed=0)
    hello, accept = (env.game.moves.index(text) for text in ("Hello.", "accept"))
    env.step(hello)
    assert env.to_act == ("second",)
    assert not env.observe("second")["action_mask"][accept]
    env.step(accept)
    assert not env.to_act


def test_moves_that_have_other_names_are_not_numbered(url):
    remote = f"openenv:{url('game:Negotiation-v0')}"
    assert "action_mask" not in _first_info(remote)
    with pytest.raises(ValueError, match="its list differs from its legal moves"):
        gem_ma.make(remote, actions="discrete")


def _first_info(id):
    env = gem_ma.make(id)
    env.reset(seed=0)
    return env.info(env.to_act[0])


def test_forks_see_the_chance_that_local_forks_see(url):
    id = "game:LiarsDice-v0"
    local = gem_ma.make(id, **GAMES[id])
    remote = gem_ma.make(f"openenv:{url(id, **GAMES[id])}")
    for env in (local, remote):
        env.reset(seed=3)
        env.step_seats({env.to_act[0]: env.info(env.to_act[0])["legal_actions"][0]})
    for seed in (None, 7):
        pairs = zip(local.fork(3, seed=seed), remote.fork(3, seed=seed), strict=True)
        for here, there in pairs:
            while here.to_act:
                moves = {a: here.info(a)["legal_actions"][-1] for a in here.to_act}
                assert plain(here.step_seats(moves)) == plain(there.step_seats(moves))
                assert [here.observe(a) for a in here.agents] == [
                    there.observe(a) for a in there.agents
                ]


def test_the_contract_holds(url):
    check_env(f"openenv:{url('game:GuessTheNumber-v0-easy')}", seeds=1)


@pytest.mark.slow
@pytest.mark.parametrize("id", GAMES)
def test_the_contract_holds_for_all(id, url):
    check_env(f"openenv:{url(id, **GAMES[id])}")


def test_what_is_too_long_to_send_is_an_invalid_reply(url):
    env = gem_ma.make(f"openenv:{url('game:ConnectFour-v0', max_message=4096)}")
    env.reset(seed=0)
    env.step_seats({"red": "x" * 5000})
    assert "too many" in env.info("red")["invalid"]["reason"]
    env.step_seats({"red": "3"})
    assert env.to_act == ("yellow",)


def test_a_connection_that_was_lost_is_made_again(servers):
    id = "game:LiarsDice-v0"
    url, pid = servers.start(id)
    local, remote = gem_ma.make(id), gem_ma.make(f"openenv:{url}")
    here, there = plays(local, 5), plays(remote, 5)
    for number, (one, other) in enumerate(zip(here, there, strict=True)):
        assert plain(one) == plain(other)
        if number % 4 == 2:
            servers.kill(pid)
            _, pid = servers.start(id, port=int(url.rpartition(":")[2]))
    assert number > 8
    servers.kill(pid)
    with pytest.raises(Lost, match=f"no OpenEnv server answers at {url}/ws"):
        remote.reset(seed=0)
    with pytest.raises(Lost, match="gem-ma serve"):
        gem_ma.make(f"openenv:{url}")


def test_what_is_dropped_leaves_its_session(url):
    where = url("game:ConnectFour-v0", max_sessions=2)
    for seed in range(6):
        env = gem_ma.make(f"openenv:{where}")
        time.sleep(0.1)  # the server has to notice that the question was all
        env.reset(seed=seed)
        env.step_seats({"red": "3"})
        del env
        gc.collect()  # an Env refers to itself
        time.sleep(0.1)
    with session(where) as first, session(where) as second:
        first("reset", {})
        second("reset", {})
        with pytest.raises(ServerError, match="at capacity: 2"):
            gem_ma.make(f"openenv:{where}")


def test_ids():
    for wrong in ("nonsense", "ftp://nonsense"):
        with pytest.raises(gem_ma.UnknownEnv, match="did you mean 'openenv:ws://nonsense'"):
            find(f"openenv:{wrong}")
    assert address("https://host/some/path/") == "wss://host/some/path/ws"
    assert address("ws://127.0.0.1:8000/ws") == "ws://127.0.0.1:8000/ws"
    assert gem_ma.spec("openenv:http://h:1").kwargs == {"url": "http://h:1"}
    with pytest.raises(gem_ma.UnknownEnv):
        gem_ma.make("openenv:nonsense")
    for secret in ("ws://me:hush@host", "ws://host?token=hush"):
        with pytest.raises(ValueError, match="must not have a user name") as error:
            gem_ma.make(f"openenv:{secret}")
        assert "hush" not in str(error.value)


def test_something_else_that_listens_is_no_server():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        def answer():
            client, _ = listener.accept()
            client.recv(1000)
            client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
            client.close()

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(Lost, match=f"127.0.0.1:{port}"):
            gem_ma.make(f"openenv:http://127.0.0.1:{port}")
        thread.join()


def test_tokens(url, servers, monkeypatch):
    monkeypatch.delenv("GEM_MA_TOKEN", raising=False)
    where = url("game:GuessTheNumber-v0", token=TOKEN)
    for token, what in ((None, "needs a token"), ("wrong", "refused this token")):
        with pytest.raises(PermissionError, match=what) as error:
            gem_ma.make(f"openenv:{where}", token=token)
        assert "token=..." in str(error.value)
        assert "wrong" not in str(error.value)
    env = gem_ma.make(f"openenv:{where}", token=TOKEN)
    env.reset(seed=0)
    shown = f"{env!r} {env.game!r} {env.spec} {env.snapshot()} {env.game_state}"
    assert TOKEN not in shown
    assert TOKEN.encode() not in pickle.dumps(env.spec)
    pickled = pickle.dumps(env)
    assert TOKEN.encode() not in pickled
    with pytest.raises(PermissionError, match="GEM_MA_TOKEN"):
        pickle.loads(pickled)
    monkeypatch.setenv("GEM_MA_TOKEN", TOKEN)
    again = pickle.loads(pickled)
    for copy in (env, again):
        copy.step_seats({"player": "5"})
    assert env.observe("player") == again.observe("player")
    for header in (None, "Bearer", "Bearer x", f"bearer {TOKEN}", f"Bearer {TOKEN} "):
        headers = {} if header is None else {"Authorization": header}
        if header == f"Bearer {TOKEN} ":  # what stands around a header does not count
            continue
        with pytest.raises(InvalidStatus) as refused, session(where, additional_headers=headers):
            pass
        assert refused.value.response.status_code == 401
        assert b"Authorization: Bearer" in refused.value.response.body
    assert TOKEN not in servers.log.read_text()


def test_what_cannot_be_served(servers):
    id = "game:ConnectFour-v0"
    for host in ("0.0.0.0", "192.168.1.7", "some.host", "::"):
        with pytest.raises(ValueError, match="so it takes a token"):
            servers.start(id, host=host)
    for options, problem in (
        ({"token": "no spaces"}, "printable"),
        ({"colour": "red"}, "got an unexpected keyword argument 'colour'"),
        ({"seat": "green"}, "no seat 'green'"),
        ({"others": "nobody"}, "nobody"),
        ({"max_sessions": 0}, "max_sessions=0"),
    ):
        with pytest.raises(ValueError, match=problem):
            servers.start(id, **options)
    with pytest.raises(ValueError, match="did you mean 'game:ConnectFour-v0'"):
        servers.start("game:ConectFour-v0")
    where, _ = servers.start(id, host="0.0.0.0", token=TOKEN)
    env = gem_ma.make(f"openenv:http://127.0.0.1:{where.rpartition(':')[2]}", token=TOKEN)
    assert env.possible_agents == ["red", "yellow"]


def test_web_pages_cannot_come_in(url):
    where = url("game:ConnectFour-v0")
    with (
        pytest.raises(InvalidStatus) as refused,
        session(where, additional_headers={"Origin": "https://evil.example"}),
    ):
        pass
    assert refused.value.response.status_code == 403


@pytest.mark.parametrize("id", GAMES)
@pytest.mark.parametrize(("observe", "seeds"), [("text", 20), ("both", 2), ("image", 1)])
def test_the_stock_client_sees_what_seats_see(id, observe, seeds, url):
    from openenv.core.generic_client import GenericEnvClient

    env = gem_ma.make(id, **GAMES[id], observe=observe)
    options = {} if observe == "text" else {"observe": observe}
    with GenericEnvClient(base_url=url(id, **GAMES[id], **options)).sync() as client:
        for seed in range(seeds):
            env.reset(seed=seed)
            result, number, told = client.reset(seed=seed), seed, set()
            assert result.observation["rules"] == {a: env.rules(a) for a in env.agents}
            same(env, result, env.agents, told)
            while env.to_act:
                number += 1
                replies = {seat: reply(env, seat, number) for seat in env.to_act}
                alone = len(replies) == 1 and number % 2
                action = {"text": next(iter(replies.values()))} if alone else {"replies": replies}
                alive = env.agents
                earned = env.step_seats(replies)
                rewards = {seat: earned.get(seat, 0.0) for seat in alive}
                terminations, truncations = env.collect_end_flags(alive)
                result = client.step(action)
                shown = result.observation
                assert shown["rewards"] == rewards
                assert shown["terminations"] == terminations
                assert shown["truncations"] == truncations
                assert result.reward == rewards[next(iter(replies))]
                same(env, result, rewards, told)
            assert result.done


def same(env, result, seats, told):
    shown = result.observation
    assert tuple(shown["to_act"]) == env.to_act
    assert shown["agent"] == (env.to_act[0] if env.to_act else None)
    assert result.done == (not env.to_act)
    if env.to_act:
        seat = env.to_act[0]
        text = env.turn(seat).text
        if seat not in told:  # then the rules come before it, which is said once
            told.add(seat)
            text = f"{env.rules(seat)}\n\n{text}".strip()
        assert shown["text"] == shown["prompt"] == text
    assert list(shown["observations"]) == list(seats)
    for seat in seats:
        seen, info = env.observe(seat, turn=True), env.info(seat, turn=True)
        expected = {"text": info.pop("text", None)} | seen
        if "image" in seen:
            expected["image"] = seen["image"].base64
        assert shown["observations"][seat] == expected
        assert shown["infos"][seat] == json.loads(json.dumps(info))


def test_a_bound_session_sees_one_seat(url):
    where = url("game:KuhnPoker-v0")
    with session(where) as ask:
        for seed in range(20):
            answer = ask("reset", {"seed": seed, "seat": "second"})["data"]
            for _ in range(10):
                shown = answer["observation"]
                for part in ("rewards", "terminations", "truncations", "observations", "infos"):
                    assert list(shown[part]) == ["second"]
                assert set(shown["rules"]) <= {"second"}
                assert "first" not in shown["to_act"]
                if answer["done"]:
                    break
                legal = shown["infos"]["second"]["legal_actions"]
                answer = ask("step", {"text": legal[seed % len(legal)]})["data"]
            assert answer["done"]
            assert answer["reward"] == shown["rewards"]["second"] != 0
        answer = ask("reset", {"seat": "third"})
        assert "no seat 'third'" in answer["data"]["message"]


def test_a_server_can_bind_all_sessions(url):
    where = url("game:KuhnPoker-v0", seat="first")
    with session(where) as ask:
        facts = ask("state")["data"]["gem_ma"]
        assert list(facts["rules"]) == ["first"]
        assert list(ask("reset", {})["data"]["observation"]["observations"]) == ["first"]
        for data in ({"seat": "second"}, {"game": {"chance": "1 1 0 0"}}):
            assert "play the seat first" in ask("reset", data)["data"]["message"]
    env = gem_ma.make(f"openenv:{where}")
    assert env.possible_agents == ["first"]
    for seed in range(10):
        env.reset(seed=seed)
        rules = gem_ma.make("game:KuhnPoker-v0").rules("first")
        assert env.rules("first") == rules
        earned = 0.0
        while env.to_act:
            env.step("nonsense")
            assert "Invalid" in env.observe("first")["text"]
            earned += env.step_seats({"first": env.info("first")["legal_actions"][-1]})["first"]
        assert earned == env.game_state.returns()["first"] != 0


def test_a_reply_that_reads_as_json_is_a_reply(url):
    """Clients such as verifiers' read a reply as JSON before they send it."""
    with session(url("game:ConnectFour-v0")) as ask:
        ask("reset", {"seed": 0})
        for text in (3, "3", [3], True, 3.0):
            shown = ask("step", {"text": text})["data"]["observation"]
        assert "0 1 2 3" in shown["text"] or "3" in shown["text"]
        for action in ({"text": "", "replies": {"red": "1"}}, {"replies": {"red": "1"}}):
            ask("reset", {"seed": 0})
            assert ask("step", action)["data"]["observation"]["agent"] == "yellow"


def with_client(library, url, replies, *more):
    """Return what a model is shown by a library's own client; see openenv_clients.py."""
    variable = f"{library.upper()}_PYTHON"
    python = os.environ.get(variable)
    if not python:
        pytest.skip(f"set {variable} to a Python with the library; openenv_clients.py says more")
    script = Path(__file__).with_name("openenv_clients.py")
    run = subprocess.run(
        [python, "-W", "ignore", script, library, url, json.dumps(replies), *more],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    return json.loads(run.stdout.splitlines()[-1])


@pytest.mark.slow  # torch, and what it brings along
def test_verifiers_taskset_plays_with_plain_replies(url):
    rules = gem_ma.make("game:ConnectFour-v0").rules("red")
    found = with_client("verifiers", url("game:ConnectFour-v0", seat="red"), ["3", "[4]", "x"] * 30)
    first, second, *_ = found["shown"]
    assert first.startswith(rules + "\n\n")
    assert "red: 3" in second
    assert rules not in second
    assert found["openenv_reward"] in (-1.0, 0.0, 1.0)


@pytest.mark.slow  # torch, and what it brings along
@pytest.mark.parametrize("field", [[], ["text"]])
def test_agilerls_rollouts_read_the_rules_and_what_is_seen(field, url):
    env = gem_ma.make("game:GuessTheNumber-v0")
    env.reset(seed=0)
    found = with_client(
        "agilerl", url("game:GuessTheNumber-v0"), ["I say \\boxed{1}", "x", "20"], *field
    )
    assert found["shown"][0] == f"{env.rules('player')}\n\n{env.turn('player').text}"
    assert "higher" in found["shown"][1]
    assert found["shown"][-1].count("Guess the Number") == 1
    assert found["rewards"] == [0.0, 0.0, 0.0]


def test_a_clients_mistakes_are_answers(url, servers):
    where = url("game:ConnectFour-v0")
    with session(where) as ask:
        mistakes = [
            ("step before a reset", "step", {"text": "3"}, "no episode has begun"),
            ("unknown argument", "reset", {"colour": "red"}, "takes no 'colour'"),
            ("wrong type", "reset", {"seed": "one"}, "expected int"),
            ("big seed", "reset", {"seed": 1 << 200}, "64 bits"),
            ("unknown seat", "reset", {"seat": "green"}, "no seat 'green'"),
            ("bad chance", "reset", {"game": {"chance": 3}}, "chance"),
            ("unknown type", "dance", {}, "Unknown message type"),
            ("no data", "step", None, "Invalid message"),
        ]
        for what, kind, data, expected in mistakes:
            answer = ask(kind, data)
            assert answer["type"] == "error", what
            assert expected in answer["data"]["message"], what
        raws = ["", "{", "[1]", "3", "null", b"\xff\x00", "[" * 100_000, '{"type": "\\ud800"}']
        raws += ['{"type": ' + "9" * 5000 + "}", '{"a":' * 50_000]
        for raw in raws:
            answer = ask("", raw=raw)
            assert answer["type"] == "error", raw[:20]
            assert answer["data"]["code"] == "INVALID_JSON"
        ask("reset", {"seed": 0})
        mistakes = [
            ("wrong seat", {"replies": {"yellow": "3"}}, "'yellow' is not to act; to act: red"),
            ("no seat", {"replies": {}}, "got no reply; to act: red"),
            ("both", {"replies": {"red": "3"}, "text": "3"}, "either text, or replies"),
            ("neither", {}, "either text, or replies"),
            ("unknown field", {"txt": "3"}, "Invalid message"),
            ("no text", {"text": {"is": 3}}, "Invalid message"),
            ("game", {"game": {"read": "3"}}, "either text, or replies"),
        ]
        for what, data, expected in mistakes:
            answer = ask("step", data)
            assert answer["type"] == "error", what
            assert expected in answer["data"]["message"], what
        for column in (0, 1, 0, 1, 0, 1, 0):
            answer = ask("step", {"text": str(column)})
        assert answer["data"]["done"]
        assert "episode is over" in ask("step", {"text": "0"})["data"]["message"]
        assert ask("reset", {"seed": 1})["type"] == "observation"
        ask("reset", {"game": {"chance": "1 1 0 0"}})
        for request, expected in (
            ({"read": 3, "seat": "red"}, "expected str"),
            ({"look": "__class__", "seat": "red"}, "expected describe"),
            ({"look": "encode", "seat": None}, "no seat"),
            ({"moves": {"yellow": "3"}, "chance": "1 1 0 0"}, "one for each of: red"),
            ({"moves": {"red": "3"}, "chance": "x"}, "chance"),
            ({"forfeit": "green", "chance": "1 1 0 0"}, "no seat"),
        ):
            assert expected in ask("step", {"game": request})["data"]["message"]
    with session(where) as ask:
        assert "several seats" not in ask("reset", {})["type"]
    with session(url("game:RockPaperScissors-v0")) as ask:
        ask("reset", {})
        assert "several seats" in ask("step", {"text": "rock"})["data"]["message"]
    assert "Traceback" not in servers.log.read_text()


def test_plain_http_says_where_to_go(url):
    import http.client

    host = url("game:ConnectFour-v0").removeprefix("ws://")
    connection = http.client.HTTPConnection(host, timeout=10)
    for method, path in (("POST", "/reset"), ("POST", "/step"), ("GET", "/state"), ("GET", "/")):
        connection.request(method, path, body="{}")
        answer = connection.getresponse()
        assert answer.status == 404
        assert "WebSocket /ws" in json.loads(answer.read())["detail"]
    connection.request("GET", "/schema")
    assert "replies" in json.loads(connection.getresponse().read())["action"]["properties"]
    connection.close()


@pytest.mark.slow
@pytest.mark.parametrize("id", ["game:ConnectFour-v0", "game:RockPaperScissors-v0"])
def test_openenv_validates_a_server(id, url):
    """Passes all six criteria of `openenv validate --url`, of openenv 0.10.0 on 2026-11-29."""
    where = url(id).replace("ws://", "http://")
    done = subprocess.run(
        [sys.executable, "-m", "openenv.cli", "validate", "--url", where, "--json"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    report = json.loads(done.stdout)
    summary = report["summary"]
    assert (summary["failed_criteria"], done.returncode) == ([], 0)
    assert summary["required_passed_count"] == summary["required_total_count"] == 6
    assert (report["mode"], report["standard_profile"]) == ("production", "openenv-http/1.x")


def test_pages_say_what_is_served(url):
    import http.client

    host = url("game:ConnectFour-v0").removeprefix("ws://")
    connection = http.client.HTTPConnection(host, timeout=10)

    def ask(method, path, body=None):
        connection.request(method, path, body=body)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())

    status, about = ask("GET", "/metadata")
    assert (status, about["name"]) == (200, "game:ConnectFour-v0")
    assert about["description"] == gem_ma.make("game:ConnectFour-v0").game.rules("red")
    status, pages = ask("GET", "/openapi.json")
    assert status == 200
    assert set(pages["paths"]) == {"/health", "/metadata", "/schema", "/mcp"}
    status, answer = ask("POST", "/mcp", '{"jsonrpc": "2.0", "id": 3, "method": "tools/list"}')
    assert (status, answer) == (200, {"jsonrpc": "2.0", "id": 3, "result": {"tools": []}})
    connection.close()
    with pytest.raises(InvalidStatus), connect(f"ws://{host}/mcp", proxy=None):
        pass


def test_a_request_for_tools_that_is_too_long_is_not_read(url):
    import http.client

    host = url("game:ConnectFour-v0", max_message=4096).removeprefix("ws://")
    for length, status in ((4096, 200), (4097, 413)):
        connection = http.client.HTTPConnection(host, timeout=10)
        connection.request("POST", "/mcp", body="x" * length)
        assert connection.getresponse().status == status
        connection.close()


def test_a_message_that_is_too_long_ends_its_session_only(url):
    where = url("game:ConnectFour-v0", max_message=4096)
    with session(where) as ask, session(where) as other:
        other("reset", {"seed": 0})
        with pytest.raises(ConnectionClosed) as closed:
            ask("reset", {"seed": 0, "options": {"x": "y" * 5000}})
        assert closed.value.rcvd.code == 1009
        assert other("step", {"text": "3"})["type"] == "observation"


def test_clients_that_vanish_leave_nothing_behind(servers):
    where, pid = servers.start("game:ConnectFour-v0", max_sessions=8)
    threads = lambda: len(os.listdir(f"/proc/{pid}/task"))  # noqa: E731
    with session(where) as ask:
        ask("reset", {})
    for _ in range(5):
        links = [connect(f"{where}/ws", proxy=None).__enter__() for _ in range(8)]
        for number, link in enumerate(links):
            link.send(json.dumps({"type": "reset", "data": {"seed": number}}))
            if number % 2:
                link.recv(10)
            link.socket.shutdown(socket.SHUT_RDWR)  # no goodbye
        for link in links:
            link.close()
        deadline = time.monotonic() + 10
        while True:  # the slots are free again when the server has noticed
            with session(where) as ask:
                if ask("reset", {})["type"] == "observation":
                    break
            assert time.monotonic() < deadline
            time.sleep(0.02)
    if os.path.isdir(f"/proc/{pid}/task"):  # Linux
        deadline = time.monotonic() + 10
        while threads() > 8:
            assert time.monotonic() < deadline, threads()
            time.sleep(0.05)


def closed_after(link):
    """Return how many seconds it takes until the other side hangs up."""
    start = time.monotonic()
    link.settimeout(8)
    with contextlib.suppress(ConnectionResetError):
        while link.recv(1000):
            pass
    return time.monotonic() - start


def test_who_says_nothing_loses_its_place(url):
    where = url("game:ConnectFour-v0", max_sessions=2, first_message=0.6, idle=1.2)
    with session(where) as one, session(where) as two:
        with session(where) as third:
            assert json.loads(third.link.recv(5))["data"]["code"] == "CAPACITY_REACHED"
        start = time.monotonic()
        for ask in (one, two):
            with pytest.raises(ConnectionClosed) as closed:
                ask.link.recv(5)
            assert closed.value.rcvd.code == 1008
            assert closed.value.rcvd.reason == "no message within 0.6 seconds"
        assert time.monotonic() - start < 3
    with session(where) as one, session(where) as two:  # the places are free again
        for ask in (one, two):
            ask("", raw="what is no message counts")
            ask("reset", {"seed": 0})
        for _ in range(4):  # who says something now and then stays
            time.sleep(0.4)
            assert one("state")["type"] == "state"
        with pytest.raises(ConnectionClosed) as closed:
            two.link.recv(5)
        assert closed.value.rcvd.reason == "no message within 1.2 seconds"
        with session(where) as third:
            assert third("reset", {})["type"] == "observation"
    with pytest.raises(ValueError, match="idle=0"):
        url("game:ConnectFour-v0", idle=0)


def test_a_client_of_ours_that_was_hung_up_on_goes_on(url):
    id = "game:LiarsDice-v0"
    local, remote = (
        gem_ma.make(id),
        gem_ma.make(f"openenv:{url(id, first_message=0.3, idle=0.3)}"),
    )
    for number, (one, other) in enumerate(zip(plays(local, 5), plays(remote, 5), strict=True)):
        assert plain(one) == plain(other)
        if number in (1, 3):
            time.sleep(0.8)


def test_a_step_may_take_longer_than_a_client_may(url):
    with session(url("test:Slow", first_message=0.5, idle=0.5)) as ask:
        ask("reset", {})
        assert ask("step", {"text": "1.5"})["type"] == "observation"
        assert ask("step", {"text": "0"})["type"] == "observation"


HALVES = {
    "nothing": b"",
    "half a line": b"GET /heal",
    "half a head": b"GET /health HTTP/1.1\r\nHost: x\r\nX-More: ",
    "half a body": b"POST /reset HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
    "half of a second request": b"GET /health HTTP/1.1\r\nHost: x\r\n\r\nGET /heal",
    "half a handshake": b"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgr",
}


@pytest.mark.parametrize("half", HALVES.values(), ids=HALVES)
def test_half_a_request_does_not_stay(half, url):
    where = url("game:ConnectFour-v0", max_sessions=1, first_message=0.5)
    host, _, port = where.removeprefix("ws://").rpartition(":")
    with socket.create_connection((host, int(port))) as link:
        link.sendall(half)
        assert closed_after(link) < 3
    with session(where) as ask:
        assert ask("reset", {})["type"] == "observation"


def test_half_a_message_does_not_keep_its_place(url):
    where = url("game:ConnectFour-v0", max_sessions=1, first_message=0.5)
    with session(where, close_timeout=0.2) as ask:
        ask.link.socket.sendall(b"\x81\xfe\x01\x00" + b"\0" * 10)  # of 256 bytes
        deadline = time.monotonic() + 5
        answer = None
        while answer is None:
            assert time.monotonic() < deadline
            with contextlib.suppress(ConnectionClosed), session(where) as other:
                time.sleep(0.1)
                answer = other("reset", {})
        assert answer["type"] == "observation"


def test_a_slow_game_holds_up_nobody_else(url):
    where = url("test:Slow")
    with session(where) as slow, session(where) as quick:
        slow("reset", {})
        quick("reset", {})
        slow.link.send(json.dumps({"type": "step", "data": {"text": "2"}}))
        begin = time.perf_counter()
        for _ in range(10):
            assert quick("step", {"text": "0"})["type"] == "observation"
        assert time.perf_counter() - begin < 1.5
        assert json.loads(slow.link.recv(10))["type"] == "observation"
        assert time.perf_counter() - begin > 1.5


def test_an_answer_is_not_awaited_for_ever(url):
    env = gem_ma.make(f"openenv:{url('test:Slow')}", timeout=0.5)
    env.reset(seed=0)
    with pytest.raises(TimeoutError, match=r"within 0\.5 seconds"):
        env.step_seats({"player": "1.5"})
    env.step_seats({"player": "0"})
    assert env.turns == 1


def test_a_fault_of_the_server_is_logged_and_not_told(url, servers):
    with session(url("test:Slow")) as ask:
        ask("reset", {})
        message = ask("step", {"text": "fail"})["data"]["message"]
        assert "KeyError" in message
        assert "the-secret" not in message
        assert ask("reset", {})["type"] == "observation"
    assert "the-secret" in servers.log.read_text()


@contextlib.contextmanager
def hostile(answers, pages=None):
    """Yield the URL of a server that gives the first answer when asked who it is, then the others.

    Each is a text, JSON, or a function of the message, and the last is given for ever.

    Args:
        pages: what it says over plain HTTP.
    """
    from websockets.datastructures import Headers
    from websockets.http11 import Response
    from websockets.sync.server import serve

    def page(link, request):
        name = request.path.removeprefix("/")
        if name in (pages or {}):
            content = pages[name]
            content = content if isinstance(content, bytes) else json.dumps(content).encode()
            return Response(200, "OK", Headers({"Content-Length": str(len(content))}), content)
        return None

    def play(link):
        rest = list(answers[1:] or answers)
        for message in link:
            asked = json.loads(message)
            about = asked["type"] == "state"
            answer = answers[0] if about else rest.pop(0) if len(rest) > 1 else rest[0]
            answer = answer(asked) if callable(answer) else answer
            link.send(answer if isinstance(answer, str | bytes) else json.dumps(answer))

    with serve(play, "127.0.0.1", 0, process_request=page, max_size=None) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        server.shutdown()
        thread.join()


FACTS = {
    "id": "game:X-v0",
    "agents": ["player"],
    "bound": False,
    "rules": {"player": "Play."},
    "tools": {"player": []},
    "moves": None,
    "zero_sum": False,
    "conversation": False,
    "briefs": False,
    "skips": False,
    "longest": 100,
    "suggests": {},
}
POSITION = {
    "chance": "1 1 0 0",
    "to_act": ["player"],
    "returns": {"player": 0.0},
    "out": [],
    "texts": {"player": "Here."},
    "legal": None,
    "news": [],
    "report": {},
}
SEAT = {
    "to_act": ["player"],
    "rewards": {"player": 0.0},
    "observations": {"player": {"text": "Here."}},
    "infos": {"player": {}},
}
NO_FRAMES = [
    "",
    "{",
    b"\xff",
    "[" * 100_000,
    '{"type": "state", "data": {"a":' + "[" * 500 + "]" * 500 + "}}",
    '{"type": "state", "data": {"a": "\\ud800"}}',
    '{"type": "state", "data": {"a": ' + "9" * 5000 + "}}",
    [],
    None,
    3,
    {"type": "state"},
    {"data": {}},
    {"type": 3, "data": {}},
    {"type": "state", "data": None},
    {"type": "state", "data": [1]},
    {"type": "error", "data": {"message": ["no"]}},
    {"type": "error", "data": {"message": "no", "errors": [3]}},
    {"type": "error", "data": {"code": {}}},
]
WRONG = (None, 3, "x", [], {}, [None], {"player": None}, {"x": "y"}, [3], True, 1e400)


def plays_some(env):
    """Do with an environment what clients do."""
    env.reset(seed=0)
    for _ in range(3):
        env.observe("player")
        env.info("player")
        env.turn("player")
        if env.to_act:
            env.step_seats({"player": "3"})


def only_faults(url, **make):
    """Play with a server; return its fault, or none if what it says makes sense after all."""
    try:
        plays_some(gem_ma.make(f"openenv:{url}", **make))
    except (Lost, ServerError) as error:
        said = str(error)
    else:
        return None
    assert len(said) < 3000
    assert url.removeprefix("ws://") in said
    return said


@pytest.mark.parametrize("answer", NO_FRAMES, ids=range(len(NO_FRAMES)))
def test_what_is_no_message_is_a_fault_of_the_server(answer):
    with hostile([answer]) as url:
        assert only_faults(url)
    with hostile([{"type": "state", "data": {"gem_ma": FACTS}}, answer]) as url:
        assert only_faults(url)


def other(value):
    """Yield the value with each of its parts, at any depth, left out or of a wrong kind."""
    if not isinstance(value, dict):
        return
    for name, part in value.items():
        yield {key: one for key, one in value.items() if key != name}
        for wrong in WRONG:
            yield {**value, name: wrong}
        for changed in other(part):
            yield {**value, name: changed}


def seen(game):
    return {"type": "observation", "data": {"observation": {"game": game}, "done": False}}


def shown(seat):
    return {"type": "observation", "data": {"observation": seat, "reward": 0.0, "done": False}}


def test_facts_of_a_wrong_kind():
    for facts in other(FACTS):
        answers = [{"type": "state", "data": {"gem_ma": facts}}, seen(POSITION)]
        with hostile(answers) as url:
            only_faults(url)
    with hostile([{"type": "state", "data": {"gem_ma": 3}}]) as url:
        assert only_faults(url)


def test_photos_are_refused_where_the_served_game_names_points():
    for bound in (False, True):
        facts = {**FACTS, "bound": bound, "points": True}
        with (
            hostile([{"type": "state", "data": {"gem_ma": facts}}]) as url,
            pytest.raises(ValueError, match="name points of its picture, which a photo moves"),
        ):
            gem_ma.make(f"openenv:{url}", noise="photo:1")


def test_positions_of_a_wrong_kind():
    good = {"type": "state", "data": {"gem_ma": FACTS}}
    with hostile([good, seen(POSITION)]) as url:
        assert only_faults(url) is None
    more = [{"invalid": 3}, {"chance": 3}, {"chance": "1 1 0 9999999999"}, {"seen": 3}, {}]
    more += [{**POSITION, "to_act": ["nobody"]}, {**POSITION, "legal": {"player": [3]}}]
    more += [{**POSITION, "news": [[["x"], "game"]]}, {**POSITION, "chance": "x y z"}]
    for position in [*other(POSITION), *more]:
        for answers in ([good, seen(position)], [good, seen(POSITION), seen(position)]):
            with hostile(answers) as url:
                only_faults(url)


def test_pictures_of_a_wrong_kind():
    wrong = [
        3,
        "x",
        [1],
        {"scene": "Grid"},
        {"scene": "Nothing"},
        {"scene": "Any", "x": 1},
        {"scene": "Grid", "rows": 3, "tiles": []},
        {"scene": "Grid", "rows": ["x"], "tiles": [["x", 3]]},
        {"scene": "Grid", "rows": ["x"], "tiles": [], "colour": 1},
        {"scene": "Pixels", "data": {"base64": "AAAA"}, "height": 1 << 20, "width": 1 << 20},
        {"scene": "Pixels", "data": {"base64": "%"}, "height": 1, "width": 1},
        {"array": "O", "shape": [1], "data": {"base64": "AAAAAAAAAAA="}},
        {"array": "<i8", "shape": [-5, "x"], "data": {"base64": "AAAAAAAAAAA="}},
        {"array": {}, "shape": 1, "data": 3},
    ]
    for picture in wrong:

        def answer(message, picture=picture):
            look = "look" in (message.get("data") or {}).get("game", {})
            return seen({"seen": picture} if look else POSITION)

        with hostile([{"type": "state", "data": {"gem_ma": FACTS}}, answer]) as url:
            assert only_faults(url, observe="image"), picture


def test_a_seat_of_a_wrong_kind():
    facts = {"type": "state", "data": {"gem_ma": {**FACTS, "bound": True}}}
    with hostile([facts, shown(SEAT)]) as url:
        assert only_faults(url) is None
    images = ["x", "AAAA", base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()]
    more = [{**SEAT, "observations": {"player": {"text": "x", "image": one}}} for one in images]
    for seat in [*other(SEAT), *more]:
        for answers in ([facts, shown(seat)], [facts, shown(SEAT), shown(seat)]):
            with hostile(answers) as url:
                only_faults(url)


def test_pages_of_a_wrong_kind():
    schema = {"action": {"properties": {"a": {"type": "string"}}, "required": ["a"]}}
    about = {"name": "X", "description": "Y"}
    answers = [{"type": "state", "data": {}}, shown({"a": 1})]
    for pages in (
        *({"schema": one, "metadata": about} for one in other(schema)),
        *({"schema": schema, "metadata": one} for one in other(about)),
        {"schema": b"[" * 100_000, "metadata": b"\xff"},
        {"schema": b" " * (4 << 20), "metadata": b""},
        {"schema": {"action": {"properties": {"a": {"enum": 3, "anyOf": [3]}}}}, "metadata": []},
    ):
        with hostile(answers, pages) as url:
            assert only_faults(url) is None  # it is played without what makes no sense


def test_a_foreign_environment(url):
    env = gem_ma.make(f"openenv:{url('foreign:Count')}", max_turns=50)
    assert env.possible_agents == ["player"]
    rules = env.rules("player")
    assert "- by (integer, needed): How much to add" in rules
    assert "JSON object" in rules
    for seed in range(3):
        env.reset(seed=seed)
        assert f"count: {seed_of(seed)}" in env.observe("player")["text"]
        total = 0.0
        env.step_seats({"player": '{"by": 2}'})
        env.step_seats({"player": '```json\n{"by": 2}'})
        assert "no JSON object" in env.info("player")["invalid"]["reason"]
        env.step_seats({"player": '{"from": 2}'})
        assert "missing" in env.info("player")["invalid"]["reason"]
        env.step_seats({"player": '{"by": "two"}'})
        assert "valid integer" in env.info("player")["invalid"]["reason"]
        fork = env.fork()[0]
        for _ in range(20):
            if env.to_act:
                rewards = env.step_seats({"player": '\\boxed{{"by": 3}}'})
                terminations, _ = env.collect_end_flags(env.possible_agents)
                total += rewards.get("player", 0.0)
        assert terminations == {"player": True}
        assert total > 0
        rewards = fork.step_seats({"player": '{"by": 100}'})
        assert not fork.to_act


def seed_of(seed):
    """Return the seed that a bridge's game is begun with."""
    from gem_ma.engine.seeding import seed_rng

    rng = np.random.Generator(np.random.PCG64(0))
    seed_rng(rng, seed)
    return int(rng.integers(1 << 31)) % 5


def test_a_foreign_environment_that_takes_text(url):
    env = gem_ma.make(f"openenv:{url('foreign:Say')}", max_turns=3)
    env.reset(seed=0)
    env.step_seats({"player": "hello, world"})
    assert env.observe("player")["text"] == "heard: hello, world"
    env.step_seats({"player": '{"message": "again"}'})
    assert env.observe("player")["text"] == "heard: again"
    env.step_seats({"player": "last"})
    assert not env.to_act


class Slow(Game):
    """A game of one seat in which a reply says how long it takes."""

    agents = ("player",)
    blocking = True

    def start(self, rng, options):
        return SlowState()

    def read(self, text, view, agent):
        return text

    def advance(self, state, moves, rng):
        if moves["player"] == "fail":
            raise KeyError("the-secret")
        time.sleep(float(moves["player"]))
        return state

    def rules(self, agent):
        return "Wait."

    def describe(self, view, agent):
        return "Time goes by."


class SlowState:
    def to_act(self):
        return ("player",)

    def returns(self):
        return {"player": 0.0}

    def seen_by(self, agent):
        return self


def foreign(name):
    """Return an OpenEnv application that has nothing to do with this package."""
    from openenv.core.env_server.http_server import create_fastapi_app
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Action, Observation, State
    from pydantic import Field

    class Add(Action):
        by: int = Field(..., description="How much to add")

    class Counted(Observation):
        count: int = 0

    class Say(Action):
        message: str

    class Heard(Observation):
        heard: str = ""

    class Count(Environment):
        SUPPORTS_CONCURRENT_SESSIONS = True

        def reset(self, seed=None, episode_id=None):
            self.count = seed % 5
            return Counted(count=self.count)

        def step(self, action, timeout_s=None):
            self.count += action.by
            return Counted(count=self.count, reward=action.by / 2, done=self.count > 20)

        @property
        def state(self):
            return State(count=self.count)  # an AttributeError before the first reset

    class Talk(Environment):
        SUPPORTS_CONCURRENT_SESSIONS = True

        def reset(self, seed=None, episode_id=None):
            return Heard()

        def step(self, action, timeout_s=None):
            return Heard(heard=action.message)

        @property
        def state(self):
            return State()

    kinds = {"foreign:Count": (Count, Add, Counted), "foreign:Say": (Talk, Say, Heard)}
    return create_fastapi_app(*kinds[name], max_concurrent_envs=64)


def main():
    """Fork a server for every line that comes in; it tells where it is in a line that goes out."""
    import uvicorn

    from gem_ma.serving import server as serve

    registry.register("test:Slow", "__main__:Slow")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        if os.fork():
            continue
        options = json.loads(line)
        id = options.pop("id")

        def say(text):
            url = text.rpartition(" ")[2]
            print(json.dumps({"url": url, "pid": os.getpid()}), flush=True)

        options.setdefault("port", 0)
        if not id.startswith("foreign:"):
            try:
                serve.serve(id, say=say, **options)
            except (ValueError, LookupError, TypeError) as error:
                print(json.dumps({"error": str(error)}), flush=True)
            os._exit(0)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            say(f"at ws://127.0.0.1:{listener.getsockname()[1]}")
            server = uvicorn.Server(uvicorn.Config(foreign(id), log_level="warning"))
            server.run(sockets=[listener])


if __name__ == "__main__":
    main()
