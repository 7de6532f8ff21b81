"""Games, players and helpers that the tests of adapters for trainers share."""

import __future__

import ast
import asyncio
import re

import numpy as np

import gem_ma
from gem_ma.envs.guessing.guess_the_number import GuessTheNumber
from gem_ma.training.trainers import make_seat

SECRET = 4


class FixedSecret(GuessTheNumber):
    """Guess the number, which is always the same: what a trainer must be able to learn."""

    def start(self, rng, options):
        return super().start(rng, options)._replace(secret=SECRET)


def fixed(**make):
    return gem_ma.make(gem_ma.Spec("test:FixedSecret", f"{__name__}:FixedSecret"), **make)


def free(text):
    """Return the cells of tic-tac-toe that are free in the board at the end of a text."""
    return re.findall(r"\d", text.strip().rpartition("\n\n")[2])


MOVES = ["0", "4", "2", "6", "1"]
SEEN = {"observe": "both", "image_size": (56, 56)}


def last(turn):
    return turn.legal[-1]


def shown(processor):
    """Return the prompts and pictures that x has in a game against `last` in which it plays MOVES.

    Of each turn all that its conversation holds until then.
    """
    from gem_ma.chat.messages import list_pictures
    from gem_ma.chat.tokenization import ChatTokenizer

    seat = make_seat("game:TicTacToe-v0", "x", last, **SEEN)

    async def play():
        tokens, found = ChatTokenizer(processor), []
        outcome = await seat.reset(7)
        for move in MOVES:
            if outcome.turn is None:
                break
            seen = [pixels(one.to_pil()) for one in list_pictures(outcome.turn.messages)]
            found.append((tokens.build_prompt(outcome.turn.messages).ids, seen))
            ids = [*processor.tokenizer(move)["input_ids"], processor.tokenizer.eos_token_id]
            outcome = await seat.step(gem_ma.Reply(move, token_ids=ids))
        return found

    found = asyncio.run(play())
    assert [len(seen) for _, seen in found] == list(range(1, len(found) + 1))
    return found


def pixels(image):
    return np.asarray(image.convert("RGB")).tobytes()


def cells(tokenizer, ids):
    """Return the cells of tic-tac-toe that are free in the board at the end of a prompt."""
    return free(tokenizer.decode(ids, skip_special_tokens=True).rpartition("assistant")[0])


def said(tokenizer, text):
    """Return the token ids of a reply, its end included."""
    return [*tokenizer(text)["input_ids"], tokenizer.eos_token_id]


def cut(path, name, names):
    """Put a function or class of another project's file into `names`, without running the rest."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    nodes = ast.walk(ast.parse(path.read_text()))
    found = next(node for node in nodes if isinstance(node, kinds) and node.name == name)
    if not isinstance(found, ast.ClassDef):
        found.decorator_list = []
    flags = __future__.annotations.compiler_flag  # types need not be there
    code = compile(ast.Module([found], []), str(path), "exec", flags)
    exec(code, names)
    return names[name]


class Letters:
    """A tokenizer whose tokens are bytes, as the cookbook's renderers use one."""

    bos_token = eos_token_id = None
    name_or_path = "letters"

    def encode(self, text, add_special_tokens=True):
        return list(text.encode())

    def decode(self, ids):
        return bytes(ids).decode(errors="replace")
