"""The file that OpenRLHF's agent_func_path names: one seat, the others played for it.

    pip install gem-ma openrlhf==0.11.2
    GEM_MODEL=Qwen/Qwen3-4B-Instruct-2507 python -m openrlhf.cli.train_ppo_ray \\
        --train.agent_func_path examples/train/openrlhf_agent.py ...   # prompts: any; label: a seed

Checked against OpenRLHF 0.11.2 by tests/training: its MultiTurnAgentExecutor with a
scripted engine. The trainer was not installed (flash-attn wants a GPU), and the options of its
command line are not checked. Several turns; one seat; pictures with GEM_OBSERVE=image and a model
that sees; the rewards of the turns are added up. GEM_ENV, GEM_SEAT and GEM_OTHERS choose another
game.
"""

import os

from transformers import AutoProcessor, AutoTokenizer

from gem_ma.training.adapters.openrlhf import executor

observe = os.environ.get("GEM_OBSERVE", "text")
load = AutoTokenizer if observe == "text" else AutoProcessor
AgentExecutor = executor(
    load.from_pretrained(os.environ["GEM_MODEL"]),
    os.environ.get("GEM_ENV", "game:TicTacToe-v0"),
    os.environ.get("GEM_SEAT", "x"),
    os.environ.get("GEM_OTHERS", "random"),
    observe=observe,
)
