"""The contents of the pack gem."""

from gem_ma.packs import Pack

PACK = Pack(
    name="gem",
    docs=("docs/coming-from.md",),
)
