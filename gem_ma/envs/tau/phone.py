"""A phone that only its user can operate: its tools, and the assistant's tools for it."""

from __future__ import annotations

import json

from gem_ma.envs.tau.calling import ToolError
from gem_ma.envs.tau.store import Desk

STUCK, WORKING = "stuck", "working"


def _phone(desk: Desk, user_id):
    phone = desk.get("phones", user_id)
    if phone is None:
        raise ToolError("user not found")
    return phone


def send_code(desk: Desk, user_id) -> str:
    """Send a one-time code to the inbox of a customer's phone."""
    _phone(desk, user_id)
    phone = desk.edit("phones", user_id)
    phone["inbox"].append(f"Your one-time code is {phone['code']}.")
    return "A code was sent to the customer's inbox."


def reset_app(desk: Desk, user_id, code) -> str:
    """Reset the shop's app on a phone that was restarted, with the code that the customer got."""
    phone = _phone(desk, user_id)
    if not phone["inbox"]:
        raise ToolError("no code was sent")
    if code != phone["code"]:
        raise ToolError("wrong code")
    if not phone["restarted"]:
        raise ToolError("the phone does not answer; the customer has to restart it first")
    desk.edit("phones", user_id)["app"] = WORKING
    return "The app was reset."


def read_inbox(desk: Desk, user_id) -> str:
    """Read the messages on the user's own phone."""
    return json.dumps(_phone(desk, user_id)["inbox"])


def restart_phone(desk: Desk, user_id) -> str:
    """Restart the user's own phone."""
    _phone(desk, user_id)
    desk.edit("phones", user_id)["restarted"] = True
    return "The phone has restarted."


def open_app(desk: Desk, user_id) -> str:
    """Open the shop's app on the user's own phone."""
    phone = _phone(desk, user_id)
    if phone["app"] == STUCK:
        return "The app shows nothing but a spinning wheel."
    orders = desk.get("users", user_id)["orders"]
    return json.dumps({id: desk.get("orders", id)["status"] for id in orders})


TOOLS = {"send_code": send_code, "reset_app": reset_app}  # the assistant's
USER_TOOLS = {"read_inbox": read_inbox, "restart_phone": restart_phone, "open_app": open_app}
