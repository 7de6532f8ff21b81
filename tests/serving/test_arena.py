"""The arena: a real server, real browsers, and what it has to refuse."""

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest

from gem_ma import rollout
from gem_ma.rollouts.records import load_episodes, save_episodes
from gem_ma.serving.arena import arena

pytest.importorskip("starlette", reason="pip install 'gem-ma[arena]'")
websockets = pytest.importorskip("websockets", reason="pip install 'gem-ma[arena]'")
pytest.importorskip("uvicorn", reason="pip install 'gem-ma[arena]'")

FOUR, HANDS, KUHN = "game:ConnectFour-v0", "game:RockPaperScissors-v0", "game:KuhnPoker-v0"
SCREEN = "screens:login"
BROWSERS = ("chromium", "chromium-headless-shell", "chromium-browser", "google-chrome")
AXE = "pip install axe-playwright-python"
REMEDY = "pip install 'gem-ma[browser]' and install Chromium: apt-get install chromium"
HOSTILE = "<img src=x onerror='window.hurt=1'></textarea><script>window.hurt=2</script>\u202e"


class Served:
    """An arena in a process of its own, which may be killed and started again."""

    def __init__(self, folder, *words, **env):
        self.folder, self.words, self.env, self.port = folder, words, env, "0"
        self.start()

    def start(self):
        words = ["--out", self.folder, "--port", self.port, *self.words]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "gem_ma.cli", "arena", *map(str, words)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "GEM_MA_TOKEN": "", **self.env},
        )
        self.url = self.process.stdout.readline().strip()
        self.port = re.search(r":(\d+)/", self.url)[1]

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def ask(self, path, body=None, **headers):
        """Return the status of an answer, and what it says."""
        data = (
            None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        )
        asked = urllib.request.Request(f"http://127.0.0.1:{self.port}/{path}", data, headers)
        try:
            with urllib.request.urlopen(asked, timeout=20) as answer:
                status, told = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, told = error.code, error.read()
        return status, told

    def begin(self, env, seats, **more):
        status, told = self.ask("api/matches", {"env": env, "name": "Ann", "seats": seats, **more})
        assert status == 200, told
        found = json.loads(told)
        return found["id"], found["keys"]


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    server = Served(tmp_path_factory.mktemp("arena"))
    yield server
    server.kill()
    server.process.stdout.close()


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason=REMEDY)
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    with playwright.sync_playwright() as running:
        try:
            browser = running.chromium.launch(executable_path=found, chromium_sandbox=False)
        except playwright.Error as error:
            if found is not None:
                raise
            pytest.skip(f"{REMEDY} ({str(error).splitlines()[0]})")
        yield browser
        browser.close()


@pytest.fixture
def person(browser, served):
    """Return a function that opens the lobby in a browser of somebody's own."""
    contexts = []

    def person(name="Ann", **look):
        contexts.append(browser.new_context(viewport={"width": 1280, "height": 800}, **look))
        page = contexts[-1].new_page()
        page.wrong = []
        page.on("pageerror", lambda error: page.wrong.append(str(error)))
        page.goto(served.url)
        page.locator("#matches > *").first.wait_for()
        page.fill("#name", name)
        return page

    yield person
    for context in contexts:
        for page in context.pages:
            assert getattr(page, "wrong", []) == []
            assert page.evaluate("window.hurt") is None
        context.close()


def sit(page, env, **seats):
    """Begin a match."""
    page.goto(page.url.partition("#")[0] + "#")
    page.locator("#matches > *").first.wait_for()
    page.locator(f"#places input[value='{env}']").check(force=True)
    for seat, who in seats.items():
        page.select_option(f"#chairs select[name='{seat}']", who)
    page.get_by_role("button", name="Begin").click()
    page.locator("#game:visible").wait_for()


def mine(page):
    page.locator("#state", has_text="your turn").wait_for()


