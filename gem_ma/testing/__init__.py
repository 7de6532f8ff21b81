"""The contract of an environment: `check_env` looks at all of it, `certify` at its pictures.

`attack` tries on it what models have tried on rewards.

One file for each part of the contract, put together by `env_checker`. It may import the rules of
games, the engine, the APIs, agents and the renderers; only the command line and tests import it.
"""

from gem_ma.testing.attack_episodes import AttackFinding
from gem_ma.testing.env_checker import check_env
from gem_ma.testing.env_probe import ContractError
from gem_ma.testing.picture_certificates import Certificate, certify
from gem_ma.testing.reward_attack import AttackReport, attack

__all__ = [
    "AttackFinding",
    "AttackReport",
    "Certificate",
    "ContractError",
    "attack",
    "certify",
    "check_env",
]
