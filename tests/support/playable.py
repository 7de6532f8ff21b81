"""The ids that can be played here: some need data that is not part of the package."""

import os

import gem_ma

NEEDS_DATA = ("tau:retail", "tau:airline")
# Environments of other libraries, and tasks over data sets, have tests of their own.
OWN = gem_ma.list_envs("game:*") + gem_ma.list_envs("tau:*") + gem_ma.list_envs("visual:*-v0")
IDS = [id for id in OWN if id not in NEEDS_DATA or os.environ.get("TAU_BENCH_DATA")]
# One id for each game: its levels differ in numbers only.
GAMES = list({gem_ma.spec(id).entry_point: id for id in reversed(IDS)}.values())[::-1]
