"""What the pack gem adds."""

from gem_ma.guards.packs import Pack

PACK = Pack(
    name="gem",
)
