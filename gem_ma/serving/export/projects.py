"""Write a package that contains an environment, for the hub of another project."""

from __future__ import annotations

import ast
import importlib.util
import json
import keyword
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gem_ma.agents import assign_agents, load_agent
from gem_ma.apis import factory
from gem_ma.chat.agent import check_agent_seat
from gem_ma.engine.match import SeatError
from gem_ma.envs import registry
from gem_ma.rollouts.version import __version__

_TEMPLATES = Path(__file__).parent / "templates"
# By hub: the files of a package, with their templates. In their names, MODULE is that of the
# package.
_FILES: Mapping[str, Mapping[str, str]] = {
    "nemo-gym": {
        "resources_servers/MODULE/app.py": "app.py",
        "resources_servers/MODULE/configs/MODULE.yaml": "config.yaml",
        "resources_servers/MODULE/data/example.jsonl": "example.jsonl",
        "resources_servers/MODULE/requirements.txt": "requirements.txt",
        "resources_servers/MODULE/README.md": "README.md",
    },
    "openenv": {
        "openenv.yaml": "openenv.yaml",
        "pyproject.toml": "pyproject.toml",
        "README.md": "README.md",
        ".dockerignore": "dockerignore",
        "__init__.py": "init.py",
        "client.py": "client.py",
        "server/__init__.py": "server_init.py",
        "server/app.py": "app.py",
        "server/Dockerfile": "Dockerfile",
    },
    "verifiers": {
        "pyproject.toml": "pyproject.toml",
        "README.md": "README.md",
        "MODULE/__init__.py": "init.py",
    },
}
HUBS = tuple(_FILES)
_LIBRARIES = {
    "nemo-gym": "nemo-gym>=0.4",
    "openenv": "openenv>=0.10",
    "verifiers": "verifiers>=0.4",
}


class InvalidProject(ValueError):
    """A package cannot be written; the message says what would work."""


def write_project(
    id: str,
    to: str,
    folder: str | Path,
    *,
    seat: str | None = None,
    others: str = "random",
    **make: Any,
) -> Path:
    """Write a package for a hub into a new folder, and return the folder.

    Args:
        id: the id of the environment.
        to: the hub: "nemo-gym", "openenv" or "verifiers".
        folder: the new folder. The package has its name.
        seat: the seat that is played there; None: all of them.
        others: with `seat`, the agents of the other seats, as for `gem-ma serve`.
        **make: arguments for `gem_ma.make`, such as `observe="both"`.
    """
    top = Path(folder)
    module = _find_module_name(top)
    if ".py:" in id:
        raise InvalidProject(
            f"{id!r} is in a file, which the package would not contain; put the game into a "
            "package of your own (gem-ma new pack NAME), and export its id"
        )
    env = factory.make(id, **make)
    if seat is not None and seat not in env.possible_agents:
        raise SeatError(f"no seat {seat!r}; the seats are {', '.join(env.possible_agents)}")
    played = env.possible_agents if seat is None else [seat]
    if to == "nemo-gym" and (len(played) > 1 or env.config.observe != "text"):
        raise InvalidProject(
            f"NeMo Gym plays one seat, by text: name one of {', '.join(env.possible_agents)} as "
            'seat, and use observe="text"'
        )
    rest = [one for one in env.possible_agents if one not in played]
    players = assign_agents(others, rest) if rest else {}
    for one, spec in players.items():
        check_agent_seat(load_agent(spec), one, spec)
    arguments = _format_arguments(make)
    in_line = arguments.replace("\n   ", "")
    needs = _list_dependencies(env.id, to)
    title = " ".join(part.capitalize() for part in module.removesuffix("_env").split("_"))
    values = {
        "module": module,
        "name": module.replace("_", "-"),
        "title": title,
        "Class": title.replace(" ", ""),
        "id": env.id,
        "quoted_id": json.dumps(env.id),
        "seats": ", ".join(env.possible_agents),
        "played": f"the seat {seat}" if seat else "all seats",
        "subprocesses": " ".join(f"--env.{one}.runtime.type subprocess" for one in played),
        "dependencies": ", ".join(json.dumps(one) for one in needs),
        "requirements": "\n".join(needs),
        "lowest": "-1.0" if env.game.zero_sum else "0.0",
        "served": "".join(
            [f",\n    seat={seat!r},\n    others={others!r}" if seat else "", arguments]
        ),
        "adapted": (f", others={players!r}" if players else "") + in_line,
        "viewed": (f", agent={seat!r}, others={players!r}" if players else "") + in_line,
    }
    for file, template in _FILES[to].items():
        path = top / file.replace("MODULE", module)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_fill_template(f"{to}/{template}", values), encoding="utf-8")
    return top


def _find_module_name(top: Path) -> str:
    """Return the name of the package in a folder, or raise an error if the folder cannot be new."""
    name = top.resolve().name.replace("-", "_")
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) or keyword.iskeyword(name):
        raise InvalidProject(
            f"{top}: the folder gives the package its name: expected small letters, digits and _, "
            "such as connect_four"
        )
    if top.exists():
        raise InvalidProject(f"{top} exists already; choose a new folder")
    if importlib.util.find_spec(name) is not None:
        raise InvalidProject(
            f"{name!r} is the name of a Python module, which the package would hide; choose "
            f"another name, such as {name}_env"
        )
    return name


def _list_dependencies(id: str, to: str) -> list[str]:
    """Return what a package needs: gem_ma and its extras, the library, the game's package."""
    from importlib.metadata import packages_distributions

    spec = registry.spec(id)
    extras = {"openenv"} if to == "openenv" else set()
    for need in spec.needs:
        kind = need.partition(":")[0]
        if kind not in ("key", "corpus", "data", "broken", "hub", "network") and ">=" not in kind:
            extras.add(kind)
    brackets = f"[{','.join(sorted(extras))}]" if extras else ""
    source = spec.entry_point.partition(".")[0].partition(":")[0]
    of_others = packages_distributions().get(source, []) if source != "gem_ma" else []
    return [f"gem-ma{brackets}>={__version__}", _LIBRARIES[to], *sorted(set(of_others))]


def _format_arguments(make: Mapping[str, Any]) -> str:
    """Return arguments of `make` as Python code that follows other arguments."""
    for name, value in make.items():
        try:
            is_literal = ast.literal_eval(repr(value)) == value
        except (ValueError, SyntaxError):
            is_literal = False
        if not is_literal or not name.isidentifier():
            raise InvalidProject(
                f"{name}={value!r}: expected a text, a number, True, False, None, or a list, "
                "tuple or dict of these"
            )
    return "".join(f",\n    {name}={value!r}" for name, value in make.items())


def _fill_template(template: str, values: Mapping[str, str]) -> str:
    text = (_TEMPLATES / f"{template}.txt").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], text)
