"""The page of episodes, clicked through in a real browser."""

import base64
import re
import shutil
from dataclasses import replace

import numpy as np
import pytest
from evaluations.viewer_pages import FOUR

from gem_ma import Reply, rollout, save_episodes
from gem_ma.agents import FunctionAgent
from gem_ma.envs.registry import Spec
from gem_ma.evaluation.viewer.page import write_page
from gem_ma.rollouts.episode import EpisodeFailure
from gem_ma.rollouts.records import load_episodes

THREE = "game:TicTacToe-v0"
AXE = "pip install axe-playwright-python"
HOSTILE = (
    "</script><script>window.hurt = 1</script>",
    "<img src=x onerror='window.hurt = 2'><svg onload='window.hurt = 3'>",
    "<iframe srcdoc='<script>parent.hurt = 4</script>'></iframe>",
    "<!-- <script> --><style>* { display: none }</style><meta http-equiv=refresh content='0;x:'>",
    "javascript:alert(5) ${window.hurt = 6} {{window.hurt = 7}}",
    "\x1b[2J\x1b]0;title\x07 \u202edrow \u2066a\u2069 nul \x00 half \ud800 tag \U000e0041 end",
    "__proto__ constructor </textarea></title></pre>",
    "<think>hidden <b>thought</b></think>said",
)


@pytest.fixture
def show(browser, tmp_path):
    """Return a function that opens the page of a file; the page may ask for nothing else."""
    contexts = []

    def show(source, moment="", spectator=True, **look):
        out = tmp_path / "page.html"
        write_page(source, out, spectator=spectator)
        contexts.append(browser.new_context(viewport={"width": 1280, "height": 800}, **look))
        page = contexts[-1].new_page()
        page.events = []
        for event in ("dialog", "request", "pageerror", "console", "popup", "framenavigated"):
            page.on(event, lambda what, event=event: page.events.append((event, str(what))))
        page.on("dialog", lambda dialog: dialog.remove_worker())
        page.goto(f"{out.as_uri()}{moment}")
        page.wait_for_selector("body[data-ready]")
        return page

    yield show
    for context in contexts:
        context.close()


def harmless(page):
    """Return whether nothing happened but that the page was loaded."""
    return {event for event, _ in page.events} <= {"request", "framenavigated"} and (
        len([1 for event, _ in page.events if event == "request"]) == 1
    )


def drawn_text(locator):
    """Return the text of a turn when it is drawn: off the screen it has none."""
    locator.scroll_into_view_if_needed()
    return locator.inner_text()


def test_click_through(episodes, show):
    page = show(episodes)
    rows = page.locator("#body tr")
    assert rows.count() == 12
    assert page.locator("#count").inner_text() == "12 episodes"
    page.get_by_label("Outcome", exact=True).select_option("red won")
    assert 0 < rows.count() < 12
    page.get_by_label("Outcome", exact=True).select_option("")
    page.get_by_label("with invalid replies").check()
    assert page.locator("#count").inner_text() in ("12 episodes", f"{rows.count()} of 12 episodes")
    page.get_by_label("with invalid replies").uncheck()
    page.get_by_label("truncated").check()
    truncated = rows.count()
    assert truncated == sum(1 for e in load_episodes(episodes) if e.ended == "truncated") > 0
    page.get_by_label("truncated").uncheck()
    page.locator("#by-turns").click()
    turns = [int(text) for text in page.locator("#body td:nth-child(3)").all_inner_texts()]
    assert turns == sorted(turns, reverse=True)
    assert page.locator("th[aria-sort=descending]").inner_text().startswith("Turns")
    page.locator("#by-number").click()

    page.get_by_label("Search").fill("NINETY-FIRST")  # a reply, whatever the case
    page.locator("#count", has_text=re.compile("^12 episodes")).wait_for()
    page.get_by_label("Search").fill("ninety-second")
    page.locator("#count", has_text=re.compile("^0 of")).wait_for()
    page.get_by_label("Search").fill("")
    page.locator("#body tr:nth-child(12)").wait_for()

    number = int(rows.first.get_by_role("button").inner_text())
    rows.first.get_by_role("button").click()
    (episode,) = [e for e in load_episodes(episodes) if e.number == number]
    page.wait_for_selector("canvas[data-drawn]")
    moment, panes = page.locator("#player .moment"), page.locator("#player .pane")
    assert "red acts" in moment.inner_text()
    assert panes.count() == 1
    assert "A spectator sees" in panes.inner_text()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    invalid = page.locator(".turn.invalid")
    assert "now" in invalid.get_attribute("class")
    assert "'the ninety-first' is not a legal move" in drawn_text(invalid)
    thought = invalid.locator("details.thought")
    assert thought.locator("pre").is_hidden()
    thought.locator("summary").click()
    assert thought.locator("pre").inner_text() == "Which column?"
    assert invalid.locator(".reply > pre").inner_text() == "the ninety-first"
    page.get_by_label("yellow", exact=True).check()
    assert "yellow sees" in panes.inner_text()
    assert "last turn" in panes.inner_text()
    page.get_by_label("whoever acts").check()
    assert "red sees" in panes.inner_text()
    page.locator("h1").last.click()  # the keys are the radio buttons' as long as one has the focus
    page.keyboard.press("End")
    assert moment.inner_text().startswith(f"{len(episode.steps) + 1} of")
    assert re.search("The end: (red|yellow) won", drawn_text(page.locator(".about.turn")))
    assert page.locator(".next").is_disabled()
    page.keyboard.press("Home")
    page.get_by_role("button", name="Next moment").click()
    assert moment.inner_text().startswith("2 of")
    assert page.locator("svg polyline").count() == 2
    page.keyboard.press("j")
    page.locator(f"#player[data-open='{number + 1}']").wait_for()
    page.keyboard.press("k")
    page.locator(f"#player[data-open='{number}']").wait_for()
    assert harmless(page)


