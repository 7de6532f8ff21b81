"""The commands list and info: which environments there are, and what one of them is."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import difflib
import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gem_ma.cli.common import UsageError
from gem_ma.envs import registry

if TYPE_CHECKING:
    from gem_ma.cli.about import About, Parameter


def add_commands(commands: Any) -> None:
    """Add list and info to the commands of gem-ma."""
    lister = commands.add_parser(
        "list", help="list environments", epilog="example: gem-ma list 'ta:*' --here"
    )
    lister.add_argument("pattern", nargs="?", default="*", help="part of an id, or with * and ?")
    lister.add_argument(
        "--here", action="store_true", help="only those that need nothing that is not here"
    )
    lister.add_argument("--needs", action="store_true", help="say what each takes beside gem_ma")
    lister.set_defaults(run=_list)

    info = commands.add_parser(
        "info",
        help="say what an environment is, and show its first turn",
        epilog="example: gem-ma info game:ConnectFour-v0 --picture board.png",
    )
    info.add_argument("id", help="an environment; see gem-ma list")
    info.add_argument("--picture", metavar="FILE.png", help="draw its first turn into a file")
    info.add_argument("--json", action="store_true", help="print JSON")
    info.set_defaults(run=_info)


def _list(args: argparse.Namespace) -> int:
    ids = registry.list_envs(args.pattern)
    if not ids:
        close = difflib.get_close_matches(args.pattern, registry.list_envs(), n=1, cutoff=0.3)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise UsageError(f"no id matches {args.pattern!r}{hint}")
    for id in ids:
        spec = registry.spec(id)
        if not (args.here and spec.missing()):
            needs = f"  {', '.join(spec.needs)}" if args.needs and spec.needs else ""
            sys.stdout.write(f"{id}{needs}\n")
    return 0


def _info(args: argparse.Namespace) -> int:
    from gem_ma.cli.about import about, picture
    from gem_ma.envs.registry import MissingNeed

    if args.picture and not args.picture.endswith(".png"):
        raise UsageError(f"--picture {args.picture}: expected a name that ends in .png")
    found = about(args.id)
    drawn = None
    if args.picture:
        drawn = picture(args.id)
        drawn.save(args.picture)
    if args.json:
        plain = dataclasses.asdict(found)
        for name in ("parameters", "tools"):
            plain[name] = [one._asdict() for one in plain[name]]
        plain["example"] = found.example and found.example._asdict()
        sys.stdout.write(json.dumps(plain, indent=1, default=str) + "\n")
        return 0
    if not sys.stdout.isatty():
        sys.stdout.write(_plain(found))
        return 0
    if drawn is None and not found.missing:
        with contextlib.suppress(MissingNeed):  # the words stand for it
            drawn = picture(args.id)
    _show(found, drawn)
    return 0


def _facts(found: About) -> list[tuple[str, str]]:
    """Return what there is to say, by heading, beside the example."""
    settings = ", ".join(f"{key}={value!r}" for key, value in found.settings.items())
    spaces = {kind: space for kind, space in found.observations.items() if kind != "both"}
    tools = (f"{one.name} ({', '.join(one.seats)}): {one.description}" for one in found.tools)
    rows = [
        ("not here", "\n".join(found.missing)),
        ("seats", _seats(found)),
        ("needs", ", ".join(found.needs)),
        ("game", found.entry_point),
        ("parameters", "\n".join(map(_parameter, found.parameters))),
        ("settings", settings),
        ("rewards", found.rewards),
        ("actions", "\n".join(filter(None, (found.action, found.reply)))),
        ("observations", "\n".join(f"{kind}: {space}" for kind, space in spaces.items())),
        ("tools", "\n".join(tools)),
        ("levels", "\n".join(_level(found, id) for id in found.levels)),
    ]
    return [row for row in rows if row[1]]


def _seats(found: About) -> str:
    how = {"": "", "alone": "", "both": "in turn, and sometimes at the same time"}
    words = how.get(found.order, found.order)
    return ", ".join(found.seats) + (f" ({words})" if words else "")


def _parameter(one: Parameter) -> str:
    default = "" if one.required else f"={one.default!r}"
    return f"{one.name}{default}" + (f": {one.meaning}" if one.meaning else "")


def _level(found: About, id: str) -> str:
    """Return another level, and what it sets otherwise than this one."""
    own = {one.name: one.default for one in found.parameters} | dict(found.settings)
    name = id.partition(":")[2]  # which other libraries' games are given as an argument
    differs = ", ".join(
        f"{key}={value!r}"
        for key, value in found.levels[id].items()
        if value not in (own.get(key), name)
    )
    return f"{id}  {differs}".rstrip()


def _first_turn(found: About) -> Iterator[tuple[str, str]]:
    if found.example is not None:
        seat, rules, text, reply = found.example
        yield f"rules for {seat}", rules
        yield f"first turn of {seat}, seed 0", text
        if reply is not None:
            yield "a legal reply", reply


def _plain(found: About) -> str:
    from gem_ma.evaluation.watch import visible

    parts = [f"{found.id}\n{found.summary}\n"]
    for heading, text in (*_facts(found), *_first_turn(found)):
        parts.append(f"{heading}:\n" + "".join(f"  {line}\n" for line in text.splitlines()))
    return visible("\n".join(parts))


def _show(found: About, drawn: Any) -> None:
    """Print it on a terminal, its picture as half blocks."""
    import numpy as np
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from gem_ma.evaluation.watch import cells, fit, visible

    console = Console()
    console.print(Text(found.id, "bold"), Text(visible(found.summary)), "", sep="\n")
    table = Table.grid(padding=(0, 2))
    for heading, text in _facts(found):
        table.add_row(Text(heading, "bold"), Text(visible(text)))
    console.print(table)
    for heading, text in _first_turn(found):
        console.print("", Text(heading, "bold"), Text(visible(text)), sep="\n")
    if drawn is not None and console.color_system is not None:
        pixels = np.asarray(drawn)
        console.print("", cells(pixels, *fit(pixels, console.width, console.height // 2)))
