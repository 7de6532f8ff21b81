"""Packs: what is declared is here and found, and one that is not takes nothing else with it."""

import importlib
import re
import subprocess
import sys
import warnings
from importlib import metadata, resources
from types import SimpleNamespace

import packs
import pytest

import gem_ma
from gem_ma import Pack, UnknownEnv
from gem_ma import packs as found
from gem_ma.agents import AGENT_SPECS, load_agent
from gem_ma.evaluation import suites
from gem_ma.packs import PackTable, SpecEntry, list_missing_packs, list_packs
from gem_ma.validation.entry_points import load_entry_point

AGAIN = "install it again, for an installation keeps the entry points of its day: pip install -e ."
OURS = {one.pack.name: one for one in list_packs() if one.pack.name in packs.DECLARED}
every_pack = pytest.mark.parametrize("name", sorted(OURS))
# What `pack` imports of its own folder, beside itself: tables that are light.
TABLES = {
    "bridges": {"gem_ma.envs.bridges.openspiel_ids", "gem_ma.envs.bridges.textarena_ids"},
    "screens": {"gem_ma.envs.screens.families"},
    "tasks": {"gem_ma.envs.tasks.reasoning_gym_ids", "gem_ma.envs.tasks.roles_ids"},
    "terminal": {"gem_ma.envs.terminal.families"},
}


def test_what_pyproject_declares_is_installed():
    points = metadata.distribution("gem-ma").entry_points.select(group=found.PACK_GROUP)
    assert {point.name: point.value for point in points} == packs.DECLARED, AGAIN


def test_what_is_declared_is_here():
    ours = [one for one in list_missing_packs() if one.name in packs.DECLARED]
    assert {one.name for one in ours} == set(packs.ABSENT)
    assert all(one.absent for one in ours)  # and none is broken
    assert set(OURS) == packs.DECLARED.keys() - packs.ABSENT


@pytest.mark.parametrize("name", sorted(packs.DECLARED))
def test_a_pack_is_a_folder_whose_tests_have_one_too(name):
    folder = packs.folder_of(name)
    tests = packs.TOP.joinpath("tests", *folder.parts[1:])
    assert folder.name == name
    assert (
        (packs.TOP / folder / "pack.py").is_file() == tests.is_dir() == (name not in packs.ABSENT)
    )


def makers(pack):
    """Yield each "module:NAME" that a pack says."""
    for table in (pack.agents, pack.tools):
        yield from (one.maker if isinstance(one, SpecEntry) else one for one in table.values())
    yield from pack.exports.values()


@every_pack
def test_what_a_pack_names_is_there(name):
    pack, package = OURS[name]
    assert pack.uses == tuple(sorted(pack.uses))
    assert set(pack.uses) <= OURS.keys() - {name}
    for place in makers(pack):
        assert place.startswith(f"{package}.")
        assert callable(load_entry_point(place))
    for module in (*pack.commands, *pack.downloads.values()):
        assert module.startswith(f"{package}.")
    assert all(importlib.import_module(one).add_commands for one in pack.commands)
    for module in map(importlib.import_module, pack.downloads.values()):
        assert callable(module.fetch)
        assert callable(module.folder)
        assert re.fullmatch(r"[A-Z0-9_]+", module.VARIABLE)
    for spec in pack.experts.values():
        for one in spec.split(","):
            load_agent(one.rpartition("=")[2])
    for page in pack.docs:
        assert (packs.TOP / page).is_file()


@every_pack
def test_suites_of_a_pack_are_read_and_their_ids_exist(name):
    pack, package = OURS[name]
    folder = resources.files(package).joinpath(pack.suites or "suites")
    assert folder.is_dir() == bool(pack.suites)
    for file in folder.iterdir() if pack.suites else ():
        for entry in suites.load_suite(file.name.removesuffix(".toml")).entries:
            gem_ma.spec(entry.id)


def added(pack, package):
    """Return what a pack adds, as texts name it."""
    texts = [f"gem-ma {word}" for word in commands(pack)]
    texts += [f"--suite {file.name.removesuffix('.toml')}" for file in suite_files(pack, package)]
    texts += [f"gem_ma.{name}" for name in pack.exports]
    texts += [f"{spec}:plain" if spec in ("user", "users") else spec for spec in pack.agents]
    texts += ids(package)
    return [*texts, *pack.experts, package, f"{package.replace('.', '/')}/pack.py"]


def suite_files(pack, package):
    return resources.files(package).joinpath(pack.suites).iterdir() if pack.suites else ()


def commands(pack):
    taken = []

    class Commands:
        def add_parser(self, name, **_):
            taken.append(name)
            return SimpleNamespace(
                add_argument=lambda *_, **__: None,
                set_defaults=lambda **_: None,
                add_mutually_exclusive_group=lambda **_: self,
                add_argument_group=lambda *_, **__: self,
            )

        def add_argument(self, *_, **__):
            pass

    for module in pack.commands:
        importlib.import_module(module).add_commands(Commands())
    return taken


def ids(package):
    return [
        id
        for id in gem_ma.list_envs()
        if (gem_ma.spec(id).entry_point or "").startswith(f"{package}.")
    ]


@every_pack
def test_the_words_of_a_pack_are_those_of_what_it_adds(name):
    texts = added(*OURS[name])
    for text in texts:
        said = {one for one, words in packs.WORDS.items() if re.search(words, text)}
        assert said == {name}, text
    assert packs.WORDS.keys() == packs.DECLARED.keys()


def test_what_the_core_adds_has_no_words_of_packs():
    for id in ids("gem_ma.envs.boards"):
        assert not any(re.search(words, id) for words in packs.WORDS.values())


