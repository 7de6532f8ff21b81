"""Other libraries that play our games through the APIs they know."""

import gc
import pathlib
import runpy

import numpy as np
import pytest

import gem_ma

NO_CLIENTS = "pip install 'gem-ma[clients]'"
TRAIN_SB3 = pathlib.Path(__file__).parents[2] / "examples" / "train_sb3.py"


def test_tianshou_plays_whole_games_in_words():
    client = pytest.importorskip("tianshou.env.pettingzoo_env", reason=NO_CLIENTS)
    ours = gem_ma.make("game:TicTacToe-v0")
    env = client.PettingZooEnv(ours)
    rng = np.random.default_rng(0)
    outcomes = set()
    for game in range(20):
        observation, info = env.reset(seed=game)
        assert observation["agent_id"] == "x"
        assert "You are playing Tic-tac-toe as x" in observation["obs"]["text"]
        terminated = truncated = False
        while not (terminated or truncated):
            seat = observation["agent_id"]
            assert seat == ours.to_act[0]
            action = str(rng.choice(info["legal_actions"]))
            observation, rewards, terminated, truncated, info = env.step(action)
            text = observation["obs"]["text"]
            assert f"{seat}: {action}" in text
            assert text.endswith(ours.game.describe(ours.game_state, None))
            if not terminated:
                assert rewards == [0.0, 0.0]
        assert not truncated
        assert rewards == list(ours.game_state.returns().values())
        outcomes.add(tuple(rewards))
    assert outcomes == {(1.0, -1.0), (-1.0, 1.0), (0.0, 0.0)}


def test_torchrl_takes_and_gives_words():
    client = pytest.importorskip("torchrl.envs", reason=NO_CLIENTS)
    env = client.GymWrapper(gem_ma.make_gym("game:GuessTheNumber-v0-easy"))
    env.set_seed(0)
    before = env.reset()
    assert "The number is between 1 and 10." in before["observation"]
    secret = env._env.env.game_state.secret
    assert secret != 5
    before["action"] = "5"
    after = env.step(before)["next"]
    hint = "higher" if secret > 5 else "lower"
    assert f"5: the number is {hint}." in after["observation"]
    assert (after["reward"].item(), after["done"].item()) == (0.0, False)
    after["action"] = str(secret)
    end = env.step(after)["next"]
    assert f"{secret}: correct!" in end["observation"]
    assert (end["reward"].item(), end["terminated"].item()) == (1.0, True)


def test_torchrl_finds_the_specs_right():
    client = pytest.importorskip("torchrl.envs", reason=NO_CLIENTS)
    utils = pytest.importorskip("torchrl.envs.utils", reason=NO_CLIENTS)
    utils.check_env_specs(client.GymWrapper(gem_ma.make_gym("game:GuessTheNumber-v0-easy")), seed=0)


# Stable-Baselines3 takes everything with three axes for a picture, planes of a board too.
@pytest.mark.filterwarnings(
    "ignore:It seems that your observation observation is an image:UserWarning",
    "ignore:It seems that your observation space observation is an image:UserWarning",
    "ignore:The minimal resolution for an image is 36x36:UserWarning",
)
def test_sb3_finds_the_discrete_view_right():
    checker = pytest.importorskip("stable_baselines3.common.env_checker", reason=NO_CLIENTS)
    env = gem_ma.make_gym("game:TicTacToe-v0", agent="x", others="random", actions="discrete")
    assert list(env.observation_space) == ["action_mask", "observation"]
    checker.check_env(env)


