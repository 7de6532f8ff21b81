"""Play a seat with an agent of the OpenAI Agents SDK, whose model calls a gateway records.

    python examples/programs/openai_agents_seat.py --model http://127.0.0.1:8000/v1

Needs, in a clone, `pip install -e ".[gateway]" openai-agents`. --api says which OpenAI API the
model server offers: chat (completions) or responses.
"""

import argparse
from functools import partial

from openai import AsyncOpenAI

import gem_ma
from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from gem_ma.agents import ProgramAgent

MODELS = {"chat": OpenAIChatCompletionsModel, "responses": OpenAIResponsesModel}


async def play(seat, api="chat"):
    """Play a game, with one run of the agent per turn."""
    legal = []

    @function_tool
    def legal_moves() -> str:
        """List the moves that are legal now."""
        return ", ".join(legal)

    turn = await seat.aturn()
    async with AsyncOpenAI(base_url=seat.address, api_key="none", max_retries=0) as client:
        agent = Agent(
            name=seat.name,
            instructions=turn and turn.rules,
            model=MODELS[api](model="any", openai_client=client),
            tools=[legal_moves],
        )
        while turn is not None:
            legal[:] = turn.legal or ()
            answer = await Runner.run(agent, turn.text, max_turns=6)
            turn = await seat.aplay(str(answer.final_output))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", required=True, help="URL of a model server, or MODEL@URL")
    parser.add_argument("--api", choices=MODELS, default="chat")
    parser.add_argument("--episodes", type=int, default=4)
    parser.add_argument("--out", help="file for the recorded episodes")
    args = parser.parse_args()
    set_tracing_disabled(True)  # traces would be sent to OpenAI
    agent = ProgramAgent(partial(play, api=args.api), args.model)
    for episode in gem_ma.rollout("game:ConnectFour-v0", agent, args.episodes, out=args.out):
        print(episode.returns, sum(len(step.reply.calls) for step in episode.steps), "calls")


if __name__ == "__main__":
    main()
