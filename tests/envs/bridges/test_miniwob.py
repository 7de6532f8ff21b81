"""MiniWoB++'s pages in a real browser, used as our own screens are."""

import gc
import os
import re
import subprocess
import time

import numpy as np
import pytest

import gem_ma
from gem_ma.envs.bridges import miniwob
from gem_ma.envs.registry import MissingRequirement
from gem_ma.game import InvalidMove
from gem_ma.testing import check_env


@pytest.fixture(scope="module")
def pages():
    """Skip where there is no MiniWoB++, or no browser with a driver."""
    pytest.importorskip("miniwob", reason="pip install 'gem-ma[miniwob]'")
    try:
        miniwob.where()
    except MissingRequirement as error:
        pytest.skip(str(error))


def begun(name, seed=0, **kwargs):
    env = gem_ma.make(f"gym:miniwob/{name}-v1", **kwargs)
    env.reset(seed=seed)
    return env


def shown(env):
    """Return all that the player reads."""
    return env.observe("player")["text"]


def ref(env, words):
    """Return the ref of what says this."""
    return re.search(rf"\[(e\d+)\] .*{re.escape(words)}", shown(env))[1]


def click(env, words):
    env.step(f"click({ref(env, words)})")


def asked(env):
    """Return what stands between quotes in the task."""
    return re.findall(r'"([^"]*)"', shown(env).partition("\n\n[e1]")[0])[-1]


def test_photos_are_refused(pages):
    with pytest.raises(ValueError, match=r"name points of its picture, which a photo"):
        gem_ma.make("gym:miniwob/click-test-2-v1", noise="photo:5")


def test_buttons(pages):
    env = begun("click-test-2")
    right, wrong = env.fork(2)
    click(right, "ONE")
    click(wrong, "TWO")
    assert (right.rewards, wrong.rewards) == ({"player": 1.0}, {"player": -1.0})
    assert right.terminations["player"]
    assert shown(right).endswith("The page is closed.")


def test_typing_and_keys(pages):
    env = begun("enter-text")
    name = asked(env)
    click(env, "textbox")
    env.step('type("no, not this")')
    assert "holds 'no, not this', focused" in shown(env)
    env.step('key("ctrl+a")')
    env.step(f'type("{name}")')
    env.step('{"action": "key", "text": "Tab"}')  # as a call of a computer tool
    env.step('key("Enter")')
    assert env.rewards == {"player": 1.0}


def test_dragging(pages):
    env = begun("drag-box")
    small, large = ref(env, '"s"'), ref(env, '"L"')
    env.step(f"drag({small}, {large})")
    click(env, "Submit")
    assert env.rewards == {"player": 1.0}


@pytest.mark.parametrize("seed", range(2))  # to the top, to the bottom
def test_scrolling(pages, seed):
    env = begun("scroll-text-2", seed)
    to = -9999 if "to the top" in shown(env) else 9999
    env.step("scroll({}, {})".format(ref(env, "textbox"), to))
    click(env, "Submit")
    assert env.rewards == {"player": 1.0}


def test_the_picture_is_the_page(pages):
    env = begun("click-test-2", observe="both")
    seen = env.observe("player")
    assert seen["image"].shape == (210, 160, 3)
    x, y = map(int, re.search(r'"ONE" at \((\d+), (\d+)\)', seen["text"]).groups())
    around = seen["image"][y - 20 : y + 20, x - 20 : x + 20].astype(int)
    assert np.ptp(around) > 100  # letters on a button


def test_the_clock_stands_still(pages):
    env = begun("click-test-2")
    live = env.match.state.line.take(0)
    assert live.env._driver.execute_script("return core.EPISODE_MAX_TIME;") > 2e9
    env.match.state.line.put(live)


def test_what_is_no_action(pages):
    env = begun("click-test-2")
    for reply in ("click(161, 5)", "click(e99)", "jump(3, 4)", "click(", ""):
        with pytest.raises(InvalidMove):
            env.match.game.read(reply, env.match.state, "player")


