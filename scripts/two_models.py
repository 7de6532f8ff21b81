"""Draw README's picture of two models at work, from an episode of recipe 4 and one of recipe 6.

    python scripts/two_models.py shop.jsonl reference.jsonl --out docs/figures/two-models.png

Of each file it is the first episode that went well. Needs `gem-ma[browser]` and a Chromium.
"""

import argparse
import base64
import html
import json
import shutil

import gem_ma
from gem_ma.renderers import png

PAGE = """<!doctype html><meta charset="utf-8"><style>
body { margin: 0; padding: 28px; width: 1144px; background: #fff; color: #1c1c22;
  font: 17px/1.4 system-ui, "DejaVu Sans", sans-serif; display: flex; gap: 28px; }
section { flex: 1; border: 1px solid #d8dade; border-radius: 14px; padding: 20px 22px; }
h2 { font-size: 17px; margin: 0 0 14px; } h2 span { color: #6a6f78; font-weight: normal; }
p { margin: 8px 0; padding: 8px 13px; border-radius: 13px; width: fit-content; max-width: 82%; }
.a { background: #dfeafd; } .b { background: #fde6d8; margin-left: auto; }
.call { font: 14px/1.4 "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
.end { background: #e3f3e3; margin: 14px auto 0; }
.who { color: #6a6f78; font-size: 14px; margin: 10px 2px 0; }
.right { text-align: right; }
img { border: 1px solid #d8dade; border-radius: 8px; display: block; margin: 6px 0; }
.row { display: flex; gap: 18px; justify-content: space-between; }
</style>"""


def bubble(kind, text):
    return f'<p class="{kind}">{html.escape(text)}</p>'


def said(reply):
    """Return what a reply says, and whether it is a call of a tool."""
    if not reply.startswith("{"):
        return reply, False
    call = json.loads(reply)
    arguments = ", ".join(f"{name}={value!r}" for name, value in call["arguments"].items())
    return f"{call['name']}({arguments})", True


def dialogue(episode):
    """Return a talk of a customer and an assistant."""
    lines = ["<h2>tau:shop <span>a customer and an assistant with tools</span></h2>"]
    for step in episode.steps:
        text, call = said(str(step.reply).strip())
        kind = "a" if step.agent == "user" else "b"
        if not text.startswith("###"):
            lines.append(bubble(kind + " call" * call, text))
    return "".join([*lines, bubble("end", "the order is as it should be: both +1")])


def sight(env, seat):
    data = base64.b64encode(png.from_array(env.observe(seat)["image"])).decode()
    return f'<img src="data:image/png;base64,{data}" width="228">'


def reference(episode):
    """Return what two saw and said, who have to find out which picture is meant."""
    env = gem_ma.make(
        episode.spec.id, **{**episode.spec.kwargs, "observe": "image", "image_size": 252}
    )
    env.reset(seed=episode.seed)
    seats, (first, second) = env.possible_agents, episode.steps
    told = [
        "<h2>game:ReferenceGame-v0 <span>two that see different things</span></h2>",
        '<div class="row"><div><div class="who">the speaker sees</div>',
        sight(env, seats[0]),
        '</div><div><div class="who">the listener sees</div>',
        sight(env, seats[1]),
        "</div></div>",
        '<div class="who">speaker</div>',
        bubble("a", str(first.reply).strip()),
        '<div class="who right">listener</div>',
        bubble("b", str(second.reply).strip()),
        bubble("end", "the picture that was meant: both +1"),
    ]
    return "".join(told)


def good(path):
    return next(e for e in gem_ma.load_episodes(path) if min(e.returns.values()) == 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("shop", help="a file of episodes of tau:shop")
    parser.add_argument("reference", help="a file of episodes of game:ReferenceGame-v0")
    parser.add_argument("--out", default="docs/figures/two-models.png")
    args = parser.parse_args()
    from playwright.sync_api import sync_playwright

    parts = dialogue(good(args.shop)), reference(good(args.reference))
    with sync_playwright() as engine:
        found = shutil.which("chromium-headless-shell") or shutil.which("chromium")
        browser = engine.chromium.launch(executable_path=found, chromium_sandbox=False)
        page = browser.new_page(viewport={"width": 1200, "height": 500})
        page.set_content(PAGE + "".join(f"<section>{part}</section>" for part in parts))
        page.screenshot(path=args.out, full_page=True)
        browser.close()


if __name__ == "__main__":
    main()
