"""The commands that README and docs show run, and what cannot run here is read by the real parsers.

The commands of a chapter are one script. A comment before a block says what is different:

- `needs: MODULE from gem-ma[EXTRA]`: it runs after all others of its page, where the module is.
- `loopback: MODULE from gem-ma[EXTRA]`: a server on the loopback stands for what it talks to. That
  is a chat server, or what its own first line, `gem-ma serve` or `gem-ma arena`, starts.
- `typed: WORDS`: so much is typed, a line for each word.
- `not run: WHY`, `command: NAME`, which CI runs, or `client: NAME` (test_clients_page.py runs it).
"""

import itertools
import re
import shlex
import subprocess
import sys

import packs
import pytest
import warm
from commands import commands, fault, fault_of_script, names_of_ours
from pages import PAGES, TOP, blocks, pages_with, run, script, skip_without, write_files
from stub_server import StubServer

# Why something cannot run in a test; one of these has to be said.
REASONS = re.compile(
    r"weights|GPU|minutes|hours|installs|uploads|of your own|data of (TAU|tau2)-bench|OpenAI"
)


def ours(text):
    """Return some lines of shell, with a gem-ma that begins quickly."""
    return f'gem-ma() {{ {shlex.join(warm.python())} -m gem_ma.cli "$@"; }}; {text}'


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
BLOCKS = {f"{p}:{b.line}": b for p in PAGES for b in blocks(p) if b.language == "sh"}


def marked(mark):
    return [place for place, block in BLOCKS.items() if block.mark == mark]


@pytest.mark.parametrize("place", SHELL)
def test_shell(place, tmp_path):
    packs.skip_absent(SHELL[place])
    write_files(place.rpartition(":")[0], tmp_path)
    run(["bash", "-euc", ours(SHELL[place])], tmp_path)


@pytest.mark.parametrize("place", marked("typed"))
def test_shell_that_asks_a_person(place, tmp_path):
    packs.skip_absent(BLOCKS[place].text)
    typed = BLOCKS[place].about.replace(" ", "\n") + "\n"
    run(["bash", "-euc", ours(BLOCKS[place].text)], tmp_path, stdin=typed)


@pytest.mark.slow
@pytest.mark.parametrize("place", marked("needs"))
def test_shell_that_needs_an_extra(place, tmp_path):
    packs.skip_absent(BLOCKS[place].text)
    skip_without(BLOCKS[place].about)
    before = script(place.rpartition(":")[0], "sh")
    run(["bash", "-euc", ours(f"{before}\n{BLOCKS[place].text}")], tmp_path)


@pytest.mark.parametrize(
    "place",
    [
        pytest.param(place, marks=[pytest.mark.slow] if "eval" in BLOCKS[place].text else [])
        for place in marked("loopback")
    ],
)
def test_shell_against_a_server(place, tmp_path):
    packs.skip_absent(BLOCKS[place].text)
    skip_without(BLOCKS[place].about)
    served, *rest = BLOCKS[place].text.splitlines()
    if not served.startswith(("gem-ma serve", "gem-ma arena")):
        # Every fifth reply ends a conversation that has an end.
        replies = itertools.cycle([*[r"\boxed{4}"] * 4, "###STOP###"])
        with StubServer(lambda body, attempt: next(replies)) as server:
            text = re.sub(
                r"(?<=@)(?:URL|http://127\.0\.0\.1:8000/v1)", server.url, BLOCKS[place].text
            )
            run(["bash", "-euc", ours(text)], tmp_path, OPENAI_API_KEY="none")
            assert server.requests
        return
    port = re.search(r"--port (\d+)", served)
    command = [sys.executable, "-m", "gem_ma.cli", *served.split()[1:]]
    command[command.index("--port") + 1] = "0"
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        try:
            said = process.stdout.readline()
            free = re.search(r"127\.0\.0\.1:(\d+)", said)
            assert free, said
            text = "\n".join(rest).replace(f":{port[1]}", f":{free[1]}")
            run(["bash", "-euc", ours(text)], tmp_path)
        finally:
            process.terminate()


def test_blocks_that_run_are_found():
    assert len(SHELL) > 8
    assert len(marked("typed")) >= 1
    assert len(marked("loopback")) >= 3
    assert len(marked("needs")) >= 1


@pytest.mark.parametrize("place", BLOCKS)
def test_every_command_is_one(place):
    packs.skip_absent(BLOCKS[place].text)
    assert [one for words in commands(BLOCKS[place].text) if (one := fault(words))] == []


def test_what_is_not_run_has_a_reason():
    for place in marked("not run"):
        why = BLOCKS[place].about
        assert REASONS.search(why), f"{place}: {why}"
        for test in re.findall(r"tests/[\w/]+\.py", why):
            assert (TOP / test).is_file() or packs.absent_in(test), f"{place}: {test}"


# Within a sentence a command may be cut short, or stand for a kind of them.
def test_commands_in_sentences_are_there():
    known, wrong = names_of_ours(), []
    for page, path in PAGES.items():
        text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.DOTALL | re.MULTILINE)
        for said in re.findall(r"`(gem-ma [a-z][^`]*)`", text):
            if packs.absent_in(said):
                continue
            name, *rest = said.split()[1:]
            given = {one.partition("=")[0] for one in rest if one.startswith("--")}
            if name not in known or given - known[name]:
                wrong.append(f"{page}: {said}")
        for said in re.findall(r"`python ((?:examples|benchmarks|scripts)/[^`]+)`", text):
            if one := fault_of_script(*said.split()):
                wrong.append(f"{page}: {one}")
    assert wrong == []


def test_commands_in_files_are_there():
    wrong, count = [], 0
    for folder in ("examples", "benchmarks", "scripts"):
        for path in TOP.glob(f"{folder}/**/*.py"):
            text = re.sub(r"\\+\n", " ", path.read_text())
            for said in re.findall(r"^ *((?:gem-ma|python) .+)$", text, re.MULTILINE):
                count += 1
                usual = re.sub(r"[][']|   .*", " ", said)  # what may be there, and what it is
                if packs.absent_in(said):
                    continue
                wrong += [f"{path.name}: {one}" for one in map(fault, commands(usual)) if one]
    assert wrong == []
    assert count > 40


@pytest.mark.parametrize(
    "line",
    [
        "gem-ma plya game:ConnectFour-v0",
        "gem-ma play game:ConnectFour-v0 --agent random",
        "true && gem-ma eval --no-such",
        "python examples/nowhere.py",
        "python examples/two_models.py random random --no-such 3",
        "gemma list",
    ],
)
def test_a_wrong_command_is_found(line):
    assert any(map(fault, commands(line)))


def test_a_right_command_is_not():
    for line in (
        "FOO=1 gem-ma play game:ConnectFour-v0 --seed 0 # a comment",
        "cd x && python examples/two_models.py random random --episodes 6",
    ):
        assert not any(map(fault, commands(line)))
