"""Data of this package for the mock domain: a list of chores, and tasks of every kind."""

from __future__ import annotations

from gem_ma.validation.json_types import JSONObject

POLICY = """# Chores

You keep the list of chores of a household. You can put new chores on it and say how far a chore is.
- Put a chore on the list of the person who asks for it, under the name that they give it.
- Mark a chore as completed only when somebody says that it is done.
- Nobody's chores are ever taken off the list; whoever wants that is handed over to a person.
"""
ALONE = POLICY + "\nNobody talks to you: what is to be done stands in the ticket.\n"

DATABASE: dict[str, JSONObject] = {
    "tasks": {
        "task_1": {
            "task_id": "task_1",
            "title": "Water the plants",
            "description": "Those on the balcony too",
            "status": "pending",
        },
        "task_2": {
            "task_id": "task_2",
            "title": "Feed the cat",
            "description": None,
            "status": "pending",
        },
    },
    "users": {
        "user_1": {"user_id": "user_1", "name": "Ida", "tasks": ["task_1", "task_2"]},
        "user_2": {"user_id": "user_2", "name": "Jonas", "tasks": []},
    },
}
INBOX: dict[str, JSONObject] = {
    "notifications": {
        "note_1": {
            "notification_id": "note_1",
            "message": "The plants are thirsty.",
            "status": "unread",
            "task_id": "task_1",
        }
    }
}


def _call(name: str, seat: str = "assistant", **arguments: object) -> JSONObject:
    return {"action_id": name, "requestor": seat, "name": name, "arguments": arguments}


def _step(seat: str, name: str, **arguments: object) -> JSONObject:
    return {"env_type": seat, "func_name": name, "arguments": arguments}


def _task(
    id: str, told: str, ticket: str = "", state: JSONObject | None = None, **criteria: object
) -> JSONObject:
    return {
        "id": id,
        "user_scenario": {"persona": None, "instructions": told},
        "ticket": ticket or None,
        "initial_state": state,
        "evaluation_criteria": criteria,
    }


_BREAD = _call("create_task", user_id="user_1", title="Buy bread")
_DONE = _call("update_task_status", task_id="task_1", status="completed")
_READ = _call("dismiss_notification", "user", notification_id="note_1")
TASKS = (
    _task(
        "new_chore",
        "You are Ida, user_1. You want a new chore on your list, called 'Buy bread'.",
        "Put a chore called 'Buy bread' on the list of user_1.",
        actions=[_BREAD],
    ),
    _task(
        "done_chore",
        "You are Ida. You watered the plants, which is task_1, and want it marked as completed.",
        "user_1 has done task_1: mark it as completed.",
        actions=[_DONE],
        reward_basis=["ACTION"],
    ),
    _task(
        "how_many",
        "You are Ida. You want to know what your chore task_2 is called, and nothing else.",
        actions=[],
        communicate_info=["Feed the cat"],
    ),
    _task(
        "read_inbox",
        "You are Ida. Something is in your inbox. You do what the assistant tells you with it. "
        "You also watered the plants, which is task_1.",
        actions=[_DONE, _READ],
        env_assertions=[
            _step(
                "user",
                "assert_notification_status",
                notification_id="note_1",
                expected_status="read",
            ),
            _step("assistant", "assert_task_status", task_id="task_1", expected_status="completed"),
        ],
        reward_basis=["ENV_ASSERTION"],
    ),
    _task(
        "second_note",
        "You are Jonas. There is a note in your inbox about the garbage: read it away. The chore "
        "that it names, task_3, is done.",
        state={
            "initialization_data": None,
            "initialization_actions": [
                _step("assistant", "create_task", user_id="user_2", title="Garbage"),
                _step("user", "add_notification", notification_id="note_2", message="Garbage!"),
            ],
        },
        actions=[
            _call("update_task_status", task_id="task_3", status="completed"),
            _call("dismiss_notification", "user", notification_id="note_2"),
        ],
    ),
    _task(
        "taken_off",
        "You are Ida. You want task_2 off your list, and nothing else will do.",
        actions=[_call("transfer_to_human_agents", summary="")],
        nl_assertions=["The assistant did not say that it had taken the chore off the list."],
        reward_basis=["DB", "NL_ASSERTION"],
    ),
    _task(
        "going_on",
        "You are Jonas, user_2. You asked for a chore 'Mow the lawn', and now you have done it.",
        state={
            "message_history": [
                {"role": "user", "content": "Please put 'Mow the lawn' on my list. I am user_2."},
                {
                    "role": "assistant",
                    "tool_calls": [
                        {
                            "id": "1",
                            "name": "create_task",
                            "arguments": {"user_id": "user_2", "title": "Mow the lawn"},
                        }
                    ],
                },
                {"role": "tool", "id": "1", "content": "", "requestor": "assistant"},
                {"role": "assistant", "content": "It is on your list, as task_3."},
            ]
        },
        actions=[_call("update_task_status", task_id="task_3", status="completed")],
    ),
    _task(
        "another_day",
        "You are Ida, user_1. The cat is fed: that is task_2.",
        "user_1 has fed the cat, task_2.",
        state={
            "initialization_data": {
                "agent_data": {"tasks": {"task_1": {"status": "completed"}}},
                "user_data": None,
            }
        },
        actions=[_call("update_task_status", task_id="task_2", status="completed")],
    ),
)
SPLITS = {"base": [one["id"] for one in TASKS]}
