"""Take the screenshots docs/figures/arena-*.png: arena and viewer, two widths, light and dark."""

import io
import json
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

import gem_ma
from gem_ma.rollouts import save_episodes

OUT = Path(__file__).parent.parent / "docs" / "figures"
FOUR, SHOP = "game:ConnectFour-v0", "tau:shop"
SIZES = ((1280, 800), (390, 844))
HIGH = 560  # height of each screenshot in a sheet, in pixels
GAP = 12


def sit(page, url, env, **seats):
    """Start a match."""
    page.goto(url + "#")
    page.locator("#matches > *").first.wait_for()
    page.locator(f"#places input[value='{env}']").check(force=True)
    for seat, who in seats.items():
        page.select_option(f"#chairs select[name='{seat}']", who)
    page.get_by_role("button", name="Begin").click()
    page.locator("#state", has_text="your turn").wait_for()


def rated(url, agents):
    """Play some matches between agents, so that there are ratings."""
    for number in range(6):
        pair = agents if number % 2 else agents[::-1]
        seats = dict(zip(("red", "yellow"), pair, strict=True))
        body = json.dumps({"env": FOUR, "name": "Ann", "seats": seats}).encode()
        urllib.request.urlopen(urllib.request.Request(f"{url}api/matches", body)).close()


def lobby(page, url):
    """Open the list of games and past matches."""
    page.goto(url)
    page.locator("#matches > *").first.wait_for()
    page.fill("#name", "Ann")


def match(page, url):
    """Open a match with some chat messages."""
    lobby(page, url)
    page.get_by_text("More", exact=True).click()
    page.select_option("#clock", "120")
    sit(page, url, FOUR, red="me", yellow="search:depth=3")
    for number, column in enumerate((3, 4, 2)):
        page.locator(".square").nth(column).click()
        page.locator(".said").nth(number).wait_for()
        page.locator("#state", has_text="your turn").wait_for()
    page.fill("#words", "Good luck!")
    page.press("#words", "Enter")
    page.locator("#lines", has_text="luck").wait_for()
    page.evaluate("document.activeElement.blur(); document.querySelector('#stage').scrollTop = 0")


def read(page, url, name):
    """Open the viewer on the given records."""
    page.goto(f"{url}api/records/r0/replay#{name}")
    page.locator("body[data-ready]").wait_for()
    page.wait_for_timeout(500)


def replay(page, url):
    """Open a recorded game in the middle of its replay."""
    read(page, url, "episode=1&turn=12")


def summary(page, url):
    """Open the summary of all episodes."""
    read(page, url, "episode=1&turn=12")
    if page.get_by_role("button", name="Episodes").is_visible():
        page.get_by_role("button", name="Episodes").click()
        page.locator("#summary > summary").click()
    page.fill("#search", "turns>30")
    page.wait_for_timeout(400)


def transcript(page, url):
    """Open a conversation."""
    read(page, url, "episode=41&turn=3")


def sheet(pictures):
    """Place the wide and the narrow screenshot of each colour scheme in a row."""
    rows = []
    for row in (pictures[:2], pictures[2:]):
        row = [one.resize((round(one.width * HIGH / one.height), HIGH)) for one in row]
        rows.append(row)
    wide = sum(one.width for one in rows[0]) + GAP
    whole = Image.new("RGB", (wide, 2 * HIGH + GAP), "white")
    for number, row in enumerate(rows):
        left = 0
        for one in row:
            whole.paste(one, (left, number * (HIGH + GAP)))
            left += one.width + GAP
    return whole.quantize(256, kmeans=4, dither=Image.Dither.NONE)


def main(chromium):
    """Serve an arena with past matches, and take its screenshots."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as running:
        records = Path(folder) / "records.jsonl"
        two, four = "search:depth=2", "search:depth=4"
        played = [
            *gem_ma.rollout(FOUR, {"red": two, "yellow": four}, 20, seed=1),
            *gem_ma.rollout(FOUR, {"red": four, "yellow": two}, 20, seed=2),
            *gem_ma.rollout(SHOP, {"user": "user:plain", "assistant": "informed-assistant"}, 20),
        ]
        for number, episode in enumerate(played):
            episode.number = number
        save_episodes(played, records)
        words = ["--out", f"{folder}/arena", "--port", "0", "--records", records]
        words += ["--agents", "random,search:depth=3,informed-assistant"]
        command = [sys.executable, "-m", "gem_ma.cli", "arena", *map(str, words)]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            url = server.stdout.readline().strip()
            browser = running.chromium.launch(executable_path=chromium, chromium_sandbox=False)
            rated(url, ("random", "search:depth=3"))
            shots = {}
            for show in (match, lobby, replay, summary, transcript):
                for scheme in ("light", "dark"):
                    for width, height in SIZES:
                        look = {"viewport": {"width": width, "height": height}}
                        context = browser.new_context(color_scheme=scheme, **look)
                        page = context.new_page()
                        show(page, url)
                        page.wait_for_timeout(300)
                        shot = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
                        shots.setdefault(show.__name__, []).append(shot)
                        context.close()
            for name, pictures in shots.items():
                sheet(pictures).save(OUT / f"arena-{name}.png", optimize=True)
        finally:
            server.kill()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
