"""Call every public function, class and method with wrong arguments, one at a time.

A call is right if it works, or says what is wrong: never an AttributeError, nor a bare KeyError or
IndexError, nor what other faults of our own look like. `RIGHT` holds right arguments for each; what
is public and has none is a fault too.
"""

import asyncio
import contextlib
import functools
import importlib
import inspect
import io
import itertools
import json
import re
import signal
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import is_dataclass, replace
from pathlib import Path

import gymnasium
import numpy as np
import packs
import pettingzoo
from needed import Later

import gem_ma
from gem_ma import Reply, wrappers
from gem_ma.agents import RandomAgent
from gem_ma.agents.providers import PROVIDERS
from gem_ma.chat.messages import Picture
from gem_ma.engine.seeding import pack_chance
from gem_ma.envs import registry
from gem_ma.envs.boards.tic_tac_toe import TicTacToe
from gem_ma.testing import ContractError

advantages = Later("gem_ma.training.advantages")
selfplay = Later("gem_ma.training.selfplay")
selfplay_opponent = Later("gem_ma.training.selfplay_opponent")

MODULES = (  # what stands in two of them is called by its name in the first
    "gem_ma.apis.base_env",
    "gem_ma.apis.parallel_view",
    "gem_ma.apis.gymnasium_view",
    "gem_ma.apis.text_space",
    "gem_ma",
    "gem_ma.game",
    "gem_ma.scene",
    "gem_ma.engine.action_parsing",
    "gem_ma.agents",
    "gem_ma.chat.image_tokens",
    "gem_ma.chat.messages",
    "gem_ma.chat.context",
    "gem_ma.testing",
    "gem_ma.tools",
    "gem_ma.training.advantages",
    "gem_ma.training.selfplay",
    "gem_ma.training.selfplay_opponent",
    "gem_ma.training.trainer_rows",
    "gem_ma.training",
    "gem_ma.wrappers",
    "gem_ma.gem",
    "gem_ma.engine.seeding",
    "gem_ma.renderers",
    "gem_ma.renderers.picture",
    "gem_ma.evaluation.statistics",
    "gem_ma.evaluation.tournament",
    "gem_ma.evaluation",
    "gem_ma.envs.tau.agents",
    "gem_ma.envs.tau",
    "gem_ma.envs.screens.oracle",
)

# What is not called, and why.
LEFT_OUT = {
    "gem_ma.enable_tracing": "it needs OpenTelemetry; its tests give it wrong arguments",
    "gem_ma.agents.HFAgent": "it needs a model; its tests give it wrong arguments",
    "gem_ma.agents.RayAgent": "it needs Ray, and takes what Ray gives",
    "gem_ma.game.Game": "games fill it in, and Env calls it",
    "gem_ma.Game": "games fill it in, and Env calls it",
    "gem_ma.gem.Env": "scripts fill it in, and call it",
    "gem_ma.agents.HumanAgent.act": "it waits for a person",
    **{
        f"gem_ma.agents.{name}.{method}": "the base calls it, with what only it and a server have"
        for _, name in PROVIDERS.values()
        for method in ("connect", "make_body", "parse_reply")
    },
    "gem_ma.agents.OpenAIAgent.can_retry": "it is asked of errors of a library",
    "gem_ma.agents.OpenAIAgent.make_choice_fields": "the base calls it, with legal replies",
    "gem_ma.agents.OpenAIResponsesAgent.can_retry": "it is asked of errors of a library",
    "gem_ma.agents.ProgramAgent.act": "it waits for a program",
    "gem_ma.agents.ProgramAgent.on_episode_end": "rollouts call it, with episodes",
    "gem_ma.agents.ActAgent.run_calls": "`act` calls it, with turns",
    "gem_ma.agents.FewShotAgent.run_calls": "`act` calls it, with turns",
    "gem_ma.tools.MCPTool": "it starts processes, and asks servers",
    "gem_ma.tools.SearchIndex": "it is made by build and load",
    "gem_ma.tools.PythonTool.call": "it runs programs",
    "gem_ma.tools.ToolCallHistory": "it is a type",
    "gem_ma.apis.base_env.BaseEnv.check_reply": "it is asked about what may be of any type",
    "gem_ma.Env.set_end_flags": "the setters of BaseEnv call it, and check what they are given",
    "gem_ma.engine.action_parsing.RejectedReply": "it is a text",
    "gem_ma.EnvConfig.check_game": "`Env` calls it",
    "gem_ma.AsyncSeat": "`Env.seats` makes it; its tests give it wrong replies",
    **{
        f"gem_ma.{name}": "`make_vec` makes it; its tests give it wrong actions"
        for name in ("SeatVector", "GameVector")
    },
    **{
        f"gem_ma.training.{name}": "it needs a model; its tests give it wrong arguments"
        for name in (
            *("BestCheckpoint", "HFLearner", "HistoryLog", "MenuLearner", "RoleBaselines"),
            *("Trainer", "VLLMPolicy", "add_lora_adapters", "load_checkpoint", "save_checkpoint"),
            *("make_random_model", "pretrain", "train_processor"),
        )
    },
    "gem_ma.training.selfplay_opponent.SelfPlayOpponent.copy_with_learner": "a Trainer calls it",
    "gem_ma.engine.seeding.pick_option": "it takes what lists of moves are",
}

