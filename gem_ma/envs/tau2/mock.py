"""The smallest domain of tau2-bench: a list of tasks, and a user with an inbox."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from gem_ma.envs.tau2 import mock_data
from gem_ma.envs.tau2.domain import Domain
from gem_ma.envs.tau2.kit import MAP, Kit, tool, writing
from gem_ma.envs.tau2.shape import Default, Shape, choice, listed, optional, text
from gem_ma.validation.json_types import JSONMapping, JSONObject

Record = JSONObject
TASK = Shape(
    "Task",
    task_id=text,
    title=text,
    description=Default(optional(text)),
    status=choice("pending", "completed"),
)
USER = Shape("User", user_id=text, name=text, tasks=listed(text))
NOTIFICATION = Shape(
    "Notification",
    closed=True,
    notification_id=text,
    message=text,
    status=Default(choice("unread", "read"), "unread"),
    task_id=Default(optional(text)),
)


class MockTools(Kit):
    @writing
    def create_task(self, user_id: str, title: str, description: str | None = None) -> Record:
        """Put a new task on a user's list.

        Args:
            user_id: whose list
            title: what the task is called
            description: more about it
        """
        if self.desk.get("users", user_id) is None:
            raise ValueError(f"User {user_id} not found")
        number = sum(1 for _ in self.desk.rows("tasks")) + 1
        id = f"task_{number}"
        task = TASK.make(task_id=id, title=title, description=description, status="pending")
        self.desk.put("tasks", id, task)
        self.desk.edit("users", user_id)["tasks"].append(id)
        return task

    @tool
    def get_users(self) -> list[Record]:
        """Look up all users."""
        return [user for _, user in self.desk.rows("users")]

    @writing
    def update_task_status(self, task_id: str, status: str) -> Record:
        """Set how far a task is.

        Args:
            task_id: which task
            status: "pending" or "completed"
        """
        self._task(task_id)
        task = self.desk.edit("tasks", task_id)
        task["status"] = status
        return task

    @tool
    def transfer_to_human_agents(self, summary: str) -> str:
        """Hand the user over to a person, where they ask for one or no tool helps.

        Args:
            summary: what the user needs
        """
        return "Transfer successful"

    def assert_number_of_tasks(self, user_id: str, expected_number: int) -> bool:
        user = self.desk.get("users", user_id)
        if user is None:
            raise ValueError(f"User {user_id} not found")
        return len(user["tasks"]) == expected_number

    def assert_task_status(self, task_id: str, expected_status: str) -> bool:
        return self._task(task_id)["status"] == expected_status

    def _task(self, task_id: str) -> JSONMapping:
        task = self.desk.get("tasks", task_id)
        if task is None:
            raise ValueError(f"Task {task_id} not found")
        return task


class MockUserTools(Kit):
    @tool
    def check_notifications(self) -> list[Record]:
        """Look into your inbox."""
        return [one for _, one in self.desk.rows("notifications")]

    @writing
    def dismiss_notification(self, notification_id: str) -> str:
        """Mark a notification as read.

        Args:
            notification_id: which notification
        """
        self._notification(notification_id)
        self.desk.edit("notifications", notification_id)["status"] = "read"
        return f"Notification {notification_id} dismissed"

    def add_notification(
        self, notification_id: str, message: str, task_id: str | None = None
    ) -> None:
        one = NOTIFICATION.make(notification_id=notification_id, message=message, task_id=task_id)
        self.desk.put("notifications", notification_id, one)

    def assert_notification_status(self, notification_id: str, expected_status: str) -> bool:
        return self._notification(notification_id)["status"] == expected_status

    def _notification(self, notification_id: str) -> JSONMapping:
        one = self.desk.get("notifications", notification_id)
        if one is None:
            raise ValueError(f"Notification {notification_id} not found")
        return one


class Mock(Domain):
    name = "mock"
    kits: ClassVar = {"assistant": MockTools, "user": MockUserTools}
    sides: ClassVar = {"assistant": {"tasks": MAP, "users": MAP}, "user": {"notifications": MAP}}
    shapes: ClassVar = {"tasks": TASK, "users": USER, "notifications": NOTIFICATION}
    files: ClassVar = {"assistant": "db.json", "user": "user_db.json"}
    solo = True
    taken = "'MockDB' object has no attribute 'notifications'"

    def __init__(self, original: bool = False):
        """Make the domain, with tau2-bench's own data if `original` is true."""
        self.original = original
        super().__init__()

    def database(self, seat: str) -> JSONMapping:
        if self.original:
            return super().database(seat)
        return mock_data.DATABASE if seat == "assistant" else mock_data.INBOX

    def raw_tasks(self) -> Iterable[JSONMapping]:
        return super().raw_tasks() if self.original else mock_data.TASKS

    def raw_splits(self) -> Mapping[str, Iterable[str]]:
        return super().raw_splits() if self.original else mock_data.SPLITS

    def policy(self, solo: bool = False) -> str:
        if self.original:
            return self.read("policy_solo.md" if solo else "policy.md").decode()
        return mock_data.ALONE if solo else mock_data.POLICY
