"""Recipe 4: a customer and a shop assistant, two LoRA adapters of one model, learn together.

    python examples/recipes/shop.py --seed 0 --out runs/shop-0

Needs `pip install peft`. A model from scratch first imitates dialogues between a rule-based user
and an assistant, including tool calls as JSON. The assistant knows its work, but at every turn it
may give up and transfer the customer. Then each seat has its own adapter and learns from the
outcome: the assistant from the task's success, the user from that and from its fidelity.

The shop has eight customers. The tasks have one wish, to cancel an order or to change its payment,
and no question. Evaluation uses other tasks than training.
"""

from common import Run, mean, played
from transformers import AutoModelForCausalLM, AutoTokenizer

import gem_ma
from gem_ma.agents import FunctionAgent, MixtureAgent
from gem_ma.envs.tau import shop
from gem_ma.training import Trainer, add_lora_adapters, grpo

SHOP = {"size": 8, "max_turns": 24, "user_reward": {"task": 0.5, "fidelity": 0.5}}
WISHES = "cancel_pending_order", "modify_pending_order_payment"
UP = 0.1  # probability of giving up at a turn: half of the dialogues end so


def give_up(turn):
    return '{"name": "transfer_to_human_agents", "arguments": {"summary": "I cannot help."}}'


TEACHERS = {
    "user": "rule-user",
    "assistant": MixtureAgent(["informed-assistant", FunctionAgent(give_up)], [1 - UP, UP]),
}


def tasks(numbers):
    """Return the tasks of the shop with one such wish and no question."""
    world = shop.world(0, SHOP["size"])
    found = {number: shop.task(world, number) for number in numbers}
    return [
        {"task": number}
        for number, task in found.items()
        if len(task.actions) == 1 and task.actions[0][0] in WISHES and not task.outputs
    ]


def measure(episode):
    report = episode.report
    return {"solved": report["reward"], "fidelity": report.get("user", {}).get("fidelity", 0.0)}


def main():
    run = Run(__doc__.split("\n")[0])
    episodes, epochs, updates, judged = (8, 1, 2, 4) if run.short else (1600, 2, 20, 200)
    new = {"max_new_tokens": 8 if run.short else 120}
    env = gem_ma.make("tau:shop", invalid="lose", **SHOP)
    # Text that is read has a higher weight than usual, because it teaches copying of numbers.
    settings = {"episodes": episodes, "epochs": epochs, "batch": 4096, "others": 0.2}
    learnt, others = tasks(range(4000)), tasks(range(4000, 5000))
    model = run.pretrain(env, TEACHERS, options=learnt, **settings)

    def judge(agents):
        found = [measure(episode) for episode in played(env, agents, judged, options=others)]
        return {key: mean(one[key] for one in found) for key in found[0]}

    run.say(teachers=judge(TEACHERS), imitation=judge(run.player(model, **new)))
    both = add_lora_adapters(
        AutoModelForCausalLM.from_pretrained(model),
        list(TEACHERS),
        r=16,
        target_modules="all-linear",
    )
    learners = {
        seat: run.learner(
            both,
            processor=AutoTokenizer.from_pretrained(model),
            adapter=seat,
            lr=5e-4,
            entropy=0.001,
            minibatch=32,
            temperature=0.7,
            **new,
        )
        for seat in TEACHERS
    }
    trainer = Trainer(
        env,
        learners,
        grpo,
        episodes=4 if run.short else 64,
        group=2 if run.short else 8,
        seed=run.seed,
        measure=measure,
        rollout={"options": learnt},
    )
    run.reinforce(trainer, updates, "solved", judge, learners)
    run.end()


if __name__ == "__main__":
    main()
