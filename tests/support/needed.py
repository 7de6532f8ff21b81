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
    """Return a module for later, and skip the whole file where its package is not installed."""
    if importlib.util.find_spec(module.partition(".")[0]) is None:
        pytest.skip(f"pip install {install}", allow_module_level=True)
    return Later(module)
