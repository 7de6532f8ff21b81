"""The page of episodes, clicked through in a real browser."""

import base64
import hashlib
import json
import multiprocessing
import re
import shutil
import time
import zlib
from dataclasses import replace

import numpy as np
import packs
import pytest

from gem_ma import Reply, rollout, save_episodes
from gem_ma.agents import FunctionAgent
from gem_ma.cli.main import main
from gem_ma.envs.registry import Spec
from gem_ma.evaluation import viewer
from gem_ma.evaluation.viewer import UnreplayableEpisode, find_episode_files, spectate, write_page
from gem_ma.rollouts.episode import EpisodeFailure
from gem_ma.rollouts.records import RecordError, load_episodes

FOUR = "game:ConnectFour-v0"
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


def chatty(turn):
    """Think, then move; now and then say something that is no move."""
    told = {"usage": {"completion_tokens": 7, "prompt_tokens": 20}, "latency": 0.5}
    if turn.index == 1 and turn.seat == "red":
        return Reply("<think>Which column?</think>the ninety-first", **told)
    return Reply(f"<think>Hm.</think>\\boxed{{{turn.legal[0]}}}", **told)


@pytest.fixture(scope="module")
def episodes(tmp_path_factory):
    path = tmp_path_factory.mktemp("view") / "four.jsonl"
    agents = [FunctionAgent(chatty), "random"]
    rollout(FOUR, agents, 12, seed=3, observe="both", max_turns=9, out=path)
    return path


def unpacked(page):
    """Return the index of a page, and its episodes."""
    parts = dict(re.findall(r'<script type="text/plain" id="(\w+)">([^<]*)</script>', page))
    index = json.loads(zlib.decompress(base64.b64decode(parts["index"])))
    lines = []
    for number in range(index["blocks"]):
        block = zlib.decompress(base64.b64decode(parts[f"block{number}"])).decode()
        lines += [json.loads(line) for line in block.split("\n")]
    return index, lines


@pytest.fixture
def show(browser, tmp_path):
    """Return a function that opens the page of a file; the page may ask for nothing else."""
    contexts = []

    def show(source, moment="", **look):
        out = tmp_path / "page.html"
        write_page(source, out)
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


def test_page_without_a_browser(episodes, tmp_path):
    out = tmp_path / "page.html"
    done = write_page(episodes, out)
    assert done[0] == 12
    assert done.unseen == 0
    assert done.damaged == []
    page = out.read_text("ascii")
    index, lines = unpacked(page)
    assert len(index["episodes"]) == len(lines) == 12
    for row, told, episode in zip(index["episodes"], lines, load_episodes(episodes), strict=True):
        assert row["turns"] == len(told["steps"]) == len(episode.steps)
        assert row["invalid"] == sum(1 for step in episode.steps if step.invalid)
        assert row["tokens"] == 7 * sum(1 for step in episode.steps if step.agent == "red")
        assert [step["text"] for step in told["steps"]] == [step.text for step in episode.steps]
        assert told["seed"] == str(episode.seed)
        assert len(told["views"]) == len(told["steps"]) + 1
        assert told["views"][-1]["text"].count("R") >= 1
    raw = sum(file.stat().st_size for file in episodes.with_suffix(".pictures").iterdir())
    sheets = re.findall(r'id="sheet\d+">([^<]*)<', page)
    assert sum(map(len, sheets)) < raw / 10  # pictures share their squares


