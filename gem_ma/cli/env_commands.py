"""The commands list and info: they list environments and describe one of them."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import re
import sys
from collections.abc import Iterator, Sequence
from importlib import resources
from typing import TYPE_CHECKING, Any

from gem_ma.cli.command_options import SubcommandParsers, UsageError
from gem_ma.envs import registry
from gem_ma.envs.game_factory import import_game_class, make_game
from gem_ma.envs.registry import MissingRequirement, Spec
from gem_ma.packs import list_missing_packs, list_packs

if TYPE_CHECKING:
    from gem_ma.cli.env_info import EnvInfo, GameParameter


SAMPLE_DIFFICULTIES = (0, 2, 5, 8, 10)  # difficulties that info shows
BOTH_ORDERS = "in turn, and sometimes at the same time"  # the order "both" in words


def add_commands(commands: SubcommandParsers) -> None:
    """Add list and info to the commands of gem-ma."""
    lister = commands.add_parser(
        "list",
        group="play",
        help="list environments",
        description="List environments: a line for each game, and a line for each family of other "
        "ids, such as ta:*.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=("examples:\n  gem-ma list\n  gem-ma list poker\n  gem-ma list 'ta:*' --here --ids"),
    )
    lister.add_argument(
        "pattern",
        nargs="?",
        default="",
        help="list only ids that match: a part of the id or of its description, or a pattern for "
        "the whole id with * and ? (default: all)",
    )
    lister.add_argument(
        "--ids", action="store_true", help="print every id on a line, and nothing else"
    )
    lister.add_argument(
        "--here",
        action="store_true",
        help="list only environments whose requirements are installed here",
    )
    lister.add_argument(
        "--needs",
        action="store_true",
        help="print every id on a line, with what it needs in addition to gem_ma",
    )
    lister.add_argument(
        "--packs", action="store_true", help="list packs instead, with what each of them adds"
    )
    lister.set_defaults(run=_run_list)

    info = commands.add_parser(
        "info",
        group="play",
        help="describe an environment and show its first turn",
        epilog="example: gem-ma info game:ConnectFour-v0 --picture board.png",
    )
    info.add_argument("id", help="an environment; see gem-ma list")
    info.add_argument("--picture", metavar="FILE.png", help="draw its first turn into a file")
    info.add_argument("--json", action="store_true", help="print JSON")
    info.set_defaults(run=_run_info)


def _run_list(args: argparse.Namespace) -> int:
    if args.packs:
        sys.stdout.write(_describe_packs())
        return 0
    ids = registry.list_envs(args.pattern or "*")
    if not ids:
        hint = registry.suggest_ids(args.pattern, registry.find_ids(args.pattern))
        raise UsageError(f"no id matches {args.pattern!r}; {hint}")
    specs = [registry.spec(id) for id in ids]
    specs = [spec for spec in specs if not (args.here and spec.list_missing())]
    if args.ids or args.needs:
        for spec in specs:
            needs = f"  {', '.join(spec.needs)}" if args.needs and spec.needs else ""
            sys.stdout.write(f"{spec.id}{needs}\n")
    else:
        specs.sort(key=_is_outside_core)
        sys.stdout.write(_format_groups(specs, bool(args.pattern)))
    return 0


def _describe_packs() -> str:
    """Return a line for each pack: what it adds, or why it is missing."""
    entries = [registry.spec(id).entry_point for id in registry.list_envs()]
    lines = []
    for pack, package in list_packs():
        suites = resources.files(package).joinpath(pack.suites) if pack.suites else None
        counts = {
            "environments": sum(entry.startswith(f"{package}.") for entry in entries),
            "agents": len(pack.agents),
            "tools": len(pack.tools),
            "suites": len(list(suites.iterdir())) if suites is not None else 0,
            "modules of commands": len(pack.commands),
            "pages of documentation": len(pack.docs),
        }
        contents = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
        dependencies = f"; uses {', '.join(pack.uses)}" if pack.uses else ""
        lines.append(f"{pack.name:<12} {package:<24} {contents}{dependencies}".rstrip() + "\n")
    lines += [f"{one.name:<12} not here: {one.why}\n" for one in list_missing_packs()]
    return "".join(sorted(lines))


def _format_groups(specs: Sequence[Spec], chosen: bool) -> str:
    """Return a line for each game, with its levels and summary, and a line for each family.

    Args:
        chosen: Whether a pattern was given; families are then listed id by id.
    """
    groups: dict[str, dict[str, list[str]]] = {}
    descriptions: dict[str, tuple[str, str]] = {}
    for spec in specs:
        prefix, _, name = spec.id.partition(":")
        family = registry.read_family_summary(prefix)
        base = re.sub(r"(-v\d+)-.*|-(?:easy|hard)$", r"\1", spec.id)
        if family and not chosen:
            groups.setdefault(family, {}).setdefault(f"{prefix}:*", []).append(name)
        else:
            levels = groups.setdefault(family or _find_group(spec), {}).setdefault(base, [])
            levels.extend([spec.id.removeprefix(base)] if spec.id != base else [])
            descriptions[base] = _format_seat_count(spec), "" if family else spec.summary
    lines = []
    for group, members in groups.items():
        lines.append(f"{group}\n")
        for base, levels in members.items():
            if base.endswith(":*"):
                lines.append(f"  {base:<26} {len(levels)} ids: gem-ma list '{base}'\n")
                continue
            seats, summary = descriptions[base]
            level_names = f"[{' '.join(levels)}]" if levels else ""
            line = " ".join(filter(None, (f"  {base:<26} {seats:<8}", summary, level_names)))
            lines.append(f"{line.rstrip()}\n")
        lines.append("\n")
    return "".join(lines[:-1])


def _is_outside_core(spec: Spec) -> bool:
    """Return whether an id is outside the core games, which are listed first."""
    return not spec.id.startswith("game:")


def _find_group(spec: Spec) -> str:
    """Return the heading of the group that a game belongs to."""
    *package, _ = spec.entry_point.partition(":")[0].split(".")
    return registry.read_summary(".".join(package)) or "registered by others"


def _format_seat_count(spec: Spec) -> str:
    """Return how many seats a game has; "" if its class does not say."""
    try:
        seats = getattr(import_game_class(spec), "agents", None)
        if not isinstance(seats, tuple):  # a property that depends on the game's arguments
            seats = make_game(spec, {})[0].agents
    except (AttributeError, ImportError, LookupError, MissingRequirement, OSError, TypeError):
        return ""
    return f"{len(seats)} seat" + "s" * (len(seats) > 1)


def _run_info(args: argparse.Namespace) -> int:
    from gem_ma.cli.env_info import describe_env, draw_first_turn
    from gem_ma.envs.registry import MissingRequirement

    if args.picture and not args.picture.endswith(".png"):
        raise UsageError(f"--picture {args.picture}: expected a name that ends in .png")
    info = describe_env(args.id)
    picture = None
    if args.picture:
        picture = draw_first_turn(args.id)
        picture.save(args.picture)
    if args.json:
        plain = dataclasses.asdict(info)
        for name in ("parameters", "tools"):
            plain[name] = [one._asdict() for one in plain[name]]
        plain["example"] = info.example and info.example._asdict()
        sys.stdout.write(json.dumps(plain, indent=1, default=str) + "\n")
        return 0
    if not sys.stdout.isatty():
        sys.stdout.write(_format_plain(info))
        return 0
    if picture is None and not info.missing:
        with contextlib.suppress(MissingRequirement):  # the text suffices without it
            picture = draw_first_turn(args.id)
    _print_info(info, picture)
    return 0


def _list_facts(found: EnvInfo) -> list[tuple[str, str]]:
    """Return the facts to print, by heading, without the example."""
    settings = ", ".join(f"{key}={value!r}" for key, value in found.settings.items())
    spaces = {kind: space for kind, space in found.observations.items() if kind != "both"}
    tools = (f"{one.name} ({', '.join(one.seats)}): {one.description}" for one in found.tools)
    rows = [
        ("not here", "\n".join(found.missing)),
        ("seats", _format_seats(found)),
        ("needs", ", ".join(found.needs)),
        ("game", found.entry_point),
        ("parameters", "\n".join(map(_format_parameter, found.parameters))),
        ("settings", settings),
        ("options", ", ".join(found.options) and f"{', '.join(found.options)} (of reset)"),
        ("rewards", found.rewards),
        ("actions", "\n".join(filter(None, (found.action, found.reply)))),
        ("observations", "\n".join(f"{kind}: {space}" for kind, space in spaces.items())),
        ("tools", "\n".join(tools)),
        ("levels", "\n".join(_format_level(found, id) for id in found.levels)),
        (
            "difficulty",
            "\n".join(_format_difficulty(found, at) for at in SAMPLE_DIFFICULTIES if found.dial),
        ),
    ]
    return [row for row in rows if row[1]]


def _format_seats(found: EnvInfo) -> str:
    phrases = {"": "", "alone": "", "both": BOTH_ORDERS}
    words = phrases.get(found.order, found.order)
    return ", ".join(found.seats) + (f" ({words})" if words else "")


def _format_parameter(one: GameParameter) -> str:
    default = "" if one.required else f"={one.default!r}"
    return f"{one.name}{default}" + (f": {one.meaning}" if one.meaning else "")


def _format_level(found: EnvInfo, id: str) -> str:
    """Return another level, and the settings that differ from this level."""
    defaults = {one.name: one.default for one in found.parameters} | dict(found.settings)
    name = id.partition(":")[2]  # games of other libraries get it as an argument
    differences = ", ".join(
        f"{key}={value!r}"
        for key, value in found.levels[id].items()
        if value not in (defaults.get(key), name)
    )
    return f"{id}  {differences}".rstrip()


def _format_difficulty(found: EnvInfo, difficulty: int) -> str:
    """Return the settings of a difficulty."""
    sets = found.dial[difficulty]
    return f"{difficulty}: " + ", ".join(f"{key}={value!r}" for key, value in sets.items())


def _describe_first_turn(found: EnvInfo) -> Iterator[tuple[str, str]]:
    if found.example is not None:
        seat, rules, text, reply = found.example
        yield f"rules for {seat}", rules
        yield f"first turn of {seat}, seed 0", text
        if reply is not None:
            yield "a legal reply", reply


def _format_plain(found: EnvInfo) -> str:
    from gem_ma.evaluation.terminal_viewer import escape_invisible

    parts = [f"{found.id}\n{found.summary}\n"]
    for heading, text in (*_list_facts(found), *_describe_first_turn(found)):
        parts.append(f"{heading}:\n" + "".join(f"  {line}\n" for line in text.splitlines()))
    return escape_invisible("\n".join(parts))


def _print_info(found: EnvInfo, drawn: Any) -> None:
    """Print the facts on a terminal, with the picture as half blocks."""
    import numpy as np
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from gem_ma.evaluation.terminal_viewer import escape_invisible, fit_picture, render_half_blocks

    console = Console()
    console.print(Text(found.id, "bold"), Text(escape_invisible(found.summary)), "", sep="\n")
    table = Table.grid(padding=(0, 2))
    for heading, text in _list_facts(found):
        table.add_row(Text(heading, "bold"), Text(escape_invisible(text)))
    console.print(table)
    for heading, text in _describe_first_turn(found):
        console.print("", Text(heading, "bold"), Text(escape_invisible(text)), sep="\n")
    if drawn is not None and console.color_system is not None:
        pixels = np.asarray(drawn)
        console.print(
            "", render_half_blocks(pixels, *fit_picture(pixels, console.width, console.height // 2))
        )
