"""Games that raise, hang, stop or kill their process, and one of one seat with a tool of its own.

Workers import them without pytest.
"""

import ctypes
import os
import signal
import subprocess
import time
from dataclasses import dataclass

from gem_ma import Game, InvalidMove, Message
from gem_ma.envs.guessing.guess_the_number import GuessTheNumber


class FaultyGuess(GuessTheNumber):
    """Raises, hangs, or takes its process down, as it is told by the guess."""

    def advance(self, state, moves, rng):
        (guess,) = moves.values()
        if guess == 2:
            raise RuntimeError("this game is broken")
        if guess == 3:
            time.sleep(60)
        if guess == 4:
            os.kill(os.getpid(), signal.SIGKILL)
        if guess == 5:
            raise SystemExit(3)
        if guess == 6:
            raise KeyboardInterrupt
        return super().advance(state, moves, rng)


class WaitingFaultyGuess(FaultyGuess):
    """The same faults in a game whose steps run in threads of their process."""

    blocking = True


class Waiting(GuessTheNumber):
    """Takes a while over some guesses, so that steps end in another order than they began."""

    blocking = True

    def advance(self, state, moves, rng):
        (guess,) = moves.values()
        time.sleep(0.001 * (guess % 4))
        return super().advance(state, moves, rng)


class FaultySecret(GuessTheNumber):
    """Raises, hangs or takes its process down in some of its episodes."""

    def __init__(self, fault, share=7):
        super().__init__(1, 10, 5)
        self.fault, self.share = fault, share

    def advance(self, state, moves, rng):
        if state.secret % self.share == 0:
            if self.fault == "raise":
                raise RuntimeError("this game is broken")
            if self.fault == "sleep":
                time.sleep(60)
            if self.fault == "loop":
                while True:
                    pass
            if self.fault == "compute":  # in C, where no signal of Python's is heard
                sum(range(10**13))
            os.kill(os.getpid(), signal.SIGKILL)
        return super().advance(state, moves, rng)


class Stops(GuessTheNumber):
    """Stops its process once: in a step, when it is in none, or in C where no signal is heard."""

    def __init__(self, mark, at=None):
        super().__init__(1, 10, 5)
        self.mark, self.at = mark, at

    def advance(self, state, moves, rng):
        if self.at and not os.path.exists(self.mark):
            with open(self.mark, "w"):
                pass
            if self.at == "step":
                os.kill(os.getpid(), signal.SIGSTOP)
            elif self.at == "later":
                subprocess.Popen(["sh", "-c", f"sleep 0.1; kill -STOP {os.getpid()}"])
            else:  # a lock that is held already
                lock = ctypes.create_string_buffer(128)
                for _ in range(2):
                    ctypes.PyDLL(None).pthread_mutex_lock(lock)
        return super().advance(state, moves, rng)


class Slow:
    """Plays at random, and leaves time to be stopped in."""

    portable = True

    def act(self, turns):
        from gem_ma.agents import load_agent

        time.sleep(0.05)
        return load_agent("random").act(turns)

    def __repr__(self):
        return "Slow()"


TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}


@dataclass(frozen=True)
class Looked:
    looks: int = 0
    ended: bool = False

    def to_act(self):
        return () if self.ended else ("a",)

    def returns(self):
        return {"a": float(self.looks)}

    def seen_by(self, agent):
        return self


class Looking(Game):
    """Look as often as you like; "stop" ends it."""

    agents = ("a",)

    def start(self, rng, options):
        return Looked()

    def read(self, text, view, agent):
        if text not in ("stop", '{"name": "look", "arguments": {}}'):
            raise InvalidMove("look or stop")
        return text

    def advance(self, state, moves, rng):
        if moves["a"] == "stop":
            return Looked(state.looks, True)
        return Looked(state.looks + 1)

    def tell(self, before, moves, after):
        return [Message(("a",), "tool", f"look number {after.looks}")]

    def rules(self, agent):
        return "Look around."

    def describe(self, view, agent):
        return f"Looks: {view.looks}"

    def tools(self, agent):
        return (TOOL,)