def test_the_list_says_how_each_episode_went(episodes, tmp_path):
    (episode, *_) = load_episodes(episodes)
    several = []
    for returns, ended, failure, outcome in (
        ({"red": 1.0, "yellow": -1.0}, "terminated", None, "red won"),
        ({"red": -1.0, "yellow": 1.0}, "terminated", None, "yellow won"),
        ({"red": 0.5, "yellow": 0.5}, "truncated", None, "+0.5 each"),
        ({"red": 1.0, "yellow": 1.0, "blue": 0.0}, "terminated", None, "red and yellow ahead"),
        ({"red": 0.0, "yellow": 0.0}, "terminated", None, "a draw"),
        ({"user": 1.0, "assistant": 1.0}, "terminated", None, "both solved it"),
        ({"red": 2.0, "yellow": 5.0}, "terminated", None, "yellow ahead"),
        ({"red": 0.0}, "terminated", None, "not solved"),
        ({"red": 0.25}, "terminated", None, "0.25 of 1"),
        ({"red": 1.0}, "truncated", None, "solved"),
        (
            {"red": 1.0, "yellow": -1.0},
            "failed",
            EpisodeFailure("red", "OSError", "gone"),
            "failed",
        ),
    ):
        agents = dict.fromkeys(returns, "random")
        told = {"returns": returns, "ended": ended, "failure": failure, "agents": agents}
        number = len(several)
        one = replace(episode, number=number, seconds=1.5 + number, **told)
        row = {
            "file": "some.jsonl", "id": episode.id, "number": number, "env": FOUR,
            "agents": [[seat, "random"] for seat in returns], "returns": [*returns.values()],
            "outcome": outcome, "ended": ended, "turns": len(episode.steps),
            "tokens": 7 * sum(step.agent == "red" for step in episode.steps),
            "invalid": sum(bool(step.invalid) for step in episode.steps),
            "seconds": 1.5 + number, "block": 0, "line": number,
        }  # fmt: skip
        several.append((one, row))
    save_episodes([one for one, _ in several], tmp_path / "some.jsonl")
    write_page(tmp_path / "some.jsonl", tmp_path / "page.html", spectator=False)
    index, _ = unpacked((tmp_path / "page.html").read_text())
    assert len({row.pop("start") for row in index["episodes"]}) == 1
    assert index["episodes"] == [row for _, row in several]


