"""What learns in baselines.py: one small transformer that reads words and chooses its reply.

It reads the last so many words of what a seat sees, hashed into buckets, so that it needs no
vocabulary, and replies in one of three ways (see `Speech`). One such network is the policy, and for
PPO another of the same size is the critic.
"""

import functools
import re
import zlib
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from gem_ma.apis.wrappers import TextWrapper
from gem_ma.training.advantages import gae, normalise
from gem_ma.training.descent import Descent
from gem_ma.training.loop import Trainer

WORD = re.compile(r"[A-Za-z]+|\d+|\S")
BUCKETS = 4096  # of hashed words
START = 1  # the word that the reply is read from; 0 fills up
MOVES = "\nMoves: "


class Speech(NamedTuple):
    """How replies are made.

    way: "moves": one of the legal moves, which have to be among the entries. "pieces": so many
        entries, one after another. "words": so many of the words that were read.
    """

    way: str
    entries: tuple[str, ...] = ()
    places: int = 1


class Size(NamedTuple):
    width: int = 64
    layers: int = 2
    words: int = 96  # that it reads


class ShowMoves(TextWrapper):
    """List the legal moves in a last line of what a seat reads."""

    def change(self, agent, text, *, turn):
        legal = self.env.info(agent, turn=True).get("legal_actions", ())
        return f"{text}{MOVES}{' | '.join(legal)}"


class Reader:
    """Turns a text into the numbers that the network takes, and the menu of replies."""

    def __init__(self, speech, size):
        self.speech = speech
        self.words = size.words
        self.places = {entry: number for number, entry in enumerate(speech.entries)}
        self.read = functools.lru_cache(maxsize=50_000)(self._read)

    def __call__(self, messages):
        return self.read(messages[-1]["content"])

    def _read(self, text):
        text, _, moves = text.rpartition(MOVES) if MOVES in text else (text, "", "")
        words = WORD.findall(text)[-self.words :]
        ids = [START, *map(hashed, words)]
        row = np.zeros(1 + self.words + len(self.places), int)
        row[: len(ids)] = ids
        way, entries, _ = self.speech
        if way == "words":  # the place of the start stands for saying nothing
            return row, ["", *(f"{word} " for word in words)]
        menu = entries
        if way == "moves":
            menu = [move for move in moves.split(" | ") if move in self.places]
        known = [self.places[entry] for entry in menu]
        row[1 + self.words : 1 + self.words + len(known)] = known
        return row, menu


class Network(nn.Module):
    """A transformer over words, and scores of replies, or a single value for a critic.

    An entry is known by its words and where they stand in it (a lone word by its letters), so that
    moves that are alike have like scores from the start.
    """

    def __init__(self, speech, size, device="cpu", critic=False):
        super().__init__()
        self.way, entries, self.places = speech
        self.words, self.critic, width = size.words, critic, size.width
        self.embedding = nn.Embedding(BUCKETS, width, padding_idx=0)
        self.positions = nn.Parameter(0.1 * torch.randn(1 + size.words, width))
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                width, 4, 2 * width, dropout=0.0, batch_first=True, norm_first=True
            )
            for _ in range(size.layers)
        )
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, 1 if critic else width * self.places)
        if not critic and self.way != "words":
            bags = [[hashed(part) for part in parts(entry)] for entry in entries]
            longest = max(map(len, bags))
            padded = torch.tensor([[*bag, *[0] * (longest - len(bag))] for bag in bags])
            self.register_buffer("bags", padded, persistent=False)
            self.parts = nn.Embedding(BUCKETS, width, padding_idx=0)
            with torch.no_grad():
                self.parts.weight *= 0.1
        self.to(device)

    def forward(self, rows):
        rows = rows.to(self.positions.device)
        words, menus = rows[:, : 1 + self.words], rows[:, 1 + self.words :]
        words = words[:, : int((words > 0).sum(1).max())]
        hidden = self.embedding(words) + self.positions[: words.shape[1]]
        for layer in self.layers:
            hidden = layer(hidden, src_key_padding_mask=words == 0)
        hidden = self.norm(hidden)
        asked = self.out(hidden[:, 0])
        if self.critic:
            return asked[:, 0].cpu()
        asked = asked.view(len(rows), self.places, -1)
        if self.way == "words":
            scores = asked @ hidden.transpose(1, 2) / hidden.shape[-1] ** 0.5
        else:
            scores = asked @ self.parts(self.bags).sum(1).T
            scores = scores.gather(2, menus[:, None].expand(-1, self.places, -1))
        return scores.cpu()


@functools.cache
def hashed(word):
    return 2 + zlib.crc32(word.lower().encode()) % (BUCKETS - 2)


def parts(entry):
    """Return what an entry is known by: its words or letters with their places, and itself."""
    words = WORD.findall(entry)
    pieces = words if len(words) > 1 else list(entry)
    return [*(f"{place} {piece}" for place, piece in enumerate(pieces)), f"all {entry}"]


class Critic:
    """PPO's advantages: GAE by a network that learns what follows what a seat sees."""

    def __init__(self, network, reader, *, gamma, lam=0.95, seed=0, **descent):
        self.network, self.reader, self.gamma, self.lam = network, reader, gamma, lam
        own = dict(network.named_parameters())
        self.descent = Descent(own, clip=0.0, max_norm=1.0, seed=seed, **descent)
        self.texts = {}  # (episode, step) -> what was seen there

    def __call__(self, rows):
        keys = zip(rows.episode.tolist(), rows.step.tolist(), strict=True)
        seen = torch.from_numpy(np.stack([self.reader.read(self.texts[key])[0] for key in keys]))
        with torch.no_grad():
            values = self.network(seen).double().numpy()
        advantages = gae(rows, values, self.gamma, self.lam, after=0)
        targets = torch.from_numpy(advantages + values).float()
        for places in self.descent.batches(len(seen)):
            nn.functional.mse_loss(self.network(seen[places]), targets[places]).backward()
            self.descent.step()
        return normalise(advantages, rows)

    def state_dict(self):
        return self.descent.state_dict()

    def load_state_dict(self, state):
        self.descent.load_state_dict(state)


class CriticTrainer(Trainer):
    """A Trainer whose advantages are a Critic, which it shows what the seats saw."""

    def judge(self, episodes, seats):
        self.advantages.texts = {
            (episode.id, place): step.text
            for episode in episodes
            for place, step in enumerate(episode.steps)
        }
        return super().judge(episodes, seats)
