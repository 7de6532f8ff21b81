"""Build hook of hatchling that adapts the README for a package index; see pyproject.toml.

An index has no files that the README links to. If the project has a repository address (Repository
in [project.urls]), such links and pictures lead to the release's tag there. Without an address,
links become plain words and pictures are removed.
"""

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

FENCE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
INSIDE = r"(?!\w+:|#|//)"  # matches the start of a link inside the repository
PICTURE = re.compile(rf"!\[([^]]*)\]\({INSIDE}([^)\s]+)\)")
LINK = re.compile(rf"\[((?:[^][]|\[[^][]*\])*)\]\({INSIDE}([^)\s]+)\)")
TAG = re.compile(rf"<(img|source)\b[^>]*?\b(src|srcset)=\"{INSIDE}([^\"]+)\"[^>]*>")
REFERENCE = re.compile(rf"<a\b[^>]*?\bhref=\"{INSIDE}([^\"]+)\"[^>]*>(.*?)</a>", re.DOTALL)


class Readme(MetadataHookInterface):
    """Metadata hook that adds the README."""

    def update(self, metadata):
        """Set the dynamic metadata."""
        top = Path(self.root)
        version = re.search(
            r'__version__ = "(.+)"', (top / "gem_ma/rollouts/version.py").read_text()
        )[1]
        address = metadata.get("urls", {}).get("Repository", "")
        text = shown((top / "README.md").read_text(encoding="utf-8"), address, f"v{version}")
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def shown(text, address="", tag="HEAD"):
    """Return the README with links to a repository, or with external links only."""
    blob, raw = (f"{address}/{kind}/{tag}/" for kind in ("blob", "raw"))
    parts = FENCE.split(text)
    for number in range(0, len(parts), 2):  # parts outside code
        part = parts[number]
        if address:
            part = PICTURE.sub(rf"![\1]({raw}\2)", part)
            part = LINK.sub(rf"[\1]({blob}\2)", part)
            part = TAG.sub(lambda m: m[0].replace(f'"{m[3]}"', f'"{raw}{m[3]}"'), part)
            part = REFERENCE.sub(lambda m: m[0].replace(f'"{m[1]}"', f'"{blob}{m[1]}"'), part)
        else:
            part = TAG.sub("", PICTURE.sub("", part))
            part = REFERENCE.sub(r"\2", LINK.sub(r"\1", part))
        parts[number] = part
    return "".join(parts)
