"""How the tests are run."""

import os

import pytest


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist, where it is loaded
def pytest_xdist_auto_num_workers():
    """Return one more than there are cores for `-n auto`: some tests wait."""
    return len(os.sched_getaffinity(0)) + 1 if hasattr(os, "sched_getaffinity") else None
