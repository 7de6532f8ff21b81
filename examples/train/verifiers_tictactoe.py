r"""Tic-tac-toe for verifiers and prime-rl: two seats, one trace each.

    pip install -e . verifiers==0.4.0 uv
    cd examples/train && vf-eval verifiers_tictactoe -m MODEL -n 10 --no-push \
        --client.base-url http://127.0.0.1:8000/v1 --client.api-key-var OPENAI_API_KEY \
        --env.x.runtime.type subprocess --env.o.runtime.type subprocess

Checked with verifiers 0.4.0 and a local endpoint, by tests/training. It supports several turns,
several seats (each can have its own model and `trainable`), and pictures as image_url. Each trace
has one reward, `game`; the rewards of turns are in `info["turn_rewards"]`. prime-rl takes the same
module as its environment; it needs a GPU and was not run with it. To train one seat, let agents
play the others: `make_env_class("game:TicTacToe-v0", others={"o": "search:depth=9"})`.
"""

from gem_ma.training.trainers.verifiers import GameTaskset, make_env_class

Game = make_env_class("game:TicTacToe-v0")

__all__ = ["Game", "GameTaskset"]
