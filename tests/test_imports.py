"""Who may import whom, whose names are whose, what lies where, and what importing may not do."""

import ast
import functools
import importlib
import subprocess
import sys
from pathlib import Path

import gymnasium
import packs
import pettingzoo
import pytest
from source import FILES, ROOT, parsed, statements

from gem_ma.packs import list_packs

BELOW = {"validation", "packs", "game", "scene"}
PLAY = {"engine", "renderers", "envs", "chat", "agents", "apis", "rollouts"}
LAYERS = {  # from the bottom to the top: what each may import of the package, beside itself
    "validation": {"packs"},
    "packs": set(),
    "sandbox": {"validation"},
    "game": set(),
    "scene": set(),
    "renderers": {"validation", "scene"},
    "engine": {*BELOW, "renderers"},
    "envs": {*BELOW, "sandbox", "engine"},
    "chat": {*BELOW, "renderers", "engine"},
    "agents": {*BELOW, "engine", "chat"},
    "apis": {*BELOW, "engine", "renderers", "envs", "chat", "agents"},
    "wrappers": {*BELOW, "engine", "chat", "apis"},
    "gem_ma": {*BELOW, "engine", "envs", "chat", "apis", "rollouts"},  # the public names
    "rollouts": {"sandbox", "wrappers", *BELOW, "engine", "envs", "chat", "agents", "apis"},
    "tools": {"sandbox", "wrappers", *BELOW, "engine", "envs", "chat", "apis"},
    "training": {*BELOW, "engine", "envs", "chat", "agents", "apis", "rollouts"},
    "evaluation": {*BELOW, *PLAY, "tools"},
    "serving": {*BELOW, *PLAY, "evaluation"},  # the arena shows pages and ratings
    "testing": {*BELOW, "engine", "renderers", "envs", "chat", "agents", "apis"},
    "gem": {"sandbox", "wrappers", *BELOW, "envs", "chat", "apis", "tools"},
    "cli": {*BELOW, *PLAY, "gem_ma", "tools", "evaluation", "testing"},
}
OURS = [one for one in list_packs() if one.package.startswith("gem_ma.")]
PACK_OF = {ROOT.parent.joinpath(*one.package.split(".")): one.pack for one in OURS}
# Files of a pack that stand as high as those of another layer.
AS_HIGH = {"commands": "cli", "user_metrics": "evaluation", "pack": "cli", "oracle": "agents"}
AS_HIGH |= dict.fromkeys(
    ("recorded_conversations", "user_comparison", "likeness_reward"), "evaluation"
)
AS_HIGH["server_game"] = "tools"


@functools.cache
def pack(path):
    """Return the pack that a file belongs to, or None for the core."""
    return next((one for folder, one in PACK_OF.items() if folder in path.parents), None)


# PettingZoo's and Gymnasium's own, which who implements or wraps their classes has to use.
THEIRS = {
    name
    for base in (
        pettingzoo.AECEnv,
        pettingzoo.ParallelEnv,
        gymnasium.Env,
        gymnasium.vector.VectorEnv,
    )
    for name in (*dir(base), *base.__annotations__)
}


def test_every_layer_is_in_the_table():
    gone = {
        packs.folder_of(name).name
        for name in packs.ABSENT
        if packs.folder_of(name).parts[1] != "envs"
    }
    assert set(map(find_layer, FILES)) == set(LAYERS) - gone


def test_what_a_file_offers_is_there():
    for path in FILES:
        if "__all__" not in path.read_text():
            continue
        offered, there = set(), set()
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                offered = set(ast.literal_eval(node.value))
            elif isinstance(node, ast.ImportFrom | ast.Import):
                there |= {one.asname or one.name for one in node.names}
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                there.add(node.name)
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                there |= {
                    ast.unparse(one) for one in getattr(node, "targets", None) or [node.target]
                }
        assert offered <= there, path


@functools.cache
def find_layer(path):
    """Return the folder or file at the root that a file belongs to; of the root's own, gem_ma."""
    if pack(path) is not None and path.stem in AS_HIGH:
        return AS_HIGH[path.stem]
    if pack(path) is not None and "agents" in path.parts:
        return "agents"
    first = path.relative_to(ROOT).parts[0].removesuffix(".py")
    return "gem_ma" if first == "__init__" else first


def dotted(path):
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {dotted(path): path for path in FILES}


@functools.cache
def imported(path, types=False):
    """Return the files of the package that a file imports, also within functions, and for types."""
    found = set()
    for node in statements(parsed(path), types):
        names = []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                names.append(whole if whole in MODULES else node.module)
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            if name.split(".")[0] == "gem_ma":
                found.add(MODULES[name])
    return found