def test_a_board_is_clicked_to_the_end(person, served):
    page = person()
    sit(page, FOUR, red="me", yellow="random")
    for number in range(21):
        page.locator("#state", has_text=re.compile("your turn|won|draw")).wait_for()
        if page.locator("#state").inner_text() != "your turn":
            break
        squares = page.locator(".square")
        name = squares.nth(number % 7).get_attribute("aria-label")
        assert re.search("square 0,", name)
        told = page.locator(".turn").count()
        squares.nth(number % 7).click()
        page.wait_for_timeout(50)
        if page.locator(".turn").count() == told:  # that column is full
            squares.nth((number + 1) % 7).click()
    page.get_by_role("link", name="Replay").wait_for()
    match = page.url.partition("#")[2]
    status, told = served.ask(f"api/records/{match}.jsonl")
    assert status == 200
    path = served.folder / "copy.jsonl"
    path.write_bytes(told)
    (episode,) = load_episodes(path)
    assert episode.agents == {"red": "human:Ann", "yellow": "random"}
    episode.replay()
    page.get_by_role("link", name="Replay").click()
    page.locator("body[data-ready]").wait_for()
    assert page.locator(".outcome").inner_text() in ("red won", "yellow won", "a draw")


def test_two_squares_say_a_move(person):
    page = person()
    sit(page, "game:Chess-v0", white="me", black="random")
    mine(page)
    page.get_by_label(re.compile(r"^e2 .*square")).click()
    page.wait_for_timeout(200)
    assert page.locator(".said").count() == 0
    page.get_by_label(re.compile(r"^e4 .*square")).click()
    page.locator(".said", has_text="e2e4").wait_for()
    mine(page)


def test_two_browsers_move_at_once_and_a_third_looks_on(person):
    ann, bob, eve = person("Ann"), person("Bob"), person("Eve")
    sit(ann, HANDS, left="me", right="open")
    ann.locator("#state", has_text="waiting for players").wait_for()
    bob.reload()
    bob.fill("#name", "Bob")
    bob.get_by_role("button", name="Sit down as right").first.click()
    mine(bob)
    mine(ann)
    eve.goto(ann.url)
    eve.locator("#more", has_text="shown when the match is over").wait_for()
    assert eve.locator("#picture").is_hidden()
    for hand in ("rock", "paper"):
        ann.get_by_role("button", name=hand, exact=True).click()
        ann.locator("#state", has_text="others think").wait_for()
        assert hand not in bob.locator("#talk").inner_text().split("Now")[-1]
        mine(bob)
        bob.get_by_role("button", name="scissors").click()
        mine(ann)
    assert "scissors" in ann.locator("#talk").inner_text()
    bob.reload()
    mine(bob)
    assert "Bob (you)" in bob.locator("#seats").inner_text()
    while "your turn" in ann.locator("#state").inner_text():
        ann.get_by_role("button", name="rock", exact=True).click()
        ann.locator("#state", has_text=re.compile("others|won|draw")).wait_for()
        bob.get_by_role("button", name="rock", exact=True).click()
        ann.locator("#state", has_text=re.compile("your turn|won|draw")).wait_for()
    eve.locator("#picture").wait_for()
    assert "left" in eve.locator("#talk").inner_text()


def test_cards_words_and_taking_back(person):
    page = person()
    sit(page, KUHN, first="me", second="random")
    mine(page)
    page.get_by_role("button", name="bet").click()
    page.locator("#state", has_text=re.compile("won|your turn")).wait_for()
    page = person()
    page.get_by_text("More", exact=True).click()
    page.check("#takes_back")
    sit(page, FOUR, red="me", yellow="random")
    mine(page)
    page.locator(".square").nth(3).click()
    page.locator(".said", has_text="3").wait_for()
    mine(page)
    page.get_by_role("button", name="Take back").click()
    page.locator(".said").wait_for(state="detached")
    page = person()
    sit(page, "tau:shop", user="me", assistant="random")
    mine(page)
    page.fill("#reply", HOSTILE)
    page.press("#reply", "Enter")
    page.locator(".said", has_text="onerror").wait_for()
    assert "\u202e" not in page.locator("#talk").inner_text()
    assert page.locator("#talk img, #talk script").count() == 0