def read_rewards(page):
    """Return what the turns of an episode say of rewards, by their place."""
    turns = page.locator(".moments").all()
    found = [re.findall(r"(?:reward|\w+ gets) [-+]\d+", turn.text_content()) for turn in turns]
    return {at: words for at, words in enumerate(found) if words}


@pytest.mark.parametrize("spectator", [True, False])
def test_a_reward_stands_at_the_move_that_caused_it(spectator, show, tmp_path):
    file = tmp_path / "won.jsonl"
    rollout(THREE, "random", 12, seed=0, out=file)
    won = [one for one in load_episodes(file) if one.returns["x"]]
    assert {one.returns["x"] for one in won} == {1, -1}
    page = show(file, spectator=spectator)
    for episode in won:
        page.evaluate(f"location.hash = '#episode={episode.number}'")
        page.locator(f"#player[data-open='{episode.number}']").wait_for()
        last, (loser,) = len(episode.steps) - 1, {"x", "o"} - {episode.steps[-1].agent}
        assert read_rewards(page) == {last: ["reward +1", f"{loser} gets -1"]}
        for line in page.locator("svg polyline").all():
            heights = [point.split(",")[1] for point in line.get_attribute("points").split()]
            assert len(heights) == last + 2
            assert len(set(heights[:-1])) == 1  # nobody has anything before the last move
            assert heights[-1] != heights[0]


def test_what_a_seat_saw_is_whole_unless_it_is_long(episodes, show, tmp_path):
    page = show(episodes)  # a board of seven lines, and a move above it
    assert page.locator(".turn .text pre").count() > 5
    assert page.locator(".turn .short").count() == 0
    episode = next(iter(load_episodes(episodes)))
    long = "\n".join(map(str, range(60)))
    episode.steps = [replace(one, text=long) for one in episode.steps]
    save_episodes([episode], tmp_path / "long.jsonl")
    page = show(tmp_path / "long.jsonl", spectator=False)
    first = page.locator(".turn .text").first
    short = first.locator("pre").bounding_box()["height"]
    first.get_by_role("button", name="All of it").click()
    assert first.locator("pre").bounding_box()["height"] > 3 * short
    assert short > 180  # a dozen of lines at least


@pytest.fixture
def several(tmp_path):
    """Return a file with episodes of five environments, those of each apart."""
    file = tmp_path / "several.jsonl"
    ids = (THREE, FOUR, "game:Nim-v0", "game:KuhnPoker-v0", "game:RockPaperScissors-v0")
    played = [rollout(id, "random", 4, seed=0) for id in ids]
    mixed = [episode for together in zip(*played, strict=True) for episode in together]
    for number, episode in enumerate(mixed):
        episode.number = number
    save_episodes(mixed, file)
    return file, ids


