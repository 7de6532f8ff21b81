"""The commands check and attack, which test an environment, given by an id or a game in a file.

check tests the contract; attack tries the tricks that models have tried on rewards.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import sys
import sysconfig
import traceback
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gem_ma.agents import assign_agents, load_seat_agents
from gem_ma.apis.aec import AECEnv
from gem_ma.apis.env import Env
from gem_ma.chat.agent import AgentSource
from gem_ma.chat.turn import Turn
from gem_ma.cli.command_options import (
    SubcommandParsers,
    UsageError,
    add_setting_option,
    make_command_env,
    parse_count,
    parse_positive,
)
from gem_ma.engine.config import EnvOptions
from gem_ma.envs import game_files
from gem_ma.packs import PackTable
from gem_ma.validation import entry_points

if TYPE_CHECKING:
    from gem_ma.testing.reward_attack import SeatReturn

# What each step of the contract ensures, in the order of the steps.
CONTRACT_STEPS = {
    "seats": "seats are named, and each has rules",
    "rules": "states are frozen, legal moves are taken, and random play comes to an end",
    "seeding": "a seed decides an episode, and no global random number is drawn",
    "forks": "forks, copies, pickles and snapshots go on as the original does",
    "nothing_is_shared": "what a seat was given never changes, and changing it changes nothing",
    "aec": "PettingZoo's AEC API: spaces hold, rewards sum to returns",
    "parallel": "PettingZoo's parallel API: the same",
    "one_seat": "Gymnasium's API for one seat: the same",
    "order": "calls out of order are errors",
    "garbage": "senseless replies are answered, and no error",
    "invalid_replies": "invalid replies lead to what invalid=... says",
    "privacy": "no seat reads the reasoning of another",
    "rendering": "words and pictures are drawn",
    "other_process": "another process plays the same episode",
    "pictures": "views that differ in words differ in their pictures",
}
CERTIFIED_VIEW_COUNT, QUICK_VIEW_COUNT = 200, 50  # pictures that are compared
MAX_FAULT_LENGTH = 2000  # characters of a reported fault


class CheckTargetError(ValueError):
    """There is no environment with this name to check; the message says why."""


class CheckFailure(Exception):
    """An environment breaks the contract: the fault, its step, and the steps that passed before."""

    def __init__(self, message: str, step: str = "", held: Sequence[str] = ()):
        super().__init__(message)
        self.step = step
        self.passed_steps = list(held)


EXPERT_AGENTS = PackTable("experts", {})  # agents that show what can be earned, by pattern of ids


def add_commands(commands: SubcommandParsers) -> None:
    """Add check and attack to the commands of gem-ma."""
    _add_check(commands)
    attack = commands.add_parser(
        "attack",
        group="author",
        help="try the tricks that models have tried on rewards",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=(
            "examples:\n"
            "  gem-ma attack my_games/quiz.py\n"
            "  gem-ma attack screens:login --best screen-oracle --seeds 20\n\n"
            "It exits with 0 if nothing was found, and with 1 if something was."
        ),
    )
    _add_target(attack)
    attack.add_argument(
        "--seeds", type=parse_positive, default=8, help="number of starts (default: 8)"
    )
    attack.add_argument(
        "--max-turns",
        type=parse_positive,
        default=60,
        help="turns after which an episode is cut off (default: 60)",
    )
    attack.add_argument(
        "--nodes",
        type=parse_count,
        default=300,
        help="positions that a search for good replies visits from each start (default: 300)",
    )
    attack.add_argument(
        "--best",
        metavar="AGENTS",
        help="agents that show what can be earned, as --agents elsewhere (default: experts, if any "
        "are known)",
    )
    add_setting_option(attack)
    attack.set_defaults(run=_run_attack)


def _add_target(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "what",
        metavar="ID|FILE.py[:NAME]",
        help="an id, or a file with a game; :NAME chooses one of several games in the file",
    )


def _run_attack(args: argparse.Namespace) -> int:
    from gem_ma.testing import attack
    from gem_ma.testing.reward_attack import FINDING_KINDS

    try:
        with _show_status() as say, open_target(args.what, args.settings) as env:
            say("doing nothing, quoting, hedging, flooding, forging")
            report = attack(
                env,
                seeds=args.seeds,
                turns=args.max_turns,
                nodes=args.nodes,
                experts=find_experts(env, args.best),
            )
    except CheckTargetError as error:
        raise UsageError(str(error)) from None
    sys.stdout.write(f"{report.env_id}: {report.replies} replies over {args.seeds} starts\n")
    sys.stdout.writelines(_format_returns(report.earned))
    for one in report.findings:
        who = f"{one.seat}, " if one.seat else ""
        sys.stdout.write(
            f"FOUND  {FINDING_KINDS[one.kind]}: {who}{one.trick}, seed {one.seed}: {one.why}\n"
        )
    sys.stdout.write("" if report else "nothing was found\n")
    return int(bool(report))


def _format_returns(returns: Sequence[SeatReturn]) -> Iterator[str]:
    """Yield a table for each seat: its mean return by trick and by kind of partners."""
    for seat in dict.fromkeys(row.seat for row in returns):
        means = {(row.trick, row.partners): row.mean for row in returns if row.seat == seat}
        partners = list(dict.fromkeys(beside for _, beside in means))
        yield f"{seat} beside {' '.join(f'{beside:>9}' for beside in partners)}\n"
        for trick in dict.fromkeys(trick for trick, _ in means):
            cells = [means.get((trick, beside)) for beside in partners]
            texts = [f"{'' if mean is None else f'{mean:.3g}':>9}" for mean in cells]
            yield f"  {trick:<{len(seat) + 6}}{' '.join(texts)}".rstrip() + "\n"


def find_experts(env: AECEnv, agents: str | None = None) -> dict[str, AgentSource] | None:
    """Return agents that show what can be earned in each seat; None if none are known."""
    id, seats = env.core.id, env.possible_agents
    known = (players for pattern, players in EXPERT_AGENTS.items() if fnmatchcase(id, pattern))
    spec = agents or next(known, None)
    if spec is not None:
        try:
            load_seat_agents(spec, seats)  # reports errors of the spec early
        except (ValueError, TypeError) as error:
            raise UsageError(str(error)) from None
        return dict(assign_agents(spec, seats))
    env.reset(seed=0)
    state, game = env.core.game_state, env.core.game
    if isinstance(getattr(state, "best", None), tuple):
        return dict.fromkeys(seats, _reply_best)
    if game.oracle and hasattr(state, "answer"):
        return dict.fromkeys(seats, _reply_answer)
    is_open = env.core.match.lists_moves and all(state.seen_by(seat) is state for seat in seats)
    if game.zero_sum and is_open and len(env.core.to_act) == 1:
        from gem_ma.agents.search import SearchAgent

        return dict.fromkeys(seats, SearchAgent(depth=1, simulations=1))
    return None


def _reply_answer(turn: Turn) -> str:
    assert turn.position is not None  # experts get it
    return f"\\boxed{{{turn.position.state.answer}}}"


def _reply_best(turn: Turn) -> str:
    """Return the reply that the state holds as the best for the seat."""
    assert turn.position is not None  # experts get it
    game, state = turn.position
    return str(state.best[game.agents.index(turn.seat)])


def _add_check(commands: SubcommandParsers) -> None:
    check = commands.add_parser(
        "check",
        group="author",
        help="check that your environment keeps the contract of all environments",
        description=(
            "Check that your environment keeps the contract of all environments: what\n"
            "PettingZoo's and Gymnasium's APIs, seeds, forks, invalid replies, secrets and\n"
            "pictures require. The checks play random episodes, call the environment in wrong\n"
            "ways, and certify that pictures leave nothing out."
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=(
            "examples:\n"
            "  gem-ma check my_games/tug_of_war.py\n"
            "  gem-ma check my_games/cards.py:Rummy --seeds 10\n"
            "  gem-ma check game:ConnectFour-v0 --quick\n\n"
            "It prints a line with ok for each check that passes. At the first check that fails\n"
            "it prints NO and the fault, and stops. It exits with 0 if all checks pass, with 1 if\n"
            "one fails, and with 2 if there is no such environment."
        ),
    )
    _add_target(check)
    check.add_argument(
        "--seeds",
        type=parse_positive,
        help="number of episodes that each check plays (default: 3; with --quick: 1)",
    )
    check.add_argument(
        "--max-turns",
        type=parse_positive,
        default=1000,
        help="number of turns after which a random episode counts as endless, which is a fault "
        "(default: 1000)",
    )
    check.add_argument(
        "--quick",
        action="store_true",
        help="play one episode in each check, compare 50 pictures instead of 200, and play no "
        "episode in another process",
    )
    add_setting_option(check)
    check.set_defaults(run=_run_check)


def _run_check(args: argparse.Namespace) -> int:
    seeds = args.seeds or (1 if args.quick else 3)
    failure: CheckFailure | None = None
    try:
        with _show_status() as say, open_target(args.what, args.settings) as env:
            passed_steps = check_contract(
                env,
                seeds=seeds,
                max_turns=args.max_turns,
                quick=args.quick,
                on_step=lambda step, count: say(
                    CONTRACT_STEPS[step] + (f" ({count + 1})" if count else "")
                ),
            )
    except CheckTargetError as error:
        raise UsageError(str(error)) from None
    except CheckFailure as error:
        failure, passed_steps = error, error.passed_steps
    write = sys.stdout.write
    write("".join(f"ok  {CONTRACT_STEPS[step]}\n" for step in passed_steps))
    if failure is None:
        write(f"{args.what} keeps the contract, tried with {seeds} seed{'s' * (seeds > 1)}\n")
        return 0
    if failure.step:
        write(f"NO  {CONTRACT_STEPS[failure.step]}\n")
    sys.stdout.flush()
    words = " ".join(str(failure).split())
    sys.stderr.write(
        f"gem-ma: {words if len(words) < MAX_FAULT_LENGTH else words[:MAX_FAULT_LENGTH] + ' ...'}\n"
    )
    return 1


@contextlib.contextmanager
def _show_status() -> Iterator[Callable[[str], None]]:
    """Yield a function that shows a status on a terminal, and does nothing elsewhere."""
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda text: None
        return
    with console.status("") as status:
        yield lambda text: status.update(Text(text))


def check_contract(
    env: AECEnv,
    *,
    seeds: int = 3,
    max_turns: int = 1000,
    quick: bool = False,
    on_step: Callable[[str, int], None] = lambda step, done: None,
) -> list[str]:
    """Check an environment as `gem_ma.testing.check_env` does, and certify its pictures.

    Args:
        quick: Compare fewer pictures, and play no episode in another process.
        on_step: Called when a step begins, with its name in CONTRACT_STEPS and the number of times
            it has passed.

    Returns:
        The steps that passed.

    Raises:
        CheckFailure: A step failed, or the environment's own code raised an error.
    """
    from gem_ma.testing import ContractError, certify
    from gem_ma.testing.env_checker import EnvChecker

    pass_counts: dict[str, int] = {}
    current = ""

    def run_step(step: str, look: Callable[..., object], *args: object) -> None:
        nonlocal current
        current = step
        on_step(step, pass_counts.get(step, 0))
        look(*args)
        pass_counts[step] = pass_counts.get(step, 0) + 1

    def list_passed_steps() -> list[str]:
        return [step for step in CONTRACT_STEPS if step in pass_counts and step != current]

    checker = EnvChecker(env.copy(), range(seeds), max_turns)
    for step in CONTRACT_STEPS:
        name = f"check_{step}"
        if hasattr(checker, name):
            setattr(checker, name, functools.partial(run_step, step, getattr(checker, name)))
    try:
        checker.check(not quick)
        views = QUICK_VIEW_COUNT if quick else CERTIFIED_VIEW_COUNT
        run_step("pictures", functools.partial(certify, env, views=views))
    except ContractError as error:
        raise CheckFailure(str(error), current, list_passed_steps()) from error
    except Exception as error:  # any error of a game's code is a finding about it
        raise CheckFailure(describe_exception(error), current, list_passed_steps()) from error
    current = ""
    return list_passed_steps()


def describe_exception(error: BaseException) -> str:
    """Return an exception in one paragraph: its message, and the user's line that raised it."""
    description = f"{type(error).__name__}: {error}".rstrip(": ")
    if isinstance(error, SyntaxError) and error.filename:
        return f"{description.partition(' (')[0]}, in {error.filename}, line {error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    paths = sysconfig.get_paths()
    others = (
        str(Path(__file__).parents[1]),
        paths["stdlib"],
        paths["purelib"],
        paths["platlib"],
        "<",
    )
    own_frames = [one for one in frames if not one.filename.startswith(others)]
    for frame in reversed(own_frames or frames):
        return (
            f"{description}, in {frame.filename}, line {frame.lineno}, {frame.name}: {frame.line}"
        )
    return description