def test_sb3_learns_and_plays():
    pytest.importorskip("stable_baselines3", reason=NO_CLIENTS)
    example = runpy.run_path(str(TRAIN_SB3))
    id = "game:TicTacToe-v0"
    untrained, trained = (example["train"](id, steps, seed=0) for steps in (0, 1000))
    assert (untrained.num_timesteps, trained.num_timesteps) == (0, 1024)
    before, after = (
        [p.detach().numpy() for p in m.policy.parameters()] for m in (untrained, trained)
    )
    assert all(np.isfinite(weights).all() for weights in after)
    assert any((a != b).any() for a, b in zip(before, after, strict=True))
    assert sum(example["evaluate"](trained, id, games=20)) == 20
    env = gem_ma.make_gym(id, agent="x", others="random", actions="discrete")
    observation, _ = env.reset(seed=0)
    total, terminated, truncated = 0.0, False, False
    while not (terminated or truncated):
        action, _ = trained.predict(observation)
        observation, reward, terminated, truncated, info = env.step(action)
        total += reward
    assert terminated
    forfeited = info["invalid"] > 0
    assert total == (-1.0 if forfeited else env.env.game_state.returns()["x"])


def play_at_random(env, seed):
    """Play one episode by the masks, as an unmodified client does; return the steps."""
    env.reset(seed=seed)
    steps = 0
    for agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        mask = observation["action_mask"] if isinstance(observation, dict) else None
        over = terminated or truncated
        env.step(None if over else env.action_space(agent).sample(mask))
        steps += 1
    return steps


@pytest.mark.parametrize(
    ("name", "argument"),
    [
        ("frame_stack_v1", 3),
        ("delay_observations_v0", 2),
        ("max_observation_v0", 2),
        ("sticky_actions_v0", 0.3),
    ],
)
@pytest.mark.parametrize("env_id", ["game:TicTacToe-v0", "game:LiarsDice-v0"])
def test_supersuit_wraps_to_the_end_of_an_episode(env_id, name, argument):
    supersuit = pytest.importorskip("supersuit", reason=NO_CLIENTS)
    numbers = supersuit.observation_lambda_v0(
        gem_ma.make(env_id, actions="discrete"),
        lambda seen, _: seen["observation"],
        lambda space: space["observation"],
    )
    env = getattr(supersuit, name)(numbers, argument)
    for seed in range(3):
        assert play_at_random(env, seed) > len(env.possible_agents)
        assert env.agents == []
        assert env.agent_selection in env.possible_agents


@pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested using version:UserWarning")
@pytest.mark.parametrize("return_state", [False, True])
@pytest.mark.parametrize("make", [gem_ma.make, gem_ma.make_parallel])
@pytest.mark.parametrize("env_id", ["game:TicTacToe-v0", "game:RockPaperScissors-v0"])
def test_torchrl_takes_all_seats(env_id, make, return_state):
    client = pytest.importorskip("torchrl.envs", reason=NO_CLIENTS)
    utils = pytest.importorskip("torchrl.envs.utils", reason=NO_CLIENTS)
    ours = make(env_id, actions="discrete")
    env = client.PettingZooWrapper(
        ours, return_state=return_state, use_mask=make is gem_ma.make, seed=0
    )
    utils.check_env_specs(env)
    steps = env.rollout(20)
    assert len(steps) > 1
    assert ("state" in steps.keys()) is return_state  # noqa: SIM118 - a TensorDict
    if return_state:
        assert steps["state"].shape[1:] == ours.state_space.shape


def test_torchrl_makes_by_id_and_reads_the_infos_of_numbers():
    client = pytest.importorskip("torchrl.envs", reason=NO_CLIENTS)
    utils = pytest.importorskip("torchrl.envs.utils", reason=NO_CLIENTS)
    words = client.GymEnv("gem_ma:gem_ma/game.GuessTheNumber-v0-easy")
    assert "The number is between 1 and 10." in words.reset()["observation"]
    env = client.GymEnv(
        "gem_ma:gem_ma/game.TicTacToe-v0", agent="x", others="random", actions="discrete"
    )
    env.auto_register_info_dict()
    utils.check_env_specs(env)
    assert env.rollout(9)["next", "invalid"].dtype.is_floating_point is False


