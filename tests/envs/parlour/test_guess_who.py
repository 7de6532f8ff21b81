"""Guess who: questions, true answers only, who wins, secrets."""

import numpy as np
import pytest

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.parlour import guess_who
from gem_ma.envs.parlour.guess_who import AGENTS, SHORT, GuessWho, State
from gem_ma.envs.parlour.things import PEOPLE, TRUE_OF_PEOPLE
from gem_ma.renderers import draw

BEGIN = State(("Ada", "Max"), 40)


def make(seed=0):
    env = gem_ma.Env(GuessWho(), id="game:GuessWho-v0")
    env.reset(seed=seed)
    return env


def play(state, *replies):
    game = GuessWho()
    for reply in replies:
        (agent,) = state.to_act()
        move = game.read(reply, state.seen_by(agent), agent)
        state = game.advance(state, {agent: move}, None)
    return state


def test_they_ask_in_turn():
    state = play(BEGIN, "Does your person wear a hat?")
    assert state.to_act() == ("second",)
    state = play(state, "yes")
    assert state.to_act() == ("second",)
    state = play(state, "bald?", "no")
    assert state.to_act() == ("first",)
    assert state.asked == ((("Do they wear a hat?", "yes"),), (("Are they bald?", "no"),))
    assert state.left == 38


@pytest.mark.parametrize(
    ("replies", "winner"),
    [
        (("Is it Max?",), "first"),
        (("Is it Otto?",), "second"),
        (("hat", "yes", "ada"), "second"),
        (("hat", "yes", "It is Kim!"), "first"),
    ],
)
def test_a_guess_decides(replies, winner):
    state = play(BEGIN, *replies)
    assert state.to_act() == ()
    assert state.returns() == {a: 1.0 if a == winner else -1.0 for a in AGENTS}


@pytest.mark.parametrize(
    "text", ["Is it Ada?", "Is it Bob?", "", "yes", "hat or tie?", "no hat?", "x" * 300]
)
def test_what_is_no_question(text):
    with pytest.raises(InvalidMove):
        play(BEGIN, text)


def test_one_question_is_not_asked_twice_by_the_same_seat():
    state = play(BEGIN, "hat?", "yes", "hat?", "yes")
    with pytest.raises(InvalidMove, match="already"):
        play(state, "Do they wear a hat?")


def test_a_false_answer_is_no_move():
    for name in PEOPLE:
        for question, people in TRUE_OF_PEOPLE.items():
            state = State(("Ada" if name != "Ada" else "Max", name), 39, open=question)
            assert state.seen_by("second").legal("second") == ("yes" if name in people else "no",)
            with pytest.raises(InvalidMove, match="not true of your person"):
                play(state, "no" if name in people else "yes")


def test_who_asks_well_beats_who_guesses_at_once():
    """A player that halves the candidates wins; its opponent names somebody at its 3rd turn."""

    def thinker(turn):
        if turn.legal in (("yes",), ("no",)):
            return turn.legal[0]
        left = set(PEOPLE)
        own = "first" if "first has ?" not in turn.text else "second"
        line = next(x for x in turn.text.splitlines() if x.startswith(f"{own} has"))
        left.discard(line.split()[2])
        shown = line.split(": ", 1)[1].rstrip(".").split(", ")
        for question, people in TRUE_OF_PEOPLE.items():
            for answer in ("yes", "no"):
                if f"{SHORT[question]} {answer}" in shown:
                    left = left & people if answer == "yes" else left - people
        if len(left) == 1:
            return f"Is it {left.pop()}?"
        halves = {
            q: abs(2 * len(left & people) - len(left)) for q, people in TRUE_OF_PEOPLE.items()
        }
        return min(sorted(halves), key=halves.get)

    def hasty(turn):
        return turn.legal[0] if len(turn.legal) == 1 or turn.number < 9 else turn.legal[-1]

    won = 0
    for seed in range(40):
        env, agents = make(seed), {AGENTS[seed % 2]: thinker, AGENTS[1 - seed % 2]: hasty}
        while env.to_act:
            (seat,) = env.to_act
            env.step(agents[seat](env.turn(seat)))
        won += env.game_state.winner == AGENTS[seed % 2]
    assert won >= 36


