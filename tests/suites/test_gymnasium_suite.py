"""Gymnasium's own tests, from a clone that GYMNASIUM_TESTS names, with what is ours in them."""

import fnmatch
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

CLONE = os.environ.get("GYMNASIUM_TESTS", "")
FILES = {
    "spaces": ["spaces", "vector/utils"],
    "envs": ["envs/test_envs.py", "envs/test_rendering.py", "envs/test_action_dim_check.py"],
    "theirs": ["vector"],
    "ours": [
        "vector",
        "wrappers/vector/test_dict_info_to_list.py",
        "wrappers/vector/test_normalize_observation.py",
        "wrappers/vector/test_normalize_reward.py",
        "wrappers/vector/test_record_episode_statistics.py",
        "wrappers/vector/test_record_video.py",
        "wrappers/vector/test_transform_action.py",
        "wrappers/vector/test_transform_observation.py",
        "wrappers/vector/test_vectorize_transform.py",
    ],
}
NEEDS = {"spaces": ("scipy",), "ours": ("moviepy",)}
LENGTHS = "upstream fault: takes the mean of 1,000 lengths for exact; a Text of 300 fails alike"
EXAMPLES = "design: a sample of a space with examples is one of these, not letters at random"
TEXT = "not applicable: asks for the Discrete actions of CartPole or FrozenLake; ours are texts"
GRAVITY = "not applicable: asks for the gravity of CartPole"
INFOS = "upstream fault: checks the keys of infos, and holds only where there are none"
SAMPLES = "upstream fault: Discrete and MultiDiscrete draw differently from the same seed"
FRESH = "design: a vector's spaces are its own, and action_space.seed() seeds them"
SCALAR = "upstream fault: one action for all is a TypeError only where actions are arrays"
SEEDS = "design: every episode has a seed of its own, and np_random_seed is that seed"
SPLIT = "design: send and recv, for any part of the environments, instead of *_async and *_wait"
CLOSED = "design: a RuntimeError says that the vector is closed"
MIXED = "design: environments with different spaces may stand in one vector"
SHARED = "not applicable: threads, which run in place of shared memory, take any space"
WARNS = "not applicable: counts warnings of AsyncVectorEnv; the error itself is raised here too"
MODE = "not applicable: observation_mode is an argument of Gymnasium's vectors"
ENVS = "not applicable: asks for SyncVectorEnv.envs; here they may live in another process"
ACTIONS = "not applicable: actions are texts or numbers here, never a Dict"
WORDS = "design: the same errors in other words"
FOUR = "not applicable: takes the four numbers of CartPole apart"
LAZY = "upstream: asks for the very class dict; an info here is a dict that is made when it is read"
LENGTH = "not applicable: an episode of CartPole lasts ten steps, one of ours ends before"
# What fails, by suite, with the reason; what stands here and passes is a failure too.
EXPECTED = {
    "spaces": {
        "spaces/test_spaces.py::test_sample[examples]": EXAMPLES,
        "spaces/test_spaces.py::test_sample[moves]": EXAMPLES,
        "spaces/test_spaces.py::test_sample[wide]": LENGTHS,
    },
    "envs": {},
    "theirs": {
        "vector/test_async_vector_env.py::test_call_async_vector_env[*]": GRAVITY,
        "vector/test_async_vector_env.py::test_reset_async_vector_env[*]": INFOS,
        "vector/test_async_vector_env.py::test_step_async_vector_env[*]": TEXT,
        "vector/test_sync_vector_env.py::test_call_sync_vector_env": GRAVITY,
        "vector/test_sync_vector_env.py::test_step_sync_vector_env[*]": TEXT,
        "vector/test_sync_vector_env.py::test_sync_vector_env_seed": SAMPLES,
        "vector/test_vector_env.py::test_action_count_compatibility[*]": SCALAR,
        "vector/test_vector_env.py::test_random_seeding_basics[*]": SEEDS,
        "vector/test_vector_wrapper.py::test_vector_env_wrapper_attributes": GRAVITY,
    },
    "ours": {
        "vector/test_async_vector_env.py::test_already_closed_async_vector_env[*]": CLOSED,
        "vector/test_async_vector_env.py::test_async_vector_subenv_error": WARNS,
        "vector/test_async_vector_env.py::test_call_async_vector_env[*]": GRAVITY,
        "vector/test_async_vector_env.py::test_check_spaces_async_vector_env[*]": MIXED,
        "vector/test_async_vector_env.py::test_custom_space_async_vector_env_shared_memory": SHARED,
        "vector/test_async_vector_env.py::test_reset_async_vector_env[*]": INFOS,
        "vector/test_async_vector_env.py::test_reset_out_of_order_async_vector_env[*]": SPLIT,
        "vector/test_async_vector_env.py::test_reset_timeout_async_vector_env[*]": SPLIT,
        "vector/test_async_vector_env.py::test_step_async_vector_env[*]": TEXT,
        "vector/test_async_vector_env.py::test_step_out_of_order_async_vector_env[*]": SPLIT,
        "vector/test_async_vector_env.py::test_step_timeout_async_vector_env[*]": SPLIT,
        "vector/test_autoreset_mode.py::test_autoreset_within_step[*]": LAZY,
        "vector/test_observation_mode.py::*::test_invalid_observation_mode[*]": MODE,
        "vector/test_observation_mode.py::*::test_obs_mode_*": MODE,
        "vector/test_sync_vector_env.py::test_call_sync_vector_env": GRAVITY,
        "vector/test_sync_vector_env.py::test_check_spaces_sync_vector_env": MIXED,
        "vector/test_sync_vector_env.py::test_metadata_sync_vector_env": ENVS,
        "vector/test_sync_vector_env.py::test_step_sync_vector_env[*]": TEXT,
        "vector/test_sync_vector_env.py::test_sync_vector_env_seed": FRESH,
        "vector/test_vector_env.py::test_partial_reset_failure[*]": WORDS,
        "vector/test_vector_env.py::test_random_seeding_basics[*]": SEEDS,
        "vector/test_vector_env.py::test_random_seeds_set_at_retrieval[*]": SEEDS,
        "vector/test_vector_env.py::test_vector_obs_action_spaces[both-*]": ACTIONS,
        "vector/test_vector_env.py::test_vector_obs_action_spaces[numbers-*]": ACTIONS,
        "vector/test_vector_env_info.py::test_vector_return_info[*]": LAZY,
        "vector/test_vector_wrapper.py::test_vector_env_wrapper_attributes": GRAVITY,
        "wrappers/vector/test_normalize_reward.py::test_equivalence_with_wrapper": ENVS,
        "wrappers/vector/test_record_video.py::test_video_length[*]": LENGTH,
        "wrappers/vector/test_vectorize_transform.py::test_vectorize_dict_to_box_obs": FOUR,
    },
}
AT_LEAST = {"spaces": 300, "envs": 1_500, "theirs": 350, "ours": 300}  # tests that pass

