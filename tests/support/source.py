"""The source of the package as it is written, parsed once in a process."""

import ast
import functools
import gc
from pathlib import Path

ROOT = Path(__file__).parents[2] / "gem_ma"
FILES = sorted(ROOT.rglob("*.py"))


@functools.cache
def _parse_all():
    """Return the tree of each file, of which the garbage collector takes no notice."""
    gc.disable()
    try:
        trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in FILES}
    finally:
        gc.enable()
    gc.freeze()
    return trees


def parsed(path):
    """Return the tree of a file."""
    return _parse_all()[path]


def statements(node, types=True):
    """Yield a node and the statements below it, those that are only there for types if asked."""
    left = [node]
    while left:
        node = left.pop()
        yield node
        if (
            not types
            and isinstance(node, ast.If)
            and getattr(node.test, "id", None) == "TYPE_CHECKING"
        ):
            left += node.orelse
        else:
            left += (one for one in ast.iter_child_nodes(node) if not isinstance(one, ast.expr))