def test_a_server_that_was_killed_goes_on(browser, tmp_path):
    server = Served(tmp_path, FOUR, "--agents", "random")
    page = browser.new_context().new_page()
    page.goto(server.url)
    page.locator("#matches > *").first.wait_for()
    page.fill("#name", "Ann")
    sit(page, FOUR, red="me", yellow="me")
    for column, following in ((3, "yellow"), (4, "red"), (3, "yellow")):
        mine(page)
        page.locator(".square").nth(column).click()
        page.locator("#state", has_text="others think").wait_for()
        page.get_by_role("button", name=f"as {following}").click()
    server.kill()
    server.process.stdout.close()
    server.start()
    page.locator("#seats", has_text="yellow: Ann (you)").wait_for()
    mine(page)
    assert page.locator(".said").count() == 1
    page.locator(".square").nth(0).click()
    page.locator(".said").nth(1).wait_for()
    lines = next((tmp_path / "matches").iterdir()).joinpath("moves.jsonl").read_text()
    assert [json.loads(line)["reply"] for line in lines.splitlines()] == ["3", "4", "3", "0"]
    server.kill()
    server.process.stdout.close()
    page.context.close()


def test_a_screen_is_clicked_and_typed_into(person, served):
    page = person()
    sit(page, SCREEN)
    mine(page)
    box = page.locator("#picture").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.locator(".said", has_text=re.compile(r"^click\(22[345], 22[345]\)$")).wait_for()
    page.keyboard.type('a "b')
    page.locator(".said", has_text='type("a \\"b")').wait_for()
    page.keyboard.press("Enter")
    page.locator(".said", has_text='key("enter")').wait_for()
    page.mouse.move(box["x"] + 50, box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] + 150, box["y"] + 50)
    page.mouse.up()
    page.locator(".said", has_text="drag(").wait_for()
    page.mouse.wheel(0, 50)
    page.locator(".said", has_text=", 120)").wait_for()
    page.mouse.dblclick(box["x"] + 50, box["y"] + 50)
    page.locator(".said", has_text="double_click(").wait_for()
    assert page.locator(".turn .bad").count() == 0


def test_a_clock_a_chat_and_leaving(person):
    ann, bob = person("Ann"), person("Bob")
    ann.get_by_text("More", exact=True).click()
    ann.evaluate("document.querySelector('#clock').options[1].value = '1'")
    ann.select_option("#clock", "1")
    sit(ann, FOUR, red="me", yellow="open")
    bob.reload()
    bob.fill("#name", "Bob")
    bob.get_by_role("button", name="Sit down as yellow").first.click()
    bob.locator("#seats", has_text="Bob (you)").wait_for()
    for words in ("hello", HOSTILE):
        bob.fill("#words", words)
        bob.press("#words", "Enter")
    ann.locator("#lines", has_text="onerror").wait_for()
    assert "hello" in ann.locator("#lines").inner_text()
    ann.locator("#talk", has_text="The time was up").first.wait_for()
    assert re.fullmatch(r"0:0[01]|", ann.locator("#time").inner_text())
    bob.get_by_role("button", name="Leave").click()
    bob.get_by_role("button", name="Really leave").click()
    ann.locator("#state", has_text="yellow has left").wait_for()
    ann.get_by_role("button", name="Play the record again").click()
    ann.locator(".good", has_text="it went the same way").wait_for()