def test_files_import_only_what_they_may():
    above = [
        f"{dotted(path)} imports {dotted(other)}"
        for path in FILES
        for other in sorted(imported(path))
        if find_layer(other) not in {find_layer(path), *LAYERS[find_layer(path)]}
        and not (pack(path) is not None and pack(other) is pack(path))  # its own
    ]
    assert above == []

    packs_of_the_core = [
        f"{dotted(path)} imports {dotted(other)}"
        for path in FILES
        if pack(path) is None
        for other in sorted(imported(path, types=True))
        if pack(other) is not None
    ]
    assert packs_of_the_core == []

    for own in (one.pack for one in OURS):
        files = [path for path in FILES if pack(path) is own]
        used = [pack(other) for path in files for other in imported(path, types=True)]
        assert {one.name for one in used if one not in (None, own)} == set(own.uses), own.name

    graph = {path: imported(path, types=True) - {path} for path in FILES}
    assert [sorted(map(dotted, circle)) for circle in circles(graph)] == []


def circles(graph):
    """Return the sets of nodes, of two and more, that all lead to each other."""

    def reached(start):
        found, left = set(), [start]
        while left:
            for other in graph[left.pop()] - found:
                found.add(other)
                left.append(other)
        return found

    reach = {node: reached(node) for node in graph}
    return {
        frozenset({node} | {other for other in reach[node] if node in reach[other]})
        for node in graph
        if node in reach[node]
    }


def test_circles_are_found():
    graph = {1: {2}, 2: {3}, 3: {2, 4}, 4: {5}, 5: {6}, 6: {4}, 7: {1}}
    assert circles(graph) == {frozenset({2, 3}), frozenset({4, 5, 6})}


def private(name):
    return name.startswith("_") and name.strip("_") and not name.endswith("__")


def defined(nodes):
    """Return the private names that the nodes of a file give to something of its own."""
    names = set()
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.alias) and node.asname:
            names.add(node.asname)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
                names.add(node.attr)
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__slots__":
            names.update(ast.literal_eval(node.value))
    return {name for name in names if private(name)}


def used(nodes):
    """Yield line and name of private names that may be somebody else's."""
    for node in nodes:
        names = []
        if isinstance(node, ast.Attribute) and private(node.attr):
            # What is unwrapped is an environment of another library.
            names = [] if ast.unparse(node.value).endswith(".unwrapped") else [node.attr]
        elif isinstance(node, ast.ImportFrom):
            names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
        elif isinstance(node, ast.Call) and called(node) in (
            *("getattr", "setattr", "hasattr", "delattr", "__setattr__", "attrgetter"),
            *("methodcaller", "__getattribute__"),
        ):
            names = [one.value for one in node.args if isinstance(one, ast.Constant)]
        yield from ((node.lineno, one) for one in names if isinstance(one, str) and private(one))


def called(node):
    return getattr(node.func, "attr", getattr(node.func, "id", None))


def foreign(trees):
    """Return where files use the private names of others among them."""
    kinds = (
        ast.FunctionDef,
        ast.AsyncFunctionDef,
        ast.ClassDef,
        ast.Name,
        ast.arg,
        ast.alias,
        ast.Attribute,
        ast.Assign,
    )
    kinds += (ast.ImportFrom, ast.Call)
    files = {
        name: [node for node in ast.walk(tree) if isinstance(node, kinds)]
        for name, tree in trees.items()
    }
    own = {name: defined(nodes) for name, nodes in files.items()}
    everything = set().union(*own.values()) - THEIRS
    return [
        f"{name}:{line}: {one}"
        for name, nodes in files.items()
        for line, one in used(nodes)
        if one in everything - own[name]
    ]


def test_nobody_uses_the_private_name_of_another_file():
    assert foreign({str(path.relative_to(ROOT.parent)): parsed(path) for path in FILES}) == []


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("from one import _helper", 1),
        ("from one import _helper as helper", 1),
        ("one._helper()", 1),
        ("box._inner = 1", 1),
        ("del box._inner", 1),
        ("getattr(box, '_inner')", 1),
        ("object.__setattr__(box, '_inner', 2)", 1),
        ("class More(one.Box):\n    def look(self): return self._inner", 1),
        ("class More:\n    def look(self): self._inner = 1; return self._inner", 0),
        ("box._cumulative_rewards", 0),  # PettingZoo's
        ("os._exit(box.__dict__)", 0),
        ("from one import Box", 0),
    ],
)
def test_private_names_of_others_are_found(line, count):
    one = (
        "def _helper(): pass\n"
        "class Box:\n"
        "    def __init__(self): self._inner = self._cumulative_rewards = 1\n"
    )
    assert len(foreign({"one": ast.parse(one), "two": ast.parse(line)})) == count


def files_of(folder):
    return [path for path in folder.iterdir() if path.is_file()]


def folders(root):
    return [root, *(path for path in root.rglob("*") if path.is_dir() and owned(path))]


def owned(path):
    return not {"__pycache__", ".pytest_cache"} & set(path.parts)


