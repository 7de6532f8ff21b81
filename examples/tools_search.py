"""Answer questions by searching a small corpus that is part of this script.

    python examples/tools_search.py
    python examples/tools_search.py --agent openai:gpt-5-mini

For your own texts, pass a folder or a data set to `SearchIndex.build`, or the address of a
retriever to `SearchTool`.
"""

import argparse
import json
import tempfile
from pathlib import Path

import gem_ma
from gem_ma.tools import SearchIndex, SearchTool, with_tools

CORPUS = {
    "Harbour of Ostby": "The harbour of Ostby was built in 1874. Its lighthouse is painted green.",
    "Ostby": "Ostby is a town on the west coast. Its mayor is Ingrid Sand, a former ferry captain.",
    "Ferry": "The ferry from Ostby to the island of Lill takes fifty minutes and runs twice a day.",
    "Lill": "Lill is an island known for its cheese, which is wrapped in seaweed.",
    "Marta Vik": "Marta Vik wrote the novel The Green Light while keeping the lighthouse of Ostby.",
}
QUESTIONS = [
    {"problem": "What colour is the lighthouse of Ostby?", "answer": "green"},
    {"problem": "Who is the mayor of Ostby?", "answer": ["Ingrid Sand", "Sand"]},
    {"problem": "What is the cheese of Lill wrapped in?", "answer": "seaweed"},
    {"problem": "Who wrote The Green Light?", "answer": ["Marta Vik", "Vik"]},
]


def by_rule(turn):
    """Search for the question; answer with a known word of the best passage not in the question."""
    question = turn.text.splitlines()[-1] if not turn.results else turn.messages[1]["content"]
    if not turn.results:
        call = {"name": "search", "arguments": {"query": question, "top_k": 1}}
        return f"<tool_call>{json.dumps(call)}</tool_call>"
    passage = turn.results[0]
    for answer in ("green", "Ingrid Sand", "seaweed", "Marta Vik"):
        if answer in passage and answer.lower() not in question.lower():
            return rf"\boxed{{{answer}}}"
    return r"\boxed{unknown}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--agent", default=by_rule, help="a spec string, such as hf:PATH (default: rules)"
    )
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    documents = [{"title": title, "text": text} for title, text in CORPUS.items()]
    tool = SearchTool(SearchIndex.build(documents))
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "questions.jsonl"
        data.write_text("".join(json.dumps(question) + "\n" for question in QUESTIONS))
        env = with_tools(gem_ma.make("qa:Data", data=str(data)), [tool])
        episodes = gem_ma.rollout(
            env,
            args.agent,
            len(QUESTIONS),
            seed=args.seed,
            options=[{"index": number} for number in range(len(QUESTIONS))],
        )
    for step in episodes[0].steps:
        print(f"{step.text}\n-> {step.reply}\n")
    solved = sum(sum(episode.returns.values()) for episode in episodes)
    print(f"{solved:g} of {len(episodes)} answered")


if __name__ == "__main__":
    main()
