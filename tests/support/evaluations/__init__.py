"""What tests of evaluations share: a suite of some entries, and a command."""

import pytest

from gem_ma.cli.main import main
from gem_ma.evaluation import suites

BOARD = "game:TicTacToe-v0"
QUIET = {"progress": False}


def command(*words):
    return main([str(word) for word in words])


def suite(*entries, **more):
    return suites.parse_suite({"entry": list(entries), **more}, "test")


def timeless(results):
    """Return results without what depends on the clock."""
    for row in results["rows"]:
        del row["seconds"], row["latency"]
    del results["overall"]["seconds in all"]
    return results


def two_models(server, **sampling):
    """Return a suite of a talk, and words that seat one model of a server in each seat."""
    pytest.importorskip("openai", reason="pip install 'gem-ma[openai]'")
    entry = {"id": "tau:shop", "tasks": 2, "seats": ["assistant"]}
    entry["arguments"] = {"max_steps": 2}
    seats = {
        "assistant": f"react:openai:big@{server.url}",
        "user": f"llm-user:openai:small@{server.url}?strategy=plain",
    }
    return suite(entry | {"sampling": sampling} if sampling else entry), seats
