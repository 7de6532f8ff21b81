"""Two seats, of which only x has a tool: it asks a search for the best cell; o plays alone.

python examples/tools_two_seats.py
python examples/tools_two_seats.py --o hf:Qwen/Qwen3-0.6B --episodes 20
"""

import argparse
import json

import gem_ma
from gem_ma.agents import SearchAgent
from gem_ma.tools import function_tool, with_tools


def adviser(env):
    """Return a tool that finds the best move for a board given as text."""
    search = SearchAgent()

    @function_tool
    def best_cell(board: str) -> str:
        """Say the best cell for x on a board of tic-tac-toe.

        Args:
            board: its three rows as they were shown, free cells by their number.
        """
        marks = board.split()
        if len(marks) != 9:
            raise ValueError(f"a board has 9 cells, got {len(marks)}")
        game = env.fork()[0]
        game.reset(seed=0)
        moves = [[str(i) for i, mark in enumerate(marks) if mark == seat] for seat in "xo"]
        for number in range(sum(map(len, moves))):
            game.step(moves[number % 2][number // 2])
        return search.act([game.turn("x")])[0]

    return best_cell


def asks(turn):
    """Ask the tool, then play the cell that it names."""
    if turn.results:
        return turn.results[0]
    board = "\n".join(turn.text.splitlines()[-3:])
    return (
        f"<tool_call>{json.dumps({'name': 'best_cell', 'arguments': {'board': board}})}</tool_call>"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--x",
        default=asks,
        help="agent of the seat with the tool, as a spec string (default: rules)",
    )
    parser.add_argument(
        "--o", default="random", help="agent of the seat without a tool (default: random)"
    )
    parser.add_argument("--episodes", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    bare = gem_ma.make("game:TicTacToe-v0")
    bare.reset(seed=0)
    env = with_tools(bare, {"x": [adviser(bare)]})
    episodes = gem_ma.rollout(env, {"x": args.x, "o": args.o}, args.episodes, seed=args.seed)
    for step in episodes[0].steps[:4]:
        print(f"{step.agent} reads:\n{step.text}\n-> {step.reply}\n")
    wins = sum(episode.returns["x"] > 0 for episode in episodes)
    losses = sum(episode.returns["x"] < 0 for episode in episodes)
    print(f"x won {wins} and lost {losses} of {len(episodes)}")


if __name__ == "__main__":
    main()
