"""GEM's ids, names and arguments, read from its source: each is taken here, or refused by name.

What is refused stands in docs/coming-from.md, with what works instead.
"""

import fnmatch
import importlib
import inspect
import io
import os
import re
from pathlib import Path

import gem_names
import packs
import pytest

import gem_ma
from gem_ma import gem
from gem_ma.gem.envs.env_factory import translate_arguments

CLONE = os.environ.get("GEM_TESTS", "")
PAGE = gem_names.PAGE.read_text()
pytestmark = [
    pytest.mark.second_source,
    pytest.mark.skipif(
        not CLONE,
        reason="git clone https://github.com/axon-rl/gem, and set GEM_TESTS to where it is",
    ),
]
# Levels that differ: here an easy task has targets near by, and a hard one far ones.
DIFFERENT = {
    ("game:WikiGame-v0-easy", "max_turns"): (30, 15),
    ("game:WikiGame-v0-hard", "max_turns"): (15, 20),
}
# Arguments that are refused with every value, and those that are with GEM's default.
REFUSED = {
    ("WikiGameEnv", "page_summary_length"): "a page is shown as its source has it",
    ("WikiGameEnv", "backend"): "expected 'kiwix'",
}


def read_table(heading):
    """Return the names in backticks of the first column of a page's table."""
    part = PAGE.partition(f"### {heading}\n")[2].partition("\n#")[0]
    rows = [line.split(" | ")[0] for line in part.splitlines() if line.startswith("| `")]
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row)]


def find(name):
    """Return what `gem_ma.` with this name stands for, or None."""
    parts = f"gem_ma.{name}".split(".")
    for count in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        for part in parts[count:]:
            found = None if found is None else getattr(found, part, None)
        return found
    return None


def list_absent():
    """Yield the names of GEM that are not here, arguments in brackets behind their function."""
    for name, arguments in gem_names.read_names(CLONE).items():
        ours = find(name)
        if ours is None:
            yield name
        elif arguments and not isinstance(ours, property):
            known = [one for one in inspect.signature(ours).parameters if one != "self"]
            yield from (f"{name}({one})" for one in arguments if one not in known)


def test_every_name_is_here_or_named_with_what_works_instead():
    refused = read_table("What of GEM is not here")
    absent = list(list_absent())
    assert len(gem_names.read_names(CLONE)) > 400
    patterns = {one: re.compile(fnmatch.translate(one)) for one in refused}
    matches = [pattern.fullmatch for pattern in patterns.values()]
    assert [name for name in absent if not any(match(name) for match in matches)] == []
    assert [one for one, pattern in patterns.items() if not any(map(pattern.match, absent))] == []
    for name in gem_names.read_names(CLONE):  # what is here is not said to be absent
        if find(name) is not None:
            assert not any(match(name) for match in matches), name


def test_arguments_stand_in_gems_order():
    for name, arguments in gem_names.read_names(CLONE).items():
        ours = find(name)
        if ours is not None and arguments and not isinstance(ours, property):
            known = [one for one in inspect.signature(ours).parameters if one != "self"]
            both = [one for one in arguments if one in known]
            assert known[: len(both)] == both, name


@packs.needs("tasks")
def test_every_id_is_here_with_what_it_stands_for():
    ids = gem_names.read_ids(CLONE)
    assert len(ids) > 70
    listed = gem_ma.list_envs()
    absent = [id for id in ids if not fnmatch.filter(listed, id)]
    assert absent == []
    assert not [one for one in read_table("What of GEM is not here") if ":" in one]
    different = {}
    for id, (_, arguments) in ids.items():
        if "*" in id:
            continue
        arguments.pop("room_size", None)  # which GEM swallows
        arguments.pop("extract_boxed", None)  # ours reads a box everywhere, and what has none
        spec = gem_ma.spec(id)
        ours = {
            name: one.default for name, one in inspect.signature(find_game(spec)).parameters.items()
        }
        for name, value in translate_arguments(id, arguments).items():
            value = list(value) if isinstance(value, tuple) else value
            if (own := {**ours, **spec.kwargs}.get(name)) != value:
                different[id, name] = value, own
    assert different == DIFFERENT