# Values of any type, and those of the right type that are wrong most often.
WRONG = {
    "None": None,
    "-1": -1,
    "0": 0,
    "nan": float("nan"),
    "1.5": 1.5,
    "''": "",
    "'nonsense'": "nonsense",
    "object()": object(),
    "[]": [],
    "[None]": [None],
    "{}": {},
    "{'nonsense': None}": {"nonsense": None},
    "10**40": 10**40,
    "b'x'": b"x",
    "print": print,
}
# A huge one of these is no mistake but a lot of work.
COUNTS = {
    *("episodes", "n", "num_envs", "seeds", "views", "concurrency", "group", "matches", "rounds"),
    *(
        "samples",
        "trials",
        "tasks",
        "simulations",
        "max_iter",
        "width",
        "height",
        "limit",
        "workers",
    ),
    *("simulations", "nodes", "depth", "size", "image_size", "words", "overlap", "top_k", "most"),
}
STARTS = {"processes"}  # anything that is true starts some
RAW = (
    AttributeError,
    RecursionError,
    AssertionError,
    ZeroDivisionError,
    OverflowError,
    UnboundLocalError,
    NotImplementedError,
    MemoryError,
    StopIteration,
    TimeoutError,
    UnicodeError,
)
_PYTHON = re.compile(r"out of (?:range|bounds)|pop from|too many indices")  # its own words
SECONDS = 5  # that a call may take
C4, KUHN = "game:ConnectFour-v0", "game:KuhnPoker-v0"
TTT = "game:TicTacToe-v0"


class Tool:
    """A tool that does nothing."""

    name = "nothing"
    schema = {"type": "function", "function": {"name": "nothing", "parameters": {}}}

    def call(self, arguments, past=()):
        return "nothing"


class Scoring:
    """An agent that says how likely it replies with each legal move."""

    def compute_probabilities(self, turns):
        return [[1 / len(turn.legal)] * len(turn.legal) for turn in turns]


def env(id=TTT):
    made = gem_ma.make(id, render_mode="ansi")
    made.reset(seed=0)
    return made


def episode():
    (played,) = gem_ma.rollout(TTT, "random", 1, seed=0)
    return played


def turn():
    return env().turn("x")


CHAT = [
    {"role": "system", "content": "rules"},
    {"role": "user", "content": ("see", Picture(np.zeros((8, 8, 3), np.uint8), "a board"))},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "1", "function": {"name": "look", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "1", "content": "seen"},
]


def pool():
    made = selfplay.OpponentPool({"one": "random"})
    made.record([episode()])
    return made


def rivals():
    return selfplay_opponent.SelfPlayOpponent("random", pool())


def uniform(seat, view):
    return [1 / len(view.legal(seat))] * len(view.legal(seat))


def tracked():
    made = wrappers.RecordEpisodeStatistics(env())
    made.reset(seed=0)
    return made


def of_tau():
    made = gem_ma.make("tau:shop")
    made.reset(seed=0)
    made.submit({"user": "Hello!"})
    return {"turns": [made.turn("assistant")]}


def table():
    return {"rows": advantages.make_example()}


def passed():
    return {"results": {"a": [1, 0], "b": [1, 1]}, "k": 1}


def view():
    made = gem_ma.make_gym(TTT, agent="x", others="random", render_mode="ansi")
    made.reset(seed=0)
    return made


def seat():
    return importlib.import_module("gem_ma.gem").make("game:GuessTheNumber-v0-easy")


def started():
    made = seat()
    made.reset(seed=0)
    return made


def parallel():
    made = gem_ma.make_parallel("game:RockPaperScissors-v0", render_mode="ansi")
    made.reset(seed=0)
    return made


def vector():
    made = importlib.import_module("gem_ma.gem").make_vec("game:GuessTheNumber-v0-easy")
    made.reset()
    return made


def scene():
    return env().scene()


def opponents():
    return selfplay.OpponentMixture({"one": "random", "two": "random"}, {"one": 0.5, "two": 0.5})


def leaderboard():
    from gem_ma.evaluation.tournament import run_tournament

    return run_tournament([TTT], ["random", "search"], "played", matches=1, progress=False)


def game_tree():
    return gem_ma.evaluation.GameTree(gem_ma.make(KUHN).game)


def episode_sample():
    one = importlib.import_module("gem_ma.evaluation.metrics").ScoredEpisode(
        episode(), ["x"], 1.0, {}
    )
    return gem_ma.evaluation.EpisodeSample([[one]])


def evaluation():
    return gem_ma.evaluation.evaluate(
        _suite(), "random", Path("evaluated"), tasks=1, trials=1, progress=False
    )


def suite_leaderboard():
    return gem_ma.evaluation.merge_results([_evaluated() / "results.json"])


def curriculum():
    made = importlib.import_module("gem_ma.training").Curriculum("game:GuessTheNumber-v0")
    made.update([episode()])
    return made


