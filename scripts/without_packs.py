"""Take out one pack after the other, and see that all else works: what `.ci/run` asks for.

    python scripts/without_packs.py                      # each pack: import, list, play, the tests
    that may notice python scripts/without_packs.py tau visual           # these
    python scripts/without_packs.py --core               # all at once, and the whole default suite
    python scripts/without_packs.py --all                # each, and the whole default suite:
    .ci/run long

It runs in the environment of the Python that runs it, where gem-ma is installed (-e or not) with
what
tests need. Copies stand before what is installed, whose metadata still declares what was taken out.
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
LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "site", "dist", "build")
# What looks at everything, and so may miss a pack without naming it.
ALWAYS = (
    "tests/test_*.py",
    "tests/cli",
    "tests/testing",
    "tests/test_packs.py",
    "tests/apis/test_registry.py",
    "tests/evaluation/test_eval.py",
    "tests/rollouts/test_records.py",
)
LOOK = """
import importlib, pathlib, sys
import gem_ma
from gem_ma.agents import SPECS
from gem_ma.cli.main import main
from gem_ma.evaluation import suites
from gem_ma.packs import list_missing_packs, list_packs

gone, top = set(sys.argv[2:]), pathlib.Path(sys.argv[1])
assert pathlib.Path(gem_ma.__file__).parents[1] == top, gem_ma.__file__
missing = {one.name: one for one in list_missing_packs()}
assert gone <= missing.keys() and all(one.absent for one in missing.values()), missing
uses = {name: one.why for name, one in missing.items() if name not in gone}
assert all("it uses" in why for why in uses.values()), uses
skipped = {f"gem_ma.envs.{name}" for name in uses}
for path in sorted((top / "gem_ma").rglob("*.py")):
    name = ".".join(path.relative_to(top).with_suffix("").parts).removesuffix(".__init__")
    if name.endswith("__main__") or "sandbox." in name or any(f"{name}.".startswith(f"{s}.") for s
    in skipped):
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
print("played", *sorted(played))
assert all(map(suites.load, suites.names()))
assert str(SPECS)
for words in (["list"], ["play", "game:ConnectFour-v0", "--agents", "random", "--seed", "0"]):
    assert main(words) == 0
print(len(ids), "ids without", *sorted(missing))
"""


def folder_of(name):
    return Path(*PACKS[name].split(".")[:-1])


def tests_of(name):
    """Return the folder of a pack's tests: that of the pack, below tests/."""
    return Path("tests", *folder_of(name).parts[1:])


def take_out(names, copy):
    shutil.copytree(TOP, copy, ignore=LEFT_OUT, symlinks=True)
    for name in names:
        for folder in (folder_of(name), tests_of(name)):
            shutil.rmtree(copy / folder)


def files_that_may_notice(copy, names):
    """Return the tests that name the packs somewhere, and those that look at everything."""
    code = (
        "import re, sys; from pathlib import Path; sys.path.insert(0, 'tests/support'); import "
        "packs\n"
        "words = re.compile('|'.join(packs.WORDS[name] for name in sys.argv[1:]))\n"
        "print(*[path for path in sorted(Path('tests').rglob('test_*.py')) if "
        "words.search(path.read_text())])"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, *names],
        cwd=copy,
        env=environment(copy),
        text=True,
        capture_output=True,
        check=True,
    )
    always = [str(path.relative_to(copy)) for one in ALWAYS for path in sorted(copy.glob(one))]
    return [*dict.fromkeys([*always, *run.stdout.split()])]


def environment(copy):
    return {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": ""}


def check(names, everything):
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder).resolve() / "gem_ma"
        take_out(names, copy)
        run = [sys.executable, "-W", "error", "-c", LOOK, str(copy), *names]
        if subprocess.run(run, cwd=copy, env=environment(copy)).returncode:
            return False
        pytest = [sys.executable, "-m", "pytest", "-q", "-n", "auto", "-p", "no:cacheprovider"]
        chosen = [] if everything else files_that_may_notice(copy, names)
        # That everything can be collected says that no other test imports what is gone.
        collect = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider"]
        steps = [[*pytest, *chosen]] if everything else [collect, [*pytest, *chosen]]
        for step in steps:
            quiet = subprocess.DEVNULL if "--collect-only" in step else None
            if subprocess.run(step, cwd=copy, env=environment(copy), stdout=quiet).returncode:
                return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("packs", nargs="*", choices=[[], *PACKS], help="(default: each)")
    parser.add_argument("--core", action="store_true", help="all at once")
    parser.add_argument("--all", action="store_true", help="the whole default suite for each")
    args = parser.parse_args()
    rounds = [tuple(PACKS)] if args.core else [(name,) for name in args.packs or PACKS]
    failed = []
    for names in rounds:
        print(f"\n-- without {', '.join(names)}", flush=True)
        if not check(names, args.all or args.core):
            failed.append(", ".join(names))
    print("all is well" if not failed else f"failed without: {'; '.join(failed)}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
