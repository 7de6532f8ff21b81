"""Teach one small network to use screens from their pixels alone, by somebody who knows the way.

    python examples/train/screens.py --updates 8000 --save screens.pt
    python examples/train/screens.py --tasks buttons clicking --levels 0 --updates 600

The network sees pictures of 448 pixels and nothing else: what is to be done stands at their top. It
says where to click, to double-click, to scroll, or from where to where to drag, or which key to
press. While it learns it acts itself, more and more often, and is told what `screen-oracle` would
have done in its place (Ross et al. 2011); all tasks are learned at once. Every --test updates it is
measured on tasks that it has not met: it takes what it thinks best, in each task for each level.
Half of what it sees is in the usual colours, the rest in drawn ones (but for tasks about colours);
--held-out measures what was saved in ten themes that it has never met.
"""

import argparse
import json
import re
import time

import numpy as np
import torch
from torch import nn

import gem_ma
from gem_ma.agents import load

TASKS = (
    "buttons", "links", "tabs", "checkboxes", "radios", "lists", "dropdowns", "dialogs", "folds",
    "menus", "trees", "scrolling", "settings", "spinners", "colors", "clicking", "dragging",
    "ordering", "connecting", "sorting",
)  # fmt: skip
COLORED = ("colors", "clicking", "dragging")  # in drawn themes red is another colour
LEVELS = (0, 1, 2)
THEMES = 200  # drawn ones that it learns with
KEYS = ("Escape", "Enter", "Tab")
VERBS = ("click", "double_click", "scroll_down", "scroll_up", "drag")
SIDE, CELL = 448, 8  # pixels of a picture, and of the cells out of which a place is chosen
CELLS = SIDE // CELL
PLACES = CELLS * CELLS
BY = 160  # pixels that a page is scrolled by
TOP = 4  # rows of 16 pixels in which the task may stand
ACTION = re.compile(r"(\w+)\((-?\d+), (-?\d+)(?:, (-?\d+))?(?:, (-?\d+))?\)")


class Looks(nn.Module):
    """Scores for what is done and where, and for where something is dragged to."""

    def __init__(self, wide=80):
        super().__init__()
        self.fine = nn.Sequential(
            nn.Conv2d(3, 48, 8, stride=4, padding=2),
            nn.ReLU(),
            nn.Conv2d(48, 64, 3, stride=2, padding=1),
            nn.ReLU(),
        )
        self.coarse = nn.Sequential(nn.Conv2d(64, wide, 3, stride=2, padding=1), nn.ReLU())
        self.place = nn.Parameter(torch.randn(1, 28 * 28, wide) * 0.02)
        self.reads = nn.ModuleList(Reads(wide) for _ in range(3))
        self.back = nn.Conv2d(wide + 64, 64, 1)
        self.where = nn.Conv2d(64, len(VERBS) + 1, 1)
        self.keys = nn.Linear(wide, len(KEYS))

    def forward(self, frames):
        fine = self.fine(frames.permute(0, 3, 1, 2).float() / 255 - 0.5)
        coarse = self.coarse(fine)
        tokens = coarse.flatten(2).transpose(1, 2) + self.place
        for block in self.reads:
            tokens = block(tokens)
        keys = self.keys(tokens.mean(1))
        grid = tokens.transpose(1, 2).reshape(len(frames), -1, 28, 28)
        grid = nn.functional.interpolate(grid, scale_factor=2)
        maps = self.where(torch.relu(self.back(torch.cat([grid, fine], 1)))).flatten(2)
        return torch.cat([maps[:, :-1].flatten(1), keys], 1), maps[:, -1]


