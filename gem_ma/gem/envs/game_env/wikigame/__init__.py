"""WikiGameEnv: from page to page, over pages that ship, or those of a Kiwix server."""

from __future__ import annotations

from gem_ma.gem.envs.named_env import NamedEnv
from gem_ma.validation.json_types import JSONMapping


class WikiGameEnv(NamedEnv):
    """`game:WikiGame-v0`.

    Args:
        backend: None for the pages that ship, or "kiwix" for those of a server.
        trawler_kwargs: {"url": ..., "zimfile": ...} of the Kiwix server.
        page_summary_length: nothing but None is taken: a page is shown as its source has it.
        variant: nothing but "noregrets", where back goes who finds a link back.
    """

    def __init__(
        self,
        max_turns: int = 10,
        backend: str | None = None,
        trawler_kwargs: JSONMapping | None = None,
        page_summary_length: tuple[int, str] | None = None,
        variant: str = "noregrets",
    ):
        super().__init__(
            "game:WikiGame-v0",
            max_turns=max_turns,
            backend=backend,
            trawler_kwargs=trawler_kwargs,
            page_summary_length=page_summary_length,
            variant=variant,
        )
