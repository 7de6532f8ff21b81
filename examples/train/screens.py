"""Train one small network to use screens from their pixels, by imitating an oracle.

    python examples/train/screens.py --save screens.pt
    python examples/train/screens.py --save screens.pt --held-out

The network sees only pictures of 448 pixels, with the task written at the top. It says where to
click or scroll, or from where to where to drag. First it learns to read: which letter is where. Its
tokens are then the words that it reads and the parts of the picture that are not empty. It also
remembers how many actions it made, and where. It learns all tasks at once from what `screen-oracle`
would do (DAgger, Ross et al. 2011): it acts more and more often itself, and the oracle labels each
step. Every --test updates it is evaluated on new tasks. A quarter of the pictures are in random
themes, except for tasks about colours. --held-out evaluates a saved network in ten themes that it
has never seen.
"""

import argparse
import json
import re
import time

import numpy as np
import torch
from torch import nn

import gem_ma
from gem_ma.agents import load_agent
from gem_ma.renderers import FIGURES
from gem_ma.scene import text_metrics as widths
from gem_ma.scene.screen import find_widget as topmost

TASKS = (
    "buttons", "links", "tabs", "checkboxes", "radios", "lists", "dropdowns", "dialogs", "folds",
    "menus", "trees", "scrolling", "map", "files", "connecting", "noughts", "undoing", "spinners",
    "cart", "clicking",
)  # fmt: skip
COLORED = ("clicking",)  # random themes change the colour that is called red
DIFFICULTIES = (0, 1, 2)
THEMES = 200  # random themes for training
VERBS = ("click", "scroll_down", "scroll_up", "drag")
SIDE, CELL = 448, 8  # pixels of a picture, and of the cells that an action can choose
CELLS = SIDE // CELL
PLACES = CELLS * CELLS
PART, PARTS, SHOWN = 4, 14, 80  # cells of a part, parts in a row, and parts that become tokens
WORDS = 96  # words that become tokens
BY = 160  # pixels that one action scrolls
LETTERS = "\0 ?abcdefghijklmnopqrstuvwxyz0123456789.,:"  # no letter, a space, any other sign, ...
NUMBER = {letter: number for number, letter in enumerate(LETTERS)}
ACTION = re.compile(r"(\w+)\((-?\d+), (-?\d+)(?:, (-?\d+))?(?:, (-?\d+))?\)")


