"""Vectors: the same from every backend, Gymnasium's rules, faults that leave nothing behind."""

import multiprocessing

import gymnasium
import numpy as np
import pytest
from broken_games import Waiting
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from playable import unless

import gem_ma
import gem_ma.wrappers
from gem_ma.envs.guessing.guess_the_number import GuessTheNumber

BACKENDS = ("sync", "thread", "process")
GUESS = "game:GuessTheNumber-v0-easy"
FOUR = "game:ConnectFour-v0"


@pytest.fixture
def made():
    """Make vectors, and see that each is closed without a trace."""
    vectors = []

    def make(*args, **kwargs):
        vectors.append(gem_ma.make_vec(*args, **kwargs))
        return vectors[-1]

    yield make
    for vector in vectors:
        vector.close()
    assert not multiprocessing.active_children()


def played(vector, steps, seed=0):
    """Play and return everything that was delivered."""
    out = [vector.reset(seed=seed)]
    for number in range(steps):
        out.append(vector.step([str((number + i) % 7) for i in range(vector.num_envs)]))
    return out


def same(one, other):
    """Say whether two deliveries are equal, arrays and types included."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    if isinstance(one, list | tuple):
        return type(one) is type(other) and all(map(same, one, other)) and len(one) == len(other)
    if isinstance(one, np.ndarray):
        if one.dtype != other.dtype or one.shape != other.shape:
            return False
        return all(map(same, one, other)) if one.dtype == object else bool(np.all(one == other))
    return one == other


KINDS = {
    "text": (GUESS, {}),
    "others": (FOUR, {"agent": "red", "others": "random"}),
    "image": (FOUR, {"agent": "red", "others": "random", "observe": "image"}),
    "both": (FOUR, {"agent": "yellow", "others": "random", "observe": "both"}),
    "discrete": (FOUR, {"agent": "red", "others": "random", "actions": "discrete"}),
}


OTHERS = (("thread", 3), ("process", 1), ("process", 2))
# What the default run compares: every kind in threads and in processes, and both ways to go on.
COMPARED = {
    *((kind, "next", "thread", 3) for kind in KINDS),
    ("both", "same", "thread", 3),
    ("text", "next", "process", 2),
    ("image", "next", "process", 2),
    ("discrete", "next", "process", 1),
    ("both", "same", "process", 2),
}


@pytest.mark.parametrize(
    ("kind", "autoreset", "backend", "workers"),
    [
        unless(case in COMPARED, *case)
        for kind in KINDS
        for how in ("next", "same")
        for case in ((kind, how, *other) for other in OTHERS)
    ],
)
def test_every_backend_and_number_of_workers_gives_the_same(
    made, kind, autoreset, backend, workers
):
    id, make = KINDS[kind]

    def play(**kwargs):
        vector = made(id, 5, autoreset=autoreset, **make, **kwargs)
        if make.get("actions") != "discrete":
            return played(vector, 25)
        out = [vector.reset(seed=0)]
        for number in range(25):
            out.append(vector.step([(number + i) % 7 for i in range(5)]))
        return out

    first = play(backend="sync")
    assert any(step[2].any() for step in first[1:])
    again = play(backend=backend, workers=workers)
    for number, (a, b) in enumerate(zip(first, again, strict=True)):
        assert same(a, b), number


@pytest.mark.parametrize(
    ("observe", "backend", "workers"),
    [
        ("text", "thread", 2),
        ("text", "process", 2),
        unless(False, "text", "process", 1),
        unless(False, "image", "thread", 2),
        unless(False, "image", "process", 2),
        ("image", "process", 1),
    ],
)
def test_games_that_wait_give_the_same_in_threads_of_processes(made, observe, backend, workers):
    env = gem_ma.Env(Waiting(1, 6, 4), id="waiting", observe=observe)
    first = played(made(env, 6), 25)
    again = played(made(env, 6, backend=backend, workers=workers), 25)
    for number, (a, b) in enumerate(zip(first, again, strict=True)):
        assert same(a, b), number


@pytest.mark.parametrize(
    ("observe", "backend"),
    [
        unless(backend != "process" or observe == "both", observe, backend)
        for observe in ("text", "image", "both")
        for backend in BACKENDS
    ],
)
def test_what_is_delivered_lies_in_the_spaces(made, backend, observe):
    vector = made(FOUR, 3, backend=backend, agent="red", others="random", observe=observe)
    assert isinstance(vector, gymnasium.vector.VectorEnv)
    assert vector.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    for delivered in played(vector, 10):
        assert delivered[0] in vector.observation_space
    assert vector.action_space.sample() in vector.action_space
    with pytest.raises(ValueError, match="expected a list of 3 actions, got 2 actions"):
        vector.step(["1", "2"])
    with pytest.raises(TypeError, match="got one str"):
        vector.step("123")


@pytest.mark.parametrize("mode", ["next", "same"])
def test_as_gymnasiums_own_vector_does(made, mode):
    modes = {"next": AutoresetMode.NEXT_STEP, "same": AutoresetMode.SAME_STEP}
    theirs = SyncVectorEnv(
        [lambda: gem_ma.make_gym(GUESS) for _ in range(4)], autoreset_mode=modes[mode]
    )
    ours = made(GUESS, 4, autoreset=mode)
    for one, other in zip(played(ours, 30, 5), played(theirs, 30, 5), strict=True):
        assert same(list(one[0]), list(other[0]))
        for mine, their in zip(one[1:-1], other[1:-1], strict=True):
            assert same(np.asarray(mine, float), np.asarray(their, float))
        mine, their = one[-1], other[-1]
        assert mine.keys() == their.keys()
        assert all(np.array_equal(mine[k], their[k]) for k in mine if k.startswith("_"))
        if "final_obs" in mine:
            assert list(mine["final_obs"]) == list(their["final_obs"])
    theirs.close()


def test_final_observations_and_infos_are_not_lost(made):
    vector = made(GUESS, 2, autoreset="same", observe="image")
    vector.reset(seed=0)
    for _ in range(4):
        images, _, terminated, _, infos = vector.step(["1", "2"])
        if terminated.any():
            break
    (index,) = np.flatnonzero(terminated)[:1]
    assert infos["_final_obs"][index]
    assert infos["final_obs"][index].shape == (252, 252, 3)
    assert not np.array_equal(infos["final_obs"][index], images[index])
    assert infos["_final_info"][index]


def test_disabled_autoreset_waits_for_a_mask(made):
    for backend in BACKENDS:
        vector = made(GUESS, 3, autoreset="disabled", backend=backend, workers=1, observe="both")
        vector.reset(seed=0)
        terminated = np.zeros(3, bool)
        for _ in range(4):
            observation, _, terminated, _, _ = vector.step(["1", "2", "3"])
            if terminated.any():
                break
        after, infos = vector.reset(seed=7, options={"reset_mask": terminated})
        for index in range(3):
            equal = np.array_equal(after["image"][index], observation["image"][index])
            assert equal != terminated[index]
        assert infos["to_act"].all()


def test_pictures_are_one_array_that_later_steps_leave_alone(made):
    for backend in BACKENDS:
        vector = made(
            FOUR, 3, backend=backend, workers=1, agent="red", others="random", observe="image"
        )
        first, _ = vector.reset(seed=0)
        kept = first.copy()
        second, *_ = vector.step(["0", "1", "2"])
        assert first.shape == second.shape == (3, 252, 252, 3)
        assert np.array_equal(first, kept)
        assert not np.array_equal(first, second)
        single = gem_ma.make_gym(FOUR, agent="red", others="random", observe="image")
        for index in range(3):
            single.reset(seed=index)
            assert np.array_equal(single.step(str(index))[0], second[index])


@pytest.mark.parametrize("backend", BACKENDS)
def test_send_and_recv_step_some_while_others_work(made, backend):
    vector = made(FOUR, 6, backend=backend, agent="red", others="random", observe="both")
    whole = made(FOUR, 6, agent="red", others="random", observe="both")
    vector.reset(seed=0)
    whole.reset(seed=0)
    expected, *_ = whole.step(list("012345"))
    vector.send(list("024"), [0, 2, 4])
    vector.send(list("135"), [1, 3, 5])
    seen = {}
    while len(seen) < 6:
        indices, observations, rewards, *_ = vector.recv()
        assert len(indices) == len(rewards) == len(observations["text"])
        for row, index in enumerate(indices):
            seen[int(index)] = observations["text"][row], observations["image"][row]
    for index in range(6):
        assert seen[index][0] == expected["text"][index]
        assert np.array_equal(seen[index][1], expected["image"][index])
    with pytest.raises(ValueError, match="only 0 environments are at work"):
        vector.recv()
    vector.send(["0"], [3])
    with pytest.raises(RuntimeError, match=r"environments \[3\] are still at work"):
        vector.send(["0"], [3])
    with pytest.raises(RuntimeError, match="recv"):
        vector.step(["0"] * 6)
    assert vector.recv()[0].tolist() == [3]


def test_different_environments_in_one_vector(made):
    for backend in BACKENDS:
        vector = made(
            [GUESS, "game:Mastermind-v0-easy", "game:Hangman-v0-easy"], 6, backend=backend
        )
        texts, _ = vector.reset(seed=[1, 2, 3, 4, 5, 6])
        assert "number" in texts[0]
        assert "letter" in texts[2]
        assert texts[0] == texts[3] != texts[1]
        assert texts in vector.observation_space
        texts, *_ = vector.step(["1", "12", "e", "2", "21", "a"])
        assert len(texts) == 6


@pytest.mark.parametrize("backend", BACKENDS)
def test_rows_that_are_not_reset_say_nothing_new(made, backend):
    vector = made(GUESS, 3, autoreset="disabled", backend=backend, workers=1, observe="both")
    with pytest.raises(ValueError, match=r"environments \[2\] have not begun"):
        vector.reset(options={"reset_mask": np.array([True, True, False])})
    vector.reset(seed=0)
    before, _, _, _, told = vector.step(["1", "2", "3"])
    assert told["_to_act"].all()
    for twice in range(2):
        mask = np.array([False, True, False])
        observation, infos = vector.reset(seed=9 + twice, options={"reset_mask": mask})
        assert all(infos[key].tolist() == mask.tolist() for key in infos if key[0] == "_")
        for row in (0, 2):
            assert observation["text"][row] == before["text"][row]
            assert np.array_equal(observation["image"][row], before["image"][row])
    assert observation["text"][1] != before["text"][1]


@pytest.mark.parametrize(
    ("mask", "error", "message"),
    [
        ([0, 2], TypeError, "expected a numpy array of 3 bools, got a list"),
        ([True, True, True], TypeError, "got a list"),
        (np.array([0, 2]), ValueError, r"got one of shape \(2,\)"),
        (np.array([True]), ValueError, r"got one of shape \(1,\)"),
        (np.array([[True, True, True]]), ValueError, r"got one of shape \(1, 3\)"),
        (np.array([1, 1, 0]), TypeError, "got one of int64"),
        (np.array([1.0, 1.0, 0.0]), TypeError, "got one of float64"),
        (np.zeros(3, bool), ValueError, "expected at least one True, got none"),
    ],
)
def test_masks_that_make_no_sense(made, mask, error, message):
    vector = made(GUESS, 3)
    vector.reset(seed=0)
    with pytest.raises(error, match=message):
        vector.reset(options={"reset_mask": mask})
    vector.step(["1", "2", "3"])  # nothing is lost


@pytest.mark.parametrize("backend", BACKENDS)
def test_seeds_are_known(made, backend):
    vector = made(GUESS, 3, backend=backend, workers=1)
    vector.reset(seed=3)
    assert vector.np_random_seed == (3, 4, 5)
    texts = vector.step(["5"] * 3)[0]
    vector.reset()
    seeds = vector.np_random_seed
    assert len({*seeds, 3, 4, 5}) == 6
    again = vector.step(["5"] * 3)[0]
    vector.reset(seed=list(seeds))  # each of an episode without a seed, which leads to it
    assert vector.step(["5"] * 3)[0] == again
    vector.reset(seed=np.int64(3))
    assert vector.step(["5"] * 3)[0] == texts
    assert len(vector.np_random) == 3


@pytest.mark.parametrize("backend", BACKENDS)
def test_attributes_and_methods_of_every_environment(made, backend):
    vector = made(FOUR, 3, backend=backend, agent="red", others="random", render_mode="rgb_array")
    with pytest.raises(gem_ma.ResetNeeded):
        vector.render()
    vector.reset(seed=0)
    frames = vector.render()
    assert isinstance(frames, tuple)
    assert [frame.shape for frame in frames] == [(252, 252, 3)] * 3
    vector.step(["1", "2", "3"])
    assert not np.array_equal(frames[0], vector.render()[0])
    assert vector.get_attr("agent") == ("red",) * 3
    assert vector.call("action_masks")[0].tolist() == [True] * 7
    vector.set_attr("temperature", [1, 2, 3])
    assert vector.get_attr("temperature") == (1, 2, 3)
    vector.set_attr("temperature", 0.5)
    assert vector.get_attr("temperature") == (0.5,) * 3
    with pytest.raises(ValueError, match="expected a list of 3 values, got 2"):
        vector.set_attr("temperature", [1, 2])
    with pytest.raises(AttributeError, match="gravity"):
        vector.call("gravity")
    vector.send(["0"], [1])
    with pytest.raises(RuntimeError, match="recv"):
        vector.call("render")
    vector.recv()
    vector.step(["1", "2", "3"])  # no mistake has ended it
    blind = made(GUESS, 1)
    blind.reset(seed=0)
    with pytest.raises(ValueError, match="render_mode=None: make the environment with"):
        blind.render()


@pytest.mark.parametrize("observe", ["text", "image"])
def test_gymnasiums_vector_wrappers_record(made, observe, tmp_path):
    pytest.importorskip("moviepy", reason="pip install moviepy")
    vector = made(FOUR, 4, agent="red", others="random", render_mode="rgb_array", observe=observe)
    recorder = gymnasium.wrappers.vector.RecordVideo(
        gymnasium.wrappers.vector.RecordEpisodeStatistics(vector),
        str(tmp_path / "videos"),
        step_trigger=lambda step: step == 0,
        video_length=3,
    )
    recorder.reset(seed=0)
    for _ in range(5):
        recorder.step(["1", "2", "3", "4"])
    recorder.close()
    assert [path.name for path in (tmp_path / "videos").iterdir()] == ["rl-video-step-0.mp4"]


def test_the_spec_makes_the_same_again(made):
    vector = made(
        FOUR,
        3,
        agent="yellow",
        others="random",
        observe="both",
        image_size=(84, 84),
        autoreset="same",
    )
    assert vector.spec.id == "gem_ma/game.ConnectFour-v0"
    assert "gem_ma/game.ConnectFour-v0, num_envs=3" in str(vector)
    again = gymnasium.make_vec(vector.spec)
    for one, other in zip(played(vector, 5), played(again, 5), strict=True):
        assert same(one, other)
    assert again.spec == vector.spec
    again.close()
    assert gymnasium.envs.registration.EnvSpec.from_json(vector.spec.to_json()) == vector.spec


def test_what_no_spec_can_say_has_none(made):
    env = gem_ma.make(GUESS)
    for odd in (
        gem_ma.Env(GuessTheNumber(1, 10, 5), id="unregistered"),
        gem_ma.wrappers.RecordEpisodeStatistics(env),
        [env, gem_ma.make("game:Hangman-v0-easy")],
    ):
        assert made(odd, 2).spec is None
    assert made([env, gem_ma.make(GUESS)], 2).spec is not None


WRONG = [None, 5, 2.5, b"1", ["1"], {"text": "1"}, np.array([1, 2])]


@pytest.mark.parametrize(
    ("kind", "backend"),
    [
        unless(backend != "process" or kind == "discrete", kind, backend)
        for kind in ("text", "others", "both", "discrete")
        for backend in BACKENDS
    ],
)
def test_a_wrong_action_is_named_and_the_vector_goes_on(made, kind, backend):
    id, make = KINDS[kind]
    vector, whole = (made(id, 2, backend=how, workers=1, **make) for how in (backend, "sync"))
    with pytest.raises(gem_ma.ResetNeeded, match=r"environments \[0, 1\] have not begun"):
        vector.step(["1", "1"])
    assert same(vector.reset(seed=0), whole.reset(seed=0))
    discrete = kind == "discrete"
    fine, wrong = (1, [*WRONG[:1], *WRONG[2:], True]) if discrete else ("1", WRONG)
    expected = "an int from 0 to 6" if discrete else "a str"
    outside = [7, -1, np.int64(100)] if discrete else []  # of the space, though numbers
    for action in (*wrong, *outside):
        error = ValueError if any(action is one for one in outside) else TypeError
        with pytest.raises(error, match=rf"environment 1: .* must be {expected}, got "):
            vector.step([fine, action])
        with pytest.raises(error, match="environment 1: "):
            vector.send([action], [1])
    for actions in (None, 5, "11", {0: fine, 1: fine}, {fine, 2}, [fine], [fine] * 3):
        with pytest.raises((TypeError, ValueError), match="expected a list of 2 actions, got"):
            vector.step(actions)
    for indices in ([0.5], ["1"], [2], [-1], [1, 1], 1):
        with pytest.raises((TypeError, ValueError, IndexError), match=r"indices|environment|iter"):
            vector.send([fine] * 2 if indices == [1, 1] else [fine], indices)
    for seed in ("12", [1], [1, 0.5], [True, 1], True, 0.5, 2**130):
        with pytest.raises((TypeError, ValueError), match="seed"):
            vector.reset(seed=seed)
    with pytest.raises(TypeError, match="a dict or None"):
        vector.reset(options=[1])
    for count in (0, "1", 3):
        with pytest.raises((TypeError, ValueError), match=r"count|expected 3 results"):
            vector.recv(count)
    for _ in range(3):
        assert same(vector.step(np.array([fine] * 2)), whole.step([fine] * 2))


@pytest.mark.parametrize(
    ("autoreset", "backend"),
    [
        unless(backend != "process", how, backend)
        for how in ("next", "same", "disabled")
        for backend in BACKENDS
    ],
)
def test_what_begins_again_takes_any_action(made, autoreset, backend):
    vector = made(GUESS, 2, backend=backend, workers=1, autoreset=autoreset)
    vector.reset(seed=0)
    assert vector.step(["5", "1"])[2].tolist() == [True, False]
    if autoreset == "next":
        assert vector.step([None, "0"])[2].tolist() == [False, False]
        with pytest.raises(TypeError, match="environment 1: "):
            vector.step(["1", None])
    elif autoreset == "same":
        with pytest.raises(TypeError, match="environment 0: "):
            vector.step([None, "0"])
    else:
        with pytest.raises(gem_ma.ResetNeeded, match=r"environments \[0\] are over"):
            vector.step(["1", "0"])
        vector.reset(options={"reset_mask": np.array([True, False])})
    vector.step(["1", "0"])


def test_a_wrapper_that_changes_actions_says_what_it_takes(made):
    env = gem_ma.make(FOUR)
    env = gem_ma.wrappers.TransformAction(env, lambda seat, action: str(action))
    vector = made(env, 2, agent="red", others="random")
    vector.reset(seed=0)
    vector.step([1, 2])


def test_wrong_arguments_are_named():
    for kwargs, message in (
        ({"backend": "mpi"}, "backend='mpi': expected one of"),
        ({"autoreset": "never"}, "autoreset='never'"),
        ({"api": "aec"}, "api='aec'"),
        ({"num_envs": 0}, "num_envs=0"),
        ({"step_timeout": 1.0}, "step_timeout needs backend='process'"),
    ):
        with pytest.raises(ValueError, match=message):
            gem_ma.make_vec(GUESS, **kwargs)
    with pytest.raises(TypeError, match="not a view"):
        gem_ma.make_vec(gem_ma.make_gym(GUESS))
    with pytest.raises(TypeError, match="all seats are yours"):
        gem_ma.make_vec(FOUR, api="parallel", agent="red")
