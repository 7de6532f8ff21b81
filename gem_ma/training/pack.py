"""What the pack training adds."""

from gem_ma.guards.packs import Pack

PACK = Pack(
    name="training",
    commands=("gem_ma.training.commands",),
)
