"""Recipe 11: a language model is the user of a shop, and stays like the people it imitates.

    python examples/recipes/users.py --seed 0 --out runs/users-0
    python examples/recipes/users.py --seed 0 --reward task --out runs/users-task-0

A model from scratch first imitates users that are too kind: four of five are plain. Then it learns
as the user, with an assistant that knows its work: with `--reward likeness` from its fidelity to
the task and from how like people its conversations are, with `--reward task` from the assistant's
success alone. `users:train` stands in for people: each of its six kinds is as frequent.

The shop has eight customers. The tasks have one wish, to cancel an order or to change its payment,
and no question. Evaluation uses other tasks than training, and other conversations of people.
"""

from common import Run, mean, played
from shop import SHOP, tasks

import gem_ma
from gem_ma.envs.tau import LikenessReward, compare_users
from gem_ma.training import Trainer, grpo

PEOPLE = "users:train"
OTHERS = ("talkative", "forgetful", "hurried", "muddled", "wary")
KIND = "users:" + "+".join(("plain",) * 20 + OTHERS)
ASSISTANT = "informed-assistant"
REWARDS = {  # what pays the user: the terms of the shop, and the weight of likeness
    "likeness": ({"fidelity": 1.0}, 10.0),
    "task": ({"task": 1.0}, 0.0),
}


def measure(episode):
    report = episode.report
    return {"solved": report["reward"], **report["user"]}


def main():
    run = Run(__doc__.split("\n")[0], reward=tuple(REWARDS))
    episodes, epochs, updates, judged = (8, 1, 2, 4) if run.short else (1500, 2, 50, 200)
    terms, weight = REWARDS[run.options["reward"]]
    imitated = gem_ma.make("tau:shop", invalid="lose", **SHOP)  # the same for both rewards
    env = gem_ma.make("tau:shop", invalid="lose", **{**SHOP, "user_reward": terms})
    learnt, others = tasks(range(4000)), tasks(range(4000, 5000))
    teachers = {"user": KIND, "assistant": ASSISTANT}
    settings = {"episodes": episodes, "epochs": epochs, "batch": 2048, "others": 0.2}
    model = run.pretrain(imitated, teachers, options=learnt, seats=["user"], **settings)
    people = played(
        env, {"user": PEOPLE, "assistant": ASSISTANT}, 2 * judged, options=others, seed=2 * 10**6
    )

    def judge(user):
        agents = {"user": user, "assistant": ASSISTANT}
        found = played(env, agents, judged, options=others)
        numbers = [measure(episode) for episode in found]
        keys = ("solved", "fidelity", "told", "pace")
        likeness = 1 - compare_users(found, people).overall.distance.value
        return {key: mean(one[key] for one in numbers) for key in keys} | {
            "likeness": round(likeness, 3),
            "messages": mean(sum(s.agent == "user" for s in e.steps) for e in found),
        }

    new = {"max_new_tokens": 8 if run.short else 80, "temperature": 1.0}
    run.say(people=judge(PEOPLE), teachers=judge(KIND), imitation=judge(run.player(model, **new)))
    learner = run.learner(model, lr=1e-4, entropy=0.0, minibatch=64, **new)
    trainer = Trainer(
        env,
        {"user": learner, "assistant": ASSISTANT},
        grpo,
        episodes=4 if run.short else 128,
        group=2 if run.short else 8,
        seed=run.seed,
        train=["user"],
        measure=measure,
        extra_rewards=LikenessReward(people, weight) if weight else None,
        rollout={"options": learnt},
    )
    run.train("grpo", trainer, updates)
    run.say(reinforced=judge(learner))
    learner.model.save_pretrained(run.out / "user")
    learner.tokens.processor.save_pretrained(run.out / "user")
    run.end()


if __name__ == "__main__":
    main()