# The objects that methods are called of.
OBJECTS = {
    "Curriculum": curriculum,
    "Env": env,
    "BaseEnv": env,
    "AECEnv": env,
    "Wrapper": lambda: wrappers.Wrapper(env()),
    "TextWrapper": lambda: wrappers.TransformText(env(), lambda seat, text: text),
    "Context": lambda: gem_ma.Context(turns=1),
    "Episode": episode,
    "Reply": lambda: Reply("a"),
    "Spec": lambda: gem_ma.spec(TTT),
    "Game": TicTacToe,
    "Picture": lambda: Picture(np.zeros((8, 8, 3), np.uint8)),
    "ActAgent": lambda: gem_ma.agents.load_agent("act:random"),
    "FewShotAgent": lambda: gem_ma.agents.FewShotAgent("random", ["a"], shots=1),
    "FunctionAgent": lambda: gem_ma.agents.load_agent(lambda turn: "1"),
    "InformedAssistant": lambda: gem_ma.agents.load_agent("informed-assistant"),
    "LLMUser": lambda: gem_ma.agents.load_agent("llm-user:random"),
    "CostMeter": gem_ma.agents.CostMeter,
    "MixtureAgent": lambda: gem_ma.agents.MixtureAgent(["random"]),
    "OracleAssistant": lambda: gem_ma.agents.load_agent("oracle-assistant"),
    "ProgramAgent": lambda: gem_ma.agents.load_agent("program:true"),
    "RandomAgent": RandomAgent,
    "ReactAgent": lambda: gem_ma.agents.load_agent("react:random"),
    "RuleUser": lambda: gem_ma.agents.load_agent("rule-user"),
    "ScreenOracle": lambda: gem_ma.agents.load_agent("screen-oracle"),
    "ScreenRefuser": lambda: gem_ma.agents.load_agent("screen-refuser"),
    "ScriptedAgent": lambda: gem_ma.agents.ScriptedAgent(["1"]),
    "TransferAssistant": lambda: gem_ma.agents.load_agent("transfer-assistant"),
    "UserPopulation": lambda: gem_ma.agents.load_agent("users:train"),
    "SearchAgent": lambda: gem_ma.agents.load_agent("search:depth=1"),
    "PythonTool": lambda: gem_ma.tools.PythonTool(),
    "SearchTool": lambda: gem_ma.tools.SearchTool(gem_ma.tools.SearchIndex.build(["a text"])),
    "SearchIndex": lambda: gem_ma.tools.SearchIndex.build(["a text"]),
    "ToolEnv": lambda: gem_ma.tools.with_tools(env(), [Tool()]),
    "OpponentPool": pool,
    "OpponentMixture": opponents,
    "SelfPlayOpponent": rivals,
    "GymnasiumView": view,
    "SingleSeatEnv": seat,
    "ParallelView": parallel,
    "VectorEnv": vector,
    "UnicodeText": lambda: importlib.import_module("gem_ma.apis.text_space").UnicodeText(
        examples=["a"]
    ),
    "Theme": lambda: importlib.import_module("gem_ma.renderers").parse_theme("light"),
    "ImageNoise": lambda: importlib.import_module("gem_ma.renderers").parse_noise("blur"),
    "PhotoCamera": lambda: importlib.import_module("gem_ma.renderers").PhotoCamera(0),
    "Leaderboard": leaderboard,
    "GameTree": game_tree,
    "EpisodeSample": episode_sample,
    "Evaluation": evaluation,
    "Suite": lambda: _suite(),
    "SuiteEntry": lambda: _suite().entries[0],
    "SuiteLeaderboard": suite_leaderboard,
}
for _name in (
    "RecordEpisodeStatistics",
    "TimeLimit",
    "TransformReward",
    "ScaleReward",
    "ClipReward",
    "TransformAction",
):
    OBJECTS[_name] = {
        "RecordEpisodeStatistics": tracked,
        "TimeLimit": lambda: wrappers.TimeLimit(env(), 5),
        "TransformReward": lambda: wrappers.TransformReward(env(), lambda seat, reward: reward),
        "ScaleReward": lambda: wrappers.ScaleReward(env(), 2.0),
        "ClipReward": lambda: wrappers.ClipReward(env()),
        "TransformAction": lambda: wrappers.TransformAction(env(), lambda seat, action: action),
    }[_name]
OBJECTS["TransformText"] = OBJECTS["TextWrapper"]
OBJECTS["TextHistory"] = lambda: wrappers.TextHistory(env())

# Right arguments by the name of the parameter, where nothing else is said below.
BY_NAME = {
    "agent": lambda: "x",
    "seat": lambda: "x",
    "seed": lambda: 0,
    "options": lambda: None,
    "env": env,
    "id": lambda: TTT,
    "text": lambda: "a [1] \\boxed{1}",
    "messages": lambda: CHAT,
    "episodes": lambda: [episode()],
    "episode": episode,
    "rows": lambda: advantages.make_example(),
    "gamma": lambda: 0.9,
    "snapshot": lambda: env().snapshot(),
    "replies": lambda: {"x": "1"},
    "reply": lambda: "1",
    "rewards": lambda: {"x": 1.0},
    "actions": lambda: {"x": "1"},
    "path": lambda: Path("a.file"),
    "turn": turn,
    "turns": lambda: [turn()],
    "function": lambda: lambda seat, value: value,
    "format": lambda: "auto",
    "observation": lambda: {"text": "a"},
    "picture": lambda: CHAT[1]["content"][1],
    "pictures": lambda: [CHAT[1]["content"][1]],
    "width": lambda: 56,
    "height": lambda: 56,
    "family": lambda: "qwen2.5-vl",
    "game": TicTacToe,
    "policy": lambda: uniform,
    "learner": lambda: "random",
    "name": lambda: "a",
}