def test_a_page_may_run_its_own_script_and_nothing_else(episodes, tmp_path):
    write_page(episodes, tmp_path / "page.html", most=0)
    page = (tmp_path / "page.html").read_text()
    (policy,) = re.findall('http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    own = []
    for name in ("script", "style"):
        (inside,) = re.findall(f"<{name}>(.*?)</{name}>", page, re.S)
        digest = hashlib.sha256(inside.encode()).digest()
        own.append(f"{name}-src 'sha256-{base64.b64encode(digest).decode()}'")
    none = ["default-src 'none'", "base-uri 'none'", "form-action 'none'"]
    assert policy.split("; ") == [*none, *own]


@packs.needs("tasks")
def test_an_episode_is_played_again_with_its_options():
    options = [{"index": 3}, {"index": 40}]
    for episode in rollout("math:Mini", lambda turn: "1", 2, options=options):
        first, *_ = spectate(episode)
        assert episode.steps[0].text in first.text


def test_without_spectator(episodes, tmp_path):
    write_page(episodes, tmp_path / "page.html", spectator=False)
    _, lines = unpacked((tmp_path / "page.html").read_text())
    assert {line["unseen"] for line in lines} == {"it was left out of this page"}


def test_damaged_lines_are_left_out_and_named(episodes, tmp_path):
    first, second, *_ = episodes.read_bytes().splitlines(keepends=True)
    data = json.loads(first)
    wrong = [
        b"\x00\xff junk\n",
        b'{"gem_ma": 99}\n',
        b'{"gem_ma": 1}\n',
        b"[" * 100_000 + b"\n",
        json.dumps({**data, "steps": [{"agent": 3}]}).encode() + b"\n",
        json.dumps({**data, "returns": {"red": "much"}, "steps": 5}).encode() + b"\n",
        json.dumps({**data, "agents": [1]}).encode() + b"\n",
    ]
    path = tmp_path / "four.jsonl"
    path.write_bytes(first + b"".join(wrong) + second + first[:-20])
    done = write_page(path, tmp_path / "page.html")
    assert done.episodes == 2
    assert [damage.line for damage in done.damaged] == [2, 3, 4, 5, 6, 7, 8, 10]
    assert "cut off" in str(done.damaged[-1])
    assert "format 99" in str(done.damaged[1])
    assert len(unpacked((tmp_path / "page.html").read_text())[0]["damaged"]) == 8


def test_folders(episodes, tmp_path):
    (tmp_path / "deep" / "er").mkdir(parents=True)
    for name in ("a.jsonl", "deep/er/b.jsonl"):
        shutil.copy(episodes, tmp_path / name)
    (tmp_path / "deep" / "notes.jsonl").write_text('{"other": 1}\n')
    assert [p.name for p in find_episode_files(tmp_path)] == ["a.jsonl", "b.jsonl"]
    done = write_page(tmp_path, tmp_path / "page.html")
    assert done.episodes == 24
    index, lines = unpacked((tmp_path / "page.html").read_text())
    assert {row["file"] for row in index["episodes"]} == {"a.jsonl", "deep/er/b.jsonl"}
    write_page(episodes, tmp_path / "page.html")
    _, whole = unpacked((tmp_path / "page.html").read_text())
    for line, one in zip(lines, whole * 2, strict=True):  # pictures were not copied: drawn again
        assert len(line["pictures"]) == len(one["pictures"])
        assert [step["picture"] for step in line["steps"]] == [
            step["picture"] for step in one["steps"]
        ]
    write_page(tmp_path / "a.jsonl", tmp_path / "page.html", spectator=False)
    _, lines = unpacked((tmp_path / "page.html").read_text())
    assert all(step["lost"] for step in lines[0]["steps"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(RecordError, match="none of the files"):
        find_episode_files(tmp_path / "empty")
    with pytest.raises(FileNotFoundError, match="no such file"):
        find_episode_files(tmp_path / "nowhere")
    with pytest.raises(RecordError, match="no file of episodes"):
        find_episode_files(tmp_path / "deep" / "notes.jsonl")


def altered(episode, **spec):
    spec = {"id": episode.spec.id, "entry_point": episode.spec.entry_point, "kwargs": {}, **spec}
    return replace(episode, spec=Spec(**spec))


def test_a_file_makes_nothing_run(episodes, tmp_path):
    (episode, *_) = load_episodes(episodes)
    mark = tmp_path / "mark"
    for wrong, why in (
        (
            altered(episode, entry_point="subprocess:Popen", kwargs={"args": ["touch", str(mark)]}),
            "another",
        ),
        (altered(episode, id="game:Nobody-v0"), "registered"),
        (altered(episode, kwargs={"what": 1}), "UnknownArgument"),
        (replace(episode, seed=episode.seed, wrappers=("Wrapper",)), "Wrapper"),
        (replace(episode, steps=episode.steps[1:]), "is to act|something else"),
    ):
        with pytest.raises(UnreplayableEpisode, match=why):
            list(spectate(wrong))
    assert not mark.exists()
    secret = tmp_path / "secret.png"
    secret.write_bytes(episode.steps[0].observation["image"].png)
    line = episodes.read_text().splitlines()[0]
    key = json.loads(line)["steps"][0]["observation"]["image"]["picture"]
    path = tmp_path / "four.jsonl"
    path.write_text(line.replace(key, "../secret") + "\n")
    (tmp_path / "four.pictures").mkdir()
    done = write_page(path, tmp_path / "page.html")
    assert done[:3] == (0, 0, 0)
    assert "'../secret' is no key of a picture" in str(done.damaged[0])


def with_arguments(path, *several):
    """Write an episode several times, each as if its game had other arguments."""
    (data,) = map(json.loads, path.read_text().splitlines()[:1])
    lines = []
    for number, (arguments, options) in enumerate(several):
        spec = {**data["spec"], "kwargs": arguments}
        lines.append(json.dumps({**data, "number": number, "spec": spec, "options": options}))
    path.write_text("".join(f"{line}\n" for line in lines))


def reasons(path, out, **kwargs):
    done = write_page(path, out, **kwargs)
    lines = unpacked(out.read_text())[1]
    assert done.unseen == sum("unseen" in line for line in lines)
    assert all(("views" in line) != ("unseen" in line) for line in lines)
    return [line.get("unseen") for line in lines]


def test_no_argument_of_a_record_holds_the_page_up(tmp_path, monkeypatch):
    monkeypatch.setattr(viewer, "_MAX_SECONDS", 1.5)
    monkeypatch.setattr(viewer, "_MAX_STRIKES", 1)
    path, out = tmp_path / "guess.jsonl", tmp_path / "page.html"
    rollout("game:GuessTheNumber-v0-easy", "random", 1, seed=0, max_number=9, out=path)
    told = {"min_number": 1, "max_number": 9, "max_turns": 4}
    with_arguments(
        path,
        (told, {}),
        ({**told, "max_number": 10**11}, {}),  # it makes a list of all numbers
        (told, {}),
        ({**told, "max_number": 10**11}, {"any": "words"}),
        ({**told, "image_size": [100_000, 100_000]}, {}),
        ({**told, "image_size": ["a", 10**9]}, {}),
        ({**told, "max_number": "9"}, {}),
        ({**told, "max_number": [[1]] * 50}, {}),
    )
    start = time.monotonic()
    found = reasons(path, out)
    assert time.monotonic() - start < 60
    assert found[0] is None
    assert re.search("took more than 1.5 s or 2 GiB|MemoryError", found[1])
    for one in (2, 3):  # the next that are not as they are registered
        assert re.search("1 like it took too long|MemoryError|None", str(found[one]))
    assert "its pictures are too large" in found[4]
    assert "its pictures are too large" in found[5]
    assert "is not registered with max_number='9'" in found[6]
    assert "is not registered with max_number=[[1]" in found[7]
    assert not multiprocessing.active_children()
    with_arguments(path, *[(told, {})] * 3)
    assert reasons(path, out) == [None] * 3
    assert reasons(path, out, trust=True) == [None] * 3


def test_only_so_many_are_played_again(episodes, tmp_path):
    out = tmp_path / "page.html"
    found = reasons(episodes, out, most=5)
    assert found[:5] == [None] * 5
    assert set(found[5:]) == {"only the first 5 are played again; --spectators sets how many"}
    assert reasons(episodes, out, most=None) == [None] * 12
    assert len(reasons(episodes, out, most=0)) == 12


def test_a_page_through_a_link_leaves_the_link(episodes, tmp_path):
    (tmp_path / "link.html").symlink_to(tmp_path / "page.html")
    write_page(episodes, tmp_path / "link.html", most=0)
    assert (tmp_path / "link.html").is_symlink()
    assert len(unpacked((tmp_path / "page.html").read_text())[1]) == 12


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
    assert "'the ninety-first' is not a legal move" in invalid.inner_text()
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
    assert re.search("The end: (red|yellow) won", page.locator(".about.turn").inner_text())
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
    assert page.locator("#body tr").count() == len(done)
    for row, episode in enumerate(done):
        page.locator("#body tr").nth(row).click()
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
    reply = page.locator(".reply").first.inner_text()
    for spelled in ("\u241b[2J", "\u2039U+202E\u203a", "nul \u2400", "U+D800", "U+E0041", "\u2407"):
        assert spelled in reply


def test_a_megabyte_is_cut(show, tmp_path):
    long = "word " * 200_000 + "END"
    done = rollout(THREE, FunctionAgent(lambda turn: long), 1, seed=1)
    save_episodes(done, tmp_path / "a.jsonl")
    page = show(tmp_path / "a.jsonl", "#episode=0")
    reply = page.locator(".reply pre").first
    assert len(reply.inner_text()) < 10_000
    page.get_by_role("button", name="Show more: 997,003 characters").first.click()
    assert len(reply.inner_text()) > 100_000


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
    reply = page.locator(".reply").first.inner_text()
    assert "Calls look" in reply
    assert "at: 4" in reply
    assert "Result\nan empty cell" in reply
    page.get_by_label("a spectator").check()
    assert "sees something else" in page.locator(".spectated").inner_text()


def test_calls_that_did_not_count(show, tmp_path):
    def calling(turn):
        calls = [{"id": n, "function": {"name": n, "arguments": "{}"}} for n in ("look", "leap")]
        return Reply(turn.legal[0], tool_calls=calls if turn.index == 0 else ())

    (episode,) = rollout(THREE, FunctionAgent(calling), 1, seed=1)
    steps = [replace(step, calls=1) for step in episode.steps]
    save_episodes([replace(episode, steps=steps)], tmp_path / "a.jsonl")
    reply = show(tmp_path / "a.jsonl", "#episode=0").locator(".reply").first.inner_text()
    assert "Calls look" in reply
    assert "Not called: leap" in reply


def test_commands(episodes, tmp_path, capsys):
    def run(*words):
        return main([*map(str, words)])

    path, out = tmp_path / "four.jsonl", tmp_path / "page.html"
    path.write_bytes(episodes.read_bytes() + b"cut")
    assert run("view", path, "--out", out) == 0
    told = capsys.readouterr()
    assert re.fullmatch(rf"12 episodes and \d+ pictures in {out}, 0\.\d MB\n", told.out)
    assert told.err == "left out: four.jsonl, line 13: cut off, as when the writer was stopped\n"
    assert list(tmp_path.glob("page.html*")) == [out]
    for words in (
        ("view", tmp_path / "none", "--out", out),
        ("view", __file__, "--out", out),
        ("view", path, "--out", tmp_path),
        ("view", path, "--out", tmp_path / "no" / "page.html"),
        ("watch", "game:Nothing-v0"),
        ("watch", path, "--seat", "green"),
    ):
        assert run(*words) == 2
        told = capsys.readouterr()
        assert told.out == ""
        assert re.fullmatch(r"gem-ma: .+\n", told.err)
    assert run("view", path, "--out", out, "--spectators", "3") == 0
    assert "9 of them were not played again; the page says why" in capsys.readouterr().out
    assert run("view", path, "--out", out, "--spectators", "all", "--trust") == 0
    assert "not played again" not in capsys.readouterr().out
    assert run("watch", path, "--delay", "0", "--episode", "1", "--trust") == 0
    assert "episode 1," in capsys.readouterr().out
