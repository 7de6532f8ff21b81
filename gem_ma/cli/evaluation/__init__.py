"""The evaluation commands: eval, tournament, exploit and leaderboard, one file each.

They turn arguments into calls of `gem_ma.evaluation`, and print the results.
"""

from __future__ import annotations

from gem_ma.cli.command_options import SubcommandParsers
from gem_ma.cli.evaluation.eval_command import add_eval
from gem_ma.cli.evaluation.exploit_command import add_exploit
from gem_ma.cli.evaluation.leaderboard_command import add_leaderboard
from gem_ma.cli.evaluation.tournament_command import add_tournament


def add_commands(commands: SubcommandParsers) -> None:
    """Add the commands to those of the command line."""
    add_eval(commands)
    add_tournament(commands)
    add_exploit(commands)
    add_leaderboard(commands)