def test_a_position_is_played_on_from(person, served):
    page = person()
    match, _ = served.begin(FOUR, {"red": "random", "yellow": "random"})
    page.goto(f"{page.url.partition('#')[0]}#{match}")
    page.get_by_role("link", name="Replay").click()
    page.locator("body[data-ready]").wait_for()
    page.get_by_role("link", name="Play on from turn 4", exact=True).click()
    page.locator("#what", has_text="3 turns were played before").wait_for()
    page.fill("#name", "Ann")
    page.select_option("#chairs select[name='red']", "random")
    page.select_option("#chairs select[name='yellow']", "me")
    page.get_by_role("button", name="Begin").click()
    mine(page)
    assert page.locator(".said").count() == 1  # what this seat had said before
    page.locator(".square").nth(3).click()
    page.locator(".said").nth(1).wait_for()
    _, told = served.ask("api/lobby")
    assert json.loads(told)["matches"][0]["of"] == f"{match}:0:3"
    for _ in range(21):
        page.locator("#state", has_text=re.compile("your turn|won|draw")).wait_for()
        if page.locator("#state").inner_text() != "your turn":
            break
        told = page.locator(".turn").count()
        for column in range(7):  # the first that is not full
            page.locator(".square").nth(column).click()
            page.wait_for_timeout(50)
            if page.locator(".turn").count() != told or page.locator(".square").count() == 0:
                break
    page.goto(page.url.partition("#")[0] + "#")
    page.get_by_role("link", name="Read all").click()
    page.locator("body[data-ready]").wait_for()
    page.locator("#body tr").last.click()
    page.get_by_label("Compare with").select_option(index=1)
    told = page.get_by_text(re.compile(r"they part at turn|as the other"))
    told.first.wait_for()


def test_records_and_ratings(browser, tmp_path):
    path = tmp_path / "given.jsonl"
    save_episodes(rollout(FOUR, agents="random", episodes=2, seed=3), path)
    server = Served(tmp_path / "out", FOUR, "--agents", "random,search:depth=1", "--records", path)
    try:
        for _ in range(4):
            server.begin(FOUR, {"red": "search:depth=1", "yellow": "random"})
        page = browser.new_context().new_page()
        page.goto(server.url)
        page.locator("#ratings td", has_text="search:depth=1").wait_for(timeout=20_000)
        first = page.locator("#ratings tbody tr").first.inner_text().split()
        assert first[0] == "search:depth=1"
        page.get_by_role("link", name="Read, and play on").click()
        page.locator("body[data-ready]").wait_for()
        page.locator("#body tr").nth(1).click()
        page.get_by_role("link", name="Play on from turn 2", exact=True).click()
        page.locator("#what", has_text="One turn was played before").wait_for()
        page.context.close()
        with pytest.raises(urllib.error.HTTPError, match="400"):
            urllib.request.urlopen(f"{server.url}api/records/r1/replay")
    finally:
        server.kill()
        server.process.stdout.close()
    episodes = list(load_episodes(tmp_path / "out" / "episodes.jsonl"))
    assert len(episodes) == 4
    for episode in episodes:
        episode.replay()


def test_agents_go_on_where_a_killed_server_stood(tmp_path):
    server = Served(tmp_path, FOUR, "--agents", "random")
    match, keys = server.begin(FOUR, {"red": "random", "yellow": "me"})
    key = {"key": keys["yellow"]}
    told = table(server, match, key)[0]
    while not told["said"]:
        told = table(server, match, key, {"reply": "3"})[1]
    server.kill()
    server.process.stdout.close()
    with (tmp_path / "matches" / match / "moves.jsonl").open("rb+") as file:
        lines = file.read().splitlines(keepends=True)
        file.truncate(len(b"".join(lines[:2])))  # as if red had not come to reply
    server.start()
    try:
        end = time.monotonic() + 20
        while not table(server, match, key)[0]["yours"]:
            assert time.monotonic() < end
    finally:
        server.kill()
        server.process.stdout.close()


# -- what is refused -------------------------------------------------------------------------------


