"""The pack `training`: its commands and its documentation pages."""

from gem_ma.packs import Pack

PACK = Pack(
    name="training",
    commands=("gem_ma.training.pretrain_command", "gem_ma.training.train_command"),
    docs=(
        "docs/training.md",
        "docs/training-details.md",
        "docs/train-real.md",
        "docs/trainers.md",
        "docs/baselines.md",
    ),
)
