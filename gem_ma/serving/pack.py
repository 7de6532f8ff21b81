"""The contents of the pack serving."""

from gem_ma.packs import Pack

PACK = Pack(
    name="serving",
    commands=("gem_ma.serving.commands",),
    exports={"gateway": "gem_ma.serving.gateway:gateway"},
    docs=("docs/arena.md", "docs/gateway.md"),
)
