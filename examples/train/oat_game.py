"""Train one model in all seats of a game with Oat's multi-turn PPO.

    pip install -e . oat-llm==0.2.4
    python examples/train/oat_game.py   # with Oat's settings: --pretrain Qwen/Qwen3-1.7B-Base ...

Environment variables choose the games: GEM_ENV, GEM_OTHERS ("o=random"), GEM_GAMES (games per step,
16) and GEM_CONTEXT ("turns=4"). Oat needs a GPU, vLLM and Python 3.10, and was not run;
docs/trainers.md says which parts were.
"""

import os

from gem_ma.chat import ChatTokenizer
from gem_ma.training.trainers import assign_seats
from gem_ma.training.trainers.oat import BatchEngineAgent, collect_transitions


class Games:
    """Mixin with the collection of episodes for Oat; it comes before PPOMultiTurnActor."""

    steps = 0

    def collect_experience(self):
        others = dict(one.split("=", 1) for one in os.environ.get("GEM_OTHERS", "").split())
        env = os.environ.get("GEM_ENV", "game:TicTacToe-v0")
        table = assign_seats(collect_transitions, env, None, others, {})
        agent = BatchEngineAgent(ChatTokenizer(self.tokenizer), self.drawn)
        self.steps += 1
        episodes = collect_transitions(
            table,
            agent,
            int(os.environ.get("GEM_GAMES", "16")),
            seed=self.steps,
            context=os.environ.get("GEM_CONTEXT"),
        )
        return episodes, {"actor/num_games": len(episodes)}

    def drawn(self, prompts):
        """Sample replies with the actor's vLLM engine."""
        asked = [{"prompt_token_ids": ids} for ids in prompts]
        found = self.llm.generate(asked, self.sampling_params, use_tqdm=False)
        said = [one.outputs[0] for one in found]
        return [
            (
                list(one.token_ids),
                [p[t].logprob for t, p in zip(one.token_ids, one.logprobs, strict=True)],
            )
            for one in said
        ]


def main():
    from oat.algorithms.ppo import PPOArgs
    from oat.algorithms.ppo_multiturn import PPOMultiTurnActor, PPOMultiTurnLearner
    from oat.args import default_args_validation, get_default_args
    from oat.interface import get_program, lp

    class Actor(Games, PPOMultiTurnActor):
        pass

    args = default_args_validation(get_default_args(PPOArgs))
    program, local_resources = get_program(args, PPOMultiTurnLearner, Actor)
    lp.launch(program, launch_type=args.launch_type, local_resources=local_resources)


if __name__ == "__main__":
    main()
