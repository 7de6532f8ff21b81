"""What is released says which version it is, what changed, and which scores can be compared."""

import hashlib
import importlib.util
import re
import tomllib
from datetime import date
from fnmatch import fnmatchcase

import packs
import pytest
from game_contract import contracted_ids
from pages import TOP

import gem_ma
from gem_ma.envs import registry

CHANGELOG = (TOP / "CHANGELOG.md").read_text(encoding="utf-8")
KINDS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Scores"}


def sections():
    """Return what stands under each heading of the changelog."""
    heads = re.split(r"^## (.+)\n", CHANGELOG, flags=re.MULTILINE)
    return dict(zip(heads[1::2], heads[2::2], strict=True))


def released():
    """Return the versions with their dates, the newest first."""
    return [head.split(" - ") for head in sections() if head[0].isdigit()]


def test_the_changelog_has_dated_versions_in_order():
    names = list(sections())
    assert names[0] == "Unreleased"
    assert names[-1] == "Scoring"
    versions, dates = zip(*released(), strict=True)
    assert list(names[1 : 1 + len(versions)]) == [f"{v} - {d}" for v, d in released()]
    numbers = [tuple(map(int, version.split("."))) for version in versions]
    assert numbers == sorted(set(numbers), reverse=True)
    days = [date.fromisoformat(day) for day in dates]
    assert days == sorted(days, reverse=True)
    base, _, dev = gem_ma.__version__.partition(".dev")
    if dev:  # what is not out yet comes after all that is
        assert tuple(map(int, base.split("."))) > numbers[0]
    else:
        assert base == versions[0]


def test_every_version_says_what_its_scores_can_be_compared_with():
    for version, day in released():
        text = sections()[f"{version} - {day}"]
        assert "### Scores\n" in text, version
        assert set(re.findall(r"^### (.+)$", text, re.MULTILINE)) - KINDS <= {
            "Beyond the design page"
        }


def test_records_are_those_that_the_changelog_names():
    held = hashlib.sha256((TOP / "tests/envs/hashes.txt").read_bytes()).hexdigest()[:12]
    newest = [sections()[" - ".join(one)] for one in released()][:1]
    assert f"`{held}`" in "".join([sections()["Unreleased"], *newest]), (
        "tests/envs/hashes.txt is another: say in CHANGELOG.md, under Unreleased, which games' "
        f"episodes changed and which scores can be compared, and name the new records `{held}`"
    )


def test_what_every_game_pays_is_named_with_its_version():
    scoring = sections()["Scoring"]
    named = [one for one in re.findall(r"`([^`\s]+)`", scoring) if ":" in one]
    ids = [id for id in gem_ma.list_envs() if id.startswith(("game:", "visual:"))]
    # Not what other tests have registered.
    ids = [id for id in ids if registry.spec(id).entry_point.startswith("gem_ma.")]
    assert len(ids) > (60 if packs.ABSENT else 100)
    if ".dev" in gem_ma.__version__:  # new games say it in their test files until they are out
        ids = [id for id in ids if id not in contracted_ids()]
    assert [
        id
        for id in ids
        if not any(fnmatchcase(id, one) or fnmatchcase(id, f"{one}-*") for one in named)
    ] == []
    for family in ("math:", "code:", "qa:", "logic:", "eval:", "rg:*", "duo:", "tau:*", "tau2:*"):
        prefix = family.removesuffix("*")
        assert not gem_ma.list_envs(f"{prefix}*") or any(one.startswith(family) for one in named), (
            family
        )


def test_python_versions_are_said_once():
    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
    least = project["requires-python"].removeprefix(">=")
    named = re.findall(r"Python :: (3\.\d+)", " ".join(project["classifiers"]))
    assert named[0] == least
    page = (TOP / "docs/start.md").read_text()
    assert f"| Python | {', '.join(named[:-1])} and {named[-1]}:" in page
    assert f"for version in {' '.join(named)}; do" in (TOP / ".ci/run").read_text()


def shown(*arguments):
    """Return the README as an index shows it."""
    pytest.importorskip("hatchling", reason="pip install hatchling")
    spec = importlib.util.spec_from_file_location("readme", TOP / "scripts/readme.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.shown(*arguments)


TEXT = """![a game](docs/a.png)
[![b](docs/b.png)](docs/b.md) [c [d]](docs/c.md#d) [e](https://e.org) [f](#f)
<img src="docs/g.png" width="9"> <a href="docs/h.md">h</a> <img src="https://i.org/i.png">

```python
x = [1](docs/j.md)
```
"""


def test_the_readme_of_an_index_leads_nowhere_that_is_not_there():
    text = shown(TEXT)
    assert "docs/" not in text.partition("```")[0]
    assert "c [d] [e](https://e.org) [f](#f)" in text
    assert ' h <img src="https://i.org/i.png">' in text
    assert "[1](docs/j.md)" in text
    left = re.sub(r"```.*?```", "", shown((TOP / "README.md").read_text()), flags=re.DOTALL)
    links = re.findall(r"\]\(([^)]+)\)|(?:src|href)=\"([^\"]+)\"", left)
    assert [
        one for pair in links for one in pair if one and not re.match(r"https?://|#", one)
    ] == []


def test_the_readme_of_an_index_leads_to_the_repository():
    text = shown(TEXT, "https://host/gem_ma", "v1.2.3")
    for link in (
        "](https://host/gem_ma/raw/v1.2.3/docs/a.png)",
        "](https://host/gem_ma/raw/v1.2.3/docs/b.png)](https://host/gem_ma/blob/v1.2.3/docs/b.md)",
        "[c [d]](https://host/gem_ma/blob/v1.2.3/docs/c.md#d)",
        '<img src="https://host/gem_ma/raw/v1.2.3/docs/g.png" width="9">',
        '<a href="https://host/gem_ma/blob/v1.2.3/docs/h.md">',
        "x = [1](docs/j.md)",
    ):
        assert link in text


def test_the_citation_has_the_version():
    text = (TOP / "CITATION.cff").read_text()
    assert f"\nversion: {gem_ma.__version__}\n" in text
