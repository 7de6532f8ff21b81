"""An agent for a person at the terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence

from gem_ma.chat.messages import find_observation_pictures
from gem_ma.chat.turn import Turn
from gem_ma.engine.action_parsing import format_options


class HumanAgent:
    """An agent for a person: it prints the turn at the terminal and replies with the typed line.

    The tab key completes legal moves. Pictures are described in words.
    """

    blocking = True

    def act(self, turns: list[Turn]) -> list[str]:
        return [self._reply(turn) for turn in turns]

    def _reply(self, turn: Turn) -> str:
        parts = [turn.rules, ""] if turn.first else [""]
        # the pictures in words, because nothing else describes them here
        words = "\n".join(picture.alt for picture in find_observation_pictures(turn.observation))
        parts += [part for part in (turn.text, words) if part]
        if turn.legal:
            parts.append(f"({format_options(turn.legal)})")
        sys.stdout.write("\n".join(parts) + "\n")
        with enable_completion(turn.legal or ()):
            return input(f"{turn.seat}> ")

    def __repr__(self) -> str:
        return "HumanAgent()"


def make_completer(options: Sequence[str]) -> Callable[[str, int], str | None]:
    """Return a completer for readline: the number-th option that begins with the line, or None."""

    def complete(line: str, number: int) -> str | None:
        start = line.casefold()
        matches = [option for option in options if option.casefold().startswith(start)]
        return matches[number] if number < len(matches) else None

    return complete


@contextlib.contextmanager
def enable_completion(options: Sequence[str]) -> Iterator[None]:
    """Let tab complete a line to one of the options, if the terminal has readline."""
    try:
        import readline
    except ImportError:
        yield
        return
    before = readline.get_completer(), readline.get_completer_delims()
    libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if libedit else "tab: complete")
    readline.set_completer(make_completer(options))
    readline.set_completer_delims("")  # an option may contain spaces
    try:
        yield
    finally:
        readline.set_completer(before[0])
        readline.set_completer_delims(before[1])
