"""What was played before: forks go on with it, it is no training data, and where none can go on."""

import packs
import pytest
from needed import Later

import gem_ma
from gem_ma import rollout
from gem_ma.rollouts.replay import ReplayError
from gem_ma.rollouts.rollout import FailedEpisodesWarning
from gem_ma.wrappers import TransformAction

advantages = Later("gem_ma.training.advantages")
TWO = "game:TicTacToe-v0"


BY_HAND = {  # an environment, and what is said in it by hand
    "chance": (lambda: gem_ma.make("game:LiarsDice-v0", players=3, observe="both"), ["1x1", "1x2"]),
    "notices": (lambda: gem_ma.make(TWO, penalty=0.5), ["5", "nonsense", "1"]),
    "a half of a round": (lambda: gem_ma.make("game:RockPaperScissors-v0"), ["a", "rock"]),
    "numbers": (lambda: gem_ma.make("game:ConnectFour-v0", actions="discrete"), [3, 3]),
    "an action of another": (
        lambda: TransformAction(gem_ma.make(TWO), lambda seat, text: text[-1]),
        ["cell 5", "cell 1"],
    ),
    "options": (lambda: gem_ma.make("math:Mini"), []),
}


@pytest.mark.parametrize(
    "case",
    [pytest.param(one, marks=packs.needs("tasks") if one == "options" else ()) for one in BY_HAND],
)
def test_forks_go_on_with_all_that_was_played_on_their_record(case, tmp_path):
    make, said = BY_HAND[case]
    env = make()
    env.reset(seed=5, options={"index": 3} if case == "options" else None)
    for reply in said:
        env.step(reply)
    forks = env.fork(3, seed=1)
    stood = [fork.match.snapshot() for fork in forks]
    episodes = rollout(forks, "random", 6, seed=0, start="here", out=tmp_path / "run.jsonl")
    assert len({tuple([str(step.reply) for step in e.steps]) for e in episodes}) > 1
    for number, episode in enumerate(episodes):
        assert episode.begun == len(said)
        assert episode.seed == 5
        assert [place for place, _ in episode.redrawn] == [len(said)]
        assert [step.reply[-1] for step in episode.steps[: len(said)]] == [str(s)[-1] for s in said]
        own = sorted(i for seat in episode.agents for i in episode.list_own_steps(seat))
        assert own == list(range(len(said), len(episode.steps)))
        assert episode.replay(make()) == episode
        point = stood[number % 3]
        again = make()  # what the record says leads to where the fork was
        again.reset(seed=5, options=episode.options)
        for step in episode.steps[: len(said)]:
            again.step(step.reply)
        again.match.redraw_chance(episode.redrawn[0][1])
        assert again.game_state == point.state
        rng = again.match.snapshot().rng_state
        assert rng == forks[number % 3].match.snapshot().rng_state
    assert [fork.match.reply_history for fork in forks] == [point.reply_history for point in stood]
    recorded = gem_ma.load_episodes(tmp_path / "run.jsonl")
    assert sorted(recorded, key=lambda e: e.number) == episodes
    rest = {"seed": 0, "start": "here", "out": tmp_path / "run.jsonl", "resume": True}
    assert rollout(forks, "random", 8, **rest)[:6] == episodes
    with pytest.raises(ValueError, match="another run"):
        rollout(env.fork(3, seed=2), "random", 8, **rest)


@packs.needs("training")
def test_what_was_played_before_is_no_training_data(tmp_path):
    env = gem_ma.make(TWO)
    env.reset(seed=0)
    for move in "513":
        env.step(move)
    (episode,) = rollout(env, "random", 1, start="here")
    rows = advantages.build_turn_table([episode])
    assert rows.step.tolist() == list(range(3, len(episode.steps)))
    episode.steps[1].reply = "2"
    with pytest.raises(ReplayError):
        episode.replay()


def test_the_same_from_here_in_workers():
    env = gem_ma.make("game:LiarsDice-v0", players=3)
    env.reset(seed=5)
    env.step("1x1")
    here = {"seed": 0, "start": "here"}
    alone = rollout(env, "random", 4, **here)
    assert rollout(env, "random", 4, workers=1, **here) == alone
    assert len({tuple([step.reply for step in e.steps]) for e in alone}) > 1
    assert rollout(env, "random", 4, seed=1, start="here") != alone


def test_where_nothing_can_go_on_is_said():
    env = gem_ma.make(TWO)
    with pytest.raises(gem_ma.ResetNeeded, match="start='here': no episode has begun"):
        rollout(env, "random", start="here")
    env.reset(seed=0)
    with pytest.raises(ValueError, match="start='here' continues without one"):
        rollout(env, "random", start="here", options={"a": 1})
    with pytest.raises(ValueError, match="start='there': expected one of"):
        rollout(env, "random", start="there")
    for move in "03142":
        env.step(move)
    with pytest.raises(gem_ma.ResetNeeded, match="start='here': the episode is over"):
        rollout(env, "random", start="here")
    wrapped = TransformAction(gem_ma.make(TWO), lambda seat, text: str(10 - int(text)))
    wrapped.reset(seed=0)
    wrapped.env.step("1")  # behind the wrapper's back
    with pytest.warns(FailedEpisodesWarning):
        (episode,) = rollout(wrapped, lambda turn: "5", start="here", max_errors=1)
    assert episode.failure
