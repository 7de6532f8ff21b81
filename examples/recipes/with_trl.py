"""Recipe 10: train the same model on the same game with TRL's GRPOTrainer and with our Trainer.

    python examples/recipes/with_trl.py --seed 0 --out runs/trl-0

Needs `pip install trl==1.16.0`. Both start from the imitation of recipe 1. Both use GRPO in groups
of eight games from the same start, with the same learning rate and optimiser. They sample different
games, so their curves agree, but not each point.
"""

from common import Run, earned
from datasets import Dataset
from guess import ENV, TOKENS, sloppy
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

from gem_ma.agents import FunctionAgent, HFAgent
from gem_ma.training import HistoryLog, Trainer, grpo
from gem_ma.training.trainers.trl import env_reward, rollout_func

GROUP = 8
RATE = 3e-4


def by_trl(run, model, updates, games):
    """Return the model that TRL trained, and the mean reward of each update."""
    trainer = GRPOTrainer(
        model=AutoModelForCausalLM.from_pretrained(model),
        processing_class=AutoTokenizer.from_pretrained(model, padding_side="left"),
        reward_funcs=[env_reward],
        rollout_func=rollout_func(ENV, max_new_tokens=TOKENS, seed=run.seed),
        train_dataset=Dataset.from_list([{"prompt": "play"}] * games),  # the starts are drawn
        args=GRPOConfig(
            output_dir=str(run.out / "trl"),
            max_steps=updates,
            per_device_train_batch_size=games,
            num_generations=GROUP,
            learning_rate=RATE,
            lr_scheduler_type="constant",
            adam_beta2=0.95,
            seed=run.seed,
            use_cpu=run.device is None,
            bf16=False,
            gradient_checkpointing=False,
            save_strategy="no",
            logging_steps=1,
            report_to=[],
            disable_tqdm=True,
        ),
    )
    trainer.train()
    trainer.model.eval()
    return trainer.model, [r["reward"] for r in trainer.state.log_history if "reward" in r]


def main():
    run = Run(__doc__.split("\n")[0])
    episodes, epochs, updates, judged = (20, 1, 2, 4) if run.short else (2000, 3, 60, 1000)
    games = 8 if run.short else 128
    model = run.pretrain(ENV, FunctionAgent(sloppy), episodes=episodes, epochs=epochs)

    def won(agent):
        return earned("player", ENV, agent, judged)

    run.say(imitation=won(run.player(model, max_new_tokens=TOKENS)))
    plain = {"entropy": 0.0, "minibatch": None}  # as in TRL
    learner = run.learner(model, lr=RATE, max_new_tokens=TOKENS, **plain)
    trainer = Trainer(ENV, {"player": learner}, grpo, episodes=games, group=GROUP, seed=run.seed)
    run.train("ours", trainer, updates)
    run.say(ours=won(learner))
    trained, rewards = run.part("trl", lambda _: by_trl(run, model, updates, games))
    rows = [{"step": step, "return/player": one} for step, one in enumerate(rewards)]
    HistoryLog(run.out / "trl" / "history.jsonl", rows)
    tokenizer = AutoTokenizer.from_pretrained(model)
    run.say(trl=won(HFAgent(trained, tokenizer, max_new_tokens=TOKENS)))
    run.end()


if __name__ == "__main__":
    main()
