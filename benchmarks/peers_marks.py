"""Count the environments that work right after `pip install`, and test what model code can reach.

    unshare -n PYTHON benchmarks/peers_marks.py count NAME
    PYTHON benchmarks/peers_marks.py reach NAME

For `count`, NAME is gem_ma, gem, textarena or pettingzoo. For `reach`, NAME is gem_ma, gem,
gem-bwrap, verifiers or openenv. PYTHON is from a virtual environment with only that project
(openenv also needs smolagents). These are the figures of docs/peers.md.
"""

import asyncio
import contextlib
import http.server
import importlib
import io
import os
import signal
import sys
import tempfile
import threading
import warnings
from collections import Counter
from pathlib import Path

SECRET = "a secret of the parent"


class Late(BaseException):
    """A peer took more than a minute."""


def late(*_):
    raise Late


@contextlib.contextmanager
def quiet():
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def families(ids):
    return dict(Counter(name.split(":")[0] for name in ids if ":" in name))


def made(ids, start, kind):
    """Print how many ids start, and how many of these have pictures or several seats."""
    signal.signal(signal.SIGALRM, late)
    starts, pictures, several, why = [], [], [], Counter()
    for name in ids:
        signal.alarm(60)
        try:
            with quiet():
                seats, picture = start(name)
        except BaseException as error:  # count all exceptions of a peer
            if isinstance(error, KeyboardInterrupt):
                raise
            why[type(error).__name__] += 1
            continue
        finally:
            signal.alarm(0)
        starts.append(name)
        several += [name] * (seats > 1)
        pictures += [name] * picture

    def told(found):
        names = {kind(name) for name in found}
        return f"{len(found)} ids, {len(names)} names"

    print("listed:", told(ids), families(ids))
    print("made:", told(starts), families(starts))
    print("a picture is observed:", told(pictures), families(pictures))
    print("two seats or more:", told(several))
    print("why not:", dict(why.most_common()))


def is_picture(thing):
    shape = getattr(thing, "shape", ())
    return len(shape) == 3 and str(thing.dtype) == "uint8" and shape[-1] in (1, 3)


def without_level(name):
    return name.split("-v")[0].removesuffix("-easy").removesuffix("-hard")


def count_gem_ma():
    import gem_ma

    def start(name):
        env = gem_ma.make(name)
        env.reset(seed=0)
        env.observe(env.agent_selection)
        try:
            seeing = gem_ma.make(name, observe="image")
            seeing.reset(seed=0)
            picture = is_picture(seeing.observe(seeing.agent_selection)["image"])
        except Exception:  # noqa: BLE001 what a bridge needs for its pictures is not here
            picture = False
        return len(env.possible_agents), picture

    made(list(gem_ma.list_envs()), start, without_level)


def count_gem():
    import gem
    from gem.envs.registration import ENV_REGISTRY

    def start(name):
        observation, _ = gem.make(name).reset(seed=0)
        return 1, not isinstance(observation, str)

    made(list(ENV_REGISTRY), start, without_level)


def count_textarena():
    import textarena
    from textarena.envs.registration import ENV_REGISTRY

    def start(name):
        seats = 1
        while True:  # find the smallest number that works
            try:
                env = textarena.make(name)
                env.reset(num_players=seats, seed=0)
                return seats, not isinstance(env.get_observation()[1], str)
            except Exception:  # each game has its own error for too small a number
                seats += 1
                if seats > 15:
                    raise

    # -raw and -train are the same games in other wrappers
    ids = [name for name in ENV_REGISTRY if not name.endswith(("-raw", "-train"))]
    made(ids, start, without_level)


def count_pettingzoo():
    import pettingzoo

    top = Path(pettingzoo.__file__).parent
    folders = ("atari", "butterfly", "classic", "sisl")
    files = [file for name in folders for file in sorted((top / name).glob("*_v[0-9]*.py"))]

    def start(name):
        env = importlib.import_module(f"pettingzoo.{name}").env()
        env.reset(seed=0)
        return len(env.possible_agents), is_picture(env.observe(env.agent_selection))

    made([f"{file.parent.name}.{file.stem}" for file in files], start, str)


def programs(folder, port):
    """Return small programs; each prints its word if it reached something that it should not."""
    secret, planted = str(folder / "secret.txt"), str(folder / "planted.txt")
    got = "print('GO' + 'T')"  # split, because a traceback shows the program's text
    look = f"{SECRET!r}.encode() in open(f'/proc/{{pid}}/environ', 'rb').read()"
    return {
        "read a file": f"if open({secret!r}).read(): {got}",
        "write a file": f"open({planted!r}, 'w').write('x'); {got}",
        "read its environment": f"import os\nif os.environ.get('GM_SECRET'): {got}",
        "read the parent's environment": (
            "import os\nfor pid in filter(str.isdigit, os.listdir('/proc')):\n"
            f"    try:\n        if {look}: {got}\n    except OSError: pass"
        ),
        "reach a server of this machine": (
            "import urllib.request\n"
            f"if urllib.request.urlopen('http://127.0.0.1:{port}', timeout=3): {got}"
        ),
        "take 3 GiB": f"held = 'x' * (3 << 30)\n{got}",
    }


class Server(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def reach(run):
    """Run each program, and print whether it succeeded."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(dir=Path.home()) as name:
        folder = Path(name)
        (folder / "secret.txt").write_text(SECRET)
        for what, code in programs(folder, server.server_port).items():
            found = run(code)
            lines = str(found).strip().splitlines() or [""]
            print(f"{what}: {'yes' if 'GOT' in str(found) else 'no'} ({lines[-1][:100]})")


def reach_gem_ma():
    from gem_ma.sandbox import Sandbox

    box = Sandbox("auto")
    print("level:", box.level)

    def run(code):
        found = box.run(code)
        return found.stdout + found.stderr

    reach(run)


def reach_gem(how="none"):
    from gem.utils.sandbox import run_python

    reach(lambda code: "\n".join(map(str, run_python(code, how)[1:])))


def reach_verifiers():
    from verifiers.v1.runtimes.subprocess import SubprocessConfig, SubprocessRuntime

    async def once(code):
        runtime = SubprocessRuntime(SubprocessConfig(), f"peers-{os.urandom(8).hex()}")
        await runtime.start()
        found = await runtime.run([sys.executable, "-c", code], {})
        await runtime.stop()
        return found.stdout + found.stderr

    reach(lambda code: asyncio.run(once(code)))


def reach_openenv():
    from openenv.core.tools.local_python_executor import PyExecutor

    def run(code):
        found = PyExecutor().run(code)
        return found.stdout + found.stderr

    reach(run)


DO = {
    ("count", "gem_ma"): count_gem_ma,
    ("count", "gem"): count_gem,
    ("count", "textarena"): count_textarena,
    ("count", "pettingzoo"): count_pettingzoo,
    ("reach", "gem_ma"): reach_gem_ma,
    ("reach", "gem"): reach_gem,
    ("reach", "gem-bwrap"): lambda: reach_gem("bwrap"),
    ("reach", "verifiers"): reach_verifiers,
    ("reach", "openenv"): reach_openenv,
}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if tuple(sys.argv[1:]) not in DO:
        sys.exit(__doc__)
    if os.environ.get("GM_SECRET") != SECRET:  # /proc shows the initial environment
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | {"GM_SECRET": SECRET})
    sys.path[:] = [place for place in sys.path if place != str(Path(__file__).parent)]  # openenv.py
    DO[tuple(sys.argv[1:])]()
