"""What README and docs show runs, their links lead somewhere, and the site builds.

The Python of a page is one script, and so are the commands of a chapter; errors name the line of
the page. A block with a title is a file that the script imports. A comment before a block says
what is different: `needs: MODULE from gem-ma[EXTRA]` (it runs alone, where the module is there),
`not run: WHY`, `command: NAME`, which CI runs, or `client: NAME` (test_clients_page.py runs it).
"""

import importlib.util
import itertools
import os
import re
import sys
import tomllib
from pathlib import Path

import pytest
from pages import PAGES, TOP, blocks, run


def pages_with(language):
    """Return the pages that have something of a language to run."""
    return [p for p in PAGES if any(b.language == language and not b.mark for b in blocks(p))]


def script(page, language):
    """Return what is to run of a page, with empty lines for the rest of it."""
    lines = []
    for block in blocks(page):
        if block.language == language and not block.mark and not block.title:
            lines += [""] * (block.line - 1 - len(lines))
            lines += block.text.splitlines()
    return "\n".join(lines)


NEEDY = {f"{p}:{b.line}": b for p in PAGES for b in blocks(p) if b.mark == "needs"}


def write_files(page, folder):
    for block in blocks(page):
        if block.title:
            (folder / block.title).write_text(block.text)


def run_python(code, folder):
    (folder / "page.py").write_text(code)
    told = "ignore:1 of 1 episodes failed"  # where a page is about that
    run([sys.executable, "-W", "error", "-W", told, "page.py"], folder)


@pytest.mark.parametrize("page", pages_with("python"))
def test_python(page, tmp_path):
    write_files(page, tmp_path)
    run_python(script(page, "python"), tmp_path)


@pytest.mark.parametrize("place", NEEDY)
def test_python_that_needs_an_extra(place, tmp_path):
    module, extra = re.fullmatch(r"(\w+) from (gem-ma\[[\w-]+\])", NEEDY[place].about).groups()
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"pip install '{extra}'")
    run_python(NEEDY[place].text, tmp_path)


def chapters(page):
    """Return what is to run of the commands of each chapter, with empty lines for all else."""
    lines = script(page, "sh").splitlines()
    heads = [n for n, line in enumerate(PAGES[page].read_text().splitlines()) if line[:3] == "## "]
    cuts = [0, *heads, len(lines)]
    parts = [lines[start:end] for start, end in itertools.pairwise(cuts)]
    return {
        f"{page}:{start + 1}": "\n" * start + "\n".join(part)
        for start, part in zip(cuts, parts, strict=False)
        if any(part)
    }


SHELL = {place: part for page in pages_with("sh") for place, part in chapters(page).items()}


@pytest.mark.parametrize("place", SHELL)
def test_shell(place, tmp_path):
    write_files(place.rpartition(":")[0], tmp_path)
    program = f'gem-ma() {{ "{sys.executable}" -m gem_ma.cli "$@"; }}; '
    run(["bash", "-euc", program + SHELL[place]], tmp_path)


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
    }


def test_the_readme_begins_with_both_commands_and_ten_lines_of_code():
    first = list(blocks("README.md"))[:3]
    assert [(b.mark, b.about) for b in first] == [
        ("command", "play"),
        ("command", "test"),
        ("", ""),
    ]
    assert all(b.text.startswith("python3 -m venv") for b in first[:2])
    assert len(list(filter(str.strip, first[2].text.splitlines()))) <= 10
    assert first[2].line < 45


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files(page):
    made = re.compile(r"docs/(environments/\w+|changelog)\.md")  # when the site is built
    for link in re.findall(r"\]\(([^)\s#]+)[^)\s]*\)", PAGES[page].read_text()):
        if "://" not in link:
            target = os.path.normpath(Path(page).parent / link)
            assert (TOP / target).exists() or made.fullmatch(target), link


def test_extras_and_scripts_that_are_named_are_there():
    extras = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for page in PAGES.values():
        text = page.read_text()
        for names in re.findall(r"gem-ma\[([\w,-]+)\]", text):
            assert set(names.split(",")) <= set(extras), f"{page}: {names}"
        for script in re.findall(r"python ((?:examples|benchmarks)/[\w/]+\.py)", text):
            assert (TOP / script).is_file(), f"{page}: {script}"


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