class Reads(nn.Module):
    """A network that reads letters in cells 8 pixels high and 4 wide."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(1, 32, (8, 6), stride=(4, 2), padding=(2, 2)),
            nn.ReLU(),
            nn.Conv2d(32, 64, (4, 4), stride=(2, 2), padding=(1, 1)),
            nn.ReLU(),
            nn.Conv2d(64, 96, (1, 3), padding=(0, 1)),
            nn.ReLU(),
            nn.Conv2d(96, len(LETTERS), (1, 3), padding=(0, 1)),
        )

    def forward(self, frames):
        gray = frames.float().mean(3)[:, None] / 255
        ground = nn.functional.avg_pool2d(gray, (8, 16), ceil_mode=True)
        ink = (gray - nn.functional.interpolate(ground, scale_factor=(8.0, 16.0))).abs()
        most = nn.functional.max_pool2d(ink, (8, 16), ceil_mode=True)
        most = nn.functional.max_pool2d(most, 3, 1, 1)
        most = nn.functional.interpolate(most, scale_factor=(8.0, 16.0))
        return self.layers(ink / (most + 0.05) - 0.2)


class Looks(nn.Module):
    """A network that scores actions and their places, and the end places of drags."""

    def __init__(self, wide=128, deep=4, heads=8):
        super().__init__()
        self.near = nn.Sequential(
            nn.Conv2d(3, 32, 4, stride=4), nn.ReLU(), nn.Conv2d(32, 64, 3, 2, 1), nn.ReLU()
        )
        self.far = nn.Sequential(nn.Conv2d(64, wide, 3, 2, 1), nn.ReLU())
        self.part = nn.Linear(wide, wide)
        self.word = nn.Linear(GRAMS + 3 * 64, wide)
        self.x = nn.Parameter(torch.randn(CELLS, wide) * 0.1)
        self.y = nn.Parameter(torch.randn(CELLS, wide) * 0.1)
        self.size = nn.Parameter(torch.randn(CELLS, wide) * 0.1)
        self.kind = nn.Parameter(torch.randn(2, wide) * 0.1)
        self.marked = nn.Linear(2, wide)  # places of the last action and of earlier ones
        self.past = nn.Linear(PAST, wide)
        self.thinks = nn.ModuleList(Thinks(wide, heads) for _ in range(deep))
        self.norm = nn.LayerNorm(wide)
        many = len(VERBS) + 1
        self.of_part = nn.Linear(wide, PART * PART * many)
        self.of_word = nn.Linear(wide, many)
        self.of_all = nn.Linear(wide, len(VERBS))

    def forward(self, seen):
        """Return the scores of each verb at each candidate, and of each candidate as an end."""
        small, shown, words, boxes, marks, past = seen
        batch, many = len(small), len(VERBS) + 1
        near = self.near(small.permute(0, 3, 1, 2).float() / 255 - 0.5)
        far = self.far(near).flatten(2).movedim(2, 1)
        parts = far.gather(1, shown[:, :, None].expand(-1, -1, far.shape[2]))
        row, column = shown // PARTS * PART + 2, shown % PARTS * PART + 2
        parts = self.part(parts) + self.y[row] + self.x[column] + self.kind[0]
        row, left, right = boxes.unbind(2)
        near = near.flatten(2).movedim(2, 1)
        at = [(left * 4 - 14) // 16, (left * 4 + 4) // 16, (left + right) * 2 // 16]
        at = [(row // 2 * 28 + one.clamp(0, 27))[:, :, None].expand(-1, -1, 64) for one in at]
        said = self.word(torch.cat([words, *(near.gather(1, one) for one in at)], 2))
        said = said + self.y[row] + self.x[left // 2] + self.size[(right - left) // 2]
        tokens = torch.cat([self.past(past)[:, None], parts, said + self.kind[1]], 1)
        tokens = tokens + self.marked(marks)
        rows = torch.cat([shown // PARTS * PART + 2, row], 1).float()
        columns = torch.cat([shown % PARTS * PART + 2, (left + right) // 4], 1).float()
        relations = related(words, rows, columns)
        for block in self.thinks:
            tokens = block(tokens, relations)
        tokens = self.norm(tokens)
        of_part = self.of_part(tokens[:, 1 : 1 + SHOWN]).view(batch, -1, many)
        of_word = self.of_word(tokens[:, 1 + SHOWN :])
        of_word = of_word.masked_fill((words == 0).all(2, keepdim=True), -1e4)
        scores = torch.cat([of_part, of_word], 1).movedim(2, 1)
        return scores[:, :-1] + self.of_all(tokens[:, 0])[:, :, None], scores[:, -1]


RELATIONS = 10


def related(words, rows, columns):
    """Return relations of tokens: padding, the same word, and relative positions."""
    batch, many = len(rows), rows.shape[1] + 1
    found = torch.zeros(batch, RELATIONS, many, many, dtype=torch.bfloat16)
    first = many - words.shape[1]
    found[:, 0, :, first:] = (words == 0).all(2)[:, None]
    same = words @ words.transpose(1, 2)
    found[:, 1, first:, first:] = same.clamp(min=0) ** 2 * (1 - torch.eye(words.shape[1]))
    down = rows[:, None] - rows[:, :, None]
    aside = columns[:, None] - columns[:, :, None]
    row, column = down.abs() <= 2, aside.abs() <= 2
    kinds = (
        row, row & (aside > 0), row & (aside < 0), column, column & (down > 0), column & (down < 0),
        down.abs() + aside.abs() <= 5, (aside.abs() <= 8) & (down.abs() <= 5),
    )  # fmt: skip
    for number, kind in enumerate(kinds, 2):
        found[:, number, 1:, 1:] = kind
    return found


class Thinks(nn.Module):
    """A transformer block in which attention also depends on the relations of tokens."""

    def __init__(self, wide, heads):
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(wide), nn.LayerNorm(wide)
        self.asks, self.gives = nn.Linear(wide, 3 * wide), nn.Linear(wide, wide)
        weight = torch.randn(heads, RELATIONS - 1)
        weight[:, 0] = torch.linspace(0, 8, heads)
        self.heeds = nn.Parameter(weight)
        self.mixes = nn.Sequential(nn.Linear(wide, 2 * wide), nn.GELU(), nn.Linear(2 * wide, wide))

    def forward(self, tokens, relations):
        batch, many, wide = tokens.shape
        asked = self.asks(self.first(tokens)).view(batch, many, 3, self.heads, -1)
        query, key, value = asked.permute(2, 0, 3, 1, 4).flatten(1, 2)
        heeds = torch.cat([torch.full((self.heads, 1), -1e4), self.heeds], 1)
        bias = (heeds @ relations.flatten(2)).view(-1, many, many)
        scale = (wide / self.heads) ** -0.5
        with torch.autocast("cpu", enabled=False):
            share = torch.baddbmm(bias, query, key.transpose(1, 2), alpha=scale).softmax(2)
            found = (share @ value).view(batch, self.heads, many, -1)
        tokens = tokens + self.gives(found.transpose(1, 2).flatten(2))
        return tokens + self.mixes(self.second(tokens))


GRAMS, PAST = 64, 10 + 10 + len(VERBS) + 1
_rng = np.random.default_rng(7)
ONE = _rng.normal(size=(len(LETTERS), GRAMS)).astype(np.float32)
TWO = _rng.normal(size=(len(LETTERS), len(LETTERS), GRAMS)).astype(np.float32)


def words(letters):
    """Return the words of a page as vectors, which are similar for similar spellings, and boxes."""
    flat = np.pad(letters, ((0, 0), (1, 1))).ravel()
    ink = flat > 1
    first = ink & ~np.roll(ink, 1)
    begins, ends = np.flatnonzero(first), np.flatnonzero(ink & ~np.roll(ink, -1))
    if not len(begins):
        return np.zeros((1, GRAMS), np.float32), np.zeros((1, 3), np.int64)
    kept = np.flatnonzero(ink & (first | (flat != np.roll(flat, 1))))  # a letter can span cells
    said, which = flat[kept], np.searchsorted(begins, kept, "right") - 1
    new = np.flatnonzero(np.diff(which, prepend=-1))
    before = np.where(np.diff(which, prepend=-1) > 0, 0, np.roll(said, 1))
    vectors = np.add.reduceat(ONE[said] + TWO[before, said], new)
    vectors += TWO[said[np.append(new[1:], len(said)) - 1], 0]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    row, left = np.divmod(begins, letters.shape[1] + 2)
    boxes = np.stack([row, left - 1, left - 1 + ends - begins], 1)
    return vectors[:WORDS], boxes[:WORDS]


def halved(frame):
    """Return a picture at half the size; each pixel is the mean of four."""
    wide = frame[::2].astype(np.uint16) + frame[1::2]
    return ((wide[:, ::2] + wide[:, 1::2]) // 4).astype(np.uint8)


class Memory:
    """Memory of one episode: the places of its actions, and how often the picture changed."""

    def __init__(self):
        self.frame, self.verb, self.did, self.steps = None, len(VERBS), 0, 0
        self.marks = np.zeros((2, CELLS, CELLS), np.float32)

    def acted(self, frame, what):
        self.verb, at = divmod(what, PLACES)
        self.frame, self.steps = frame, self.steps + 1
        row, column = divmod(at, CELLS)
        self.marks[1] = self.marks.max(0)
        self.marks[0] = 0
        self.marks[0, max(0, row - 1) : row + 2, max(0, column - 2) : column + 3] = 1

    def sees(self, frame, letters):
        """Return all inputs of the network."""
        changed = self.frame is not None and not np.array_equal(frame, self.frame)
        if changed:
            self.did += 1
            self.frame = frame
        small = halved(frame)
        shade = small.reshape(PARTS, 16, PARTS, 16, 3).astype(np.float32)
        shown = np.argsort(-shade.std((1, 3)).max(2).ravel(), kind="stable")[:SHOWN]
        vectors, boxes = words(letters)
        past = np.zeros(PAST, np.float32)
        past[[min(self.steps, 9), 10 + min(self.did, 9), 20 + self.verb]] = 1
        of_parts = self.marks.reshape(2, PARTS, PART, PARTS, PART).max((2, 4)).reshape(2, -1)
        middle = (boxes[:, 1] + boxes[:, 2]) // 4
        marks = np.concatenate(
            [np.zeros((2, 1)), of_parts[:, shown], self.marks[:, boxes[:, 0], middle]], 1
        ).T
        return small, shown, vectors, boxes, marks.astype(np.float32), past


def joined(seen):
    """Return several inputs as tensors, padded to the same number of words."""
    most = max(len(one[2]) for one in seen)
    filled = []
    for small, shown, vectors, boxes, marks, past in seen:
        more = ((0, most - len(vectors)), (0, 0))
        parts = (np.pad(vectors, more), np.pad(boxes, more), np.pad(marks, more))
        filled.append((small, shown, *parts, past))
    return [torch.from_numpy(np.stack(part)) for part in zip(*filled, strict=True)]


def candidates(shown, boxes):
    """Return the cell of each candidate."""
    inner = torch.arange(PART)[:, None] * CELLS + torch.arange(PART)
    corner = shown // PARTS * PART * CELLS + shown % PARTS * PART
    of_parts = (corner[:, :, None] + inner.flatten()).flatten(1)
    return torch.cat([of_parts, boxes[:, :, 0] * CELLS + (boxes[:, :, 1] + boxes[:, :, 2]) // 4], 1)


def written(page):
    """Return the letters of a page, in cells 8 pixels high and 4 wide."""
    found = np.zeros((CELLS, 2 * CELLS), np.int64)
    for one in page:
        if one.inside and not one.seen:
            continue
        for x, y, text in lines(one):
            row = (one.y + y) // CELL
            edges = one.x + x + np.array(widths.measure_edges(text, 14))
            columns = np.arange(2 * CELLS) * 4 + 2
            place = np.searchsorted(edges, columns, "right") - 1
            for column in np.flatnonzero((place >= 0) & (place < len(text))):
                if 0 <= row < CELLS and columns[column] < min(SIDE, one.x + one.w):
                    found[row, column] = NUMBER.get(text[place[column]].lower(), 2)
    return found


def lines(one):
    """Yield x, y of the middle and the text of each line of a widget, relative to its corner."""
    middle, text, value = one.h // 2, one.text, one.value
    if one.kind == "note":
        yield from ((14, 5 + 18 * number + 9, line) for number, line in enumerate(text.split("\n")))
    elif one.kind in ("button", "tab") or (one.kind == "handle" and text not in FIGURES):
        yield (one.w - widths.measure_width(text, 14)) / 2, middle, text
    elif one.kind in ("label", "link"):
        yield 0, middle, text
    elif one.kind in ("check", "radio"):
        yield 23, middle, text
    elif one.kind in ("item", "cell"):
        yield 6, middle, text
    elif one.kind == "fold":
        yield 26, middle, text
    elif one.kind == "field":
        yield 6, middle, str(value or "")
    elif one.kind == "select" and 0 <= value < len(one.options):
        yield 6, middle, str(one.options[value])
    elif one.kind == "list":
        yield from ((6, 24 * number + 12, str(option)) for number, option in enumerate(one.options))


def label(reply, page):
    """Return the places that are right for an action, and those for the end of a drag."""
    match = ACTION.fullmatch(reply)
    if match is None:
        return None
    verb, *numbers = match.groups()
    x, y, *rest = (int(one) for one in numbers if one is not None)
    to = []
    if verb == "scroll":
        verb = "scroll_down" if rest[0] > 0 else "scroll_up"
    elif verb == "drag":
        to = same(page, *rest)
    if verb not in VERBS:
        return None
    number = VERBS.index(verb) * PLACES
    return [number + one for one in same(page, x, y)], to


def same(page, x, y):
    """Return the cells where a click has the same effect: the whole control, or cells nearby."""
    widget = topmost(page, x, y)
    found = {cell(x, y)}
    if widget is None:
        return list(found)
    whole = widget.kind not in ("handle", "slider", "box", "image", "view", "tile", "list")
    for row in range(widget.y // CELL, (widget.y + widget.h) // CELL + 1):
        for column in range(widget.x // CELL, (widget.x + widget.w) // CELL + 1):
            at = column * CELL + CELL // 2, row * CELL + CELL // 2
            near = max(abs(at[0] - x), abs(at[1] - y)) <= (9 if widget.kind != "slider" else 4)
            if not (0 <= row < CELLS and 0 <= column < CELLS and (whole or near)):
                continue
            if topmost(page, *at) is widget:
                found.add(row * CELLS + column)
    return list(found)


def cell(x, y):
    return min(max(y, 0), SIDE - 1) // CELL * CELLS + min(max(x, 0), SIDE - 1) // CELL


def reply(what, to):
    """Return the text of an action from its numbers."""
    verb, at = VERBS[what // PLACES], middle(what % PLACES)
    if verb.startswith("scroll"):
        return f"scroll({at}, {BY if verb == 'scroll_down' else -BY})"
    return f"drag({at}, {middle(to)})" if verb == "drag" else f"{verb}({at})"


def middle(place):
    y, x = divmod(place, CELLS)
    return f"{x * CELL + CELL // 2}, {y * CELL + CELL // 2}"


class Desk:
    """An environment that starts another task when an episode is over."""

    def __init__(self, task, number, difficulties, themes):
        self.task, self.difficulties = task, difficulties
        self.themes = themes if task not in COLORED else 0
        self.rng = np.random.default_rng(number)
        self.oracle = load_agent("screen-oracle")
        self.env = None
        self.begin()

    def begin(self):
        difficulty = int(self.rng.choice(self.difficulties))
        if self.env is None or self.themes:
            theme = f"train:{self.rng.integers(self.themes)}" if self.themes else "light"
            self.env = gem_ma.make(f"screens:{self.task}", observe="image", theme=theme)
        self.env.reset(seed=int(self.rng.integers(1 << 30)), options={"difficulty": difficulty})
        self.memory, self.steps = Memory(), 0

    def look(self):
        """Return the picture, the right places, the right action and the page; restart if lost."""
        for _ in range(3):
            turn = self.env.turn("player")
            try:
                (known,) = self.oracle.act([turn])
            except LookupError:  # the task can no longer be solved
                known = ""
            page = turn.position.state.page
            if known and (found := label(known, page)) is not None:
                return np.asarray(turn.observation["image"].array), found, known, page
            self.begin()
        raise RuntimeError(f"screen-oracle finds no way in {self.task}: {known!r}")

    def do(self, frame, action, what):
        self.memory.acted(frame, what)
        self.env.step(action)
        self.steps += 1
        if over(self.env) or self.steps > 15:
            self.begin()


def over(env):
    return env.terminations["player"] or env.truncations["player"]


def half():
    return torch.autocast("cpu", dtype=torch.bfloat16)


def read(reader, frames):
    """Return the number of the letter in each cell."""
    with torch.no_grad(), half():
        return reader(torch.from_numpy(frames)).argmax(1).to(torch.uint8).numpy()


class Lessons:
    """Reading lessons: strips of pictures, with the letters of the middle row as targets."""

    def __init__(self, reader, rate=3e-3):
        self.reader, self.rate = reader, rate
        self.optimiser = torch.optim.Adam(reader.parameters(), rate)
        self.weight = torch.tensor([0.2] + [1.0] * (len(LETTERS) - 1))  # most cells are empty

    def give(self, frames, pages, rng, share):
        """Train on one batch at a share of the learning rate; return the share of letters read."""
        strips, stands = [], []
        for frame, page in zip(frames, pages, strict=True):
            letters = written(page)
            rows = np.flatnonzero((letters > 0).any(1)[1:-1]) + 1
            for row in rng.choice(rows, 5):
                strips.append(frame[8 * row - 8 : 8 * row + 16])
                stands.append(letters[row])
        stands = torch.from_numpy(np.stack(stands))
        with half():
            scores = self.reader(torch.from_numpy(np.stack(strips)))[:, :, 1].float()
        loss = nn.functional.cross_entropy(scores, stands, weight=self.weight)
        for group in self.optimiser.param_groups:
            group["lr"] = self.rate * share
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        return float((scores.argmax(1) == stands)[stands > 1].float().mean())


def learn_to_read(lessons, desks, updates, rng):
    start, read = time.process_time(), []
    for update in range(1, updates + 1):
        found = []
        for desk in (desks[one] for one in rng.permutation(len(desks))[:16]):
            frame, places, known, page = desk.look()
            found.append((frame, page))
            desk.do(frame, known, places[0][0])
        share = min(1, update / 50, 1.2 - update / updates)
        read.append(lessons.give(*zip(*found, strict=True), rng, share))
        if update % 100 == 0 or update == updates:
            said = f"{time.process_time() - start:.0f} s, {update * 16} pictures"
            print(f"{said}: {np.mean(read[-50:]):.3f} of letters read", flush=True)


def lost(network, seen, labels):
    """Return the loss between scores and right actions."""
    batch = joined(seen)
    at = candidates(batch[1], batch[3])
    with half():
        scores, tos = (part.float() for part in network(batch))
    right = torch.zeros(len(labels), len(VERBS) + 1, PLACES, dtype=torch.bool)
    for row, (places, to) in enumerate(labels):
        right[row].view(-1)[places] = True
        right[row, -1, to] = True
    right = right.gather(2, at[:, None].expand(-1, right.shape[1], -1))
    verbs, ends = right[:, :-1].flatten(1), right[:, -1]
    return missed(scores.flatten(1), verbs) + missed(tos, ends)


def missed(scores, right):
    """Return the negative log-probability of all right choices, over rows that have some."""
    best = scores.masked_fill(~right, -1e9).logsumexp(1)
    can = right.any(1)
    return ((scores.logsumexp(1) - best) * can).sum() / can.sum().clamp(min=1)


@torch.no_grad()
def thought(network, seen):
    """Return the network's actions: the number of verb and place, and the end place."""
    batch = joined(seen)
    at = candidates(batch[1], batch[3])
    with half():
        scores, tos = network(batch)
    verb, best = np.divmod(scores.float().flatten(1).argmax(1).numpy(), at.shape[1])
    rows = np.arange(len(seen))
    return verb * PLACES + at.numpy()[rows, best], at.numpy()[rows, tos.float().argmax(1).numpy()]


