"""The contract of an environment: check_env and certify."""

from gem_ma.testing.contract import Certificate, Checker, ContractError, certify, check_env

__all__ = ["Certificate", "Checker", "ContractError", "certify", "check_env"]
