"""A game whose steps wait, in its own module, because worker processes import it by name."""

import time

from vector_worker import SLEEP

from gem_ma.envs.guessing.guess_the_number import GuessTheNumber


class Sleeping(GuessTheNumber):
    blocking = True

    def advance(self, state, moves, rng):
        time.sleep(SLEEP)
        return super().advance(state, moves, rng)