def learn(args):
    """Train with an evaluation now and then; return the history."""
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    start = time.process_time()
    many = len(args.tasks)
    desks = [
        Desk(
            args.tasks[n % many],
            args.seed * 1000 + n,
            args.difficulties,
            (n // many % 4 == 3) * THEMES,
        )
        for n in range(args.desks)
    ]
    reader, network = Reads(), Looks()
    lessons = Lessons(reader)
    learn_to_read(lessons, desks, args.reading, rng)
    optimiser = torch.optim.AdamW(network.parameters(), args.rate, weight_decay=0.01)
    kept, history, losses, letters = [], [], [], []
    for update in range(1, args.updates + 1):
        left = 1.01 - update / args.updates
        for group in optimiser.param_groups:  # warm up, then decay linearly to nothing
            group["lr"] = args.rate * min(update / 200, 1.0, left)
        own = min(0.8, update / args.updates * 3)  # probability that the network acts itself
        chosen = [desks[one] for one in rng.permutation(len(desks))[: args.new]]
        frames, pages = look(chosen, reader, network, kept, own, rng)
        letters.append(lessons.give(frames, pages, rng, 0.2 * left))
        del kept[: -args.room]
        drawn = [kept[one] for one in rng.integers(len(kept), size=args.batch)]
        loss = lost(network, *zip(*drawn, strict=True))
        losses.append(float(loss.detach()))
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        if update % args.test == 0 or update == args.updates:
            episodes = args.episodes * (5 if update == args.updates else 1)
            solved = measured(reader, network, args.tasks, args.difficulties, episodes)
            row = {"step": update, "seconds": round(time.process_time() - start, 1)}
            row |= {"loss": mean(losses), "read": mean(letters[-100:]), "solved": mean(solved)}
            history.append(row | {f"solved/{name}": share for name, share in solved.items()})
            losses.clear()
            say(row, solved)
            if args.save:
                torch.save({"reads": reader.state_dict(), "looks": network.state_dict()}, args.save)
            if args.log:
                with open(args.log, "w") as file:
                    file.writelines(json.dumps(one) + "\n" for one in history)
    return history


def mean(values):
    values = values.values() if isinstance(values, dict) else values
    return round(float(np.mean(list(values))), 4)


def say(row, solved):
    told = ", ".join(f"{name} {share:.2f}" for name, share in solved.items())
    print(
        f"{row['seconds']:.0f} s, update {row['step']}, loss {row['loss']}, "
        f"{row['read']:.3f} of letters, {row['solved']:.3f} solved: {told}",
        flush=True,
    )


def look(desks, reader, network, kept, own, rng):
    """Store pictures of some desks with the right actions; then act by oracle or by network."""
    found = [desk.look() for desk in desks]
    letters = read(reader, np.stack([one[0] for one in found]))
    seen = [
        desk.memory.sees(one[0], read)
        for desk, one, read in zip(desks, found, letters, strict=True)
    ]
    kept.extend((one, place[1]) for one, place in zip(seen, found, strict=True))
    whats, tos = thought(network, seen)
    for desk, (frame, places, known, _), what, to in zip(desks, found, whats, tos, strict=True):
        if rng.random() < own:
            desk.do(frame, reply(what, to), what)
        else:
            desk.do(frame, known, places[0][0])
    return [one[0] for one in found], [one[3] for one in found]


def measured(reader, network, tasks, difficulties, episodes, theme="light"):
    """Return the share of new episodes solved, by task."""
    return {task: solved(reader, network, task, difficulties, episodes, theme) for task in tasks}


def solved(reader, network, task, difficulties, episodes, theme):
    live, won = [], 0.0
    for number in range(episodes):
        env = gem_ma.make(f"screens:{task}", observe="image", theme=theme)
        difficulty = difficulties[number % len(difficulties)]
        env.reset(seed=(1 << 31) + number, options={"difficulty": difficulty})
        live.append((env, Memory()))
    for _ in range(15):
        if not live:
            break
        turns = [env.turn("player") for env, _ in live]
        frames = np.stack([np.asarray(turn.observation["image"].array) for turn in turns])
        letters = read(reader, frames)
        pairs = zip(live, frames, letters, strict=True)
        seen = [memory.sees(frame, known) for (_, memory), frame, known in pairs]
        for (env, memory), frame, what, to in zip(
            live, frames, *thought(network, seen), strict=True
        ):
            memory.acted(frame, what)
            env.step(reply(what, to))
        won += sum(env.rewards["player"] for env, _ in live if over(env))
        live = [one for one in live if not over(one[0])]
    return won / episodes


def options(given=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tasks", nargs="+", default=list(TASKS), metavar="task")
    parser.add_argument("--difficulties", nargs="+", type=int, default=list(DIFFICULTIES))
    parser.add_argument(
        "--reading",
        type=int,
        default=1000,
        help="updates of the reader before training, of 16 pictures each",
    )
    parser.add_argument("--updates", type=int, default=4000)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--new", type=int, default=8, help="new pictures per update")
    parser.add_argument("--room", type=int, default=12000, help="pictures kept for training")
    parser.add_argument("--desks", type=int, default=80, help="environments at the same time")
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--held-out", action="store_true", help="only evaluate, in held-out themes")
    parser.add_argument("--themes", type=int, default=10, help="number of held-out themes")
    parser.add_argument("--test", type=int, default=400, help="updates between evaluations")
    parser.add_argument(
        "--episodes",
        type=int,
        default=12,
        help="episodes per task in an evaluation; five times as many at the end",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", metavar="FILE.pt")
    parser.add_argument(
        "--log", metavar="FILE.jsonl", help="file for the history, for gem-ma plot learning"
    )
    return parser.parse_args(given)


def main():
    args = options()
    torch.set_num_threads(1)
    if not args.held_out:
        learn(args)
        return
    reader, network = Reads(), Looks()
    kept = torch.load(args.save)
    reader.load_state_dict(kept["reads"])
    network.load_state_dict(kept["looks"])
    for number in range(args.themes):
        theme = f"held-out:{number}"
        tasks = [task for task in args.tasks if task not in COLORED]
        found = measured(reader, network, tasks, args.difficulties, args.episodes, theme)
        told = ", ".join(f"{name} {share:.2f}" for name, share in found.items())
        print(f"{theme}: {np.mean(list(found.values())):.2f} ({told})", flush=True)


if __name__ == "__main__":
    main()
