"""Draw README's picture of two models in a dialogue: an episode of recipe 4.

    python scripts/two_models.py shop.jsonl

The script uses the first successful episode. It needs `gem-ma[browser]` and Chromium.
"""

import argparse
import html
import json
import shutil

import gem_ma

PAGE = """<!doctype html><meta charset="utf-8"><style>
body { margin: 0; padding: 12px; width: 756px; background: #fff; color: #1c1c22;
  font: 17px/1.4 system-ui, "DejaVu Sans", sans-serif; }
section { border: 1px solid #d8dade; border-radius: 14px; padding: 18px 22px; }
h2 { font-size: 17px; margin: 0 0 12px; } h2 span { color: #6a6f78; font-weight: normal; }
p { margin: 7px 0; padding: 7px 13px; border-radius: 13px; width: fit-content; max-width: 84%; }
.a { background: #dfeafd; } .b { background: #fde6d8; margin-left: auto; }
.call { font: 14px/1.4 "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
.end { background: #e3f3e3; margin: 12px auto 0; }
</style>"""


def said(reply):
    """Return the text of a reply, and whether it is a tool call."""
    if not reply.startswith("{"):
        return reply, False
    call = json.loads(reply)
    arguments = ", ".join(f"{name}={value!r}" for name, value in call["arguments"].items())
    return f"{call['name']}({arguments})", True


def dialogue(episode):
    """Return a page with the dialogue of a customer and an assistant."""
    lines = ["<h2>tau:shop <span>a customer, and an assistant with tools</span></h2>"]
    for step in episode.steps:
        text, call = said(str(step.reply).strip())
        kind = "a" if step.agent == "user" else "b"
        if not text.startswith("###"):
            lines.append(f'<p class="{kind}{" call" * call}">{html.escape(text)}</p>')
    return "".join([*lines, '<p class="end">as the customer wished: both earn 1</p>'])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("episodes", help="a file with episodes of tau:shop")
    parser.add_argument("--out", default="docs/figures/two-models.png")
    args = parser.parse_args()
    from playwright.sync_api import sync_playwright

    done = (one for one in gem_ma.load_episodes(args.episodes) if min(one.returns.values()) == 1)
    with sync_playwright() as engine:
        found = shutil.which("chromium-headless-shell") or shutil.which("chromium")
        browser = engine.chromium.launch(executable_path=found, chromium_sandbox=False)
        page = browser.new_page(viewport={"width": 780, "height": 300})
        page.set_content(f"{PAGE}<section>{dialogue(next(done))}</section>")
        page.screenshot(path=args.out, full_page=True)
        browser.close()


if __name__ == "__main__":
    main()
