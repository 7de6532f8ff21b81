"""Train one seat of a game with Stable-Baselines3's PPO, against an agent that moves at random."""

import argparse

import gymnasium
from stable_baselines3 import PPO

import gem_ma


def make(id):
    """Return a Gymnasium environment for the first seat, with discrete actions and observations."""
    seat = gem_ma.make(id).possible_agents[0]
    name = "gem_ma:gem_ma/" + id.replace(":", ".")
    return gymnasium.make(name, agent=seat, others="random", actions="discrete")


def train(id, steps, seed):
    """Return a model trained for this many steps; with 0 steps the model is untrained."""
    model = PPO("MultiInputPolicy", make(id), n_steps=256, seed=seed, device="cpu")
    return model.learn(steps)


def evaluate(model, id, games):
    """Return how many games the model wins, draws and loses."""
    env = make(id)
    wins = draws = losses = 0
    for seed in range(games):
        observation, _ = env.reset(seed=seed)
        total, done = 0.0, False
        while not done:
            # Sampled, because the likeliest action would repeat an invalid move until it forfeits.
            action, _ = model.predict(observation)
            observation, reward, terminated, truncated, _ = env.step(action)
            total += reward
            done = terminated or truncated
        wins += total > 0
        draws += total == 0
        losses += total < 0
    return wins, draws, losses


def main():
    """Print wins, draws and losses before and after training."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--id", default="game:TicTacToe-v0")
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    for steps in (0, args.steps):
        model = train(args.id, steps, args.seed)
        wins, draws, losses = evaluate(model, args.id, args.games)
        print(f"after {steps} steps: {wins} wins, {draws} draws, {losses} losses")


if __name__ == "__main__":
    main()
