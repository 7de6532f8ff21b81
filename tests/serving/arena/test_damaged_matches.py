"""Damaged files of an arena, and a full disk: all else goes on, and nothing is half taken."""

import asyncio
import contextlib
import json
import logging

import pytest
from served import FOUR

from gem_ma.rollouts.records import load_episodes
from gem_ma.serving.arena import lobby
from gem_ma.serving.arena.lobby import ArenaLobby
from gem_ma.serving.arena.match_files import ArenaError, StorageError

BOTH = {"env": FOUR, "name": "Ann", "seats": {"red": "me", "yellow": "me"}}


@contextlib.contextmanager
def opened(folder):
    hall = ArenaLobby(folder, ["random"], [FOUR])
    try:
        yield hall
    finally:
        hall.close()


@pytest.fixture
def halls(tmp_path):
    """Return a folder with a match that goes on, one that is over, and another that goes on."""
    with opened(tmp_path) as hall:
        matches = [hall.begin_match(BOTH)[0] for _ in range(3)]
        for table in matches:
            for seat, reply in (("red", "3"), ("yellow", "4")) * 3:
                table.submit_reply(seat, reply)
            table.post_message("red", "hello")
        matches[1].submit_reply("red", "3")
        hall.run_agents(matches[1])
        assert matches[1].over
    return tmp_path, [table.info.id for table in matches]


def change_about(**fields):
    def damage(folder):
        path = folder / "about.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))

    return damage


def write(name, content):
    return lambda folder: (folder / name).write_bytes(content)


def edit_moves(change):
    def damage(folder):
        path = folder / "moves.jsonl"
        path.write_bytes(change(path.read_bytes()))

    return damage


def move(**fields):
    line = {"seat": "red", "reply": "3", "seconds": 0.1, "late": False}
    return edit_moves(lambda data: data + json.dumps({**line, **fields}).encode() + b"\n")


DAMAGES = {
    "half a line, and another glued onto it": edit_moves(lambda data: data[:90] + data),
    "zeros within": edit_moves(lambda data: data + b"\0" * 512 + b"\n"),
    "no moves but noise": write("moves.jsonl", b"\xff\xfe\xfa\n"),
    "a list": edit_moves(lambda data: data + b"[]\n"),
    "a line without a seat": edit_moves(lambda data: data + b'{"reply": "3"}\n'),
    "a seat that is none": move(seat="green"),
    "a seat that is no text": move(seat=["red"]),
    "a reply that is no text": move(reply=3),
    "seconds that are none": move(seconds="1"),
    "back to what was not": move(back=99),
    "back to what is no number": move(back="1"),
    "deep nesting": edit_moves(lambda data: data + b"[" * 100_000 + b"\n"),
    "an empty about.json": write("about.json", b""),
    "half of about.json": lambda folder: write(
        "about.json", (folder / "about.json").read_bytes()[:100]
    )(folder),
    "no about.json": lambda folder: (folder / "about.json").unlink(),
    "a folder for about.json": lambda folder: (
        (folder / "about.json").unlink(), (folder / "about.json").mkdir()
    ),
    "about.json of zeros": write("about.json", b"\0" * 400),
    "about.json is a list": write("about.json", b"[1]"),
    "a future format": change_about(format=2),
    "a field that nobody knows": change_about(score=3),
    "people of another form": change_about(people={"red": "Ann"}),
    "agents of another form": change_about(agents={"red": 3}),
    "returns of another form": change_about(returns={"red": "1"}),
    "an environment that is gone": change_about(env="game:Gone-v0"),
    "rules with other seats": change_about(env="game:Nim-v0"),
    "arguments that are gone": change_about(arguments={"gone": 1}),
    "a past that never was": change_about(past=[{"green": "3"}]),
    "of another match": change_about(id="0123456789"),
    "a bad line in the chat": write("chat.jsonl", b'{"seat": "red"}\n'),
    "half a line in the chat": write("chat.jsonl", b'{"sea{"seat": "red"}\n'),
    "a chat of numbers": write("chat.jsonl", b'{"seat": "red", "name": "Ann", "words": 3}\n'),
}  # fmt: skip


@pytest.mark.parametrize("is_over", [False, True])
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_match_is_set_aside_and_all_others_go_on(damage, is_over, halls, caplog):
    folder, (first, over, last) = halls
    hurt = over if is_over else first
    others = {first, over, last} - {hurt}
    damage(folder / "matches" / hurt)
    before = {
        one: one.read_bytes() for one in (folder / "matches" / hurt).iterdir() if one.is_file()
    }
    with opened(folder) as hall, caplog.at_level(logging.WARNING):
        with pytest.raises(ArenaError, match="this match is damaged"):
            hall.get_match(hurt)
        assert hall.match_infos.keys() == others
        (said,) = {one.getMessage() for one in caplog.records}
        assert f"match {hurt} is set aside" in said
        assert str(folder / "matches" / hurt) in said
        hall.get_match(last).submit_reply("red", "0")
        hall.begin_match(BOTH)
        hall.compute_ratings()
    # nothing of it is written over, so that it can be mended
    assert all(path.read_bytes() == content for path, content in before.items())