def test_the_list_is_seen_below_the_summary(several, show):
    page = show(several[0])
    assert page.locator("#summary").get_attribute("open") is not None
    for number in range(2):
        box = page.locator("#body tr:not(.group)").nth(number).bounding_box()
        assert box["y"] + box["height"] <= 800
    assert page.evaluate("document.querySelector('#sums').scrollHeight") > 300  # and it has all


def test_episodes_of_an_environment_stand_together(several, show):
    file, ids = several
    page = show(file)
    assert page.locator("#sums .group").all_inner_texts() == list(ids)
    for order in ("number", "environment"):
        page.get_by_label("by", exact=True).select_option(order)
        lines = page.locator("#body tr").all_inner_texts()
        heads = page.locator("#body tr.group").all_inner_texts()
        assert sorted(heads) == sorted(f"{id}4 episodes" for id in ids)
        assert [lines.index(head) for head in heads] == [0, 5, 10, 15, 20]
        assert len(lines) == 25
    page.get_by_label("by", exact=True).select_option("turns")  # of all, each with its name
    assert page.locator("#body tr.group").count() == 0
    turns = [int(one) for one in page.locator("#body td:nth-child(3)").all_inner_texts()]
    assert turns == sorted(turns, reverse=True)
    assert page.locator("#body tr", has_text=ids[2]).count() == 4
    page.get_by_label("by", exact=True).select_option("number")
    page.locator("#body tr:not(.group)").first.get_by_role("button").click()
    page.keyboard.press("j")  # the next one of the list
    assert page.locator("#body tr:nth-child(3)[aria-current]").count() == 1


def test_pictures_are_the_recorded_ones(episodes, show):
    (episode, *_) = load_episodes(episodes)
    for at in (0, len(episode.steps) - 1):
        for seen in ("", "spectator"):  # red, and the spectator of a game without secrets
            page = show(episodes, f"#episode={episode.number}&turn={at + 1}&seen={seen}")
            page.locator(".pane canvas[data-drawn]").wait_for()
            assert ("A spectator sees" in page.locator(".pane").inner_text()) == bool(seen)
            page.locator(".turn.now canvas[data-drawn]").wait_for()
            data, small = page.evaluate(
                """() => [...document.querySelectorAll(".pane canvas, .turn.now canvas")].map(c => {
                const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
                let s = ""; for (const v of d) s += String.fromCharCode(v); return btoa(s); })"""
            )
            assert data == small
            image = episode.steps[at].observation["image"].array
            drawn = np.frombuffer(base64.b64decode(data), np.uint8).reshape(*image.shape[:2], 4)
            assert np.array_equal(drawn[:, :, :3], image)


def test_hostile_episodes_do_nothing(show, tmp_path):
    call = {"id": "c", "function": {"name": HOSTILE[0], "arguments": HOSTILE[1]}}

    def hostile(turn):
        if turn.number % 2:
            return Reply(turn.legal[0], tool_calls=())
        return Reply(HOSTILE[turn.seed % len(HOSTILE)], tool_calls=[call] * (turn.index == 3))

    done = rollout(THREE, FunctionAgent(hostile), 6, seed=1)
    (base, *_) = done
    everywhere = [
        replace(step, reply=text, text=text, move=text, results=(text,), invalid={"reason": text})
        for step, text in zip(base.steps * 9, HOSTILE, strict=False)
    ]
    for number, text in enumerate(HOSTILE):
        done.append(
            replace(
                base,
                id=text,
                number=90 + number,
                agents={text: text, "__proto__": text, "x": "x", "o": text},
                rules={text: text},
                tools={text: [{"name": text}]},
                returns={text: 1.0, "__proto__": 0.0},
                report={text: text, "nan": float("nan")},
                failure=EpisodeFailure(text, text, text),
                ended=text,
                steps=everywhere,
                spec=Spec(text, text, {text: text}),
                wrappers=(text,),
            )
        )
    path = tmp_path / "hostile.jsonl"
    save_episodes(done, path)
    written = write_page(path, tmp_path / "page.html")
    assert written.damaged == []
    raw = (tmp_path / "page.html").read_text()
    assert "hurt" not in raw
    page = show(path)
    assert page.locator("#body tr:not(.group)").count() == len(done)
    for row, episode in enumerate(done):
        page.locator("#body tr:not(.group)").nth(row).click()
        page.locator(f"#player[data-open='{episode.number}']").wait_for()
        for details in page.locator("#player details").all():
            details.evaluate("one => { one.open = true }")
        while page.locator(".next").is_enabled():
            page.keyboard.press("ArrowRight")
            assert page.evaluate("window.hurt") is None
    text = page.locator("body").inner_text()
    for sign in "\x1b\x00\u202e\u2066\U000e0041":
        assert sign not in text
    assert page.locator("#player img, #player iframe, #player script, #list script").count() == 0
    assert harmless(page), page.events


