"""Mutation testing: change one place at a time, run the tests, and print the changes that pass.

    python scripts/mutants.py --count 50 --seed 0 --folder envs/cards
    python scripts/mutants.py --count 500 --without apis,match

The working tree is not changed: each job works on a copy in a temporary folder.
"""

import argparse
import ast
import collections
import contextlib
import copy
import difflib
import importlib.util
import os
import queue
import random  # noqa: TID251 (no episode hangs on it)
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SKIPPED = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", "site", "dist")
SWAPS = {
    ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt, ast.GtE), ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE), ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
    ast.Add: (ast.Sub,), ast.Sub: (ast.Add,), ast.Mult: (ast.Add, ast.FloorDiv),
    ast.Div: (ast.Mult,), ast.FloorDiv: (ast.Mult,), ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,), ast.BitOr: (ast.BitAnd,), ast.BitAnd: (ast.BitOr,),
    ast.LShift: (ast.RShift,), ast.RShift: (ast.LShift,), ast.And: (ast.Or,), ast.Or: (ast.And,),
}  # fmt: skip
SENTENCE = 5  # words; longer texts are prose, not behaviour
LIMIT = 300.0  # seconds for tests; mutants get PATIENCE times the known duration
PATIENCE = 4


def values(value):
    """Yield the values that can replace a constant: its opposite, neighbours, another word."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield from (value + 1, value - 1)[: 1 + (value > 0)]
    elif isinstance(value, str) and len(words := value.split()) < SENTENCE:
        word = max(words, key=len, default="")
        yield value.replace(word, word + "x", 1) if word else value + "x"


def changes(node):
    """Yield the replacements of a node."""
    match node:
        case ast.Constant():
            yield from map(ast.Constant, values(node.value))
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield node.operand
        case ast.Compare():
            for i, op in enumerate(node.ops):
                for swap in SWAPS[type(op)]:
                    ops = [*node.ops[:i], swap(), *node.ops[i + 1 :]]
                    yield ast.Compare(node.left, ops, node.comparators)
        case ast.BinOp(left=ast.Constant(value=str()) | ast.JoinedStr()):
            pass  # concatenated texts
        case ast.BinOp() | ast.BoolOp() | ast.AugAssign():
            for swap in SWAPS.get(type(node.op), ()):
                changed = copy.copy(node)
                changed.op = swap()
                yield changed


def places(node):
    """Yield the nodes below a node, without types, docstrings and messages."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases"):
            continue
        for child in value if isinstance(value, list) else [value]:
            match child:
                case ast.Raise() | ast.JoinedStr() | ast.Expr(value=ast.Constant()):
                    pass
                case ast.keyword(arg="strict"):
                    pass  # strict= of zip only checks lengths
                case ast.AnnAssign(annotation=ast.Name(id="TypeAlias")):
                    pass
                case ast.Call(func=ast.Name(id="TypeVar")):
                    pass
                case ast.Call(func=ast.Name(id="cast"), args=[_, content]):
                    yield content
                    yield from places(content)
                case ast.AST():
                    yield child
                    yield from places(child)


def drawn(paths, count, rng):
    """Draw lines to change, with one change each: (path, source, changed source)."""
    lines = collections.defaultdict(list)
    for path in paths:
        for node in places(ast.parse(path.read_text())):
            for change in changes(node):
                lines[path, node.lineno].append((node, change))
    for path, number in rng.sample(sorted(lines), min(count, len(lines))):
        source = path.read_text().encode()
        node, change = rng.choice(lines[path, number])
        before = source.splitlines(keepends=True)
        start = sum(map(len, before[: node.lineno - 1])) + node.col_offset
        end = sum(map(len, before[: node.end_lineno - 1])) + node.end_col_offset
        plain = isinstance(node, ast.Constant | ast.stmt)
        text = ast.unparse(change) if plain else f"({ast.unparse(change)})"
        yield path, source, source[:start] + text.encode() + source[end:]