def _by(**given):
    return lambda: {name: value() if callable(value) else value for name, value in given.items()}


RIGHT = {
    "gem_ma.arollout": _by(env=lambda: TTT, agents="random", episodes=1, seed=0),
    "gem_ma.rollout": _by(env=lambda: TTT, agents="random", episodes=1),
    "gem_ma.load_episodes": lambda: {"path": _saved()},
    "gem_ma.make_vec": _by(env=lambda: C4, num_envs=1, api="parallel"),
    "gem_ma.register": _by(id=lambda: f"game:New{next(_NUMBERS)}", entry_point="a:b"),
    "gem_ma.make_gym": _by(id=lambda: TTT, agent="x", others="random"),
    "gem_ma.Context.parse": _by(text="turns=4"),
    "gem_ma.apis.base_env.BaseEnv.submit": _by(replies=lambda: {"x": "1"}),
    "gem_ma.AECEnv.step": _by(action="1"),
    "gem_ma.Spec": _by(id="game:New", entry_point="a:b"),
    "gem_ma.apis.gymnasium_view.GymnasiumView.step_in_parts": _by(action="1"),
    "gem_ma.AECEnv.seats": _by(others=lambda: {"o": "random"}),
    "gem_ma.AECEnv.gym": _by(agent="x", others="random"),
    "gem_ma.apis.base_env.BaseEnv.turn": _by(agent="x", chat=None),
    "gem_ma.engine.seeding.map_rng_memory": lambda: {"rng": np.random.default_rng(0)},
    "gem_ma.engine.seeding.pack_chance": lambda: {"rng": np.random.default_rng(0)},
    "gem_ma.engine.seeding.unpack_chance": lambda: {
        "text": pack_chance(np.random.default_rng(0)),
        "rng": np.random.default_rng(1),
    },
    "gem_ma.Game.start": lambda: {"rng": np.random.default_rng(0), "options": {}},
    "gem_ma.Reply": _by(text="a"),
    "gem_ma.game.prefix_speaker": _by(speaker="a", text="b"),
    "gem_ma.engine.action_parsing.make_instruction": _by(format="auto"),
    "gem_ma.engine.action_parsing.format_action": _by(action="a", format="boxed"),
    "gem_ma.engine.action_parsing.extract_action": _by(reply="[a]", format="bracket"),
    "gem_ma.engine.action_parsing.parse_call_name": lambda: {"call": CHAT[2]["tool_calls"][0]},
    "gem_ma.engine.action_parsing.parse_call_arguments": lambda: {"call": CHAT[2]["tool_calls"][0]},
    "gem_ma.game.parse_choice": _by(text="a", options=("a", "b")),
    "gem_ma.game.parse_number": _by(text="1"),
    "gem_ma.engine.action_parsing.format_options": _by(options=("a", "b")),
    "gem_ma.Env.collect_end_flags": _by(seats=("x",)),
    "gem_ma.agents.FunctionAgent": lambda: {"function": lambda turn: "1"},
    "gem_ma.agents.ActAgent": _by(agent="random"),
    "gem_ma.agents.FewShotAgent": _by(agent="random", examples=("a",), shots=1),
    "gem_ma.envs.tau.agents.LLMUser": _by(agent="random"),
    "gem_ma.agents.ProgramAgent": _by(program="true"),
    "gem_ma.agents.CostMeter": _by(limit=1.0),
    "gem_ma.agents.CostMeter.wrap": _by(agent="random", price=(1.0, 2.0)),
    "gem_ma.agents.CostMeter.add": lambda: {"reply": Reply("a", cost=1.0)},
    "gem_ma.agents.CostMeter.add_steps": lambda: {"steps": episode().steps},
    "gem_ma.agents.MixtureAgent": _by(agents=("random", "random"), weights=(1, 2)),
    "gem_ma.agents.MixtureAgent.epsilon": _by(agent="random", probability=0.5),
    **{
        f"gem_ma.agents.{name}": _by(model="m", base_url="http://127.0.0.1:9/v1")
        for _, name in PROVIDERS.values()
    },
    "gem_ma.agents.ReactAgent": _by(agent="random"),
    "gem_ma.agents.ScriptedAgent": _by(replies=("1",)),
    "gem_ma.envs.tau.agents.InformedAssistant.act": of_tau,
    "gem_ma.envs.tau.agents.OracleAssistant.act": of_tau,
    "gem_ma.agents.load_agent": _by(spec="random"),
    "gem_ma.agents.assign_agents": _by(specs="random", seats=("x", "o")),
    "gem_ma.agents.load_seat_agents": _by(specs="random", seats=("x", "o")),
    "gem_ma.renderers.picture.Picture": lambda: {"array": np.zeros((8, 8, 3), np.uint8)},
    "gem_ma.renderers.picture.Picture.from_array": lambda: {"array": np.zeros((8, 8, 3), np.uint8)},
    "gem_ma.chat.messages.to_vllm": lambda: {"prompt": "a", "messages": CHAT},
    "gem_ma.chat.messages.to_mcp": _by(content="a"),
    "gem_ma.testing.check_env": _by(env=TTT, seeds=1, processes=False),
    "gem_ma.testing.attack": _by(env=TTT, seeds=1, turns=2, nodes=2),
    "gem_ma.testing.certify": _by(env=env, views=2),
    "gem_ma.tools.load_tools": _by(spec="python"),
    "gem_ma.tools.SearchIndex.build": _by(source=("a text",)),
    "gem_ma.tools.SearchIndex.load": lambda: {"path": _index()},
    "gem_ma.tools.SearchIndex.search": _by(query="text"),
    "gem_ma.tools.SearchIndex.save": lambda: {"path": Path(f"index{next(_NUMBERS)}")},
    "gem_ma.tools.SearchTool": lambda: {"source": gem_ma.tools.SearchIndex.build(["a text"])},
    "gem_ma.tools.SearchTool.call": _by(arguments=lambda: {"query": "text"}),
    "gem_ma.tools.ToolEnv": _by(env=env, tools=lambda: [Tool()]),
    "gem_ma.tools.ToolEnv.transform_text": _by(agent="x", text="a", turn=False),
    "gem_ma.tools.with_tools": _by(env=env, tools=lambda: [Tool()]),
    "gem_ma.tools.function_tool": lambda: {"f": _written, "name": "written"},
    "gem_ma.training.build_samples": lambda: {
        "episode": episode(),
        "seat": "x",
        "processor": _tokens(),
    },
    "gem_ma.training.trainer_rows.build_rows": lambda: {
        "episodes": [episode()],
        "processor": _tokens(),
    },
    "gem_ma.training.trainer_rows.split_prompt_completion": lambda: {
        "row": {"spans": [(1, 2)], "mask": [0, 1], "logprobs": [0.0, -1.0], "ids": [1, 2]}
        | {"rewards": [1.0]}
    },
    "gem_ma.training.advantages.vine": lambda: {
        "rows": replace(advantages.make_example(), action_value=np.ones(6))
    },
    "gem_ma.training.estimate_turn_values": lambda: {
        "episodes": [episode()],
        "agents": {"x": "random", "o": "random"},
        "continuations": 1,
        "env": (),
        "context": None,
    },
    "gem_ma.training.advantages.normalise": lambda: {"values": [1.0] * 6, **table()},
    "gem_ma.training.Curriculum": lambda: {"env": "game:GuessTheNumber-v0", "success": None},
    "gem_ma.training.Curriculum.get_env": lambda: {"difficulty": 1},
    "gem_ma.training.Curriculum.sample_difficulties": lambda: {"groups": 2, "seed": 0},
    "gem_ma.training.Curriculum.sample_envs": lambda: {"groups": 2, "seed": 0},
    "gem_ma.training.Curriculum.load_state_dict": lambda: {"state": curriculum().state_dict()},
    "gem_ma.training.make_cosine_schedule": lambda: {"steps": 4, "warmup": 1, "to": 0.2},
    "gem_ma.training.advantages.gae": lambda: {**table(), "values": [1.0] * 6, "after": 0.0},
    "gem_ma.training.advantages.expand_to_tokens": lambda: {
        "samples": [],
        "rows": advantages.make_example(),
        "values": [1.0] * 6,
    },
    "gem_ma.training.selfplay.OpponentPool": lambda: {"agents": {"one": "random"}},
    "gem_ma.training.selfplay.OpponentPool.add": lambda: {
        "name": f"n{next(_NUMBERS)}",
        "agent": "random",
    },
    "gem_ma.training.selfplay.OpponentPool.load": lambda: {"path": _pool()},
    "gem_ma.training.selfplay.OpponentPool.load_state_dict": lambda: {"state": pool().state_dict()},
    "gem_ma.training.selfplay.OpponentPool.remove": _by(name="one"),
    "gem_ma.training.selfplay.OpponentMixture": lambda: {
        "agents": {"a": "random"},
        "weights": {"a": 1.0},
    },
    "gem_ma.training.selfplay.OpponentMixture.find_opponent_name": lambda: {
        "episode": "0",
        "seat": "x",
    },
    "gem_ma.training.selfplay_opponent.SelfPlayOpponent": lambda: {
        "learner": "random",
        "pool": pool(),
    },
    "gem_ma.training.selfplay_opponent.SelfPlayOpponent.copy_every": _by(updates=1),
    "gem_ma.training.selfplay_opponent.SelfPlayOpponent.load_state_dict": lambda: {
        "state": rivals().state_dict()
    },
    "gem_ma.training.selfplay.compute_expected_returns": lambda: {
        "game": _kuhn(),
        "policy": uniform,
    },
    "gem_ma.training.selfplay.compute_best_response": lambda: {
        "game": _kuhn(),
        "policy": uniform,
        "seat": _kuhn().agents[0],
    },
    "gem_ma.training.selfplay.nash_conv": lambda: {"game": _kuhn(), "policy": uniform},
    "gem_ma.wrappers.Wrapper.restore": lambda: {"snapshot": OBJECTS["Wrapper"]().snapshot()},
    "gem_ma.wrappers.TimeLimit": _by(env=env, max_turns=3),
    "gem_ma.wrappers.ScaleReward": _by(env=env, factor=2.0),
    "gem_ma.wrappers.TextWrapper.transform_text": _by(agent="x", text="a", turn=False),
    "gem_ma.wrappers.TransformText.transform_text": _by(agent="x", text="a", turn=False),
    "gem_ma.wrappers.TextHistory.transform_text": _by(agent="x", text="a", turn=False),
    "gem_ma.apis.gymnasium_view.GymnasiumView.restore": lambda: {"snapshot": view().snapshot()},
    "gem_ma.gem.SingleSeatEnv.set_state": lambda: {"state": started().get_state()},
    "gem_ma.gem.register": _by(env_id=lambda: f"game:New{next(_NUMBERS)}", entry_point="a:b"),
    "gem_ma.gem.SingleSeatEnv": _by(env=env, agent="x", others="random"),
    "gem_ma.apis.gymnasium_view.GymnasiumView": _by(env=env, agent="x", others="random"),
    "gem_ma.apis.gymnasium_view.GymnasiumView.step": _by(action="1"),
    "gem_ma.gem.VectorEnv": _by(env_ids=("x",), env_fns=lambda: [view]),
    "gem_ma.gem.VectorEnv.step": _by(actions=("1",)),
    "gem_ma.gem.make": _by(env_id="game:GuessTheNumber-v0-easy"),
    "gem_ma.gem.make_vec": _by(env_ids=("game:GuessTheNumber-v0-easy",)),
    "gem_ma.apis.parallel_view.ParallelView.step": lambda: {
        "actions": dict.fromkeys(parallel().agents, "rock")
    },
    "gem_ma.apis.parallel_view.ParallelView.observation_space": lambda: {
        "agent": parallel().agents[0]
    },
    "gem_ma.apis.parallel_view.ParallelView.action_space": lambda: {"agent": parallel().agents[0]},
    "gem_ma.apis.parallel_view.ParallelView.render": lambda: {"agent": None},
    "gem_ma.apis.text_space.UnicodeText.contains": _by(x="a"),
    "gem_ma.engine.seeding.seed_rng": lambda: {"rng": np.random.default_rng(0), "seed": 0},
    "gem_ma.renderers.draw": lambda: {"scene": scene(), "size": (252, 252)},
    "gem_ma.renderers.make_legend": lambda: {"scene": scene(), "theme": OBJECTS["Theme"]()},
    "gem_ma.renderers.save_gif": lambda: {
        "frames": [np.zeros((8, 8, 3), np.uint8)],
        "path": "a.gif",
    },
    "gem_ma.renderers.parse_theme": _by(which="light"),
    "gem_ma.renderers.parse_noise": _by(which="blur"),
    "gem_ma.renderers.ImageNoise.apply": _by(picture=np.zeros((8, 8, 3), np.uint8)),
    "gem_ma.renderers.PhotoCamera.take_photo": _by(picture=np.zeros((8, 8, 3), np.uint8)),
    "gem_ma.renderers.PhotoCamera.locate_points": _by(points=((1, 2),), size=(8, 8)),
    "gem_ma.renderers.Theme.color": _by(name="red"),
    "gem_ma.renderers.Theme.describe_color": _by(name="red"),
    "gem_ma.evaluation.GameTree": lambda: {"game": gem_ma.make(KUHN).game},
    "gem_ma.evaluation.GameTree.compute_values": lambda: {
        "policy": game_tree().make_uniform_policy()
    },
    "gem_ma.evaluation.GameTree.compute_best_response": lambda: {
        "policy": game_tree().make_uniform_policy(),
        "seat": 0,
    },
    "gem_ma.evaluation.GameTree.compute_nash_conv": lambda: {
        "policy": game_tree().make_uniform_policy()
    },
    "gem_ma.evaluation.EpisodeSample.estimate_share": _by(count=lambda: lambda one: 1, of=None),
    "gem_ma.evaluation.EpisodeSample.estimate_mean": lambda: {"measure": lambda one: 1.0},
    "gem_ma.evaluation.collect_turns": lambda: {"env": gem_ma.make(KUHN), "tree": game_tree()},
    "gem_ma.evaluation.score_policy": lambda: {
        "agent": Scoring(),
        "tree": game_tree(),
        "turns": gem_ma.evaluation.collect_turns(gem_ma.make(KUHN), game_tree()),
    },
    "gem_ma.evaluation.compute_exploitability": _by(id=lambda: KUHN, agent="random", samples=2),
    "gem_ma.evaluation.fit_bradley_terry": lambda: {
        "agents": ["a", "b"],
        "units": [np.zeros((1, 2, 2, 2))],
        "resamples": 10,
    },
    "gem_ma.evaluation.fit_davidson": lambda: {
        "wins": np.array([[0, 2], [1, 0]]),
        "draws": np.array([[0, 1], [1, 0]]),
    },
    "gem_ma.evaluation.fit_plackett_luce": lambda: {"matches": [{"a": 1.0, "b": 0.0}]},
    "gem_ma.evaluation.load_evaluation": lambda: {"folder": _evaluated()},
    "gem_ma.evaluation.load_suite": _by(name="smoke"),
    "gem_ma.evaluation.make_suite": lambda: {"ids": ["game:GuessTheNumber-v0-easy"]},
    "gem_ma.evaluation.SuiteEntry.list_lineups": lambda: {"seats": ["player"]},
    "gem_ma.evaluation.SuiteEntry.find_opponent": _by(seat="player"),
    "gem_ma.evaluation.merge_results": lambda: {"files": [_evaluated() / "results.json"]},
    "gem_ma.evaluation.register_metric": lambda: {
        "name": f"new {next(_NUMBERS)}",
        "heading": "new",
        "description": "It is new.",
    },
    "gem_ma.evaluation.rescore": lambda: {"episodes": [episode()], "change": {"penalty": 0.5}},
    "gem_ma.evaluation.write_leaderboard_page": lambda: {
        "found": suite_leaderboard(),
        "out": Path("page.html"),
    },
    "gem_ma.evaluation.write_page": lambda: {"source": _saved(), "out": Path("page.html")},
    "gem_ma.evaluation.Leaderboard.compute_points": _by(row=0, column=1),
    "gem_ma.evaluation.compare": lambda: {"old": _evaluated(), "new": _evaluated()},
    "gem_ma.evaluation.evaluate": lambda: {
        "suite": _suite(),
        "agents": "random",
        "out": f"eval{next(_NUMBERS)}",
        "progress": False,
    },
    "gem_ma.evaluation.statistics.pass_at_k": passed,
    "gem_ma.evaluation.statistics.pass_hat_k": passed,
    "gem_ma.evaluation.statistics.wilson": _by(successes=1, trials=2),
    "gem_ma.evaluation.statistics.estimate_rate": _by(successes=(1, 2), trials=(2, 2)),
    "gem_ma.evaluation.statistics.estimate_mean": _by(values=(1.0, 2.0)),
    "gem_ma.evaluation.statistics.average_estimates": lambda: {
        "estimates": [
            importlib.import_module("gem_ma.evaluation.statistics").IntervalEstimate(1, 0, 2)
        ]
    },
    "gem_ma.evaluation.statistics.estimate_change": lambda: {"old": {1: 0.5}, "new": {1: 0.6}},
    "gem_ma.evaluation.statistics.average_changes": lambda: {
        "rows": [{("a", 1): 0.5, ("a", 2): 0.0}]
    },
    "gem_ma.evaluation.statistics.adjust_p_values": _by(chances=(0.1, 0.2)),
    "gem_ma.envs.tau.compare_users": lambda: dict.fromkeys(
        ("simulated", "people"),
        importlib.import_module("gem_ma").rollout("tau:shop", "random", 2, seed=0),
    ),
    "gem_ma.envs.tau.LikenessReward": lambda: {
        "people": importlib.import_module("gem_ma").rollout("tau:shop", "random", 2, seed=0)
    },
    "gem_ma.envs.tau.measure_users": _by(env="tau:shop", users=("rule-user",), episodes=1),
    "gem_ma.evaluation.tournament.run_tournament": lambda: {
        "games": [TTT],
        "agents": ["random", "search"],
        "out": f"cup{next(_NUMBERS)}",
        "matches": 1,
        "progress": False,
    },
    "gem_ma.evaluation.tournament.build_leaderboard": lambda: {"folder": _cup()},
    "gem_ma.evaluation.tournament.Leaderboard.compute_points": _by(row=0, column=1),
}
# Without those of packs that are not here.
MODULES = packs.present(MODULES)
LEFT_OUT = packs.present(LEFT_OUT)
RIGHT = packs.present(RIGHT)
_NUMBERS = itertools.count()