def test_links(episodes, show):
    page = show(episodes)
    numbers = [episode.number for episode in load_episodes(episodes)]
    assert page.locator("#player").get_attribute("data-open") == str(min(numbers))  # the first
    assert page.evaluate("location.hash") == f"#episode={min(numbers)}&turn=1"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("j")
    page.locator("#player[data-open='1']").wait_for()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("location.hash") == "#episode=1&turn=3"
    page = show(episodes, "#episode=3&turn=4")
    assert page.locator("#player").get_attribute("data-open") == "3"
    assert page.locator("#player .moment").inner_text().startswith("4 of")
    page.evaluate("location.hash = '#episode=7&turn=2'")  # as when a link is put into the page
    page.locator("#player[data-open='7']").wait_for()
    assert page.locator("#player .moment").inner_text().startswith("2 of")
    page.evaluate("location.hash = '#episode=99'")
    assert page.locator("#player").get_attribute("data-open") == "7"
    page.go_back()
    page.locator("#player[data-open='7']").wait_for()


def test_links_where_numbers_are_not_enough(episodes, show, tmp_path):
    for name in ("a", "b"):
        shutil.copy(episodes, tmp_path / f"{name}.jsonl")
    page = show(tmp_path)
    page.keyboard.press("j")
    page.locator(".title .facts", has_text="b.jsonl").wait_for()
    link = page.evaluate("location.hash")
    again = show(tmp_path, link)
    assert again.evaluate("location.hash") == link
    assert again.locator(".title .facts").inner_text().endswith("b.jsonl")
    assert page.locator(".title .facts").inner_text().endswith("b.jsonl")


def test_scrolling_moves_the_board(episodes, show):
    page = show(episodes, "#episode=0")
    moment = page.locator("#player .moment")
    page.wait_for_timeout(400)
    page.locator(".talk").evaluate("one => { one.scrollTop = one.scrollHeight }")
    page.locator("#player .moment", has_text="The end").wait_for()
    page.locator(".talk").evaluate("one => { one.scrollTop = 0 }")
    page.locator("#player .moment", has_text=re.compile("^1 of")).wait_for()
    page.get_by_role("button", name="turn 5").click()
    assert moment.inner_text().startswith("5 of")
    top = page.locator(".turn.now").evaluate("one => one.getBoundingClientRect().top")
    assert top == pytest.approx(page.locator(".talk").bounding_box()["y"], abs=20)
    assert page.evaluate("document.body.scrollTop + document.documentElement.scrollTop") == 0


def test_two_from_one_start_are_compared(show, tmp_path):
    done = []
    for agents in (["random", "random"], ["search", "random"], ["random", "random"]):
        done += rollout(FOUR, agents, 2, seed=4)
    done = [replace(one, number=number) for number, one in enumerate(done)]
    save_episodes(done, tmp_path / "a.jsonl")
    page = show(tmp_path / "a.jsonl", "#episode=1")
    choose = page.get_by_label("Compare with another")
    titles = choose.locator("option").all_inner_texts()
    assert [title.split(",")[0] for title in titles] == ["Compare with\u2026", "#3", "#5"]
    choose.select_option(titles[2])
    page.locator("#other .moment").wait_for()
    assert "as the other" in page.locator("#other .title").inner_text()
    choose.select_option(titles[1])
    page.locator("#other[data-open='3']").wait_for()
    page.get_by_text("they part at turn").wait_for()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.locator("#other .moment").inner_text().startswith("3 of")
    assert page.locator("#player .moment").inner_text().startswith("3 of")
    link = page.evaluate("location.hash")
    assert link == "#episode=1&turn=3&with=3"
    again = show(tmp_path / "a.jsonl", link)
    again.locator("#other[data-open='3']").wait_for()
    again.get_by_role("button", name="Close").click()
    assert again.locator("#other").is_hidden()
    page.keyboard.press("k")  # an episode from another start
    page.locator("#player[data-open='0']").wait_for()
    assert page.locator("#other").is_hidden()


