"""What is not installed: an error that names the extra which brings it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def extra(name: str, what: str = "") -> Iterator[None]:
    """Import what an extra of this package brings, or raise ImportError with the remedy.

    what: needs it, if it is not the module that is missing which says most.
    """
    try:
        yield
    except ImportError as error:
        missing = (error.name or str(error)).partition(".")[0]
        raise ImportError(
            f"{what or 'this'} needs {missing}: pip install 'gem-ma[{name}]'", name=error.name
        ) from error