def table(served, match, *messages, **headers):
    """Send messages to a table, and return the answers: of each the first."""

    async def talk():
        url = f"ws://127.0.0.1:{served.port}/api/matches/{match}/table"
        async with websockets.connect(url, additional_headers=headers) as line:
            told = []
            for message in messages:
                await line.send(message if isinstance(message, str) else json.dumps(message))
                told.append(json.loads(await asyncio.wait_for(line.recv(), 10)))
            return told

    with ThreadPoolExecutor(1) as pool:  # here a browser's loop may be running
        return pool.submit(asyncio.run, talk()).result()


def test_forged_moves_and_seats(served):
    match, keys = served.begin(FOUR, {"red": "me", "yellow": "open"})
    key = {"key": keys["red"]}
    assert table(served, match, key)[0]["seat"] == "red"
    for wrong in ("", "x", keys["red"] + "x", keys["red"][:-1]):
        assert "no seat here" in table(served, match, {"key": wrong})[0]["problem"]
    (_, told) = table(served, match, {}, {"reply": "3"})
    assert "does not play" in told["problem"]
    for message, why in (
        ({"reply": "3"}, "every seat is taken"),
        ({"square": "0,3"}, "not red's turn"),
        ({"move": "3"}, "not red's turn"),
        ({"back": True}, "nothing is taken back"),
        ({"reply": 3}, "not red's turn"),
        ("[]", "JSON object"),
        ("{", "JSON object"),
        ("[" * 100_000, "JSON object"),
    ):
        assert why in table(served, match, key, message)[1]["problem"]
    for seat in ("red", "green", None, ["yellow"], {"a": 1}):
        status, told = served.ask(f"api/matches/{match}/sit", {"seat": seat, "name": "Eve"})
        assert status == 400
        assert b"free are: yellow" in told
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
        ({"env": FOUR, "name": "Ann"}, b"who sits"),
        ({"env": FOUR, "name": "Ann", "seats": {"red": "me"}}, b"who sits"),
        ({"env": FOUR, "name": HOSTILE, "seats": {"red": "me", "yellow": "random"}}, b"a name"),
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


def test_what_an_arena_may_not_be(tmp_path):
    with pytest.raises(ValueError, match="takes a token"):
        arena(tmp_path, host="0.0.0.0")
    with pytest.raises(ValueError, match="a token has"):
        arena(tmp_path, token="a b")
    with pytest.raises(LookupError, match="no environment"):
        arena(tmp_path, envs=["game:Nope"])
    with pytest.raises(ValueError, match="no agent"):
        arena(tmp_path, agents=["nobody"])


def test_a_screen_reader_finds_nothing_amiss(browser, served):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason=AXE)
    boards = ((FOUR, {"red": "me", "yellow": "random"}), (SCREEN, {"player": "me"}),
              ("tau:shop", {"user": "me", "assistant": "random"}))  # fmt: skip
    begun = [served.begin(env, seats) for env, seats in boards]
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
        for one in found:
            assert one.violations_count == 0, one.generate_report()
        context.close()


def test_hostile_words_in_files_and_games(browser, tmp_path):
    """What a file, an agent or a record is called, or says, is a text and nothing else."""
    name = "<img src=x onerror=hurt=1>.jsonl"
    (hurt,) = rollout("tau:shop", agents={"user": _says, "assistant": _says}, episodes=1, seed=3)
    save_episodes([hurt], tmp_path / name)
    server = Served(
        tmp_path / "out", "tau:shop", "--agents", "random", "--records", tmp_path / name
    )
    try:
        page = browser.new_context().new_page()
        wrong = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(server.url)
        page.locator("#records", has_text="onerror").wait_for()
        page.get_by_role("link", name="Read, and play on").click()
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
    return HOSTILE


def test_time_is_not_wasted(served):
    """A move of an agent that thinks does not hold up another table."""
    slow, keys = served.begin("game:Chess-v0", {"white": "search:depth=3", "black": "me"})
    start = time.monotonic()
    match, keys = served.begin(FOUR, {"red": "me", "yellow": "random"})
    assert table(served, match, {"key": keys["red"]}, {"reply": "3"})[1]["said"]
    assert time.monotonic() - start < 5
    assert slow != match
