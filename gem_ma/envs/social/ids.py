"""Social scenes with rules, for two to four seats: what is agreed or said pays, and no judge."""

from gem_ma.envs.registry import Spec
from gem_ma.envs.social import FAMILY


def specs():
    return [_spec(name) for name in FAMILY]


def find(id):
    """Return nothing: all there are, are listed."""
    return


def _spec(name):
    return Spec(f"social:{name}-v0", "gem_ma.envs.social.game:Social", {"scene": name})
