"""WebSockets of an arena, spoken to without a network: frames, limits, and one picture a view."""

import asyncio
import contextlib
import json
import threading
import time

import pytest
from served import FOUR

from gem_ma.serving.arena import lobby, web_app
from gem_ma.serving.arena.lobby import ArenaLobby
from gem_ma.serving.arena.web_app import MAX_WATCHERS, VISITOR_SOCKETS, ArenaApp, identify_visitor


class Line:
    """A browser's WebSocket."""

    def __init__(self, app, match, visitor="198.51.100.7"):
        self.events, self.answers = asyncio.Queue(), asyncio.Queue()
        scope = {
            "type": "websocket",
            "path": f"/api/matches/{match}/table",
            "headers": [(b"host", b"localhost:80")],
            "client": (visitor, 1),
            "query_string": b"",
        }
        self.events.put_nowait({"type": "websocket.connect"})
        self.task = asyncio.create_task(app.app(scope, self.events.get, self.answers.put))

    def send(self, message):
        kind = "bytes" if isinstance(message, bytes) else "text"
        data = message if isinstance(message, bytes | str) else json.dumps(message)
        self.events.put_nowait({"type": "websocket.receive", kind: data})

    async def hear(self):
        """Return what is said next, or the code with which it is closed."""
        while True:
            answer = await asyncio.wait_for(self.answers.get(), 10)
            if answer["type"] == "websocket.close":
                return answer["code"]
            if answer["type"] == "websocket.send":
                return json.loads(answer["text"])

    async def close(self):
        self.events.put_nowait({"type": "websocket.disconnect", "code": 1001})
        await self.task


@pytest.fixture
def arena(tmp_path):
    hall = ArenaLobby(tmp_path, ["random"], [FOUR])
    yield ArenaApp(hall, None, None)
    hall.close()


def begin(arena, **more):
    seats = {"red": "me", "yellow": "me"}
    table, keys = arena.lobby.begin_match({"env": FOUR, "name": "Ann", "seats": seats, **more})
    return table, keys["red"]


def test_a_binary_frame_is_answered_with_a_sentence(arena, caplog):
    async def talk():
        table, key = begin(arena)
        line = Line(arena, table.info.id)
        line.send(b'{"key": null}')
        assert "got bytes" in (await line.hear())["problem"]
        assert await line.hear() == 1008
        await line.task
        line = Line(arena, table.info.id)
        line.send({"key": key})
        assert (await line.hear())["yours"]
        for data in (b'{"reply": "3"}', b"", b"\xff"):
            line.send(data)
            assert "expected text with a JSON object, got bytes" in (await line.hear())["problem"]
        line.send({"reply": "3"})  # it goes on
        assert not (await line.hear())["yours"]
        await line.close()
        assert not arena.sockets
        assert not arena.lobby.update_events

    asyncio.run(talk())
    assert not caplog.records


def test_a_full_disk_answers_with_a_sentence(arena, full_at):
    async def talk():
        table, key = begin(arena)
        line = Line(arena, table.info.id)
        line.send({"key": key})
        assert (await line.hear())["yours"]
        with full_at(10):
            line.send({"reply": "3"})
            assert "could not write to its disk" in (await line.hear())["problem"]
        assert not table.reply_history
        line.send({"reply": "3"})
        assert [one["reply"] for one in (await line.hear())["said"]] == ["3"]
        await line.close()

    asyncio.run(talk())


def test_who_looks_at_a_damaged_match_is_told(arena):
    async def talk():
        table, _ = begin(arena)
        arena.lobby.match_sessions.clear()
        (table.folder / "moves.jsonl").write_text("{}\n")
        line = Line(arena, table.info.id)
        assert "this match is damaged" in (await line.hear())["problem"]
        assert await line.hear() == 1008
        await line.task
        line = Line(arena, table.info.id)  # and told again
        assert "this match is damaged" in (await line.hear())["problem"]
        await line.task

    asyncio.run(talk())