def find_game(spec):
    module, _, name = spec.entry_point.partition(":")
    return getattr(importlib.import_module(module), name)


def make_rows():
    from PIL import Image

    file = io.BytesIO()
    Image.new("RGB", (8, 8)).save(file, "PNG")
    row = {"problem": "1 + 1?", "question": "1 + 1?", "answer": "2", "images": [file.getvalue()]}
    return [{**row, "tests": {"inputs": ["1"], "outputs": ["1"]}}]


@packs.needs("tasks")
def test_every_argument_is_taken_or_refused_with_a_sentence():
    constructors = gem_names.read_constructors(CLONE)
    refused, taken = {}, 0
    for id, (entry_point, own) in gem_names.read_ids(CLONE).items():
        kind = entry_point.partition(":")[2]
        data = {"dataset": make_rows()} if "dataset" in constructors[kind] else {}
        id = "rg:chain_sum" if "*" in id else id
        if gem_ma.spec(id).list_missing():
            continue
        if "room_size" in own:  # GEM's fault: its class has another name for it
            own["dim_room"] = own.pop("room_size")
        given = {**constructors[kind], **own, **data}
        given.pop("name", None)  # which is in the id
        for name, value in given.items():
            try:
                env = gem.make(id, **{**data, name: value})
            except (TypeError, ValueError) as error:
                refused[kind, name] = str(error)
                continue
            env.reset(seed=0)
            taken += 1
        together = {name: one for name, one in given.items() if (kind, name) not in refused}
        gem.make(id, **together).reset(seed=0)
    assert taken > 200
    assert refused.keys() == REFUSED.keys()
    page = " ".join(read_table("Arguments of GEM's environments"))
    for (_, name), reason in refused.items():
        assert REFUSED[_, name] in reason
        assert name in page


@packs.needs("tasks")
def test_every_class_has_gems_arguments_and_defaults():
    names = gem_names.read_names(CLONE)
    for kind, defaults in gem_names.read_constructors(CLONE).items():
        places = [name for name in names if name.endswith(f".{kind}") and find(name) is not None]
        if not places:
            continue
        ours = inspect.signature(find(places[0])).parameters
        for name, default in defaults.items():
            if (kind, name) not in REFUSED:
                assert ours[name].default == default, (kind, name)


# What keeps GEM's own test files from being imported once their imports are replaced.
NOT_IMPORTED = {
    "test_env/test_game.py": "GEM's fault: GEM has no run_and_print_episode_with_random_selection",
    "test_env/test_terminal.py": "gem.envs.terminal is not here",
    "test_multiagent/test_multiagent.py": "GEM's fault: there is no gem.multiagent to import",
}


def test_gems_tests_are_imported_once_their_imports_are_replaced(tmp_path, monkeypatch):
    for name in ("fire", "pandas", "datasets", "transformers", "requests"):
        if importlib.util.find_spec(name) is None:
            (tmp_path / f"{name}.py").write_text("def __getattr__(name): return name\n")
    monkeypatch.syspath_prepend(tmp_path)
    failed = {}
    for number, path in enumerate(sorted(Path(CLONE, "tests").rglob("test_*.py"))):
        copy = tmp_path / f"gem_test_{number}.py"
        gem_names.replace_imports(path, copy)
        try:
            importlib.import_module(copy.stem)
        except SyntaxError:  # GEM's fault: test_fifteen.py needs Python 3.12
            continue
        except ImportError as error:
            failed[str(path.relative_to(Path(CLONE, "tests")))] = str(error)
    assert failed.keys() == NOT_IMPORTED.keys(), failed
    assert all("gem_ma.gem" in reason for reason in failed.values())
