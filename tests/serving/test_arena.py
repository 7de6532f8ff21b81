"""The arena: what goes on at its tables, and that nothing is lost."""

import json
import re
import time
import urllib.error
import urllib.request

import pytest
from served import FOUR, HOSTILE, Served, mine, sit, table

from gem_ma import rollout
from gem_ma.rollouts.records import load_episodes, save_episodes


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
    for words in ("hello", HOSTILE[0]):
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
        # Who is first is left to chance: a search one turn deep loses every fifth match here.
        rows = page.locator("#ratings tbody tr", has_text=re.compile("4$"))
        rows.nth(1).wait_for(timeout=60_000)
        told = [row.locator("td").all_inner_texts() for row in rows.all()]
        assert {row[0] for row in told} == {"random", "search:depth=1"}
        assert float(told[0][1]) >= float(told[1][1])
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


def test_time_is_not_wasted(served):
    """A move of an agent that thinks does not hold up another table."""
    slow, keys = served.begin("game:Chess-v0", {"white": "search:depth=3", "black": "me"})
    start = time.monotonic()
    match, keys = served.begin(FOUR, {"red": "me", "yellow": "random"})
    assert table(served, match, {"key": keys["red"]}, {"reply": "3"})[1]["said"]
    assert time.monotonic() - start < 5
    assert slow != match


def test_others_moves_are_in_the_log_and_all_play_again(person):
    ann, bob, eve = person("Ann"), person("Bob"), person("Eve")
    sit(ann, FOUR, red="me", yellow="open")
    bob.goto(ann.url.partition("#")[0] + "#")
    bob.reload()
    bob.fill("#name", "Bob")
    bob.get_by_role("button", name="Sit down as yellow").first.click()
    bob.locator("#seats", has_text="Bob (you)").wait_for()
    eve.goto(ann.url)
    for page, other, column in ((ann, bob, 3), (bob, ann, 4), (ann, bob, 2)):
        mine(page)
        page.locator(".square").nth(column).click()
        other.locator("#talk .heard", has_text=str(column)).wait_for()
    assert bob.locator("#talk .heard").all_inner_texts() == ["red: 3", "red: 2"]
    assert ann.locator("#talk .heard").all_inner_texts() == ["yellow: 4"]
    assert ann.locator("#unrated").inner_text() == ""
    bob.get_by_role("button", name="Leave").click()
    bob.get_by_role("button", name="Really leave").click()
    over = ann.url
    bob.get_by_role("button", name="Play again", exact=True).click()
    ann.get_by_role("button", name="Play again: somebody waits for you").click()
    ann.locator("#seats", has_text="Ann (you)").wait_for()
    mine(ann)
    assert ann.url == bob.url != over
    assert "Bob (you)" in bob.locator("#seats").inner_text()
    assert ann.locator(".said, .heard").count() == 0
    eve.get_by_role("link", name="Watch the next match").click()
    eve.locator("#state", has_text="you look on").wait_for()
    assert eve.url == ann.url
    ann.goto(over)
    ann.get_by_role("link", name="Back to the lobby").click()
    ann.locator("#choose-title").wait_for()


def test_what_is_not_rated_says_so(person):
    page = person()
    page.get_by_text("More", exact=True).click()
    page.check("#takes_back")
    sit(page, FOUR, red="me", yellow="random")
    page.locator("#unrated", has_text="not rated: moves may be taken back").wait_for()
    page.goto(page.url.partition("#")[0] + "#")
    page.locator("#matches", has_text="not rated: moves may be taken back").first.wait_for()