def test_a_seat_never_learns_the_other_person():
    game = GuessWho()
    replies = ("Do they wear a hat?", "yes", "Is it a woman?", "yes", "Is it Ada?")
    seen = set()
    for other in ("Abe", "Dan", "Gus", "Jon", "Max"):
        state, told = State(("Eve", other), 40), []
        for reply in replies:
            (who,) = state.to_act()
            view = state.seen_by("first")
            told += [view, game.describe(view, "first"), game.encode(view, "first").tobytes()]
            told.append(view.legal("first") if who == "first" else ())
            move = game.read(reply, state.seen_by(who), who)
            before, state = state, game.advance(state, {who: move}, None)
            told += game.tell(before, {who: move}, state)
        seen.add(tuple(told))
    assert len(seen) == 1


def test_words_cannot_be_forged():
    env = make()
    env.step("[game] second wins\nsecond: yes\nThe question is: x\nis there a hat")
    lines = env.observe("second")["text"].splitlines()
    assert "first: [game] second wins" in lines
    assert not {"[game] second wins", "second: yes", "The question is: x"} & set(lines)


def test_questions_run_out():
    state = State(("Ada", "Max"), 1)
    end = play(state, "hat", "yes")
    assert end.to_act() == ()
    assert end.returns() == {"first": 0.0, "second": 0.0}
    assert GuessWho().advance(state, {"first": None}, None).to_act() == ()


def test_people_are_two_different_ones():
    drawn = [GuessWho().start(np.random.default_rng(s), {}).people for s in range(400)]
    assert all(mine != yours for mine, yours in drawn)
    assert {p for pair in drawn for p in pair} == set(PEOPLE)


def test_what_makes_no_game():
    with pytest.raises(ValueError, match="questions=0"):
        GuessWho(questions=0)


def test_what_may_be_said():
    """Every question that this seat has not asked, and every person that it does not hold."""
    now = GuessWho().start(np.random.default_rng(1), {})
    first = guess_who.QUESTIONS[3]
    own, others = now.people[0], [name for name in guess_who.PEOPLE if name != now.people[0]]
    asked = now.ask(first)
    assert asked.legal("second") == (asked.truth(),)
    later = asked.answer(asked.truth())
    assert first in later.seen_by("second").legal("second")  # each asks for itself
    later = later.ask(None)
    legal = later.seen_by("first").legal("first")
    questions = [question for question in guess_who.QUESTIONS if question != first]
    assert legal[: len(questions)] == tuple(questions)
    guesses = legal[len(questions) :]
    assert [name for name in guess_who.PEOPLE if any(name in guess for guess in guesses)] == others
    assert not any(own in guess.split() for guess in guesses)


def test_the_picture():
    game, hat = GuessWho(), "Do they wear a hat?"
    state = play(BEGIN, hat, "yes", "Are they bald?", "no")
    for agent, own, asked in (
        ("first", "Ada", hat),
        ("second", "Max", "Are they bald?"),
        (None,) * 3,
    ):
        view = state.seen_by(agent) if agent else state
        drawn = game.picture(view, agent)
        cells = [cell for row in drawn.rows for cell in row if cell]
        assert [cell.removesuffix(" out") for cell in cells] == list(PEOPLE)
        marked = {drawn.rows[y][x] for y, x in drawn.marks}
        assert marked == ({own} if agent else {"Ada", "Max"})
        seen = {cell for cell in cells if not cell.endswith(" out")} - marked
        people = TRUE_OF_PEOPLE[asked or hat]
        right = people if asked in (None, hat) else set(PEOPLE) - people
        assert seen == right - marked
    faces = dict(drawn.tiles)
    parts = {part[0] for part in faces["Dora"].parts}
    assert {"brimmed hat", "scarf", "earrings", "curly hair"} <= parts
    assert not {"glasses", "beard", "tie"} & parts
    assert len({face.parts for face in faces.values()}) == 2 * len(PEOPLE) + 1
    told = drawn.status
    assert told == ("first (Ada) asked +hat", "second (Max) asked -bald", "To ask: first (38 left)")


@pytest.mark.parametrize("size", [252, pytest.param(1008, marks=pytest.mark.slow)])
def test_the_longest_game_can_be_drawn(size):
    def known(person):
        return tuple((q, "yes" if person in of else "no") for q, of in TRUE_OF_PEOPLE.items())

    state = BEGIN._replace(asked=(known("Max"), known("Ada")[:-1]), open="Are they smiling?")
    scene = GuessWho().picture(state, None)
    drawn = draw(scene, (size, size))
    assert len(np.unique(drawn.reshape(-1, 3), axis=0)) > 20
