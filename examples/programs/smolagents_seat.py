"""Play a seat with a smolagents agent, whose model calls a gateway records.

    python examples/programs/smolagents_seat.py --model http://127.0.0.1:8000/v1

Needs, in a clone, `pip install -e ".[gateway]" 'smolagents[openai]'`.
"""

import argparse

from smolagents import LogLevel, OpenAIModel, ToolCallingAgent, tool

import gem_ma
from gem_ma.agents import ProgramAgent


def play(seat):
    """Play a game, with one run of the agent per turn; each run continues the last one."""
    legal = []

    @tool
    def legal_moves() -> str:
        """List the moves that are legal now."""
        return ", ".join(legal)

    model = OpenAIModel("any", api_base=seat.address, api_key="none")
    agent = ToolCallingAgent([legal_moves], model, verbosity_level=LogLevel.OFF, max_steps=4)
    turn = seat.turn()
    rules = turn and turn.rules
    while turn is not None:
        legal[:] = turn.legal or ()
        answer = agent.run(f"{rules}\n\n{turn.text}", reset=turn.first)
        turn = seat.play(str(answer))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", required=True, help="URL of a model server, or MODEL@URL")
    parser.add_argument("--episodes", type=int, default=4)
    parser.add_argument("--out", help="file for the recorded episodes")
    args = parser.parse_args()
    agent = ProgramAgent(play, args.model)
    for episode in gem_ma.rollout("game:ConnectFour-v0", agent, args.episodes, out=args.out):
        print(episode.returns, sum(len(step.reply.calls) for step in episode.steps), "calls")


if __name__ == "__main__":
    main()
