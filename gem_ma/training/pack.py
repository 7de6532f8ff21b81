"""The pack `training`: its commands and its documentation pages."""

from gem_ma.packs import Pack

PACK = Pack(
    name="training",
    commands=("gem_ma.training.commands",),
    docs=(
        "docs/training.md",
        "docs/training-details.md",
        "docs/train-real.md",
        "docs/trainers.md",
        "docs/baselines.md",
    ),
)
