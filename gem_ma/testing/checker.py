"""The contract of an environment, in one call: `check_env("game:ConnectFour-v0")`."""

from __future__ import annotations

from gem_ma.apis.aec import BaseEnv
from gem_ma.testing.episodes import Episodes
from gem_ma.testing.probe import opened
from gem_ma.testing.replies import Replies
from gem_ma.testing.rules import Rules
from gem_ma.testing.views import Views


def check_env(
    env: str | BaseEnv, *, seeds: int = 3, max_turns: int = 1000, processes: bool = True
) -> None:
    """Check that an environment, given by its id or as an object, keeps the contract.

    seeds: how many random episodes each check plays.
    max_turns: a random episode that is longer counts as one that never ends.
    processes: play one episode in another process too, under another PYTHONHASHSEED.
    """
    base = opened(env)
    Checker(base, range(seeds), max_turns).check(processes)


class Checker(Rules, Views, Episodes, Replies):
    """All steps of the contract, over one environment."""

    def check(self, processes: bool) -> None:
        self.seats()
        for seed in self.seeds:
            self.rules(seed)
            self.seeding(seed)
            self.forks(seed)
            self.nothing_is_shared(seed)
            for options in self.variants():
                self.aec(self.make(**options), seed)
                self.parallel(self.make(**options), seed)
                self.cycles(self.make(**options), seed)
                self.one_seat(self.make(**options), seed)
        self.order()
        self.garbage()
        self.invalid_replies()
        self.privacy()
        self.rendering()
        if processes:
            self.other_process()