# The clone comes last, so that its tests meet the gymnasium that is installed.
DRIVER = """
import sys
sys.path.append(sys.argv.pop(1))
import pytest
sys.exit(pytest.main(sys.argv[1:]))
"""


@pytest.mark.second_source
@pytest.mark.skipif(
    not CLONE,
    reason="clone https://github.com/Farama-Foundation/Gymnasium, and set GYMNASIUM_TESTS to it",
)
@pytest.mark.parametrize("suite", FILES)
def test_gymnasiums_suite_passes_but_for_what_is_listed(tmp_path, suite):
    for need in NEEDS.get(suite, ()):
        pytest.importorskip(need, reason=f"pip install {need}")
    here = Path(__file__).parents[1] / "support"
    options = ["-p", "gymnasium_plugin", "-p", "no:cacheprovider", "--import-mode=importlib"]
    options += ["-q", "-c", os.devnull, f"--rootdir={CLONE}", "--tb=short"]
    files = [str(Path(CLONE, "tests", file)) for file in FILES[suite]]
    outcomes = tmp_path / "outcomes.json"
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, CLONE, *options, *files],
        cwd=tmp_path,
        env={
            **os.environ,
            "GEM_MA_SUITE": suite,
            "GEM_MA_OUTCOMES": str(outcomes),
            "PYTHONPATH": str(here),
        },
        capture_output=True,
        text=True,
        timeout=1_200,
    )
    assert outcomes.exists(), done.stdout + done.stderr
    by_name = json.loads(outcomes.read_text())
    failed = {name for name, outcome in by_name.items() if outcome == "failed"}
    listed = set()
    for pattern in EXPECTED[suite]:
        pattern = pattern.replace("[", "[[]")  # a bracket as it stands
        listed |= set(fnmatch.filter(by_name, pattern)) or {f"no test is called {pattern}"}
    assert failed == listed, done.stdout
    assert list(by_name.values()).count("passed") >= AT_LEAST[suite]
