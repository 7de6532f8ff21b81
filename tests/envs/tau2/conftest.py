from __future__ import annotations

import json

import packs
import pytest

# Without the pack tau, tau2 is not loaded, and nothing of it is tested.
collect_ignore_glob = ["*test_*.py"] if "tau2" in packs.ABSENT else []

DEFAULTS = {
    "accounts": {
        "user_id": "u",
        "class": "checking",
        "level": "Blue Account",
        "status": "OPEN",
        "date_opened": "01/01/2024",
        "current_holdings": "100.00",
    },
    "debit_cards": {"account_id": "a", "user_id": "u", "status": "ACTIVE"},
}


@pytest.fixture
def bank(tmp_path, monkeypatch):
    """Return a function that makes a world of a bank, whose user Ada has these records."""
    monkeypatch.setenv("TAU2_BENCH_DATA", str(tmp_path))
    (tmp_path / "banking_knowledge").mkdir()

    def make(**tables):
        tables["users"] = {"u": {"user_id": "u", "name": "Ada"}}
        database = {
            table: {"data": {id: {**DEFAULTS.get(table, {}), **row} for id, row in rows.items()}}
            for table, rows in tables.items()
        }
        (tmp_path / "banking_knowledge" / "db.json").write_text(json.dumps(database))
        from gem_ma.envs.tau2.banking.bank import Banking

        return Banking().world()

    return make