def test_lost_moves_and_changed_rules_of_a_match_that_is_over(halls, caplog):
    folder, (_, over, _) = halls
    path = folder / "matches" / over
    whole = (path / "moves.jsonl").read_bytes()
    for moves, change in (
        (whole[:-3], {}),
        (whole[:-3] + b"\0" * 512, {}),
        (whole, {"returns": {"red": -1.0, "yellow": 1.0}}),
        (whole, {"ended": "truncated"}),
    ):
        (path / "moves.jsonl").write_bytes(moves)
        about = (path / "about.json").read_bytes()
        change_about(**change)(path)
        caplog.clear()
        with opened(folder) as hall, pytest.raises(ArenaError, match="is damaged"):
            hall.get_match(over)
        assert "moves are lost, or the rules have changed" in caplog.text
        (path / "about.json").write_bytes(about)
    (path / "moves.jsonl").write_bytes(whole)
    with opened(folder) as hall:
        assert hall.get_match(over).over


@pytest.mark.parametrize(
    "damage",
    [
        lambda line: b"\0" * len(line),
        lambda line: line[:200] + line,
        lambda line: b"{}\n" + line,
        lambda line: line.replace(b'"gem_ma": 1', b'"gem_ma": 9', 1),
        lambda line: line + b"noise\n" + line[:50],
        lambda line: b"noise\n",
    ],
)
def test_damaged_records_are_made_anew(damage, halls, caplog):
    folder, (_, over, _) = halls
    path = folder / "episodes.jsonl"
    before = list(load_episodes(path))
    path.write_bytes(damaged := damage(path.read_bytes()))
    with opened(folder) as hall:
        assert hall.find_record_file("all") == path
        assert str(path) in caplog.text
        assert [one.id for one in load_episodes(path)] == [over]
    (episode,) = load_episodes(path)
    assert episode.steps == before[0].steps
    copies = {one.name: one.read_bytes() for one in folder.glob("episodes.jsonl.damaged-*")}
    assert list(copies) == ["episodes.jsonl.damaged-1"]
    assert list(copies.values()) == [
        damaged[: damaged.rindex(b"\n") + 1] if b"\n" in damaged else damaged
    ]
    with opened(folder):  # and stays whole
        assert len(list(folder.glob("episodes.jsonl*"))) == 2


def test_a_full_disk_takes_nothing(tmp_path, full_at):
    """Of a move, a word, a seat, taking back, leaving and beginning: all or nothing."""
    with opened(tmp_path) as hall:
        table, _ = hall.begin_match({**BOTH, "takes_back": True})
        free, _ = hall.begin_match({**BOTH, "seats": {"red": "me", "yellow": "open"}})
        table.submit_reply("red", "3")
        table.post_message("red", "hello")
        before = {one: one.read_bytes() for one in tmp_path.rglob("*") if one.is_file()}
        views = [table.describe_view(seat) for seat in ("red", "yellow")]
        for room in (0, 1, 40):
            size = (table.folder / "moves.jsonl").stat().st_size + room
            for do, *words in (
                (table.submit_reply, "yellow", "4"),
                (table.submit_reply, "yellow", "x" * 5000),
                (table.post_message, "red", "x" * 400),
                (table.take_back, "red"),
                (table.leave, "red"),
                (hall.take_seat, free, "yellow", "Bob"),
                (hall.begin_match, BOTH),
            ):
                if do == table.take_back and room == 40:
                    continue  # for which there is room
                with (
                    full_at(size),
                    pytest.raises(StorageError, match="could not write to its disk"),
                ):
                    do(*words)
                assert {o: o.read_bytes() for o in tmp_path.rglob("*") if o.is_file()} == before
                assert [table.describe_view(seat) for seat in ("red", "yellow")] == views
                assert not free.ready
                assert len(hall.match_infos) == 2
                assert len(list((tmp_path / "matches").iterdir())) == 2
        table.submit_reply("yellow", "4")
        assert hall.take_seat(free, "yellow", "Bob")
        seen = table.describe_view("red")
    with opened(tmp_path) as hall:
        assert hall.get_match(table.info.id).describe_view("red") == seen
        assert hall.get_match(free.info.id).ready


