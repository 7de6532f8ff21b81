"""The prompts of the seats, apart from the policy: of this package, or the original's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gem_ma.envs.tau2 import fetch
from gem_ma.envs.tau2.domain import Domain
from gem_ma.envs.tau2.schemas import schema
from gem_ma.validation.json_types import JSONMapping, JSONObject

JUDGE = (
    "You read what a user and an assistant said to each other, and statements about it. Decide of "
    "each whether it is true.\nReply with a JSON list of true and false, one for each statement, "
    "and nothing else."
)
_ROLE = (
    "You are a customer who talks to the assistant of a company.{tools} You write one message at a "
    "time, as a person does: short, and only what is needed now.\n"
    "- Tell what you want, and give details when you are asked for them, not all at once.\n"
    "- Say nothing that neither your situation{seen} says. What they do not say, you do not know.\n"
    "- Your situation's words are for you: use your own. Keep to the character that it describes.\n"
    "{more}"
    "- When all that you want is done, write ###STOP### and nothing else; when the assistant has "
    "handed you over to somebody else, ###TRANSFER###; when your situation does not say enough to "
    "go on, ###OUT-OF-SCOPE###."
)
_TOOLS = (
    "- When the assistant asks you to look at something or to change it, call your tool, and then "
    "say what it told you. The assistant sees what you say, and not your calls.\n"
    "- Call a tool only where the assistant asked for it, or to answer what it asked; one thing at "
    "a time.\n"
)


@dataclass(frozen=True)
class Words:
    greeting: str
    user: str
    user_tools: str
    before: str  # prompt of an assistant, with {policy}
    alone_before: str
    scenario_in: str = "Your situation:\n{scenario}"
    ticket_in: str = "The ticket:\n{ticket}"
    tools: Mapping[tuple[str, str], JSONMapping] = field(default_factory=dict)

    def assistant(self, policy: str) -> str:
        return self.before.replace("{policy}", policy, 1)

    def alone(self, policy: str) -> str:
        return self.alone_before.replace("{policy}", policy, 1)

    def scenario(self, text: str) -> str:
        return self.scenario_in.replace("{scenario}", text, 1)

    def ticket(self, text: str) -> str:
        return self.ticket_in.replace("{ticket}", text, 1)

    def tool(self, seat: str, name: str) -> JSONMapping | None:
        """Return the original's schema of a tool, or None without the original's prompts."""
        return self.tools.get((seat, name))


OURS = Words(
    greeting="Hi! How can I help you today?",
    user=_ROLE.format(tools="", seen=" nor the assistant", more=""),
    user_tools=_ROLE.format(
        tools=" You have tools of your own.", seen=", a tool nor the assistant", more=_TOOLS
    ),
    before="{policy}\n\nYou talk to one customer: reply with a message, or with calls of tools.",
    alone_before=(
        "{policy}\n\nThere is nobody to talk to. Solve the ticket with calls of tools, and call "
        "`done` when it is solved."
    ),
)


def original(domain: Domain, solo: bool) -> Words:
    """Return the original's prompts, from a clone or from the files of `gem-ma data tau2-bench`."""
    texts = fetch.words()
    alone = texts["solo"].replace("{agent_instruction}", texts["solo_instruction"])
    alone = alone.replace("{stop_function_name}", "done").replace("{stop_token}", "###STOP###")
    before, _, after = alone.partition("{ticket}")
    user, _, end = texts["user"].partition("{instructions}")
    place = "{global_user_sim_guidelines_with_persona}"
    plain, with_tools = (
        user.replace(place, guide.replace("<PERSONA_GUIDELINES>", "")) for guide in texts["guides"]
    )
    tools = texts["tools"].get(domain.folder or domain.name, {})
    schemas = {
        (seat, name): _worded(schema(name, method), tools.get(seat, {}).get(name))
        for seat, kit in domain.kits.items()
        for name, method in kit.tools.items()
    }
    return Words(
        greeting=texts["greeting"],
        user=plain,
        user_tools=with_tools,
        before=texts["agent"]
        .replace("{agent_instruction}", texts["agent_instruction"])
        .replace("{domain_policy}", "{policy}"),
        alone_before=before.replace("{domain_policy}", "{policy}"),
        scenario_in="{scenario}" + end,
        ticket_in="{ticket}" + after,
        tools=schemas,
    )


def _worded(ours: JSONObject, theirs: JSONMapping | None) -> JSONObject:
    """Return a tool's schema with the original's descriptions."""
    if theirs is None:
        return ours
    function = ours["function"]
    properties = {}
    for name, one in function["parameters"]["properties"].items():
        words = theirs["arguments"].get(name)
        rest = {key: value for key, value in one.items() if key != "description"}
        properties[name] = {**rest, "description": words} if words else rest
    parameters = {**function["parameters"], "properties": properties}
    described = {**function, "description": theirs["description"], "parameters": parameters}
    return {"type": "function", "function": described}
