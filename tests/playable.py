"""The ids that can be played here: some need data that is not part of the package."""

import os

import gem_ma

NEEDS_DATA = ("tau:retail", "tau:airline")
IDS = [id for id in gem_ma.list_envs() if id not in NEEDS_DATA or os.environ.get("TAU_BENCH_DATA")]