def test_the_root_holds_layers_and_what_an_author_reads():
    packs = {folder.name for folder in PACK_OF if folder.parent == ROOT}  # around the core
    entries = {path.name for path in ROOT.iterdir()} - {"py.typed", "__pycache__", *packs}
    assert len(entries) <= 18, sorted(entries)


@pytest.mark.parametrize("root", [ROOT, Path(__file__).parent], ids=["gem_ma", "tests"])
def test_no_folder_has_more_files_than_a_reader_takes_in(root):
    sizes = {str(folder): len(files_of(folder)) for folder in folders(root)}
    assert {folder: size for folder, size in sizes.items() if size > 16} == {}


def test_files_of_the_engine_and_its_views_are_short():
    lines = {
        str(path.relative_to(ROOT)): len(path.read_text().splitlines())
        for path in FILES
        if find_layer(path) in ("engine", "apis")
    }
    assert lines["apis/env.py"] < 440
    assert {name: size for name, size in lines.items() if size > 470} == {}


GAMES = [
    path
    for kind in (
        *("boards", "cards", "guessing", "markets", "parlour", "puzzles", "words", "worlds"),
    )
    for path in sorted((ROOT / "envs" / kind).glob("*.py"))
]


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.name)
def test_a_game_draws_no_picture_and_no_global_number(path):
    tree = parsed(path)
    names = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert not names & {"random", "PIL", "re"}
    assert ast.get_docstring(tree)


def test_importing_loads_no_game_and_does_nothing():
    code = (
        "import logging, random, sys, threading\n"
        "state = random.getstate()\n"
        "import gem_ma\n"
        "heavy = {'torch', 'transformers', 'datasets', 'textarena', 'reasoning_gym', 'PIL'}\n"
        "print(sorted(heavy & set(sys.modules)),\n"
        "      sorted(m for m in sys.modules if m.startswith('gem_ma.envs.')),\n"
        "      logging.getLogger().handlers, state == random.getstate(), threading.active_count())"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    register = ["gem_ma.envs.game_factory", "gem_ma.envs.difficulty_levels", "gem_ma.envs.registry"]
    ids = "bridges.openspiel", "bridges.textarena", "tasks.reasoning_gym", "tasks.roles"
    register += packs.present([f"gem_ma.envs.{one}_ids" for one in ids])
    register += [f"{one.package}{end}" for one in OURS for end in ("", ".pack")]
    families = ("screens", "terminal")
    register += packs.present([f"gem_ma.envs.{one}.families" for one in families])
    register = sorted(one for one in register if one.startswith("gem_ma.envs."))
    assert run.stdout == f"[] {register} [] True 1\n"
    assert run.stderr == ""


def misnamed(node, names=frozenset()):
    """Yield the names told to `check_type` and `check_each` that are no argument of theirs."""
    for child in ast.iter_child_nodes(node):
        known = names
        match child:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                known = names | {
                    one.arg for one in ast.walk(child.args) if isinstance(one, ast.arg)
                }
            case ast.ClassDef():
                known = names | {child.name.lower()}  # which some method makes of a text
                known |= {one.target.id for one in child.body if isinstance(one, ast.AnnAssign)}
            case ast.Call(
                func=ast.Name("check_type" | "check_each"),
                args=[_, _, ast.Constant(str() as name), *_],
            ) if name not in names:
                yield name
        yield from misnamed(child, known)


def test_an_error_calls_an_argument_by_its_name():
    those = [path for path in FILES if "validation.arguments" in path.read_text()]
    assert len(those) > 20
    assert {dotted(path): found for path in those if (found := [*misnamed(parsed(path))])} == {}
    wrong = "def act(self, turns):\n    for turn in check_each(turns, Turn, 'moves'):\n        pass"
    assert [*misnamed(ast.parse(wrong))] == ["moves"]


def test_what_packages_offer_is_there():
    for path in ROOT.rglob("__init__.py"):
        module = importlib.import_module(dotted(path))
        offered = getattr(module, "__all__", [])
        for name in offered:
            try:
                assert hasattr(module, name), path
            except ImportError as error:
                assert "gem-ma[" in str(error), f"{path}: {error}"  # noqa: PT017 - for some names
        named = {  # for type checkers, since what is offered may be imported later
            alias.name
            for node in parsed(path).body
            if offered and isinstance(node, ast.If)
            for line in node.body
            for alias in line.names
        }
        assert named - set(offered) == set(), path


def test_the_links_at_the_top_lead_into_the_package():
    for name in ("envs", "agents", "renderers"):
        link = ROOT.parent / name
        assert link.is_symlink()
        assert link.resolve() == ROOT / name


def test_no_two_files_of_tests_have_one_name():
    names = [path.name for path in (ROOT.parent / "tests").rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))  # else pytest takes one for the other