def test_the_summary_is_of_what_is_listed(episodes, show):
    page = show(episodes)
    done = list(load_episodes(episodes))
    won = sum(one.returns["red"] == 1 for one in done)
    row = page.locator("#sums tbody tr", has_text="red").inner_text()
    assert f"\t{len(done)}\t" in row
    assert f"{round(100 * won / 12)} % (" in row
    turns = [len(one.steps) for one in done]
    facts = page.locator("#sums .facts").inner_text()
    assert f"{sum(turns) / 12:.1f}".removesuffix(".0") in facts
    assert f"from {min(turns)} to {max(turns)}" in facts
    page.get_by_label("Search").fill("return.yellow<0")
    page.locator("#count", has_text=f"{won} of 12 episodes").wait_for()
    assert "100 % (" in page.locator("#sums tbody tr", has_text="red").inner_text()
    page.get_by_label("Search").fill(f"turns>={max(turns)}")
    few = sum(one == max(turns) for one in turns)
    page.locator("#count", has_text=f"{few} of 12 episodes").wait_for()
    assert page.locator("#body tr").count() == few


def test_filtered_and_sorted_by_anything(show, tmp_path):
    done = []
    for number, agents in enumerate((["random", "search:depth=1"], ["search:depth=1", "random"])):
        done += rollout(FOUR, agents, 3, seed=number)
    done += rollout("game:Nim-v0", "random", 2, seed=9)
    reports = [{"score": n % 3, "words": "many", "nan": float("nan")} for n in range(len(done))]
    done = [
        replace(one, number=n, seconds=float(n * 7 % 8), report=reports[n])
        for n, one in enumerate(done)
    ]
    save_episodes(done, tmp_path / "a.jsonl")
    page = show(tmp_path / "a.jsonl")

    def numbers(found=None):
        if found is not None:
            page.get_by_label("Search").fill(found)
            page.wait_for_timeout(300)
        return [int(one) for one in page.locator("#body td:first-child").all_inner_texts()]

    assert numbers("red:search") == [3, 4, 5]
    assert numbers("red:RANDOM env:nim") == []
    assert numbers("-red:search env:four") == [0, 1, 2]
    assert numbers("-nim red:random") == [0, 1, 2]
    assert numbers("report.score=2") == [2, 5]
    assert numbers("report.score>=1 seconds<4 number<6") == [5]
    assert numbers("") == list(range(8))
    for by, key in (
        ("seconds", lambda one: -one.seconds),
        ("return of yellow", lambda one: -one.returns.get("yellow", -9)),
        ("environment", lambda one: one.spec.id),
        ("agents", lambda one: "|".join(one.agents.values())),
        ("score", lambda one: -one.report["score"]),
    ):
        page.get_by_label("by", exact=True).select_option(by)
        assert numbers() == [one.number for one in sorted(done, key=key)], by
    page.get_by_role("button", name="Descending; turn").click()
    assert numbers() == [one.number for one in sorted(done, key=lambda one: one.report["score"])]
    page.locator("h1").last.click()
    page.keyboard.press("?")
    assert page.get_by_role("dialog").is_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Keys").click()
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    assert page.get_by_role("dialog").count() == 0


