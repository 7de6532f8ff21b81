"""Ids of the social scenes, for two to four seats; payoffs follow rules and need no judge."""

from gem_ma.envs.registry import Spec
from gem_ma.envs.social import FAMILY


def specs():
    return [_spec(name) for name in FAMILY]


def find(id):
    """Return None, because `specs` lists every id."""
    return


def _spec(name):
    return Spec(f"social:{name}-v0", "gem_ma.envs.social.game:Social", {"scene": name})
