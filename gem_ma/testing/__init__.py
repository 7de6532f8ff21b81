"""The contract of an environment: `check_env` checks all of it, `certify` checks its pictures.

`attack` tries the tricks that models have tried on rewards.

Each part of the contract has its own file, and `env_checker` combines them. The package may import
the rules of games, the engine, the APIs, agents and the renderers. Only the command line and tests
import it.
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