def test_a_screen_reader_and_keys_find_their_way(browser, episodes, tmp_path):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason=AXE)
    done = [
        *load_episodes(episodes),
        *rollout(FOUR, "random", 1, seed=3, observe="both", max_turns=9),
    ]
    done[-1].number = 12
    save_episodes(done, tmp_path / "two.jsonl")
    write_page(tmp_path / "two.jsonl", tmp_path / "page.html")
    for width, scheme in ((1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")):
        look = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
        context = browser.new_context(bypass_csp=True, **look)
        page = context.new_page()
        page.goto(f"{(tmp_path / 'page.html').as_uri()}#episode=3&turn=3")
        page.wait_for_selector("body[data-ready]")
        for back in (False, True):  # on a phone the list has a page of its own
            if back and width == 390:
                page.get_by_role("button", name="Episodes").click()
            found = axe.Axe().run(page)
            assert found.violations_count == 0, found.generate_report()
        page.get_by_role("button", name="Keys").click()
        found = axe.Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.goto("about:blank")
        page.goto(f"{(tmp_path / 'page.html').as_uri()}#episode=0&turn=3&with=12")
        page.locator("#other .moment").wait_for()
        found = axe.Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        context.close()


def test_what_hides_is_shown(show, tmp_path):
    said = [HOSTILE[5], HOSTILE[7]]
    done = rollout(THREE, FunctionAgent(lambda turn: said[turn.index % 2]), 1, seed=1)
    save_episodes(done, tmp_path / "a.jsonl")
    page = show(tmp_path / "a.jsonl", "#episode=0")
    reply = drawn_text(page.locator(".reply").first)
    for spelled in ("\u241b[2J", "\u2039U+202E\u203a", "nul \u2400", "U+D800", "U+E0041", "\u2407"):
        assert spelled in reply


def test_a_megabyte_is_cut(show, tmp_path):
    long = "word " * 200_000 + "END"
    done = rollout(THREE, FunctionAgent(lambda turn: long), 1, seed=1)
    save_episodes(done, tmp_path / "a.jsonl")
    page = show(tmp_path / "a.jsonl", "#episode=0")
    reply = page.locator(".reply pre").first
    assert len(drawn_text(reply)) < 10_000
    page.get_by_role("button", name="Show more: 997,003 characters").first.click()
    assert len(drawn_text(reply)) > 100_000


def test_simultaneous_moves_and_a_phone_in_the_dark(show, tmp_path):
    rollout("game:RockPaperScissors-v0", "random", 2, seed=1, out=tmp_path / "a.jsonl")
    page = show(tmp_path / "a.jsonl", "#episode=0&seen=", color_scheme="dark")
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.locator(".pane").count() == 2  # both seats
    assert page.locator(".moments").first.locator(".turn").count() == 2
    assert page.locator("#list").is_hidden()
    page.get_by_role("button", name="Episodes").click()
    assert page.locator("#list").is_visible()
    assert page.locator("#player").is_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == "rgb(18, 20, 25)"


def test_tool_calls_and_their_results(show, tmp_path):
    def calling(turn):
        call = {"id": "c", "function": {"name": "look", "arguments": '{"at": 4}'}}
        return Reply(turn.legal[0], tool_calls=[call] if turn.index == 0 else ())

    (episode,) = rollout(THREE, FunctionAgent(calling), 1, seed=1)
    steps = list(episode.steps)
    second = next(i for i, step in enumerate(steps) if step.agent == "x" and i)
    steps[second] = replace(steps[second], results=("an empty cell",))
    save_episodes([replace(episode, steps=steps)], tmp_path / "a.jsonl")
    page = show(tmp_path / "a.jsonl", "#episode=0")
    reply = drawn_text(page.locator(".reply").first)
    assert "Calls look" in reply
    assert "at: 4" in reply
    assert "Result\nan empty cell" in reply
    page.get_by_label("a spectator").check()
    assert "the observation differs from the record" in page.locator(".spectated").inner_text()


def test_calls_that_did_not_count(show, tmp_path):
    def calling(turn):
        calls = [{"id": n, "function": {"name": n, "arguments": "{}"}} for n in ("look", "leap")]
        return Reply(turn.legal[0], tool_calls=calls if turn.index == 0 else ())

    (episode,) = rollout(THREE, FunctionAgent(calling), 1, seed=1)
    steps = [replace(step, calls=1) for step in episode.steps]
    save_episodes([replace(episode, steps=steps)], tmp_path / "a.jsonl")
    reply = drawn_text(show(tmp_path / "a.jsonl", "#episode=0").locator(".reply").first)
    assert "Calls look" in reply
    assert "Not called: leap" in reply