class Reads(nn.Module):
    """Every part of a picture asks what stands in the task, and looks at its neighbours."""

    def __init__(self, wide):
        super().__init__()
        self.norm, self.norm_task, self.norm_self = (nn.LayerNorm(wide) for _ in range(3))
        self.asks = nn.MultiheadAttention(wide, 4, batch_first=True)
        self.near = nn.Conv2d(wide, wide, (3, 7), padding=(1, 3), groups=wide)
        self.thinks = nn.Sequential(nn.Linear(wide, 2 * wide), nn.GELU(), nn.Linear(2 * wide, wide))

    def forward(self, tokens):
        task = self.norm_task(tokens[:, : 28 * TOP])
        tokens = tokens + self.asks(self.norm(tokens), task, task, need_weights=False)[0]
        grid = tokens.transpose(1, 2).reshape(len(tokens), -1, 28, 28)
        tokens = tokens + self.near(grid).flatten(2).transpose(1, 2)
        return tokens + self.thinks(self.norm_self(tokens))


# -- actions ---------------------------------------------------------------------------------------


def label(reply):
    """Return an action as two numbers: what and where, and where to it is dragged (or -1)."""
    for number, name in enumerate(KEYS):
        if reply == f'key("{name}")':
            return len(VERBS) * PLACES + number, -1
    match = ACTION.fullmatch(reply)
    if match is None:
        return None
    verb, *numbers = match.groups()
    numbers = [int(one) for one in numbers if one is not None]
    if verb == "scroll":
        verb = "scroll_down" if numbers[2] > 0 else "scroll_up"
    what = VERBS.index(verb) * PLACES + cell(*numbers[:2])
    return what, cell(*numbers[2:]) if verb == "drag" else -1


def cell(x, y):
    return min(max(y, 0), SIDE - 1) // CELL * CELLS + min(max(x, 0), SIDE - 1) // CELL