def test_one_visitor_opens_so_many_and_others_come_in(arena):
    async def talk():
        table, key = begin(arena)
        lines = [Line(arena, table.info.id) for _ in range(VISITOR_SOCKETS)]
        for line in lines:
            line.send({"key": key})
            await line.hear()
        more = Line(arena, table.info.id)
        assert "of one visitor; close one" in (await more.hear())["problem"]
        assert await more.hear() == 1013
        other = Line(arena, table.info.id, "198.51.100.8")
        other.send({})
        assert (await other.hear())["seat"] is None
        await lines[0].close()
        more = Line(arena, table.info.id)
        more.send({"key": key})
        assert (await more.hear())["seat"] == "red"
        for line in (*lines[1:], more, other):
            await line.close()
        assert not arena.sockets

    asyncio.run(talk())


def test_so_many_look_on_and_players_come_in(arena, monkeypatch):
    async def talk():
        table, key = begin(arena, watched="all")
        lines = [Line(arena, table.info.id, f"198.51.100.{i}") for i in range(MAX_WATCHERS + 1)]
        for line in lines:
            line.send({})
        heard = await asyncio.gather(*(line.hear() for line in lines))
        assert sum("image" in one for one in heard) == MAX_WATCHERS
        assert f"{MAX_WATCHERS} spectators already" in heard[-1]["problem"]
        player = Line(arena, table.info.id)
        player.send({"key": key})
        assert (await player.hear())["yours"]
        monkeypatch.setattr(web_app, "MAX_SOCKETS", MAX_WATCHERS + 1)
        assert "close one" in (await Line(arena, table.info.id, "192.0.2.1").hear())["problem"]
        for line in (*lines[:-1], player):
            await line.close()

    asyncio.run(talk())


def test_one_picture_for_all_who_see_the_same_drawn_beside_the_loop(arena, monkeypatch):
    threads = []
    draw = lobby.draw

    def draw_slowly(*args):
        threads.append(threading.current_thread())
        time.sleep(0.4)
        return draw(*args)

    monkeypatch.setattr(lobby, "draw", draw_slowly)
    monkeypatch.setattr("gem_ma.serving.arena.match_session.draw", draw_slowly)

    async def talk():
        table, key = begin(arena, watched="all")
        other, others_key = begin(arena)
        watchers = [Line(arena, table.info.id, f"198.51.100.{i}") for i in range(50)]
        players = [Line(arena, table.info.id) for _ in range(10)]
        for line in watchers:
            line.send({})
        for line in players:
            line.send({"key": key})
        beats, start = 0, time.monotonic()
        heard = [asyncio.create_task(line.hear()) for line in (*watchers, *players)]
        while not all(one.done() for one in heard):
            await asyncio.sleep(0.01)
            beats += 1
        assert beats > 0.4 * (time.monotonic() - start) / 0.01  # the loop has gone on
        assert len(threads) == 2  # of spectators, and of red
        assert len({one.result()["image"] for one in heard[:50]}) == 1
        players[0].send({"reply": "3"})
        told = await asyncio.gather(*(line.hear() for line in (*watchers, *players)))
        assert len(threads) == 4
        assert {one["image"] for one in told}.isdisjoint(one.result()["image"] for one in heard)
        assert all(one is not threading.main_thread() for one in threads)
        for line in (*watchers, *players):
            await line.close()
        assert not arena.lobby.view_tasks
        assert others_key
        assert other.list_due_seats() == ["red"]

    asyncio.run(talk())


def test_who_a_visitor_is():
    class Connection:
        def __init__(self, host):
            self.client = host and type("Client", (), {"host": host})

    for host, visitor in (
        ("198.51.100.7", "198.51.100.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
        (None, ""),
    ):
        assert identify_visitor(Connection(host)) == visitor


def test_an_agents_move_is_seen(arena):
    """The view that was drawn before is forgotten when anybody moves."""

    async def talk():
        seats = {"red": "me", "yellow": "random"}
        table, key = begin(arena, seats=seats)
        line = Line(arena, table.info.id)
        line.send({"key": key})
        await line.hear()
        for number in range(3):
            line.send({"reply": "3"})
            told = await line.hear()
            while not told["yours"]:
                told = await line.hear()
            assert len(told["said"]) == number + 1
            assert [one["seat"] for one in told["heard"]] == ["yellow"]
        await line.close()

    with contextlib.closing(arena.lobby):
        asyncio.run(talk())