def test_the_same_episode_again_whatever_was_before(pages):
    first = begun("login-user", 3)
    words = shown(first)
    for reply in ("click(e2)", 'type("left")', "scroll(e1, 50)", 'key("Tab")'):
        first.step(reply)
    first.reset(seed=3)
    assert shown(first) == words == shown(begun("login-user", 3))


@pytest.mark.slow  # it starts some hundred browsers
def test_contract(pages):
    check_env(gem_ma.make("gym:miniwob/click-test-2-v1"), seeds=1, processes=False)


def test_no_browser_stays(pages):
    env = begun("click-test-2")
    live = env.match.state.line.take(0)
    process = live.env._driver.service.process
    started = descendants(process.pid)
    env.match.state.line.put(live)
    assert process.poll() is None
    assert any("type=renderer" in line for line in started.values())
    del env, live
    gc.collect()
    assert process.poll() is not None
    deadline = time.monotonic() + 10
    while (left := started.keys() & processes().keys()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not left


def test_a_script_that_waits_for_its_browser_is_not_what_a_driver_starts(tmp_path):
    real, script, other = (tmp_path / name for name in ("real", "script", "other"))
    real.write_bytes(b"\x7fELF")
    script.write_text(f'#!/bin/sh -e\n\n{real} "$@"\n')
    other.write_text(f'#!/bin/sh\nexec {real} "$@"\n')  # in whose place the browser is
    assert [miniwob.find_program(str(one)) for one in (real, script, other)] == [
        *(str(real), str(real), str(other))
    ]


def processes():
    """Return the parent and the command of every process that lives."""
    lines = subprocess.run(
        ["ps", "-eo", "pid=,ppid=,stat=,args="], capture_output=True, text=True
    ).stdout.splitlines()
    split = [line.split(maxsplit=3) for line in lines]
    return {int(pid): (int(parent), line) for pid, parent, stat, line in split if stat[0] != "Z"}


def descendants(root):
    """Return the processes below one, with their commands."""
    every, found = processes(), {}
    below = {root}
    while below:
        found |= {pid: every[pid][1] for pid in below}
        below = {pid for pid, (parent, _) in every.items() if parent in below} - found.keys()
    return found


def test_few_browsers_wait(pages):
    before = len(browsers())
    envs = [begun("click-test-2", seed) for seed in range(4)]
    assert len(browsers()) == before + 4
    for env in envs:
        env.close()
    assert len(browsers()) <= 2
    envs[0].reset(seed=0)  # in a browser of its own again
    click(envs[0], "ONE")
    assert envs[0].rewards == {"player": 1.0}


def browsers():
    """Return the drivers of browsers that were started here."""
    found = subprocess.run(
        ["ps", "-o", "pid=,stat=,comm=", "--ppid", str(os.getpid())], capture_output=True, text=True
    ).stdout.splitlines()
    return [one for one in found if "chromedriver" in one and " Z" not in one]


def test_what_it_needs_is_named(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    for name in ("MINIWOB_CHROMEDRIVER", "MINIWOB_CHROME_BINARY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(MissingRequirement, match="apt install chromium-driver"):
        miniwob.where()


def test_a_page_that_is_left_while_it_is_observed_ends_the_episode(pages, monkeypatch):
    env = begun("flight.Alaska")
    script = """
        core.getDOMInfo = () => undefined.getDOMInfo  // as between two pages
        const link = core.flightChildWindow().document.querySelector('#legal-link a')
        setTimeout(() => link.click(), 300)
    """

    def go(browser, action):
        browser._driver.execute_script(script)

    monkeypatch.setattr(miniwob.Browser, "_do", go)
    env.step("wait()")
    assert (env.rewards, env.terminations) == ({"player": -1.0}, {"player": True})


@pytest.mark.slow
def test_every_page(pages):
    import gymnasium

    found = [id for id in gymnasium.registry if id.startswith("miniwob/")]
    assert len(found) > 100
    for id in found:
        env = gem_ma.make(f"gym:{id}")
        env.reset(seed=0)
        for _ in range(10):
            if not env.to_act:
                break
            env.step(env.sample_random_action())
        assert -1 <= env.rewards["player"] <= 1, id
        env.close()
