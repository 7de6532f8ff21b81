"""Which of our packs are here, and what of a text needs one that is not.

    @packs.needs("tau")                                  # a test of the core that plays in a pack
    packs.skip_absent(text)                              # a block of a page, a line of shell
    [line for line in LINES if not packs.absent_in(line)]

tests/support/packs.py. With all packs here, nothing of it skips or leaves out anything.
"""

import re
import tomllib
from pathlib import Path

import pytest

from gem_ma.packs import list_packs

TOP = Path(__file__).parents[2]
DECLARED = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]["entry-points"][
    "gem_ma.packs"
]
HERE = {one.pack.name for one in list_packs()}
ABSENT = DECLARED.keys() - HERE  # taken out, or without one that they use

# What of a text is a pack's: ids, agents, suites, commands, modules, files. Since the pack of
# which it
# says so may be gone, it stands here; test_packs.py holds it against what packs say.
WORDS = {
    "bridges": r"\b(?:ta|gym|pz|os|openenv):(?=\S)|envs[./]bridges\b",
    "gem": r"gem_ma[./]gem\b|\bimport gem\b|\bgem\.make",
    "screens": r"\bscreens:|screen-oracle|envs[./]screens\b|--suite screens|screens\.md",
    "serving": r"gem-ma "
    "(?:serve|arena|gateway)\b|gem_ma\\.gateway|gem_ma[./]serving\b|\b(?:arena|gateway)\\.md",
    "social": r"\bsocial:|envs[./]social\b|--suite social|social\.md",
    "tasks": r"\b(?:math|qa|code|eval|logic|rg|duo):(?=\S)|envs[./]tasks\b|--suite games24",
    "tau": r"\btau:|rule-user|\busers?:[a-z]|llm-user|(?:oracle|informed)-assistant|gem-ma "
    "(?:users|data)\b"
    r"|envs[./]tau\b|--suite tau-|(?:tau|users)\.md|TAU_BENCH",
    "tau2": r"\btau2:|envs[./]tau2\b|--suite tau2-|tau2\.md|tau2-bench",
    "training": r"gem-ma (?:train|pretrain)\b|gem_ma[./]training\b|training\.md|trainers\.md",
    "visual": r"\bvisual:|envs[./]visual\b|--suite vision|visual\.md",
}


def absent_in(text):
    """Return the packs that a text names and that are not here."""
    return sorted(name for name in ABSENT if re.search(WORDS[name], text))


def skip_absent(text):
    """Skip a test of a text that names a pack which is not here."""
    if lacking := absent_in(text):
        pytest.skip(f"the pack {', '.join(lacking)} is not here")


def needs(*names):
    """Return a mark for a test that plays in packs."""
    lacking = sorted(ABSENT.intersection(names))
    return pytest.mark.skipif(bool(lacking), reason=f"the pack {', '.join(lacking)} is not here")


def need(*names):
    """Skip the whole file without these packs: called at its top, before it imports from them."""
    if lacking := sorted(ABSENT.intersection(names)):
        pytest.skip(f"the pack {', '.join(lacking)} is not here", allow_module_level=True)
