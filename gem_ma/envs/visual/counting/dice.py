"""Dice: the sum of all dice, or of those of one hand."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.question import LETTERS, Question, Task, numbers
from gem_ma.scene import Cards


class Dice(Task):
    # hands, dice of each, whether the question is about one hand
    levels = interpolate_levels(
        {0: (1, 1, 0), 2: (1, 3, 0), 5: (3, 4, 1), 7: (2, 4, 0), 8: (3, 4, 0), 10: (4, 6, 0)}
    )
    moves = numbers(144)
    about = "It shows dice, in hands with letters. Reply with a number."

    def draw(self, rng, hands, many, one):
        """Sample the sum, and then dice with this sum."""
        hand = int(rng.integers(hands)) if one else None
        rolls = []
        for _ in range(hands if one else 1):
            wide = many if one else many * hands
            dice, total = [1] * wide, int(rng.integers(wide, 6 * wide + 1))
            while sum(dice) < total:
                open_dice = [i for i, n in enumerate(dice) if n < 6]
                dice[open_dice[int(rng.integers(len(open_dice)))]] += 1
            rolls += [tuple(dice[i : i + many]) for i in range(0, wide, many)]
        if hand is None:
            text, answer = "What is the sum of all dice?", sum(map(sum, rolls))
        else:
            text, answer = f"What is the sum of the dice of {LETTERS[hand]}?", sum(rolls[hand])
        return Question(text, str(answer), tuple(rolls), self.moves)

    def words(self, shown):
        hands = zip(LETTERS, shown, strict=False)
        return "\n".join([f"{name}: {' '.join(map(str, dice))}" for name, dice in hands])

    def scene(self, shown):
        hands = zip(LETTERS, shown, strict=False)
        return Cards(tuple([(name, tuple([f"*{n}" for n in dice])) for name, dice in hands]))
