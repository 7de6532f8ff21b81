"""A seat of a game as an environment for ROLL, through the interface of GEM.

    python examples/train/roll_game.py       # plays an episode
    # in ROLL's configuration, after `import roll_game` where its environment workers start:
    # custom_envs: {TicTacToe: {env_type: gem_ma, env_config: {env: game:TicTacToe-v0,
    #   seat: x, others: random}, agent_template: "{observation}", ...}}

ROLL (8eb27cc2, 2026-08; not on the package index) makes an environment for each member of a group,
in its own thread. It trains one seat; agents play the others. It keeps the rewards of turns, and
compares the members of a group, which start from the same seed. ROLL needs a GPU and was not run;
docs/trainers.md says which parts were.
"""

import gymnasium

import gem_ma

ENDS = ("<|im_end|>", "<|eot_id|>", "<|endoftext|>", "</s>")  # ROLL leaves them in the text


class Seat(gymnasium.Wrapper):
    """The environment that ROLL steps: reset(seed) -> (text, info); step(action) -> five values."""

    def step(self, action):
        for end in ENDS:
            action = action.removesuffix(end)
        return super().step(action)


def make(env, seat=None, others=None, **given):
    """Return an environment for one seat."""
    return Seat(gem_ma.make_gym(env, agent=seat, others=others, **given))


def register():
    """Register it with GEM, so that ROLL's `gem.make("gem_ma", ...)` finds it."""
    import gem

    gem.register("gem_ma", entry_point=make)


def main():
    env = make("game:TicTacToe-v0", "x", "random")
    _, _ = env.reset(seed=1)
    total, done, moves = 0.0, False, iter("012345678")
    while not done:
        _, reward, terminated, truncated, _ = env.step(next(moves))
        total, done = total + reward, terminated or truncated
    print(f"{total:+.0f}")


if __name__ == "__main__":
    main()