def move_until_full(table):
    """Move and take it back; return how often there was room."""
    for taken in range(1000):
        try:
            table.take_back("red")
            table.submit_reply("red", "3")
        except StorageError as error:
            assert "No space left on device" in str(error)  # noqa: PT017 - of one of many
            return taken
    return 1000


def test_a_real_disk_that_is_full(small_disk):
    """It fills up during a match, has room again, the server is killed, and all is as it was."""
    with opened(small_disk) as hall:
        table, _ = hall.begin_match({**BOTH, "takes_back": True})
        table.submit_reply("red", "3")
        (small_disk / "filler").write_bytes(b"x" * 100_000)
        with contextlib.suppress(OSError), (small_disk / "filler").open("ab", 0) as filler:
            while True:
                filler.write(b"x" * 512)
        taken = move_until_full(table)
        assert taken < 100
        assert (table.folder / "moves.jsonl").read_bytes().endswith(b"}\n")
        with pytest.raises(StorageError):
            hall.begin_match(BOTH)
        (small_disk / "filler").unlink()
        if not table.reply_history:  # there was room to take it back, and none to move
            table.submit_reply("red", "3")
        table.submit_reply("yellow", "4")
        seen = table.describe_view("red")
        assert [one["reply"] for one in seen["said"]] == ["3"]
    with opened(small_disk) as hall:
        assert hall.get_match(table.info.id).describe_view("red") == seen


def test_the_last_move_on_a_full_disk(tmp_path, caplog, full_at):
    """The match is over for its players, and its record is written when there is room again."""
    with opened(tmp_path) as hall:
        ends = []
        for _ in range(2):
            table, _ = hall.begin_match(BOTH)
            for seat, reply in (("red", "3"), ("yellow", "4")) * 3:
                table.submit_reply(seat, reply)
            ends.append(table)
        moves = (ends[0].folder / "moves.jsonl").stat().st_size
        with full_at(moves + 90):  # a move goes there, and neither about.json nor a record
            ends[0].submit_reply("red", "3")
            hall.notify_viewers(ends[0])
        assert ends[0].describe_view("red")["outcome"] == "red won"
        assert "its record is not written yet" in caplog.text
        assert not list(load_episodes(tmp_path / "episodes.jsonl"))
        ends[1].submit_reply("red", "3")
        hall.notify_viewers(ends[1])
        ids = [one.id for one in load_episodes(tmp_path / "episodes.jsonl")]
        assert ids == [one.info.id for one in ends]
    with opened(tmp_path) as hall:
        assert all(info.ended for info in hall.match_infos.values())
    assert len(list(load_episodes(tmp_path / "episodes.jsonl"))) == 2


def test_agents_and_clocks_wait_for_room(tmp_path, monkeypatch, full_at):
    monkeypatch.setattr(lobby, "RETRY_SECONDS", 0.05)

    async def play():
        with opened(tmp_path) as hall:
            timed, _ = hall.begin_match({**BOTH, "clock": 0.1})
            played, _ = hall.begin_match({**BOTH, "seats": {"red": "random", "yellow": "me"}})
            with full_at(10):
                for table in (timed, played):
                    hall.run_agents(table)
                await asyncio.sleep(1)
                assert "could not write to its disk" in hall.agent_errors[played.info.id]
                assert not any(one.reply_history for one in (timed, played))
            for _ in range(100):
                await asyncio.sleep(0.05)
                if timed.reply_history and played.reply_history:
                    break
            assert timed.reply_history[0]["red"].late
            assert played.list_due_seats() == ["yellow"]
            assert played.info.id not in hall.agent_errors
            for timer in hall.clock_timers.values():
                timer.cancel()

    asyncio.run(play())


def test_an_agent_that_is_not_here_any_more(tmp_path):
    async def play():
        with opened(tmp_path) as hall:
            table, _ = hall.begin_match({**BOTH, "seats": {"red": "random", "yellow": "me"}})
        other = ArenaLobby(tmp_path, ["search:depth=1"], [FOUR])
        try:
            other.run_agents(other.get_match(table.info.id))
            view = await other.load_view(other.get_match(table.info.id), "yellow")
            assert view["trouble"] == "random is no agent of this server now"
        finally:
            other.close()

    asyncio.run(play())


def test_files_beside_the_matches_are_nobodys_business(halls, caplog):
    folder, ids = halls
    (folder / "matches" / "notes.txt").touch()
    (folder / "matches" / "0123456789").mkdir()  # of a server that was killed at this moment
    with opened(folder) as hall:
        assert set(ids) == hall.match_infos.keys()
    assert not caplog.records
