"""Which of our packs are here, and what of a text needs one that is not.

    @packs.needs("tau")                                  # a test of the core that plays in a pack
    @pytest.mark.parametrize("id", packs.present([...]))   # without what names an absent pack
    selfplay = Later("gem_ma.training.selfplay")           # with `needs`; of needed.py
    packs.skip_absent(text)                              # a block of a page, a line of shell

With all packs here, nothing of it skips or leaves out anything.
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

# What of a text is a pack's: ids, agents, suites, commands, modules, files. It stands here since a
# pack that is gone cannot say it; tests/test_packs.py holds it against what packs add.
WORDS = {
    "bridges": r"\b(?:ta|gym|pz|os|openenv):(?=\S)|envs[./]bridges\b",
    "gem": r"gem_ma[./]gem\b|tests/gem\b|\bimport gem\b|\bfrom gem_ma import gem\b|\bgem\.make",
    "inject": r"\binject:|inject-(?:oracle|naive|refuser|attacker|user)\b|envs[./]inject\b"
    r"|--suite inject|inject\.md",
    "mcp_tasks": r"\bmcp:(?:Notes|Tasks)\b|notes-oracle|envs[./]mcp_tasks\b",
    "screens": r"\bscreens:|screen-(?:oracle|refuser)|envs[./]screens\b|--suite (?:screens|phones)"
    r"|(?:screens|phone)\.md"
    r"|\bScreen(?:Oracle|Refuser)\b",
    "serving": r"gem-ma (?:serve|arena|gateway|export)\b|gem_ma\.gateway|gem_ma[./]serving\b"
    r"|\b(?:arena|gateway)\.md|tests/serving\b",
    "social": r"\bsocial:|envs[./]social\b|--suite social|social\.md",
    "tasks": r"\b(?:math|qa|code|eval|logic|rg|duo):(?=\S)|envs[./]tasks\b|\btasks\."
    r"|--suite games24",
    "tau": r"\btau:|rule-user|\busers?:[a-z]|llm-user|(?:oracle|informed|transfer)-assistant"
    r"|gem-ma (?:users|data)\b|envs[./]tau\b|--suite tau-|(?:tau|users)\.md|TAU_BENCH"
    r"|\b(?:RuleUser|LLMUser|(?:Oracle|Informed|Transfer)Assistant)\b",
    "tau2": r"\btau2:|envs[./]tau2\b|--suite tau2-|tau2\.md|tau2-bench",
    "terminal": r"\bterminal:(?=\S)|terminal-oracle|envs[./]terminal\b|--suite terminal"
    r"|terminal\.md",
    "training": r"gem-ma (?:train|pretrain)\b|(?:gem_ma[./]|tests/)training\b"
    r"|training\.md|trainers\.md",
    "visual": r"\bvisual:|walk-oracle|envs[./]visual\b|--suite vision|visual\.md"
    r"|--suite smoke",  # one of whose ids is of it
    "webshop": r"\bwebshop:|shop-(?:oracle|first)\b|envs[./]webshop\b|--suite webshop|webshop\.md",
}


def absent_in(text):
    """Return the packs that a text names and that are not here."""
    return sorted(name for name in ABSENT if re.search(WORDS[name], text))


def present(values):
    """Return the values, or a part of a table, without what names a pack that is not here."""
    if isinstance(values, dict):
        return {key: value for key, value in values.items() if not absent_in(str(key))}
    return [one for one in values if not absent_in(str(one))]


def folder_of(name):
    """Return the folder of a pack, from the top of the repository."""
    return Path(*DECLARED[name].split(".")[:-1])


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
