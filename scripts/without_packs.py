"""Check that the rest works without each pack, as `.ci/run` requires.

    python scripts/without_packs.py             # each: all else is imported, listed and played
    python scripts/without_packs.py tau visual  # these
    python scripts/without_packs.py --core      # all at once; the tests that remain are collected
    python scripts/without_packs.py --tests     # each, and the tests that may notice
    python scripts/without_packs.py --all       # each, and the whole default suite

It uses the environment of its own Python, which must have gem-ma and the test requirements. A copy
without the pack precedes the installed package on the path. The installed metadata still declares
the pack, as for a user who deletes a folder.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

TOP = Path(__file__).parent.parent
PACKS = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]["entry-points"][
    "gem_ma.packs"
]
LEFT_OUT = shutil.ignore_patterns("*.egg-info", ".git", ".*_cache", ".venv", "site")
# Tests that check everything, and so may need a pack without naming it.
ALWAYS = (
    "tests/test_*.py",
    "tests/cli",
    "tests/testing",
    "tests/validation/test_extras.py",
    "tests/envs/test_registry.py",
    "tests/apis/test_factory.py",
    "tests/evaluation/runner",
    "tests/rollouts/test_records.py",
)
RULES = ("tests/test_packs.py", "tests/test_imports.py")
LOOK = """
import importlib, pathlib, sys
import gem_ma
from gem_ma.agents import AGENT_SPECS
from gem_ma.cli.main import main
from gem_ma.evaluation import suites
from gem_ma.packs import list_missing_packs

gone, top = set(sys.argv[2:]), pathlib.Path(sys.argv[1])
assert pathlib.Path(gem_ma.__file__).parents[1] == top, gem_ma.__file__
missing = {one.name: one for one in list_missing_packs()}
assert gone <= missing.keys() and all(one.absent for one in missing.values()), missing
uses = {name: one.why for name, one in missing.items() if name not in gone}
assert all("needs the pack" in why for why in uses.values()), uses
skipped = [f"gem_ma.envs.{name}." for name in uses]
for path in sorted((top / "gem_ma").rglob("*.py")):
    name = ".".join(path.relative_to(top).with_suffix("").parts).removesuffix(".__init__")
    if name.endswith("__main__") or "sandbox." in name or f"{name}.".startswith(tuple(skipped)):
        continue
    try:
        importlib.import_module(name)
    except ImportError as error:
        assert "pip install" in str(error), (name, error)  # an extra
ids = gem_ma.list_envs()
played = set()
for id in ids:  # one of each family that can be made here
    prefix = id.partition(":")[0]
    if prefix in played or gem_ma.spec(id).needs:
        continue
    try:
        env = gem_ma.make(id)
    except (LookupError, OSError, RuntimeError, TypeError):  # its data are not here
        continue
    (episode,) = gem_ma.rollout(env, "random", 1, seed=0, max_errors=0, progress=False)
    assert episode.failure is None, id
    played.add(prefix)
assert all(map(suites.load_suite, suites.list_suites()))
assert str(AGENT_SPECS)
for words in (["list"], ["list", "--packs"], ["play", "game:ConnectFour-v0", "--seed", "0"]):
    assert main(words) == 0
print(len(ids), "ids without", *sorted(missing), "played:", *sorted(played), file=sys.stderr)
"""
WORDS = """
import re, sys
from pathlib import Path
sys.path.insert(0, "tests/support")
import packs
words = re.compile("|".join(packs.WORDS[name] for name in sys.argv[1:]))
print(*[one for one in sorted(Path("tests").rglob("test_*.py")) if words.search(one.read_text())])
"""


MISSING = "from gem_ma.packs import list_missing_packs as f; print(*(one.name for one in f()))"


def find_folder(name):
    """Return the folder of a pack."""
    return Path(*PACKS[name].split(".")[:-1])


def find_tests(name):
    """Return the folder of a pack's tests, below tests/."""
    return Path("tests", *find_folder(name).parts[1:])


def take_out(names, copy):
    """Remove the folders of some packs from a copy."""
    for name in names:
        for folder in (find_folder(name), find_tests(name)):
            shutil.rmtree(copy / folder, ignore_errors=True)


def run_python(copy, *words, **more):
    """Run a Python process that imports the copy."""
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": ""}
    return subprocess.run(
        [sys.executable, *words], cwd=copy, env=environment, text=True, check=False, **more
    )


def choose_tests(copy, names):
    """Return the tests that name the packs, and those that check everything."""
    found = run_python(copy, "-c", WORDS, *names, stdout=subprocess.PIPE)
    found.check_returncode()
    always = [str(path.relative_to(copy)) for one in ALWAYS for path in sorted(copy.glob(one))]
    return [*dict.fromkeys([*always, *found.stdout.split()])]


def check_without(names, tests, workers):
    """Return whether the rest works; `tests` is none, those of the rules, some, or all."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder).resolve() / "gem_ma"
        shutil.copytree(TOP, copy, ignore=LEFT_OUT, symlinks=True)
        take_out(names, copy)
        words = ["-W", "error", "-c", LOOK, str(copy), *names]
        if run_python(copy, *words, stdout=subprocess.DEVNULL).returncode:
            return False
        if tests == "none":
            return True
        missing = run_python(copy, "-c", MISSING, stdout=subprocess.PIPE).stdout.split()
        take_out(missing, copy)  # packs that use it are removed too, as their tests cannot run
        chosen = {"all": ["tests"], "rules": RULES}.get(tests) or choose_tests(copy, names)
        pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider"]
        if tests != "all":  # check that all tests can be collected: none imports the removed code
            collected = run_python(copy, *pytest, "--collect-only", "tests", stdout=subprocess.PIPE)
            if collected.returncode:
                print(collected.stdout[-4000:])
                return False
        return not run_python(copy, *pytest, "--tb=short", "-n", workers, *chosen).returncode


def main():
    """Run the checks; return 1 if one failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("packs", nargs="*", metavar="PACK", help="packs to check (default: each)")
    parser.add_argument("--core", action="store_true", help="remove all packs at once")
    parser.add_argument("--tests", action="store_true", help="also run the tests that may notice")
    parser.add_argument("--all", action="store_true", help="also run the whole default suite")
    parser.add_argument(
        "--workers", default="auto", help="number of pytest-xdist workers (default: auto)"
    )
    args = parser.parse_args()
    if unknown := set(args.packs) - PACKS.keys():
        parser.error(f"no pack {', '.join(sorted(unknown))}; there are {', '.join(PACKS)}")
    rounds = [tuple(PACKS)] if args.core else [(name,) for name in args.packs or PACKS]
    least = "rules" if args.core else "none"
    tests = "all" if args.all else "some" if args.tests else least
    failed = []
    for names in rounds:
        print(f"-- without {', '.join(names)}", flush=True)
        if not check_without(names, tests, args.workers):
            failed.append(", ".join(names))
    print("all is well" if not failed else f"failed without: {'; '.join(failed)}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
