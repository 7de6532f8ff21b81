"""Measure the page of episodes: time to write, size, and how fast it opens."""

import argparse
import json
import shutil
import tempfile
import time
from pathlib import Path

from gem_ma import Reply, rollout
from gem_ma.agents import FunctionAgent
from gem_ma.evaluation import write_page

IDS = ("game:ConnectFour-v0", "game:KuhnPoker-v0", "visual:Clock-v0")
BROWSERS = ("chromium", "chromium-headless-shell", "chromium-browser", "google-chrome")

FILTER = """() => {
    const search = document.getElementById("search");
    const spent = (change) => {
        const start = performance.now();
        change();
        document.body.getBoundingClientRect();  // laid out, too
        return performance.now() - start;
    };
    return [spent(() => { search.value = "turns>4"; list(); }),
            spent(() => document.getElementById("by-turns").click())];
}"""


def said(turn):
    """Reply as a model does: thoughts, then a move."""
    thought = " ".join(f"Option {turn.seed >> n & 63} looks good." for n in range(40))
    move = turn.legal[turn.seed % len(turn.legal)] if turn.legal else "I do not know"
    return Reply(f"<think>{thought}</think>{move}", usage={"completion_tokens": 200})


def opened(page):
    """Return the seconds to open the page, show an episode, find a word, filter, and sort."""
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, chromium_sandbox=False)
        tab = browser.new_page(viewport={"width": 1280, "height": 800})
        times = [time.perf_counter()]
        tab.goto(page.as_uri())
        tab.wait_for_selector("body[data-ready]")
        times.append(time.perf_counter())
        tab.locator("#body tr").nth(100).click()
        tab.wait_for_selector("canvas[data-drawn]")
        times.append(time.perf_counter())
        tab.get_by_label("Search").fill("a word that nobody says")
        tab.locator("#count", has_text="0 of").wait_for()
        times.append(time.perf_counter())
        tab.get_by_label("Search").fill("")
        tab.locator("#body tr").nth(100).wait_for()
        filtered, ordered = tab.evaluate(FILTER)
        browser.close()
    names = ("opens", "episode", "search")
    found = {name: round(b - a, 3) for name, a, b in zip(names, times, times[1:], strict=False)}
    return {**found, "filter": round(filtered / 1000, 3), "sort": round(ordered / 1000, 3)}


def measure(id, episodes, observe, folder):
    path, page = folder / "episodes.jsonl", folder / "page.html"
    rollout(id, FunctionAgent(said), episodes, seed=0, observe=observe, out=path, progress=False)
    pngs = sum(file.stat().st_size for file in folder.rglob("*.png"))
    start = time.perf_counter(), time.process_time()
    done = write_page(path, page)
    return {
        "env": id,
        "episodes": done.episodes,
        "pictures": done.pictures,
        "jsonl MB": round(path.stat().st_size / 1e6, 2),
        "png MB": round(pngs / 1e6, 2),
        "page MB": round(page.stat().st_size / 1e6, 2),
        "write s": round(time.perf_counter() - start[0], 1),
        "write CPU s": round(time.process_time() - start[1], 1),
        **opened(page),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "ids", nargs="*", default=IDS, help=f"environments (default: {' '.join(IDS)})"
    )
    parser.add_argument("--episodes", type=int, default=2000)
    parser.add_argument("--observe", default="both", choices=("text", "image", "both"))
    args = parser.parse_args()
    for id in args.ids:
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(measure(id, args.episodes, args.observe, Path(folder))), flush=True)


if __name__ == "__main__":
    main()
