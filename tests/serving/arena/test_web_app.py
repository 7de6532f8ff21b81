"""What the arena refuses, and what it shows as a text and nothing else."""

import asyncio
import json
import re
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import packs
import pytest
from served import (
    AXE,
    FOUR,
    HANDS,
    HOSTILE,
    KUHN,
    SCREEN,
    SHOP,
    Served,
    mine,
    sit,
    table,
    websockets,
)

from gem_ma import rollout
from gem_ma.rollouts.records import save_episodes


def test_forged_moves_and_seats(served):
    match, keys = served.begin(FOUR, {"red": "me", "yellow": "open"})
    key = {"key": keys["red"]}
    assert table(served, match, key)[0]["seat"] == "red"
    for wrong in ("", "x", keys["red"] + "x", keys["red"][:-1]):
        assert "belongs to no seat" in table(served, match, {"key": wrong})[0]["problem"]
    (_, told) = table(served, match, {}, {"reply": "3"})
    assert "spectators cannot play" in told["problem"]
    for message, why in (
        ({"reply": "3"}, "every seat is taken"),
        ({"square": "0,3"}, "not red's turn"),
        ({"move": "3"}, "not red's turn"),
        ({"back": True}, "moves cannot be taken back"),
        ({"reply": 3}, "not red's turn"),
        ("[]", "JSON object"),
        ("{", "JSON object"),
        ("[" * 100_000, "JSON object"),
    ):
        assert why in table(served, match, key, message)[1]["problem"]
    for seat in ("red", "green", None, ["yellow"], {"a": 1}):
        status, told = served.ask(f"api/matches/{match}/sit", {"seat": seat, "name": "Eve"})
        assert status == 400
        assert b"free seats: yellow" in told
    status, told = served.ask(f"api/matches/{match}/sit", {"seat": "yellow", "name": "Eve"})
    other = {"key": json.loads(told)["keys"]["yellow"]}
    assert table(served, match, other)[0]["seat"] == "yellow"
    assert "not yellow's turn" in table(served, match, other, {"reply": "3"})[1]["problem"]
    for wrong in ({"square": "9,9"}, {"square": ""}, {"square": "a" * 1000}, {"move": "x"}):
        told = table(served, match, key, wrong)[1]
        assert "problem" in told or told["said"] == [] or told["said"][-1]["invalid"]
    status, told = served.ask(f"api/records/{match}.jsonl")
    assert (status, b"not over" in told) == (400, True)
    assert keys["red"] not in (served.folder / "matches" / match / "about.json").read_text()


def test_wrong_questions(served):
    for body, why in (
        ({}, b"no environment"),
        ({"env": "game:Nope"}, b"no environment"),
        ({"env": "FILE.py"}, b"no environment"),
        ({"env": FOUR, "name": "Ann"}, NOBODY),
        (
            {"env": FOUR, "name": "Ann", "seats": {"red": "me"}},
            NOBODY,
        ),
        ({"env": FOUR, "name": HOSTILE[0], "seats": {"red": "me", "yellow": "random"}}, b"a name"),
        ({"env": FOUR, "name": "Random", "seats": {"red": "me", "yellow": "random"}}, b"an agent"),
        ({"env": "gym:Nope", "name": "A", "seats": {}}, b"no environment"),
        ({"env": FOUR, "name": "", "seats": {"red": "me", "yellow": "random"}}, b"a name"),
        ({"env": FOUR, "name": "A", "seats": {"red": "me", "yellow": "os:system"}}, b"or one of"),
        (b"{", b"JSON object"),
        (b"x" * 1_000_000, b"at most"),
    ):
        status, told = served.ask("api/matches", body)
        assert status == 400
        assert why in told
    for path in (
        "api/records/none/replay",
        "api/records/..%2f..%2fx/replay",
        "api/records/..%2fx.jsonl",
    ):
        assert served.ask(path)[0] in (400, 404)
    for path in ("api/places/FILE.py", "api/places/qa:HotpotQA", "api/places/game:Nope"):
        assert served.ask(path)[0] == 400, path
    assert json.loads(served.ask("api/places?words=" + "x" * 5000)[1])["found"] == []
    for path in ("table.py", "..%2ftable.py", "arena.py", "nothing.js"):
        assert served.ask(path)[0] == 404


def test_other_sites_and_hosts_are_kept_out(served):
    for headers in ({"Origin": "https://evil.example"}, {"Host": "evil.example:80"}):
        status, told = served.ask("api/lobby", **headers)
        assert status == 403, told
    match, _ = served.begin(FOUR, {"red": "me", "yellow": "random"})
    with pytest.raises(websockets.InvalidStatus):
        table(served, match, {}, Origin="https://evil.example")
    with urllib.request.urlopen(served.url) as page:
        assert "default-src 'none'" in page.headers["content-security-policy"]