def _written(a: int = 1) -> str:
    """Return nothing."""
    return ""


def _kuhn():
    return gem_ma.make(KUHN).game


def _saved():
    gem_ma.save_episodes([episode()], "saved.jsonl")
    return "saved.jsonl"


def _index():
    path = Path(f"index{next(_NUMBERS)}")
    gem_ma.tools.SearchIndex.build(["a text"]).save(path)
    return path


def _pool():
    pool().save("pool.json")
    return "pool.json"


def _tokens():
    from tiny_models import tokenizer

    return tokenizer()


def _suite():
    from gem_ma.evaluation import suites

    return suites.make_suite(["game:GuessTheNumber-v0-easy"])


def _evaluated():
    folder = Path("evaluated")
    gem_ma.evaluation.evaluate(_suite(), "random", folder, tasks=1, trials=1, progress=False)
    return folder


def _cup():
    leaderboard()
    return "played"


@functools.cache
def surface():
    """Return what is walked: all that is public but what is left out."""
    return {where: one for where, one in everything().items() if not _left_out(where)}


MISSING: set[str] = set()  # names that need an extra which is not here


@functools.cache
def everything():
    """Return what is public: for each name what is called, and the class it belongs to if any."""
    found = {}
    for module_name in MODULES:
        module = importlib.import_module(module_name)
        names = getattr(module, "__all__", None) or [
            name
            for name, value in vars(module).items()
            if not name.startswith("_") and getattr(value, "__module__", None) == module_name
        ]
        for name in names:
            try:
                value, where = getattr(module, name), f"{module_name}.{name}"
            except ImportError:  # of an extra that is not here
                MISSING.add(f"{module_name}.{name}")
                continue
            if not callable(value) or any(value is one for one, _ in found.values()):
                continue
            if inspect.isclass(value):
                if not _is_plain(value):
                    found[where] = value, None
                for method, own in vars(value).items():
                    if _is_protocol(value):
                        break
                    if not method.startswith("_") and _is_method(own):
                        found[f"{where}.{method}"] = own, value
            else:
                found[where] = value, None
    return found


