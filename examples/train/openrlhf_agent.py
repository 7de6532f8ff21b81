r"""The file for OpenRLHF's agent_func_path: all seats of a game, as samples of one prompt.

    pip install -e . openrlhf==0.11.2
    GEM_MODEL=Qwen/Qwen3-4B-Instruct-2507 python -m openrlhf.cli.train_ppo_ray \
        --train.agent_func_path examples/train/openrlhf_agent.py ...   # prompts: any; label: a seed
    GEM_MODEL=... python examples/train/openrlhf_agent.py data.jsonl   # writes such prompts

The number of samples per prompt must be a multiple of the number of trained seats. GEM_ENV,
GEM_OTHERS ("o=random") and GEM_OBSERVE choose another game. The trainer was not installed, because
flash-attn needs a GPU, and its command-line options are not checked. docs/trainers.md says what was
run.
"""

import json
import os
import sys
from pathlib import Path

from transformers import AutoProcessor, AutoTokenizer

from gem_ma.training.trainers.openrlhf import make_executor_class

observe = os.environ.get("GEM_OBSERVE", "text")
load = AutoTokenizer if observe == "text" else AutoProcessor
others = os.environ.get("GEM_OTHERS", "").split()
AgentExecutor = make_executor_class(
    load.from_pretrained(os.environ["GEM_MODEL"]),
    os.environ.get("GEM_ENV", "game:TicTacToe-v0"),
    others=dict(one.split("=", 1) for one in others),
    observe=observe,
)

if __name__ == "__main__":
    rows = [{"input": "unused", "label": str(seed)} for seed in range(1024)]
    Path(sys.argv[1]).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
