"""The command completion, and the ids, agents and suites that argcomplete completes."""

from __future__ import annotations

import argparse
import sys

from gem_ma.agents import AGENT_SPECS
from gem_ma.cli.command_options import SubcommandParsers
from gem_ma.envs import registry
from gem_ma.envs.registry import MissingRequirement

SHELLS = ("bash", "zsh", "fish")


def add_commands(commands: SubcommandParsers) -> None:
    """Add completion to the commands of gem-ma."""
    complete = commands.add_parser(
        "completion",
        help="print the script that makes a shell complete commands, options and ids",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=(
            "examples:\n"
            "  echo 'eval \"$(gem-ma completion bash)\"' >> ~/.bashrc\n"
            "  echo 'eval \"$(gem-ma completion zsh)\"' >> ~/.zshrc    # after compinit\n"
            "  gem-ma completion fish > ~/.config/fish/completions/gem-ma.fish"
        ),
    )
    complete.add_argument("shell", choices=SHELLS, help="the shell that you use")
    complete.set_defaults(run=_run_completion)


def _run_completion(args: argparse.Namespace) -> int:
    sys.stdout.write(make_completion_script(args.shell))
    return 0


def make_completion_script(shell: str) -> str:
    """Return the script that makes a shell complete `gem-ma`."""
    try:
        from argcomplete.shell_integration import shellcode
    except ImportError:
        raise MissingRequirement(
            "completion needs argcomplete: pip install 'gem-ma[completion]'"
        ) from None
    code: str = shellcode(["gem-ma"], shell="bash" if shell == "zsh" else shell)
    return code


def complete_line(parser: argparse.ArgumentParser) -> None:
    """Send completions to the shell that runs this process to complete a line, and exit."""
    import argcomplete

    for command in _list_commands(parser):
        for action in command._actions:
            if action.choices is None and action.dest in _COMPLETERS:
                action.completer = _COMPLETERS[action.dest]  # type: ignore[attr-defined]
    argcomplete.autocomplete(parser)


def complete_ids(prefix: str, **_: object) -> list[str]:
    """Return the ids with this prefix; before a colon, only the beginnings of ids."""
    if ":" in prefix:
        return registry.list_envs(f"{prefix}*")
    return sorted({f"{id.partition(':')[0]}:" for id in registry.list_envs()})


def complete_agents(prefix: str, **_: object) -> list[str]:
    """Return the beginnings of agent specs, after the specs that are already complete."""
    before = prefix[: prefix.rfind(",") + 1]
    return [before + one for one in AGENT_SPECS.list_prefixes()]


def complete_suites(prefix: str, **_: object) -> list[str]:
    """Return the names of the suites that come with the package."""
    from gem_ma.evaluation.suites import list_suites

    return list(list_suites())


# By the name of an argument, which is the same in all commands.
_COMPLETERS = {
    "agent": complete_agents,
    "agents": complete_agents,
    "games": complete_ids,
    "id": complete_ids,
    "others": complete_agents,
    "pattern": complete_ids,
    "suite": complete_suites,
    "what": complete_ids,
}


def _list_commands(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    return [
        command
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
        for command in action.choices.values()
    ]
