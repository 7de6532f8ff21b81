"""The contract of an environment, in one call: `check_env("game:ConnectFour-v0")`."""

from __future__ import annotations

from gem_ma.apis.aec import AECEnv
from gem_ma.testing.env_probe import make_fresh_env
from gem_ma.testing.episode_checks import EpisodeChecks
from gem_ma.testing.game_checks import GameChecks
from gem_ma.testing.reply_checks import ReplyChecks
from gem_ma.testing.view_checks import ViewChecks


def check_env(
    env: str | AECEnv, *, seeds: int = 3, max_turns: int = 1000, processes: bool = True
) -> None:
    """Check that an environment, given by its id or as an object, keeps the contract.

    Args:
        seeds: Number of random episodes that each check plays.
        max_turns: Turns after which a random episode counts as endless.
        processes: Whether to also play an episode in another process, with another PYTHONHASHSEED.

    Examples:
        >>> from gem_ma.testing import check_env
        >>> check_env("game:KuhnPoker-v0", seeds=1, processes=False)  # or a ContractError
    """
    base = make_fresh_env(env)
    EnvChecker(base, range(seeds), max_turns).check(processes)


class EnvChecker(GameChecks, ViewChecks, EpisodeChecks, ReplyChecks):
    """All steps of the contract, for one environment."""

    def check(self, processes: bool) -> None:
        self.check_seats()
        for seed in self.seeds:
            self.check_rules(seed)
            self.check_seeding(seed)
            self.check_forks(seed)
            self.check_nothing_is_shared(seed)
            for options in self.list_variants():
                self.check_aec(self.make(**options), seed)
                self.check_parallel(self.make(**options), seed)
                self.check_cycles(self.make(**options), seed)
                self.check_one_seat(self.make(**options), seed)
        self.check_order()
        self.check_garbage()
        self.check_numbers()
        self.check_invalid_replies()
        self.check_privacy()
        self.check_rendering()
        if processes:
            self.check_other_process()