def stages(path, near):
    """Yield groups of tests for a file, the nearest first, from its own to the game contract."""
    parts = list(path.relative_to(ROOT / "gem_ma").with_suffix("").parts)
    names = [parts.pop()]
    if names == ["__init__"]:
        names = parts[-1:] or ["gem_ma"]
    while not ROOT.joinpath("tests", *parts).is_dir():
        names.append(parts.pop())
    folder = sorted(ROOT.joinpath("tests", *parts).glob("test_*.py"))
    every = sorted((ROOT / "tests").rglob("test_*.py"))
    named = [test for test in folder if any(name in test.stem for name in names)]
    named = named or [test for test in every if test.stem == f"test_{names[0]}"]
    speaks = {test: test.read_text().count(path.stem) for test in every}
    most = max(folder or every, key=speaks.get)  # otherwise the tests that name it most often
    tests = named or [most if speaks[most] else max(every, key=speaks.get)]
    yield tests
    yield [ROOT / "tests/test_imports.py", "-k", "offer or error"]  # checks that hold for all files
    classes = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.ClassDef)]
    known = (ROOT / "gem_ma/envs/__init__.py").read_text()
    games = [node.name for node in classes if f"{path.stem}:{node.name}" in known]
    chosen = ["-k", " or ".join(games)]
    if games:
        yield [*sorted((ROOT / "tests/envs").glob("test_*.py")), *chosen]
    if parts == ["engine"]:  # the engine is tested by its views, too
        names = ("apis/test_env", "apis/test_gymnasium_view", "apis/test_parallel_view")
        yield [ROOT / f"tests/{name}.py" for name in (*names, "test_wrappers")]
    if near:
        return
    yield [test for test in folder if test not in tests]
    if len(parts) > 2:  # the tests of a pack's parts are in the folder above
        yield sorted(ROOT.joinpath("tests", *parts[:-1]).glob("test_*.py"))
    references = ROOT.joinpath("tests", *parts[:2], "test_references.py")
    if references.exists():  # recorded results of other libraries
        yield [references, "-m", "slow or not slow"]
    if games:
        yield [ROOT / "tests/testing/test_env_checker.py", *chosen]


def passes(tests, tree, limit=LIMIT):
    """Return the seconds that the tests take if they pass in a copy of the tree, else None."""
    names = [str(test.relative_to(ROOT)) if isinstance(test, Path) else test for test in tests]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *names]
    env, null = os.environ | {"PYTHONPATH": str(tree)}, subprocess.DEVNULL
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), null)
    start = time.monotonic()
    process = subprocess.Popen(command, cwd=tree, env=env, start_new_session=True, **streams)
    try:
        code = process.wait(limit)
        return time.monotonic() - start if code in (0, 5) else None  # 5: no tests were collected
    except subprocess.TimeoutExpired:
        return None  # an endless loop counts as detected
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # includes the processes that the tests started
        process.wait()


def lives(path, source, changed, near, trees, green):
    """Return whether the tests that pass without a change also pass with it."""
    tree = trees.get()
    copied = tree / path.relative_to(ROOT)
    compiled = Path(importlib.util.cache_from_source(str(copied)))
    try:
        for tests in filter(None, stages(path, near)):
            known = green.get(str(tests))
            copied.write_bytes(changed)
            compiled.unlink(missing_ok=True)  # it may have the same timestamp
            passed = passes(tests, tree, PATIENCE * (known + 5) if known else LIMIT)
            copied.write_bytes(source)
            compiled.unlink(missing_ok=True)
            if not passed and str(tests) not in green:
                green[str(tests)] = passes(tests, tree)
            if not passed and green[str(tests)]:
                return False
            if not passed:
                print("these fail without a change:", *tests, file=sys.stderr)
        return True
    finally:
        trees.put(tree)


def main():
    """Draw, run and print; fail if more than one mutant in twenty survives."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", default="", help="folder or file of gem_ma, such as envs/cards")
    parser.add_argument(
        "--without", default="", help="folders and files to leave out, separated by commas"
    )
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument(
        "--near", action="store_true", help="leave out the slow tests of the rest of a folder"
    )
    given = parser.parse_args()
    folder, names = ROOT / "gem_ma" / given.folder, filter(None, given.without.split(","))
    left_out = [ROOT / "gem_ma" / name for name in names]
    files = [folder] if folder.is_file() else sorted(folder.rglob("*.py"))
    files = [path for path in files if not any(map(path.is_relative_to, left_out))]
    mutants = list(drawn(files, given.count, random.Random(given.seed)))
    drew, died, trees, green = collections.Counter(), collections.Counter(), queue.Queue(), {}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(given.jobs) as pool:
        Path(folder).chmod(0o755)  # the users of the sandbox read the package too
        for i in range(given.jobs):
            trees.put(shutil.copytree(ROOT, Path(folder, str(i)), symlinks=True, ignore=SKIPPED))
        alive = pool.map(lambda mutant: lives(*mutant, given.near, trees, green), mutants)
        for (path, *texts), living in zip(mutants, alive, strict=True):
            name = path.relative_to(ROOT)
            drew[name.parent] += 1
            died[name.parent] += not living
            print("." if living else "x", end="", file=sys.stderr, flush=True)
            if living:
                lines = [text.decode().splitlines() for text in texts]
                diff = list(difflib.unified_diff(*lines, n=0, lineterm=""))[2:]
                print(f"\n{name} lives", *diff, sep="\n", flush=True)
    for folder, count in sorted(drew.items()):
        print(f"{folder}: {died[folder]} of {count} died")
    print(f"in all: {died.total()} of {drew.total()} died")
    return died.total() < 0.95 * drew.total()


if __name__ == "__main__":
    sys.exit(main())
