"""Records played again: one replayer, for `Episode.replay`, the viewer and rescoring."""

from dataclasses import replace

import pytest

import gem_ma
from gem_ma.apis.session import Session
from gem_ma.evaluation.rescoring import rescore
from gem_ma.evaluation.viewer.spectator import spectate
from gem_ma.rollouts.replay import ReplayError, list_moves, replay

OF_CHANCE = [
    "game:Backgammon-v0",
    "game:Game2048-v0",
    "game:KuhnPoker-v0",
    "game:LiarsDice-v0",
    "game:Minesweeper-v0",
    "game:Pig-v0",
]


def redrawn(id):
    """Return an episode that went on from a fork whose chance was drawn anew."""
    env = gem_ma.make(id, max_turns=12)
    env.reset(seed=3)
    env.step(env.info(env.to_act[0])["legal_actions"][0])
    (fork,) = env.fork(1, seed=7)
    (episode,) = gem_ma.rollout(fork, "random", 1, seed=0, start="here")
    return episode


@pytest.mark.parametrize("id", [id for id in OF_CHANCE if id in gem_ma.list_envs("game:*")])
def test_redrawn_chance_is_played_again_by_all(id):
    episode = redrawn(id)
    assert episode.redrawn
    assert episode.replay() == episode
    moments = len({step.number for step in episode.steps})
    assert len(list(spectate(episode))) == moments + 1
    (row,) = rescore([episode], {"penalty": 0.0}).episodes
    assert (row.why, row.returns) == ("", episode.returns)


def test_a_move_is_seen_before_it_is_handed_in():
    (episode,) = gem_ma.rollout("game:TicTacToe-v0", "random", 1, seed=0)
    session, seen = Session(gem_ma.make(episode.spec)), []
    for move in replay(session, episode):
        seen.append((move.number, [step.agent for step in move.steps], session.due))
        assert session.env.core.turns == move.number
    assert seen == [(n, [s.agent], (s.agent,)) for n, s in enumerate(episode.steps)]
    assert session.due == ()
    assert session.returns == episode.returns


def test_moves_before_a_step_keep_those_of_one_round_together():
    (episode,) = gem_ma.rollout("game:RockPaperScissors-v0", "random", 1, seed=0)
    for step in range(len(episode.steps) + 1):
        assert len(list_moves(episode, step)) == step // 2
    assert list_moves(episode) == list_moves(episode, len(episode.steps))


def test_an_episode_that_is_over_sooner_is_an_error_only_where_turns_are_compared():
    (episode,) = gem_ma.rollout("game:TicTacToe-v0", "random", 1, seed=0)
    longer = replace(episode, steps=[*episode.steps, replace(episode.steps[-1], number=99)])
    assert len(list(replay(Session(gem_ma.make(episode.spec)), longer))) == len(episode.steps)
    with pytest.raises(ReplayError, match="nobody is to act"):
        longer.replay()
