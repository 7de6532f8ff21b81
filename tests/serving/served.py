"""An arena that tests start, kill and look at, in browsers and by WebSocket."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("starlette", reason="pip install 'gem-ma[arena]'")
websockets = pytest.importorskip("websockets", reason="pip install 'gem-ma[arena]'")
pytest.importorskip("uvicorn", reason="pip install 'gem-ma[arena]'")

FOUR, HANDS, KUHN = "game:ConnectFour-v0", "game:RockPaperScissors-v0", "game:KuhnPoker-v0"
SHOP, SCREEN = "tau:shop", "screens:login"
AXE = "pip install axe-playwright-python"
HOSTILE = (
    "<img src=x onerror='window.hurt=1'></textarea><script>window.hurt=2</script>\u202e",
    "\"'><svg onload=window.hurt=3><iframe srcdoc='<script>parent.hurt=4</script>'>",
    "javascript:window.hurt=5//",
    "${window.hurt=6} {{window.hurt=7}} `${window.hurt=8}`",
    "</script><script>window.hurt=9</script><!--",
    "__proto__",
    "constructor",
    "\x00\x1b[2J \u2066a\u2069 \ud800 \U000e0041",
    "../../../etc/passwd",
    "' onfocus=window.hurt=10 autofocus x='",
)


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
    """Wait until it is this person's turn."""
    page.locator("#state", has_text="your turn").wait_for()


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
