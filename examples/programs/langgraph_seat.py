"""Play a seat with LangGraph's prebuilt agent, whose model calls a gateway records.

    python examples/programs/langgraph_seat.py --model http://127.0.0.1:8000/v1

Needs, in a clone, `pip install -e ".[gateway]" langgraph langchain langchain-openai`. In a game,
the agent has a tool that lists the legal moves. As the assistant of tau:shop, it has the shop's
tools: each call is a move, and the next turn contains its result.
"""

import argparse
import json

from langchain.agents import create_agent
from langchain_core.tools import StructuredTool, tool
from langchain_openai import ChatOpenAI

import gem_ma
from gem_ma.agents import ProgramAgent
from gem_ma.chat import make_tool_schemas


def model_of(seat):
    return ChatOpenAI(model="any", base_url=seat.address, api_key="none", max_retries=0)


def play(seat):
    """Play a game, with one run of the agent per turn."""
    legal = []

    @tool
    def legal_moves() -> str:
        """List the moves that are legal now."""
        return ", ".join(legal)

    turn = seat.turn()
    agent = create_agent(model_of(seat), [legal_moves], system_prompt=turn and turn.rules)
    while turn is not None:
        legal[:] = turn.legal or ()
        answer = agent.invoke({"messages": [("user", turn.text)]}, {"recursion_limit": 12})
        turn = seat.play(answer["messages"][-1].text)


def assist(seat):
    """Serve a customer, with one run of the agent per message; each tool call is a move."""
    turn = seat.turn()
    if turn is None:
        return
    state = {"turn": turn}

    def caller(name):
        def call(**arguments):
            said = {"type": "function", "id": "1", "function": {"name": name, "arguments": ""}}
            said["function"]["arguments"] = json.dumps(arguments)
            state["turn"] = seat.play({"content": "", "tool_calls": [said]})
            return state["turn"].text if state["turn"] else "The talk is over."

        return call

    tools = [
        StructuredTool.from_function(
            caller(one["function"]["name"]),
            name=one["function"]["name"],
            description=one["function"]["description"],
            args_schema=one["function"]["parameters"],
        )
        for one in make_tool_schemas(turn.tools)
    ]
    agent, talk = create_agent(model_of(seat), tools, system_prompt=turn.rules), []
    while state["turn"] is not None:
        talk.append(("user", state["turn"].text))
        answer = agent.invoke({"messages": talk}, {"recursion_limit": 30})
        talk = answer["messages"]
        if state["turn"] is not None:
            state["turn"] = seat.play(talk[-1].text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", required=True, help="URL of a model server, or MODEL@URL")
    parser.add_argument("--episodes", type=int, default=4)
    parser.add_argument("--out", help="file for the recorded episodes")
    args = parser.parse_args()
    two = ProgramAgent(play, args.model)
    for episode in gem_ma.rollout("game:ConnectFour-v0", two, args.episodes, out=args.out):
        print(episode.returns, sum(len(step.reply.calls) for step in episode.steps), "calls")
    served = {"user": "rule-user", "assistant": ProgramAgent(assist, args.model)}
    for episode in gem_ma.rollout("tau:shop", served, args.episodes):
        print(episode.returns, len(episode.steps), "steps")


if __name__ == "__main__":
    main()
