"""Train both seats of tic-tac-toe with RLlib's PPO and PettingZoo wrapper, one policy each.

    pip install -e '.[ray]' 'ray[rllib]' torch
    python examples/train/rllib_tictactoe.py --iterations 5

Checked with Ray 2.60. RLlib's wrapper for the AEC API never ends an episode in which some seats
terminate and others are truncated. This cannot happen in tic-tac-toe, which has no limit of turns.
"""

import argparse

from gem_ma.training.trainers.rllib import make_env_creator


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--env", default="game:TicTacToe-v0")
    parser.add_argument("--iterations", type=int, default=5)
    parser.add_argument("--batch", type=int, default=1_000, help="turns per iteration")
    args = parser.parse_args()

    import ray
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import (
        ActionMaskingTorchRLModule,
    )
    from ray.tune.registry import register_env

    ray.init(include_dashboard=False, log_to_driver=False, ignore_reinit_error=True)
    register_env("gem_ma", make_env_creator(args.env))
    seats = make_env_creator(args.env)({}).possible_agents
    module = RLModuleSpec(
        module_class=ActionMaskingTorchRLModule, model_config={"head_fcnet_hiddens": [64]}
    )
    config = (
        PPOConfig()
        .environment("gem_ma")
        .env_runners(num_env_runners=0)
        .multi_agent(policies=set(seats), policy_mapping_fn=lambda seat, *_, **__: seat)
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=dict.fromkeys(seats, module)))
        .training(train_batch_size=args.batch, minibatch_size=128, num_epochs=4)
    )
    algorithm = config.build_algo()
    for number in range(args.iterations):
        runners = algorithm.train()["env_runners"]
        means = runners["agent_episode_returns_mean"]
        returns = ", ".join(f"{seat} {means[seat]:+.2f}" for seat in seats)
        print(f"{number}: {runners['num_episodes']} episodes, mean returns {returns}")
    algorithm.stop()


if __name__ == "__main__":
    main()
