"""What banking's references do not reach: what a world remembers, what is hidden, the search."""

from __future__ import annotations

import json

import pytest

from gem_ma.envs.tau2 import scoring
from gem_ma.envs.tau2.banking.bank import Banking
from gem_ma.envs.tau2.domain import Action, DataMissing, Task

CARD = "get_credit_limit_increase_history_4829"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder with a bank of two users, and three documents."""
    monkeypatch.setenv("TAU2_BENCH_DATA", str(tmp_path))
    bank = tmp_path / "banking_knowledge"
    (bank / "documents").mkdir(parents=True)
    users = {id: {"user_id": id, "name": name} for id, name in (("u1", "Ada"), ("u2", "Bo"))}
    (bank / "db.json").write_text(json.dumps({"users": {"data": users, "notes": "two of them"}}))
    for id, content in (("a", "fees of cards"), ("b", "how to open"), ("c", "fees and fees too")):
        document = {"id": id, "title": id.upper(), "content": content}
        (bank / "documents" / f"{id}.json").write_text(json.dumps(document))
    return bank


def called(domain, changes, name, **arguments):
    """Return an answer, and the world after it."""
    world = domain.world(changes)
    answer, _ = world.call("assistant", name, arguments)
    return answer, world.changes()


def discovered(name, **arguments):
    return {"agent_tool_name": name, "arguments": json.dumps(arguments)}


def gold(*names):
    actions = (
        Action("assistant", "call_discoverable_agent_tool", discovered(name)) for name in names
    )
    return Task("t", "", actions=tuple(actions))


def test_what_is_unlocked_stays_so_and_is_no_part_of_the_database(folder):
    domain = Banking()
    start = scoring.begin(domain, gold())
    answer, same = called(
        domain,
        start,
        "call_discoverable_agent_tool",
        **discovered(CARD, credit_card_account_id="c"),
    )
    assert "has not been unlocked" in answer
    _, unlocked = called(domain, same, "unlock_discoverable_agent_tool", agent_tool_name=CARD)
    assert domain.base.same(start, unlocked)
    assert domain.base.hash_of("assistant", start) == domain.base.hash_of("assistant", unlocked)
    answer, after = called(
        domain,
        unlocked,
        "call_discoverable_agent_tool",
        **discovered(CARD, credit_card_account_id="c"),
    )
    assert "No credit limit increase requests found" in answer
    assert domain.base.same(start, after)


def test_a_reading_tool_counts_where_the_gold_actions_have_it(folder):
    domain = Banking()
    for task, counts in ((gold(), False), (gold(CARD), True)):
        start = scoring.begin(domain, task)
        _, unlocked = called(domain, start, "unlock_discoverable_agent_tool", agent_tool_name=CARD)
        _, after = called(
            domain,
            unlocked,
            "call_discoverable_agent_tool",
            **discovered(CARD, credit_card_account_id="c"),
        )
        assert domain.base.same(start, after) is not counts


def test_notes_are_a_part_of_the_database(folder):
    before = Banking()
    (folder / "db.json").write_text((folder / "db.json").read_text().replace("two of", "some of"))
    start = scoring.begin(before, gold())
    assert before.base.hash_of("assistant", start) != Banking().base.hash_of("assistant", start)


def test_both_seats_keep_their_database_where_a_task_has_data(folder):
    domain = Banking()
    data = {"users": {"data": {"u3": {"user_id": "u3", "name": "Cy"}}}}
    world = domain.world(scoring.begin(domain, Task("t", "", data={"assistant": data})))
    answer, failed = world.call("user", "request_human_agent_transfer", {})
    assert (failed, answer[:19]) == (False, "Transfer request #1")
    assert "Cy" in world.call("assistant", "get_user_information_by_id", {"user_id": "u3"})[0]
    assert world.call("assistant", "change_user_email", {"user_id": "u3", "new_email": "c@d"})
    assert data["users"]["data"]["u3"] == {"user_id": "u3", "name": "Cy"}


def test_arguments_in_arguments_are_bounded_too(folder):
    world = Banking().world()
    name = "submit_cash_back_dispute_0589"
    deep = f'{{"user_id": {"[" * 900}{"]" * 900}}}'
    arguments = {"discoverable_tool_name": name, "arguments": deep}
    answer, failed = world.call("assistant", "give_discoverable_user_tool", arguments)
    assert failed
    assert "nested too deeply" in answer


def test_errors_name_the_kit_that_a_tool_belongs_to(folder):
    world = Banking("search").world()
    assert (
        "KnowledgeTools.close_credit_card_account_7834() missing"
        in world.call("assistant", "close_credit_card_account_7834", {})[0]
    )
    assert "KBSearchMixin.KB_search() missing" in world.call("assistant", "KB_search", {})[0]


def test_the_search_prints_the_best_documents_first(folder):
    domain = Banking("search")
    answer, _ = domain.world().call("assistant", "KB_search", {"query": "Fees"})
    assert [line for line in answer.splitlines() if line.startswith("   ID")] == [
        "   ID: c",
        "   ID: a",
        "   ID: b",
    ]
    assert "   Content: fees and fees too\n" in answer
    assert Banking().world().call("assistant", "KB_search", {"query": "fees"})[1]


def test_what_is_missing_is_named(folder):
    with pytest.raises(ValueError, match="no_knowledge, search"):
        Banking("grep")
    with pytest.raises(DataMissing, match=r"tasks is not there"):
        _ = Banking().tasks
    (folder / "db.json").write_text('{"users": []}')
    with pytest.raises(DataMissing, match="the table users is malformed"):
        Banking()


@pytest.mark.parametrize(("amount", "positive"), [(0, False), (-1, False), (1, True)])
@pytest.mark.parametrize(
    ("tool", "field", "others"),
    [
        ("submit_credit_limit_increase_request_7392", "requested_increase_amount", {}),
        ("apply_statement_credit_8472", "amount", {"reason": "goodwill_adjustment"}),
        ("pay_credit_card_from_checking_9182", "amount", {"checking_account_id": "a"}),
    ],
)
def test_the_least_amount(folder, tool, field, others, amount, positive):
    wanted = {"credit_card_account_id": "c", "user_id": "u1", field: amount, **others}
    domain, call = Banking(), "call_discoverable_agent_tool"
    start = scoring.begin(domain, gold())
    _, unlocked = called(domain, start, "unlock_discoverable_agent_tool", agent_tool_name=tool)
    answer, _ = called(domain, unlocked, call, **discovered(tool, **wanted))
    assert "amount" in answer or positive
    assert ("must be" in answer and "positive" in answer) is not positive
