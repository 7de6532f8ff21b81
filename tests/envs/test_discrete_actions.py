"""Which games number their moves, what they show with them, and what the others say of it."""

import re
from pathlib import Path

import numpy as np
import playable
import pytest

import gem_ma

PAGE = (Path(__file__).parents[2] / "docs" / "clients.md").read_text(encoding="utf-8")
PAGE_REASONS = {  # by the ids that the page says have no list
    f"game:{id}": why for id, why in re.findall(r"^\| `([^`]+-v0)` \| (.*) \|$", PAGE, re.MULTILINE)
}
LONGEST = 5_000  # moves of a list
STEPS = 40
IDS = [id for id in playable.GAMES if id.startswith("game:")]
REASONS = {id: game.unlisted_moves for id in IDS if (game := gem_ma.make(id).game).moves is None}
LISTED = [id for id in IDS if id not in REASONS]


def test_most_games_have_a_list_and_numbers():
    assert len(LISTED) >= 45


def test_the_page_gives_reasons_as_the_games_do():
    assert len(PAGE_REASONS) >= 10
    assert PAGE_REASONS.items() <= REASONS.items()


@pytest.mark.parametrize("id", LISTED)
def test_numbers_of_moves_are_played_and_are_those_of_the_mask(id):
    env = gem_ma.make(id, actions="discrete", invalid="lose")
    size = env.action_space(env.possible_agents[0]).n
    assert size <= LONGEST
    assert env.encoding_space() is not None
    for seed in range(2):
        env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        for _ in range(STEPS):
            if not env.to_act:
                break
            replies = {}
            for seat in env.to_act:
                observation = env.observe(seat)
                assert env.observation_space(seat).contains(observation)
                open_moves = np.flatnonzero(observation["action_mask"])
                assert len(open_moves) == len(env.match.list_legal_moves(seat))
                replies[seat] = int(rng.choice(open_moves))
            assert env.state_space.contains(env.state())
            env.submit(replies)
            assert not env.match.invalid_replies


@pytest.mark.parametrize("id", LISTED)
def test_numbers_that_the_mask_leaves_out_are_no_moves(id):
    env = gem_ma.make(id, actions="discrete", invalid="retry")
    for steps in (0, 1, 2, 3):
        env.reset(seed=1)
        for _ in range(steps):
            if env.to_act:
                env.submit({seat: env.sample_random_action(seat) for seat in env.to_act})
        for seat in env.to_act:
            masked = np.flatnonzero(env.observe(seat)["action_mask"] == 0)
            for number in masked[:: max(1, len(masked) // 20)]:
                (fork,) = env.fork()
                fork.submit({seat: int(number)})
                assert fork.match.invalid_replies[seat]["count"] == 1


@pytest.mark.parametrize("id", REASONS)
def test_a_game_without_a_list_says_why_in_the_error(id):
    game = gem_ma.make(id).game
    assert game.unlisted_moves
    words = f"{type(game).__name__} has no fixed list of moves ({REASONS[id]}), so actions="
    with pytest.raises(ValueError, match=re.escape(words)):
        gem_ma.make(id, actions="discrete")


@pytest.mark.parametrize("id", REASONS)
def test_the_state_of_a_game_is_an_array_of_its_space(id):
    env = gem_ma.make(id, image_size=(560, 560))
    env.reset(seed=0)
    assert env.state_space.contains(env.state())


def test_two_notations_of_chess_one_of_which_has_a_list():
    assert len(gem_ma.make("game:Chess-v0").game.moves) == 1968
    with pytest.raises(ValueError, match="'uci' has a list"):
        gem_ma.make("game:Chess-v0", notation="san", actions="discrete")


def test_the_steps_of_backgammon_have_a_list():
    env = gem_ma.make("game:Backgammon-v0", stepwise=True, actions="discrete")
    assert env.action_space("white").n == 150