def test_tianshou_seeds_its_vector():
    client = pytest.importorskip("tianshou.env", reason=NO_CLIENTS)
    pettingzoo = pytest.importorskip("tianshou.env.pettingzoo_env", reason=NO_CLIENTS)
    ours = [gem_ma.make("game:KuhnPoker-v0", actions="discrete") for _ in range(2)]
    env = client.DummyVectorEnv([lambda e=e: pettingzoo.PettingZooEnv(e) for e in ours])
    env.seed(5)
    assert [one.episode_seed for one in ours] == [5, 6]


def test_skrl_takes_all_seats():
    torch = pytest.importorskip("torch", reason=NO_CLIENTS)
    client = pytest.importorskip("skrl.envs.wrappers.torch", reason=NO_CLIENTS)
    ours = gem_ma.make_parallel("game:PrisonersDilemma-v0", actions="discrete")
    env = client.wrap_env(ours, wrapper="pettingzoo", verbose=False)
    env.reset()
    assert env.action_spaces == ours.action_spaces
    assert env.observation_spaces == ours.observation_spaces
    rounds = 0
    while env.agents:
        _, rewards, *_ = env.step({seat: torch.tensor([[0]]) for seat in env.agents})
        rounds += 1
    assert rounds == ours.env.game.rounds
    assert float(rewards["left"]) == float(rewards["right"]) > 0
    assert env.state()["left"].flatten().tolist() == ours.state().tolist()


# It asks for what could be written about the data, and leaves its folders to the collector.
@pytest.mark.filterwarnings("ignore::UserWarning:minari", "ignore::ResourceWarning")
def test_minari_records_the_infos_of_numbers(tmp_path, monkeypatch):
    client = pytest.importorskip("minari", reason=NO_CLIENTS)
    pytest.importorskip("jax", reason=NO_CLIENTS)
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    view = gem_ma.make_gym("game:TicTacToe-v0", agent="x", others="random", actions="discrete")
    env = client.DataCollector(view, record_infos=True)
    lengths = []
    for seed in range(3):
        observation, _ = env.reset(seed=seed)
        over, steps = False, 0
        while not over:
            action = 0 if steps == 1 else int(np.flatnonzero(observation["action_mask"])[0])
            observation, _, terminated, truncated, _ = env.step(action)  # 0 is taken by then
            over, steps = terminated or truncated, steps + 1
        lengths.append(steps)
    recorded = env.create_dataset("gem-ma/tictactoe-v0", author="somebody")
    for episode, length in zip(recorded, lengths, strict=True):
        assert episode.infos["invalid"].shape == (length + 1,)
        assert episode.infos["invalid"].tolist()[:3] == [0, 0, 1]
        assert episode.infos["to_act"].tolist()[-1] is False
    del env, recorded, episode
    gc.collect()


def test_gymnasiums_numpy_to_torch_takes_a_vector_of_numbers():
    torch = pytest.importorskip("torch", reason="pip install 'gem-ma[clients]'")
    pytest.importorskip("array_api_compat", reason="pip install 'gem-ma[clients]'")
    from gymnasium.wrappers.vector import NumpyToTorch

    options = {"agent": "x", "others": "random", "actions": "discrete"}
    env = NumpyToTorch(gem_ma.make_vec("game:TicTacToe-v0", 2, **options))
    env.reset(seed=0)
    env.step(torch.tensor([4, 4]))
    free = int(env.unwrapped.call("action_masks")[0].argmax())
    _, _, _, _, infos = env.step(torch.tensor([free, 4]))  # which is taken in the second
    assert infos["invalid"].tolist() == [0, 1]
    env.close()


def test_gymnasiums_numpy_to_torch_leaves_texts_alone():
    pytest.importorskip("torch", reason="pip install 'gem-ma[clients]'")
    pytest.importorskip("array_api_compat", reason="pip install 'gem-ma[clients]'")
    from gymnasium.wrappers.numpy_to_torch import NumpyToTorch

    env = NumpyToTorch(gem_ma.make_gym("game:GuessTheNumber-v0-easy"))
    observation, info = env.reset(seed=0)
    assert observation.startswith("You are playing Guess the Number")
    assert info["legal_actions"][:2] == ["1", "2"]
    observation, *_ = env.step("3")
    assert "3: " in observation