def test_to_load_a_pack_imports_little():
    code = "import sys, gem_ma; gem_ma.packs.list_packs(); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = run.stdout.split()
    for name, one in OURS.items():
        loaded = {m for m in modules if f"{m}.".startswith(f"{one.package}.")}
        assert loaded == {one.package, f"{one.package}.pack", *TABLES.get(name, ())}


@packs.needs("tau")
def test_agents_of_packs_have_their_names():
    assert gem_ma.agents.RuleUser is load_entry_point("gem_ma.envs.tau.agents:RuleUser")
    assert type(load_agent("rule-user")) is gem_ma.agents.RuleUser
    portable = ["InformedAssistant", "LLMUser", "OracleAssistant", "RuleUser", "UserPopulation"]
    offered = importlib.import_module("gem_ma.envs.tau.agents")
    assert offered.__all__ == portable
    assert not getattr(offered.LLMUser, "portable", False)  # its model may not go elsewhere
    portable.remove("LLMUser")
    assert all(getattr(offered, name).portable for name in portable)
    with pytest.raises(AttributeError, match=r"gem_ma\.agents has no 'Nobody'"):
        _ = gem_ma.agents.Nobody


@packs.needs("serving")
def test_a_name_that_a_pack_exports_is_one_of_gem_ma():
    assert gem_ma.gateway is load_entry_point("gem_ma.serving.gateway:gateway")


@pytest.fixture
def others(monkeypatch, tmp_path):
    """Return a function that installs packs of others: a name, and the text of its module."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    for table in ("_loaded", "_missing"):
        monkeypatch.setattr(found, table, dict(getattr(found, table)))
    monkeypatch.setattr(found, "_complete", False)

    def install(**texts):
        points = []
        for name, text in texts.items():
            if text is not None:
                (tmp_path / f"{name}_pack.py").write_text(f"from gem_ma import Pack\n{text}\n")
            points.append(metadata.EntryPoint(name, f"{name}_pack", found.PACK_GROUP))
        monkeypatch.setattr(metadata, "entry_points", lambda group: points)

    yield install
    for name in set(sys.modules) - before:
        if name.endswith("_pack"):
            del sys.modules[name]


def missing():
    return {one.name: one for one in list_missing_packs() if one.name not in packs.DECLARED}


def test_one_that_was_taken_out_is_silent_and_an_unknown_id_tells_of_it(others):
    others(gone=None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one = missing()["gone"]
    assert (one.absent, one.why) == (True, "no module gone_pack")
    told = r"these packs could not be loaded: .*gone \(no module gone_pack\)"
    with pytest.raises(UnknownEnv, match=told):
        gem_ma.make("gone:Thing-v0")
    with pytest.raises(ValueError, match=told):
        load_agent("gone-agent")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("raise ModuleNotFoundError('of its own')", "of its own"),
        ("import no_such_library", "no_such_library"),  # which is not the pack itself
        ("PACK = Pack(name='other')", "PACK has the name 'other', and its entry point 'broken'"),
        ("PACK = Pack(name='broken', environments=lambda: 1 / 0)", "ZeroDivisionError"),
        ("", "has no attribute 'PACK'"),
    ],
)
def test_one_that_is_broken_is_warned_of_once_and_stops_nothing(others, text, why):
    others(broken=text, well="PACK = Pack(name='well')")
    with pytest.warns(UserWarning, match="the pack broken could not be loaded") as told:
        names = {one.pack.name for one in list_packs()}
    assert len(told) == 1
    assert why in str(told[0].message)
    assert "well" in names
    assert not missing()["broken"].absent
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        list_packs()


def test_one_that_uses_what_is_not_there_is_not_loaded(others):
    uses = "PACK = Pack(name={!r}, uses=({!r},), agents={{{!r}: 'a:b'}})"
    others(
        first=uses.format("first", "second", "first-agent"),
        second=uses.format("second", "third", "second-agent"),
        fourth=uses.format("fourth", "fifth", "fourth-agent"),
        fifth="PACK = Pack(name='fifth')",
    )
    told = {name: (one.absent, one.why) for name, one in missing().items()}
    assert told == {
        "first": (True, "needs the pack second"),
        "second": (True, "needs the pack third"),
    }
    assert "fourth-agent" in AGENT_SPECS.known
    assert "first-agent" not in AGENT_SPECS.known


def test_packs_that_use_each_other_are_not_loaded(others):
    others(
        one="PACK = Pack(name='one', uses=('two',))", two="PACK = Pack(name='two', uses=('one',))"
    )
    assert missing().keys() == {"one", "two"}


def test_a_name_is_of_one_pack(others):
    agent = "PACK = Pack(name={!r}, agents={{'mine': 'a:b'}})"
    others(one=agent.format("one"), two=agent.format("two"))
    with pytest.warns(UserWarning, match=r"agents \['mine'\] belong to the pack one"):
        list_packs()
    assert missing().keys() == {"two"}


def test_names_of_the_core_come_first(others):
    others(theirs="PACK = Pack(name='theirs', tools={'a': 'x:y', 'b': 'x:y'})")
    table = PackTable("tools", {"a": 1})
    assert (table["a"], table["b"]) == (1, "x:y")
    assert [name for name in table if name in "ab"] == ["a", "b"]
    assert len(table) == len(list(table))
    with pytest.raises(KeyError):
        table["c"]


def test_a_pack_is_what_it_was():
    pack = Pack(name="mine")
    with pytest.raises(AttributeError):
        pack.name = "yours"
    assert pack == Pack(name="mine", uses=(), agents={})