def test_a_token_opens_the_door_once(browser, tmp_path):
    server = Served(tmp_path, FOUR, GEM_MA_TOKEN="a-long-secret")
    try:
        assert server.url.endswith("/?token=a-long-secret")
        for path in ("", "api/lobby", "arena.js", "?token=wrong", "?token="):
            assert server.ask(path)[0] == 403
        page = browser.new_context().new_page()
        page.goto(server.url)
        page.locator("#matches > *").first.wait_for()
        assert "token" not in page.url
        page.fill("#name", "Ann")
        sit(page, FOUR, red="me", yellow="random")
        mine(page)
        page.context.close()
    finally:
        server.kill()
        server.process.stdout.close()


@packs.needs("screens")
@packs.needs("tau")
def test_a_screen_reader_finds_nothing_amiss(browser, served):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason=AXE)
    boards = ((FOUR, {"red": "me", "yellow": "random"}), (SCREEN, {"player": "me"}),
              ("tau:shop", {"user": "me", "assistant": "random"}))  # fmt: skip
    begun = [served.begin(env, seats) for env, seats in boards]
    over, _ = served.begin(FOUR, {"red": "random", "yellow": "random"})
    for width, scheme in ((1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")):
        look = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
        context = browser.new_context(bypass_csp=True, **look)
        page = context.new_page()
        page.goto(served.url)
        page.locator("#matches > *").first.wait_for()
        found = [axe.Axe().run(page)]
        keys = json.dumps(dict(begun))
        page.evaluate("keys => localStorage.setItem('gem_ma keys', keys)", keys)
        for match, _ in begun:
            page.goto(f"{served.url}#{match}")
            page.locator("#state", has_text="your turn").wait_for()
            found.append(axe.Axe().run(page))
        page.goto(f"{served.url}#{over}")
        page.locator("#state", has_text=re.compile("won|draw")).wait_for()
        found.append(axe.Axe().run(page))
        page.goto(f"{served.url}#study={over}&number=0&turn=2")
        page.locator("#what", has_text="2 turns were played before").wait_for()
        found.append(axe.Axe().run(page))
        page.goto(f"{served.url}#")
        page.fill("#search", "checkers")
        page.locator("#found button").first.wait_for()
        found.append(axe.Axe().run(page))
        for one in found:
            assert one.violations_count == 0, one.generate_report()
        context.close()


@packs.needs("tau")
def test_hostile_texts_in_every_field(served):
    """They are refused, or at most a name: in what begins a match, in seats, paths and keys."""
    good = {"env": SHOP, "name": "Ann", "seats": {"user": "me", "assistant": "me"}}
    match, keys = served.begin(SHOP, good["seats"])
    for text in HOSTILE:
        wrong = [{field: text} for field in ("env", "seats", "watched", "clock", "bank", "of")]
        wrong += [{"of": "all", "number": text}, {"of": "all", "number": 0, "turn": text}]
        wrong += [{"seats": {text: "me"}}, {"seats": {"user": text, "assistant": "me"}}]
        for one in wrong:
            assert served.ask("api/matches", {**good, **one})[0] == 400, one
        status, _ = served.ask("api/matches", {**good, "name": text})
        assert status == (200 if text.strip("_").isalpha() else 400)
        for body in ({"seat": text, "name": "Ann"}, {"seat": "user", "name": text}):
            assert served.ask(f"api/matches/{match}/sit", body)[0] == 400
        part = quote(text.encode("utf-8", "replace"), safe="")
        for path in (f"matches/{part}/proof", f"records/{part}/replay", f"records/{part}.jsonl"):
            assert served.ask(f"api/{path}")[0] in (400, 404)
        assert served.ask(f"api/records/all/position?number={part}&turn={part}")[0] == 400
        assert "belongs to no seat" in table(served, match, {"key": text})[0]["problem"]
        for message in ({"square": text}, {"back": text}, {text: text}, {"leave": text}):
            assert "problem" in table(served, match, {"key": keys["user"]}, message)[1]


@packs.needs("tau")
def test_hostile_texts_are_shown_as_texts(person, served):
    """Replies and the chat, in another's browser and in the replay, and links."""
    match, keys = served.begin(SHOP, {"user": "me", "assistant": "me"}, watched="all")
    page, other = person(), person("Bob")
    base = page.url.partition("#")[0]
    other.goto(f"{base}#{match}")
    other.locator("#talk").wait_for()
    for seat in ("user", "assistant") * len(HOSTILE):
        number = len(table(served, match, {})[0]["said"])
        text = "###STOP###" if number == len(HOSTILE) else HOSTILE[number]
        table(served, match, {"key": keys[seat]}, {"words": text}, {"reply": text})
        if table(served, match, {})[0]["over"]:
            break
    other.get_by_role("link", name="Replay").wait_for()
    assert other.locator("#talk .said").count() == len(HOSTILE) + 1
    assert other.locator("#lines .said").count() == len(HOSTILE) + 1
    assert other.locator("#beside img, #beside script, #beside iframe, #beside svg").count() == 0
    for text in HOSTILE:
        page.goto(f"{base}#{quote(text.encode('utf-8', 'replace'))}")
        page.goto(f"{base}#study={quote(text.encode('utf-8', 'replace'))}&number=0&turn=0")
        page.locator("#trouble:not(:empty)").wait_for()
        page.reload()
    other.get_by_role("link", name="Replay").click()
    other.locator("body[data-ready]").wait_for()
    for details in other.locator("#player details").all():
        details.evaluate("one => { one.open = true }")
    assert other.locator("#player img, #player iframe, #player script").count() == 0


def test_what_is_sent_is_not_pressed(served):
    """A picture would not be smaller, and each browser's would be pressed anew."""

    async def negotiate():
        url = f"ws://127.0.0.1:{served.port}/api/matches/{match}/table"
        async with websockets.connect(url, compression="deflate") as line:
            assert "Sec-WebSocket-Extensions" in line.request.headers
            return line.response.headers.get("Sec-WebSocket-Extensions")

    match, _ = served.begin(FOUR, {"red": "me", "yellow": "me"})
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(asyncio.run, negotiate()).result() is None


NOBODY = b"expected a player for each of red, yellow"


@pytest.mark.parametrize("clock", [0, 60])  # what is left of it is no news of anybody
def test_others_moves_are_no_news_where_they_are_not_seen(served, clock):
    """Who waits in the dark gets no message from which to tell that somebody has moved."""

    async def watch(key, doing, seconds=0.5):
        url = f"ws://127.0.0.1:{served.port}/api/matches/{match}/table"
        async with websockets.connect(url) as line:
            await line.send(json.dumps(key))
            heard = [json.loads(await line.recv())]
            await asyncio.to_thread(doing)
            try:
                while True:
                    heard.append(json.loads(await asyncio.wait_for(line.recv(), seconds)))
            except TimeoutError:
                return heard

    def watched(key, doing):
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(asyncio.run, watch(key, doing)).result()

    match, keys = served.begin(HANDS, {"left": "me", "right": "me"}, clock=clock)
    left, right = ({"key": keys[seat]} for seat in ("left", "right"))

    def first():
        table(served, match, left, {"reply": "rock"})

    def second():
        table(served, match, right, {"reply": "paper"})

    assert len(watched(right, first)) == 1
    assert len(watched({}, second)) == 1
    assert len(watched(left, first)) == 2  # its own doing
    heard = watched(left, second)
    assert len(heard) == 2
    assert heard[1]["yours"]
    match, keys = served.begin(KUHN, {"first": "me", "second": "me"}, watched="second")
    assert len(watched({}, lambda: table(served, match, {"key": keys["first"]}, {"reply": "bet"})))


@packs.needs("tau")
def test_hostile_words_in_files_and_games(browser, tmp_path):
    """What a file, an agent or a record is called, or says, is a text and nothing else."""
    (hurt,) = rollout("tau:shop", agents={"user": _says, "assistant": _says}, episodes=1, seed=3)
    names = [text.replace("/", "_") for text in HOSTILE if text.isprintable()]
    names = ["<img src=x onerror=hurt=1>", *names]
    for name in names:
        save_episodes([hurt], tmp_path / f"{name}.jsonl")
    given = [word for name in names for word in ("--records", tmp_path / f"{name}.jsonl")]
    server = Served(tmp_path / "out", "tau:shop", "--agents", "random", *given)
    try:
        page = browser.new_context().new_page()
        wrong = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(server.url)
        page.locator("#records", has_text="onerror").wait_for()
        assert page.locator("#records .card").count() == len(names)
        page.get_by_role("link", name="Read, and play on").first.click()
        page.locator("body[data-ready]").wait_for()
        assert page.evaluate("window.hurt") is None
        page.get_by_role("link", name="Play on from turn 3", exact=True).click()
        page.locator("#what", has_text="2 turns were played").wait_for()
        page.fill("#name", "Ann")
        page.get_by_role("button", name="Begin").click()
        page.locator(".said", has_text="onerror").first.wait_for()
        assert page.evaluate("window.hurt") is None
        assert page.locator("img[src='x']").count() == 0
        assert wrong == []
        page.context.close()
    finally:
        server.kill()
        server.process.stdout.close()


def _says(turn):
    return HOSTILE[0]


def test_a_position_says_what_is_played_on(served):
    match, keys = served.begin(FOUR, {"red": "me", "yellow": "random"})
    table(served, match, {"key": keys["red"]}, {"reply": "3"}, {"leave": True})
    status, told = served.ask(f"api/records/{match}/position?number=0&turn=1")
    assert status == 200, told
    assert json.loads(told) == {"env": FOUR, "seats": ["red", "yellow"], "moves": 1}
