"""Play a seat with an agent of the Claude Agent SDK, whose model calls a gateway records.

    python examples/programs/claude_agent_seat.py --model http://127.0.0.1:8000/v1

Needs, in a clone, `pip install -e ".[gateway]" claude-agent-sdk`. The model may be any.
"""

import argparse

import claude_agent_sdk as sdk

import gem_ma
from gem_ma.agents import ProgramAgent


async def play(seat):
    """Play a game as one conversation, with a tool of the program."""
    legal = []

    @sdk.tool("legal_moves", "List the moves that are legal now.", {})
    async def legal_moves(arguments):
        return {"content": [{"type": "text", "text": ", ".join(legal)}]}

    turn = await seat.aturn()
    options = sdk.ClaudeAgentOptions(
        system_prompt=turn.rules if turn else "",
        tools=[],  # none of its own, which read and write files
        mcp_servers={"game": sdk.create_sdk_mcp_server("game", tools=[legal_moves])},
        allowed_tools=["mcp__game__legal_moves"],
        setting_sources=[],
        max_turns=4,
        model="any",
        env={"ANTHROPIC_BASE_URL": seat.root_address, "ANTHROPIC_API_KEY": "none"},
    )
    async with sdk.ClaudeSDKClient(options) as client:
        while turn is not None:
            legal[:] = turn.legal or ()
            await client.query(turn.text)
            said = ""
            async for message in client.receive_response():
                if isinstance(message, sdk.ResultMessage):
                    said = message.result or ""
            turn = await seat.aplay(said)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--model", required=True, help="URL of a model server, MODEL@URL, or an agent"
    )
    parser.add_argument("--episodes", type=int, default=4)
    parser.add_argument("--out", help="file for the recorded episodes")
    args = parser.parse_args()
    agent = ProgramAgent(play, args.model)
    for episode in gem_ma.rollout("game:ConnectFour-v0", agent, args.episodes, out=args.out):
        print(episode.returns, sum(len(step.reply.calls) for step in episode.steps), "calls")


if __name__ == "__main__":
    main()
