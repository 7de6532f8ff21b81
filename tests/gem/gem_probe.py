"""What the names do that GEM's examples import, as data: of GEM itself, or of gem_ma.gem.

`python tests/apis/gem_probe.py gem URL` prints it, of GEM, with a retriever at URL.
"""

import importlib
import json
import os
import random
import sys

TEXTS = (
    "",
    "no box",
    r"\boxed{3}",
    r"\boxed{1} and \boxed{2}",
    r"\boxed{\frac{1}{2}} said",
    r"\boxed{1} then \boxed{open",
    r"\boxed {3}",
    r"\boxed{}",
    r"\fbox{4}",
    r"\boxed}{{}",
    r"\boxed{a\}b}",
    r"\boxed{x} }",
    "```python\nprint(1)\n```",
    "```\na\n``` and ```py\n b \n```",
    "```python\nopen",
    "```c++\nno name\n```",
    "``` a\nb\n```",
    "<answer> 1 </answer><answer>2\n</answer>",
    "<answer>1<answer>2</answer>",
    "</answer><answer>",
    "<answer>one</answer> <answer>open",
)
REPLIES = (
    "<think>hm</think> <python>print(6 * 7)</python> and then more",
    "so\n```python\nprint(sqrt(16), Counter('aab')['a'])\n```\n",
    "<python>1 / 0</python>",
    "```python\nprint('first')\n``` <python>print('second')</python>",
    "<python>no end",
    r"\boxed{42}",
)


class Chat:
    """A tokenizer with a chat template, and nothing else."""

    def apply_chat_template(self, messages, tokenize=False, add_generation_prompt=True):
        assert not tokenize
        assert add_generation_prompt
        return "".join(f"<{m['role']}>{m['content']}" for m in messages) + "<assistant>"


def probe(root, url):
    """Return what the names under `root` do, as JSON holds it."""

    def get(module, *names):
        found = importlib.import_module(f"{root}.{module}")
        return [getattr(found, name) for name in names]

    (base,) = get("core", "Env")

    class Echo(base):
        """Says what it heard; the third reply ends it."""

        def reset(self, seed=None):
            super().reset(seed)
            self.heard = 0
            return f"begun with {random.randrange(1000) if seed is not None else 'none'}", {"a": 1}

        def step(self, action):
            self.heard += 1
            return f"heard {action[-20:]}", 0.5, self.heard == 3, False, {"suffix": "!"}

    told = {
        "parsing": parsing(get),
        "constants": get("utils.constants", "TERMINAL_STATE"),
        "wrappers": wrapped(get, Echo),
        "search": search(get, url),
        "agents": several(get),
    }
    return json.loads(json.dumps(told))


def parsing(get):
    names = (
        *("extract_last_boxed_answer", "last_boxed_only_string"),
        *("extract_code_from_model", "extract_last_tagged_answer"),
    )
    functions = get("utils.parsing", *names)
    return {name: [f(t) for t in TEXTS] for name, f in zip(names, functions, strict=True)}


def wrapped(get, env):
    factory, required, find = get(
        "wrappers.wrapper_factory", "WRAPPER_FACTORY", "TOKENIZER_REQUIRED", "get_wrapper_fns"
    )
    told = {"names": list(factory), "required": required}
    for names in (
        "",
        "concat",
        "concat_with_action",
        "concat_chat",
        "concat_chat_on_reset,episode_tracking",
        "python_tool_no_int_reward_last_line_error,concat_chat,episode_tracking",
        "python_tool_no_int_reward_last_line_error,concat_with_action",
    ):
        made = env()
        for wrapper in find(names, tokenizer=Chat()):
            made = wrapper(made)
            for tool in getattr(made, "tools", ()):
                tool.instruction_string = lambda: "TOOLS"
        rows = [made.reset(seed=5), *(made.step(reply) for reply in REPLIES)]
        told[names] = [rows, made.reset(), made.unwrapped is not made]
    (give,) = get("tools.tool_env_wrapper", "ToolEnvWrapper")
    (python,) = get("tools.python_code_tool", "PythonCodeTool")
    for limits in ({"max_tool_uses": 1}, {"tool_execute_error_reward": -1.0}):
        made = give(env(), [python(keep_error_last_line=True)], **limits)
        made.reset()
        steps = [made.step(reply) for reply in (REPLIES[2], REPLIES[0])]
        told[str(limits)] = [(seen[:30], *rest) for seen, *rest in steps]
    for name in ("python_tool", "search_tool", "search_tool_no_int_reward"):
        made = factory[name](env())
        told[name] = [made.tool_reward, made.tool_success_reward, made.max_tool_uses]
    made = get("wrappers.observation_wrapper", "ObservationWrapper")[0](
        env(), include_chat_template=False, max_history_length=1
    )
    made.reset()
    told["history"] = [made.step(reply)[0] for reply in ("one", "two", "three")]
    return told


def search(get, url):
    (tool,) = get("tools.search_tool", "SearchTool")
    asks = "<think>?</think><search> a lake </search> more <search>b</search>"
    silent = tool(search_url=url.rpartition(":")[0] + ":9/nothing", timeout=1)
    os.environ["SEARCH_URL"] = url
    return [
        tool(search_url=url, topk=2).execute_action(asks),
        tool().execute_action(asks),
        tool(search_url=url).execute_action("<search>open"),
        [str(part)[:18] for part in silent.execute_action(asks)],
    ]


def several(get):
    (base,) = get("envs.multiagent", "MultiAgentEnv")
    (select,) = get("envs.multiagent.multi_agent_env", "AgentSelector")

    class Room(base):
        def __init__(self, mode):
            super().__init__()
            self.possible_agents = ["a", "b", "c"]
            self.agent_selector = mode and select(self.possible_agents, mode=mode)

        def observe(self, agent):
            return f"{agent} of {len(self.agents)}"

        def _process_actions(self, actions):
            for agent, said in actions.items():
                self.terminations[agent] = said == "leave"
            ended = dict(self.terminations), dict(self.truncations)
            return {}, dict.fromkeys(actions, 1.0), *ended, {}

    told = []
    for mode in (None, "sequential", "parallel"):
        room = Room(mode)
        told.append(room.reset())
        for said in ("stay", "leave", "stay", "leave"):
            asked = list(room.get_active_states())
            told.append([asked, room.step(dict.fromkeys(asked, said)), room.agents])
            told.append(room.get_active_states())
        room.add_agent("d")
        room.add_agent("d")
        room.broadcast_message("d", "hello")
        for wrong in (
            lambda room=room: room.step("a"),
            lambda room=room: room.step({"nobody": ""}),
            lambda room=room: room.step({}),
            lambda room=room: room.send_message("d", "nobody", ""),
            lambda room=room: room.get_state("nobody"),
        ):
            try:
                wrong()
                told.append("no error")
            except ValueError:
                told.append("ValueError")
        told += [room.agents, room.shared_memory, room.get_state("d")]
    chosen = select(["a", "b", "c"])
    for agent in ("b", "c", "a", "a"):
        chosen.next()
        told.append([chosen.selected, chosen.is_first(), chosen.is_last()])
        chosen.remove_agent(agent)
        told.append([chosen.get_active_agents(), chosen.is_first(), chosen.is_last()])
    return told


if __name__ == "__main__":
    print(json.dumps(probe(*sys.argv[1:])))
