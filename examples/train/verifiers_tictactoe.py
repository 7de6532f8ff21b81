r"""Tic-tac-toe for verifiers and prime-rl: two seats, one trace each.

    pip install gem-ma verifiers==0.4.0 uv
    cd examples/train && vf-eval verifiers_tictactoe -m MODEL -b http://127.0.0.1:8000/v1 -n 10 \
        --env.x.runtime.type subprocess --env.o.runtime.type subprocess

Checked against verifiers 0.4.0 and a local endpoint, by tests/training. Several turns,
several seats (each may have its own model and `trainable`), pictures as image_url; each trace has
one reward, `game`, and what each turn earned in `info["turn_rewards"]`. prime-rl takes the same
module as its environment; it needs a GPU, and was not run with it. For one seat let others play:
`make_env_class("game:TicTacToe-v0", others={"o": "search:depth=9"})`.
"""

from gem_ma.training.trainers.verifiers import GameTaskset, make_env_class

Game = make_env_class("game:TicTacToe-v0")

__all__ = ["Game", "GameTaskset"]
