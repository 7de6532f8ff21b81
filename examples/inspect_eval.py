"""Let Inspect evaluate a model against a search agent, with its providers and its log viewer.

    python examples/inspect_eval.py --model openai/gpt-5-mini --games 20
    inspect view

Without --model Inspect's own mock plays, which needs no network. Two models sit down with
--model-role of the command line, here the first seat's and the second's:

    inspect eval gem_ma/play -T env=game:ConnectFour-v0 \
        --model-role red=openai/gpt-5-mini --model-role yellow=anthropic/claude-haiku-4-5
"""

import argparse

from inspect_ai import eval as inspect_eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from gem_ma.evaluation.inspect_bridge import play, read_log_episodes


def columns(messages, tools, tool_choice, config):
    """Play the columns from left to right; the figures of usage spare Inspect a tokenizer."""
    turn = sum(message.role == "assistant" for message in messages)
    output = ModelOutput.from_content("mockllm/model", f"I take \\boxed{{{turn % 7}}}")
    output.usage = ModelUsage(input_tokens=100, output_tokens=8, total_tokens=108)
    return output


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", help="as Inspect names it; without one, its mock")
    parser.add_argument("--games", type=int, default=4)
    parser.add_argument("--depth", type=int, default=2, help="how far the search looks")
    parser.add_argument("--logs", default="logs", help="folder")
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