def _is_method(value):
    return inspect.isfunction(value) or isinstance(value, classmethod | staticmethod)


def _left_out(where):
    return any(where == one or where.startswith(f"{one}.") for one in LEFT_OUT)


def _is_plain(cls):
    """Return whether a class only holds what it is given, or cannot be made at all."""
    if issubclass(cls, BaseException) or inspect.isabstract(cls) or _is_protocol(cls):
        return True
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return True
    return (is_dataclass(cls) and not hasattr(cls, "__post_init__")) or cls.__name__ == "BaseEnv"


def _is_protocol(cls):
    return getattr(cls, "_is_protocol", False)


def parameters_of(where):
    """Return the named parameters of one of the surface, without `self`."""
    value, owner = surface()[where]
    fixed = isinstance(value, classmethod | staticmethod)
    parameters = list(inspect.signature(value.__func__ if fixed else value).parameters.values())
    if owner is not None and not isinstance(value, staticmethod):
        parameters = parameters[1:]
    return [one for one in parameters if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)]


def lacks_arguments(where):
    """Return whether nothing here says how one is called."""
    value, owner = surface()[where]
    fixed = owner is None or isinstance(value, classmethod | staticmethod)
    asked = [one.name for one in parameters_of(where) if one.default is one.empty]
    unknown = where not in RIGHT and not set(asked) <= BY_NAME.keys()
    return unknown or not (fixed or owner.__name__ in OBJECTS)