@contextlib.contextmanager
def open_target(what: str, settings: Sequence[tuple[str, Any]] = ()) -> Iterator[AECEnv]:
    """Make the environment to check from an id, FILE.py, or FILE.py:NAME for one of its games.

    While it is open, other processes can also import the file.
    """
    file, name = entry_points.split_file_entry(what)
    path = Path(file or what)
    if path.is_dir():
        raise CheckTargetError(
            f"{path} is a folder; name a file in it, such as {path / 'my_game.py'}"
        )
    if not file and path.is_file():
        raise CheckTargetError(f"{path}: expected an id, or a file that ends in .py")
    if not file:
        yield make_command_env(what, **dict(settings))
        return
    if not path.is_file():
        raise CheckTargetError(f"{file}: no such file")
    paths = sys.path  # noqa: TID251 - what a file adds to it
    modules_before, saved_paths = set(sys.modules), list(paths)
    try:
        yield _make_file_env(path, file, name, dict(settings))
    finally:
        paths[:] = saved_paths
        module = entry_points.find_import_folder(path.resolve())[1].partition(".")[0]
        for one in set(sys.modules) - modules_before:
            if one.partition(".")[0] == module:
                del sys.modules[one]


def _make_file_env(path: Path, file: str, name: str, arguments: EnvOptions) -> AECEnv:
    """Return the environment of a game in a file: its only game, or the named one."""
    try:
        module = game_files.import_game_file(path.resolve())
        game = game_files.list_games(module)[game_files.find_game_name(module, file, name)]
    except game_files.GameNotFound as error:
        raise CheckTargetError(str(error)) from None
    except Exception as error:  # a file may raise any error
        raise CheckFailure(f"{path} cannot be imported. {describe_exception(error)}") from error
    try:
        return Env(game(**arguments))
    except Exception as error:  # raised by the game's own code
        raise CheckFailure(
            f"{game.__name__}() cannot be made. {describe_exception(error)}"
        ) from error
