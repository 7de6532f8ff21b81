"""What a file of tests needs beside the package, imported when one of them first uses it.

To look what tests there are, and to run those of other files, nothing heavy has to be loaded.
"""

import importlib
import importlib.util

import pytest


class Later:
    """A module, once a name of it is asked for."""

    def __init__(self, module):
        self.module = module

    def __getattr__(self, name):
        return getattr(importlib.import_module(self.module), name)


def needed(module, *, install):
    """Return a module for later, and skip the whole file where its package is not installed.

    A folder without files of its own, such as `google`, may be there for another package: then the
    module below it counts.
    """
    name, _, below = module.partition(".")
    found = importlib.util.find_spec(name)
    if found is not None and found.origin is None and below:
        found = importlib.util.find_spec(f"{name}.{below.partition('.')[0]}")
    if found is None:
        pytest.skip(f"pip install {install}", allow_module_level=True)
    return Later(module)