def calls(where):
    """Return the names of one's parameters, and how to call it with another value for some."""
    value, owner = surface()[where]
    fixed = isinstance(value, classmethod | staticmethod)
    named = parameters_of(where)
    right = RIGHT.get(where) or (
        lambda: {one.name: BY_NAME[one.name]() for one in named if one.default is one.empty}
    )

    def call(**wrong):
        target = value
        if owner is not None:
            bound = owner if fixed else OBJECTS[owner.__name__]()
            target = getattr(bound, where.rpartition(".")[2])
        return target(**{**right(), **wrong})

    return [one.name for one in named], call


def outcome(call, wrong):
    """Return what a call comes to: nothing if it works or says what is wrong, else the fault."""
    try:
        with _within(SECONDS):
            result = call(**wrong)
            if inspect.isasyncgen(result):
                asyncio.run(_first(result))
            elif inspect.iscoroutine(result):
                asyncio.run(result)
            elif isinstance(result, Iterator):
                list(itertools.islice(result, 3))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is looked at
        return _fault(error)
    return ""


async def _first(generator):
    async with contextlib.aclosing(generator):
        async for _ in generator:
            break


def _fault(error):
    """Say what is wrong with an error, or nothing if it says itself what is wrong with a call."""
    raw = isinstance(error, RAW) and not isinstance(error, ContractError)
    if isinstance(error, KeyError):
        raw = len(str(error).split()) < 4
    elif isinstance(error, IndexError):
        raw = bool(_PYTHON.search(str(error)))
    if not raw:
        return ""
    place = traceback.extract_tb(error.__traceback__)[-1]
    name = type(error).__name__
    return f"{name}: {str(error)[:100]} ({Path(place.filename).name}:{place.lineno})"


