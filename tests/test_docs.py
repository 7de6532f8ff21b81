"""What README and docs show runs, their links lead somewhere, and the site builds.

The Python of a page is one script (commands are in test_shell.py); errors name the line of the
page. A block with a title is a file that the script imports. A comment before a block says what is
different:

- `needs: MODULE from gem-ma[EXTRA]`: it runs alone, where the module is there.
- `loopback: MODULE from gem-ma[EXTRA]`: the same, and OPENAI_BASE_URL names a chat server.
- `not run: WHY`, `command: NAME`, which CI runs, or `client: NAME` (test_clients_page.py runs it).
"""

import functools
import html
import os
import re
import sys
import tomllib
import urllib.parse
from pathlib import Path

import packs
import pytest
import warm
from pages import PAGES, TOP, blocks, pages_with, run, script, skip_without, write_files
from stub_server import StubServer

NEEDY = {
    f"{p}:{b.line}": b
    for p in PAGES
    for b in blocks(p)
    if b.mark in ("needs", "loopback") and b.language == "python"
}


def run_python(code, folder, **environment):
    (folder / "page.py").write_text(code)
    told = "ignore:1 of 1 episodes failed"  # where a page is about that
    run([*warm.python(), "-W", "error", "-W", told, "page.py"], folder, **environment)


@pytest.mark.parametrize("page", pages_with("python"))
def test_python(page, tmp_path):
    packs.skip_absent(script(page, "python"))
    write_files(page, tmp_path)
    run_python(script(page, "python"), tmp_path)


@pytest.mark.parametrize("place", NEEDY)
def test_python_that_needs_an_extra(place, tmp_path):
    packs.skip_absent(NEEDY[place].text)
    skip_without(NEEDY[place].about)
    if NEEDY[place].mark == "needs":
        run_python(NEEDY[place].text, tmp_path)
        return
    with StubServer(lambda body, attempt: r"\boxed{4}") as server:
        run_python(NEEDY[place].text, tmp_path, OPENAI_BASE_URL=server.url, OPENAI_API_KEY="none")
        assert server.requests


def test_blocks_are_found():
    assert len(pages_with("python")) > 8
    assert len(pages_with("sh")) > 4
    fences = sum(
        len(re.findall(r"^ *```(?:python|sh|jsonl)", page.read_text(), re.MULTILINE))
        for page in PAGES.values()
    )
    assert fences == sum(1 for page in PAGES for _ in blocks(page))  # none that nobody runs
    assert {b.mark for page in PAGES for b in blocks(page)} <= {
        "",
        "needs",
        "not run",
        "command",
        "client",
        "loopback",
        "typed",
    }


def test_the_readme_begins_with_a_match_models_that_play_and_one_that_learns():
    first, *others = blocks("README.md")
    assert (first.mark, first.about) == ("command", "play")
    assert first.line < 30
    assert "gem_ma.rollout(" in others[0].text
    assert "Trainer(" in others[1].text
    assert all(len(b.text.splitlines()) <= 12 and b.line < 60 for b in others[:2])
    (test,) = (b for b in others if (b.mark, b.about) == ("command", "test"))
    assert test.text.startswith("python3 -m venv")


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files(page):
    made = re.compile(r"docs/(environments/\w+|changelog)\.md")  # when the site is built
    for link in re.findall(r"\]\(([^)\s#]+)[^)\s]*\)", PAGES[page].read_text()):
        if "://" not in link:
            target = os.path.normpath(Path(page).parent / link)
            there = (TOP / target).exists() or made.fullmatch(target) or packs.absent_in(target)
            assert there, link


def test_extras_and_scripts_that_are_named_are_there():
    extras = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for page in PAGES.values():
        text = page.read_text()
        for names in re.findall(r"gem-ma\[([\w,-]+)\]", text):
            assert set(names.split(",")) <= set(extras), f"{page}: {names}"
        for path in re.findall(r"python ((?:examples|benchmarks)/[\w/]+\.py)", text):
            assert (TOP / path).is_file(), f"{page}: {path}"


@pytest.mark.slow
def test_the_site_builds_and_needs_no_network(tmp_path):
    pytest.importorskip("material", reason="pip install 'gem-ma[docs]'")
    site = tmp_path / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", str(site)]
    run([*command, "-f", str(TOP / "mkdocs.yml")], TOP, NO_MKDOCS_2_WARNING="1")
    pages = list(site.rglob("*.html"))
    assert site / "environments" / "ConnectFour.html" in pages
    for page in pages:
        text = page.read_text()
        loaded = re.findall(r"<(?:script|img|iframe)[^>]* src=\"?([^\" >]+)", text)
        loaded += re.findall(r"<link[^>]* rel=\"?stylesheet[^>]* href=\"?([^\" >]+)", text)
        assert not [one for one in loaded if re.match(r"(?:https?:)?//", one)], page
    assert [one for page in pages for one in broken(page)] == []


def broken(page):
    """Yield the links of a built page that do not lead somewhere from whatever folder it is in."""
    for quoted, bare in re.findall(
        r"<[a-z][^>]*?\s(?:href|src)=(?:\"([^\"]*)\"|([^\s>]+))", text_of(page)
    ):
        link = html.unescape(quoted or bare)
        if re.match(r"https?://|mailto:|data:", link):
            continue
        path, _, place = map(urllib.parse.unquote, link.partition("#"))
        target = (page.parent / path if path else page).resolve()
        mark = rf"\s(?:id|name)=\"?{re.escape(place)}[\"\s>]"
        if (
            link.startswith("/")
            or not target.is_file()
            or (place and target.suffix == ".html" and not re.search(mark, text_of(target)))
        ):
            yield f"{page.name}: {link}"


@functools.cache
def text_of(page):
    return page.read_text()
