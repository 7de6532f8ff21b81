"""WikiGameEnv: the wiki game over the pages that ship with gem_ma, or over a Kiwix server's."""

from __future__ import annotations

from gem_ma.gem.envs.named_env import NamedEnv
from gem_ma.validation.json_types import JSONMapping


class WikiGameEnv(NamedEnv):
    """The environment `game:WikiGame-v0`.

    Args:
        max_turns: how many links an agent may follow.
        backend: "kiwix" for the pages of a server; None: the pages that ship with gem_ma.
        trawler_kwargs: {"url": ..., "zimfile": ...} of the Kiwix server.
        page_summary_length: only None is allowed, since a page is shown as its source has it.
        variant: only "noregrets" is allowed, in which an agent goes back only by a link.
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