@contextlib.contextmanager
def _within(seconds):
    def stop(*_):
        raise TimeoutError(f"not back after {seconds} s")

    old = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def faults(where):
    """Return what is wrong with one of the surface."""
    found = []
    with unchanged(), contextlib.redirect_stdout(io.StringIO()):
        try:
            names, call = calls(where)
            with _within(60):
                call()
        except Exception as error:  # noqa: BLE001 - the walk itself has no right arguments
            return [f"{where}: no right arguments: {type(error).__name__}: {error}"]
        for name in names:
            for said, value in WRONG.items():
                if name in STARTS or (said == "10**40" and name in COUNTS):
                    continue
                if fault := outcome(call, {name: value}):
                    found.append(f"{where}({name}={said}): {fault}")
    return found


@contextlib.contextmanager
def unchanged():
    """Undo what calls of `register` do."""
    tables = [registry._specs, gymnasium.registry]
    tables += [
        getattr(pettingzoo, name)
        for name in ("aec_registry", "parallel_registry")
        if hasattr(pettingzoo, name)
    ]
    before = [dict(table) for table in tables]
    try:
        yield
    finally:
        for table, old in zip(tables, before, strict=True):
            table.clear()
            table.update(old)


def main():
    import os
    import sys
    import tempfile

    sys.path.insert(0, str(Path(__file__).parent))
    pattern = sys.argv[1] if len(sys.argv) > 1 else ""
    warnings.simplefilter("ignore")
    os.chdir(tempfile.mkdtemp())
    count = wrong = 0
    for where in surface():
        if pattern in where:
            for fault in faults(where):
                wrong += 1
                print(fault, flush=True)
            count += 1
    print(json.dumps({"called": count, "faults": wrong}))


if __name__ == "__main__":
    main()