def reply(what, to):
    """Return the action that numbers stand for."""
    if what >= len(VERBS) * PLACES:
        return f'key("{KEYS[what - len(VERBS) * PLACES]}")'
    verb, at = VERBS[what // PLACES], middle(what % PLACES)
    if verb.startswith("scroll"):
        return f"scroll({at}, {BY if verb == 'scroll_down' else -BY})"
    return f"drag({at}, {middle(to)})" if verb == "drag" else f"{verb}({at})"


def middle(place):
    y, x = divmod(place, CELLS)
    return f"{x * CELL + CELL // 2}, {y * CELL + CELL // 2}"


# -- learning --------------------------------------------------------------------------------------


class Desk:
    """An environment that begins again, with another task, where an episode is over."""

    def __init__(self, task, number, levels, themes):
        self.task, self.levels = task, levels
        self.themes = themes if task not in COLORED else 0
        self.rng = np.random.default_rng(number)
        self.oracle = load("screen-oracle")
        self.env = None
        self.begin()

    def begin(self):
        level = int(self.rng.choice(self.levels))
        if self.env is None or self.themes:
            theme = f"train:{self.rng.integers(self.themes)}" if self.themes else "light"
            self.env = gem_ma.make(f"screens:{self.task}", observe="image", theme=theme)
        self.env.reset(seed=int(self.rng.integers(1 << 30)), options={"level": level})
        self.steps = 0

    def look(self):
        """Return the picture, and what should be done; or begin again where nobody knows."""
        for _ in range(3):
            turn = self.env.turn("player")
            try:
                (known,) = self.oracle.act([turn])
            except LookupError:  # the task is lost
                known = ""
            if known and (found := label(known)) is not None:
                return np.asarray(turn.observation["image"].array), found, known
            self.begin()
        raise RuntimeError(f"screen-oracle finds no way in {self.task}")

    def do(self, action):
        self.env.step(action)
        self.steps += 1
        if over(self.env) or self.steps > 40:
            self.begin()


def over(env):
    return env.terminations["player"] or env.truncations["player"]


def learn(args):
    """Train, with a measurement now and then; return the network and what was measured."""
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    network = Looks()
    optimiser = torch.optim.AdamW(network.parameters(), args.rate, weight_decay=0.01)
    many = len(args.tasks)
    desks = [
        Desk(args.tasks[n % many], args.seed * 1000 + n, args.levels, n // many % 2 * THEMES)
        for n in range(args.desks)
    ]
    history, losses, start = [], [], time.process_time()
    for update in range(1, args.updates + 1):
        for group in optimiser.param_groups:  # up, and slowly down to nothing
            group["lr"] = args.rate * min(update / 200, 1.0, 1.02 - update / args.updates)
        chosen = rng.permutation(len(desks))[: args.batch]
        seen = [desks[number].look() for number in chosen]
        frames = torch.from_numpy(np.stack([frame for frame, _, _ in seen]))
        with torch.autocast("cpu", dtype=torch.bfloat16):
            scores, tos = (part.float() for part in network(frames))
        what = torch.tensor([found[0] for _, found, _ in seen])
        to = torch.tensor([found[1] for _, found, _ in seen])
        loss = nn.functional.cross_entropy(scores, what)
        if (to >= 0).any():
            loss = loss + nn.functional.cross_entropy(tos, to, ignore_index=-1)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        losses.append(float(loss.detach()))
        own = min(0.9, update / args.updates * 2)  # how often it acts itself
        for number, one, best, far in zip(
            chosen, seen, scores.argmax(1).tolist(), tos.argmax(1).tolist(), strict=True
        ):
            desks[number].do(reply(best, far) if rng.random() < own else one[2])
        if update % args.test == 0 or update == args.updates:
            solved = measured(network, args.tasks, args.levels, args.episodes)
            row = {
                "update": update,
                "seen": update * args.batch,
                "seconds": round(time.process_time() - start, 1),
                "loss": round(float(np.mean(losses)), 4),
                "solved": solved,
            }
            history.append(row)
            losses.clear()
            told = ", ".join(f"{name} {share:.2f}" for name, share in solved.items())
            print(
                f"{row['seconds']:.0f} s, update {update}, loss {row['loss']}: {told}", flush=True
            )
            if args.save:
                torch.save(network.state_dict(), args.save)
                with open(f"{args.save}.json", "w") as file:
                    json.dump({"arguments": vars(args), "history": history}, file)
    return network, history


@torch.no_grad()
def measured(network, tasks, levels, episodes, theme="light"):
    """Return the share of new episodes that are solved, of each task."""
    return {task: solved(network, task, levels, episodes, theme) for task in tasks}


def solved(network, task, levels, episodes, theme):
    games = []
    for number in range(episodes):
        env = gem_ma.make(f"screens:{task}", observe="image", theme=theme)
        level = levels[number % len(levels)]
        env.reset(seed=(1 << 31) + number, options={"level": level})
        games.append(env)
    live, won = list(games), 0.0
    for _ in range(25):
        if not live:
            break
        frames = [np.asarray(env.turn("player").observation["image"].array) for env in live]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            scores, tos = network(torch.from_numpy(np.stack(frames)))
        for env, best, far in zip(live, scores.argmax(1), tos.argmax(1), strict=True):
            env.step(reply(int(best), int(far)))
        won += sum(env.rewards["player"] for env in live if over(env))
        live = [env for env in live if not over(env)]
    return won / episodes


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tasks", nargs="+", default=list(TASKS), metavar="task")
    parser.add_argument("--levels", nargs="+", type=int, default=list(LEVELS))
    parser.add_argument("--updates", type=int, default=8000)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--desks", type=int, default=80, help="environments at the same time")
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--held-out", action="store_true", help="measure only, in other themes")
    parser.add_argument("--test", type=int, default=500, help="updates between measurements")
    parser.add_argument("--episodes", type=int, default=18, help="of each task in a measurement")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", metavar="FILE.pt")
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    if not args.held_out:
        learn(args)
        return
    network = Looks()
    network.load_state_dict(torch.load(args.save))
    for number in range(10):
        theme = f"held-out:{number}"
        tasks = [task for task in args.tasks if task not in COLORED]
        found = measured(network, tasks, args.levels, args.episodes, theme)
        told = ", ".join(f"{name} {share:.2f}" for name, share in found.items())
        print(f"{theme}: {np.mean(list(found.values())):.2f} ({told})", flush=True)


if __name__ == "__main__":
    main()
