"""Evaluate a model against a search agent with Inspect, using its providers and log viewer.

    python examples/inspect_eval.py --model openai/gpt-5-mini --games 20
    inspect view

Without --model, Inspect's mock model plays, which needs no network. To let two models play
against each other, name a role for each seat on Inspect's own command line:

    inspect eval gem_ma/play -T env=game:ConnectFour-v0 \
        --model-role red=openai/gpt-5-mini --model-role yellow=anthropic/claude-haiku-4-5
"""

import argparse

from inspect_ai import eval as inspect_eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from gem_ma.evaluation.inspect_bridge import play, read_log_episodes


def columns(messages, tools, tool_choice, config):
    """Play the columns from left to right; a given usage means that Inspect needs no tokenizer."""
    turn = sum(message.role == "assistant" for message in messages)
    output = ModelOutput.from_content("mockllm/model", f"I take \\boxed{{{turn % 7}}}")
    output.usage = ModelUsage(input_tokens=100, output_tokens=8, total_tokens=108)
    return output


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--model", help="a model in Inspect's notation (default: Inspect's mock model)"
    )
    parser.add_argument("--games", type=int, default=4)
    parser.add_argument(
        "--depth", type=int, default=2, help="search depth of the opponent, in moves"
    )
    parser.add_argument("--logs", default="logs", help="folder for Inspect's logs")
    args = parser.parse_args()

    model = args.model or get_model("mockllm/model", custom_outputs=columns)
    (log,) = inspect_eval(
        play(
            "game:ConnectFour-v0",
            seats={"yellow": f"search:depth={args.depth}"},
            samples=args.games,
        ),
        model=model,
        log_dir=args.logs,
        display="none",
        message_limit=200,
    )
    for score in log.results.scores:
        print(f"{score.scorer} {score.name}: {score.metrics['mean'].value:.2f}")
    longest = max(read_log_episodes(log), key=lambda episode: len(episode.steps))
    print(f"the longest game had {len(longest.steps)} moves")
    print(f"written to {log.location}")


if __name__ == "__main__":
    main()
