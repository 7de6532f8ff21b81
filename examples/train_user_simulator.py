"""Train the user's seat of tau:shop against a fixed assistant, with plain REINFORCE.

    python examples/train_user_simulator.py Qwen/Qwen3-0.6B --steps 200

The user is paid for keeping to its task (fidelity) and for getting what it wants. Token ids and
masks come from the rollout, so that the update sees just what the model was given and said.
"""

import argparse

import torch

import gem_ma
from gem_ma.agents import HFAgent
from gem_ma.training import samples


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", help="a path or name that transformers loads")
    parser.add_argument("--assistant", default="informed-assistant", help="a spec string")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--batch", type=int, default=16, help="episodes of a step")
    parser.add_argument("--max-turns", type=int, default=30, help="of an episode")
    parser.add_argument("--max-new-tokens", type=int, default=64)
    parser.add_argument("--lr", type=float, default=1e-5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", help="a folder for the trained model")
    args = parser.parse_args()

    user = HFAgent(args.model, max_new_tokens=args.max_new_tokens)
    model, tokens = user.model, user.tokens
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    for step in range(args.steps):
        episodes = gem_ma.rollout(
            "tau:shop",
            {"user": user, "assistant": args.assistant},
            args.batch,
            seed=args.seed + step,
            max_turns=args.max_turns,
            user_reward={"fidelity": 0.5, "task": 0.5},
            invalid="lose",
        )
        done = [episode for episode in episodes if not episode.failure]
        returns = torch.tensor([episode.returns["user"] for episode in done])
        advantages = (returns - returns.mean()) / (returns.std(correction=0) + 1e-6)
        optimizer.zero_grad()
        loss = 0.0
        for episode, advantage in zip(done, advantages, strict=True):
            for sample in samples(episode, "user", tokens):
                loss += update(model, sample, advantage / len(done))
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        solved = sum(episode.returns["assistant"] for episode in done) / len(done)
        print(
            f"step {step}: user {returns.mean():.3f}, assistant {solved:.3f}, "
            f"loss {loss:+.4f}, gradient {norm:.3f}"
        )
    if args.save:
        model.save_pretrained(args.save)
        tokens.processor.save_pretrained(args.save)


def update(model, sample, weight):
    """Add the gradient of one sequence, weighted, over the tokens that the user's model said."""
    ids = torch.tensor([sample.ids], device=model.device)
    mask = torch.tensor(sample.mask[1:], device=model.device)
    logits = model(input_ids=ids).logits[0, :-1].float()
    logprobs = torch.log_softmax(logits, -1).gather(1, ids[0, 1:, None])[:, 0]
    loss = -weight * (logprobs * mask).sum() / mask.sum()
    loss.backward()
    return loss.item()


if __name__ == "__main__":
    main()
