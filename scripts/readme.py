"""The README as a package index shows it: a hook of hatchling, named in pyproject.toml.

An index has none of the files that the README links to. With the repository's address (Repository
in [project.urls]) such links and pictures lead there, to the release's tag; without it a link is
its words alone, and a picture is left out.
"""

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

FENCE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
INSIDE = r"(?!\w+:|#|//)"  # what begins an address of the repository's own
PICTURE = re.compile(rf"!\[([^]]*)\]\({INSIDE}([^)\s]+)\)")
LINK = re.compile(rf"\[((?:[^][]|\[[^][]*\])*)\]\({INSIDE}([^)\s]+)\)")
TAG = re.compile(rf"<(img|source)\b[^>]*?\b(src|srcset)=\"{INSIDE}([^\"]+)\"[^>]*>")
REFERENCE = re.compile(rf"<a\b[^>]*?\bhref=\"{INSIDE}([^\"]+)\"[^>]*>(.*?)</a>", re.DOTALL)


class Readme(MetadataHookInterface):
    """Put the README into the metadata."""

    def update(self, metadata):
        """Set what is dynamic."""
        top = Path(self.root)
        version = re.search(
            r'__version__ = "(.+)"', (top / "gem_ma/rollouts/version.py").read_text()
        )[1]
        address = metadata.get("urls", {}).get("Repository", "")
        text = shown((top / "README.md").read_text(encoding="utf-8"), address, f"v{version}")
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def shown(text, address="", tag="HEAD"):
    """Return the README with links that lead to a repository, or to nothing but the web."""
    blob, raw = (f"{address}/{kind}/{tag}/" for kind in ("blob", "raw"))
    parts = FENCE.split(text)
    for number in range(0, len(parts), 2):  # what stands between code
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
