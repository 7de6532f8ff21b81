"""Recipe 10: train the same model on the same game with TRL's GRPOTrainer and with our Trainer.

    python examples/recipes/with_trl.py --seed 0 --out runs/trl-0
    python examples/recipes/with_trl.py --seed 0 --out runs/trl-smollm2 --model smollm2

Needs `pip install trl==1.16.0 jmespath peft`. Both start from the imitation of recipe 1. Both use
GRPO in groups of eight games from the same start, with the same learning rate and optimiser. They
sample different games, so their curves agree, but not each point. With `--model smollm2` a
pretrained model imitates 200 games, and then both train a LoRA adapter.
"""

import torch
from common import Run, earned
from datasets import Dataset
from guess import ENV, TOKENS, sloppy
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

from gem_ma.agents import FunctionAgent, HFAgent
from gem_ma.training import HistoryLog, Trainer, grpo
from gem_ma.training.trainers.trl import env_reward, rollout_func

GROUP = 8
LORA = {"r": 16, "lora_alpha": 32, "target_modules": "all-linear"}
# By model: games to imitate, epochs, updates, games of an update, learning rate, games to judge.
SIZES = {"scratch": (2000, 3, 60, 128, 3e-4, 1000), "smollm2": (200, 2, 20, 64, 1e-4, 200)}
SHORT = 20, 1, 2, 8, 3e-4, 4


def by_trl(run, model, updates, games, rate, lora):
    """Return the model that TRL trained, and the mean reward of each update."""
    trainer = GRPOTrainer(
        model=AutoModelForCausalLM.from_pretrained(
            model, dtype=torch.bfloat16 if lora else torch.float32
        ),
        peft_config=LoraConfig(**lora, task_type="CAUSAL_LM") if lora else None,
        processing_class=AutoTokenizer.from_pretrained(model, padding_side="left"),
        reward_funcs=[env_reward],
        rollout_func=rollout_func(ENV, max_new_tokens=TOKENS, seed=run.seed),
        train_dataset=Dataset.from_list([{"prompt": "play"}] * games),  # the starts are drawn
        args=GRPOConfig(
            output_dir=str(run.out / "trl"),
            max_steps=updates,
            per_device_train_batch_size=games,
            num_generations=GROUP,
            learning_rate=rate,
            lr_scheduler_type="constant",
            adam_beta2=0.95,
            seed=run.seed,
            use_cpu=run.device is None,
            bf16=bool(lora),
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
    run = Run(__doc__.split("\n")[0], model=tuple(SIZES))
    pretrained = run.options["model"] == "smollm2"
    episodes, epochs, updates, games, rate, judged = (
        SHORT if run.short else SIZES[run.options["model"]]
    )
    start = {"model": "smollm2"} if pretrained and not run.short else {}
    model = run.pretrain(ENV, FunctionAgent(sloppy), episodes=episodes, epochs=epochs, **start)
    lora = LORA if pretrained else None

    def won(agent):
        return earned("player", ENV, agent, judged)

    run.say(imitation=won(run.player(model, max_new_tokens=TOKENS)))
    plain = {"entropy": 0.0, "minibatch": None}  # as in TRL
    if pretrained:
        plain |= {"lora": lora, "dtype": "bfloat16", "precision": "mixed"}
    learner = run.learner(model, lr=rate, max_new_tokens=TOKENS, **plain)
    trainer = Trainer(ENV, {"player": learner}, grpo, episodes=games, group=GROUP, seed=run.seed)
    run.train("ours", trainer, updates)
    run.say(ours=won(learner))
    trained, rewards = run.part("trl", lambda _: by_trl(run, model, updates, games, rate, lora))
    rows = [{"step": step, "return/player": one} for step, one in enumerate(rewards)]
    HistoryLog(run.out / "trl" / "history.jsonl", rows)
    tokenizer = AutoTokenizer.from_pretrained(model)
    run.say(trl=won(HFAgent(trained, tokenizer, max_new_tokens=TOKENS)))
    run.end()


if __name__ == "__main__":
    main()
