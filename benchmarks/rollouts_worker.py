"""Run one task for rollouts.py, in the Python of the measured library.

Usage: rollouts_worker.py TASK [ARGUMENT ...]. The last line of the output is a JSON object.
"""

import asyncio
import gc
import json
import random
import subprocess
import sys
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

LATENCY = 0.02  # seconds per reply of the model, in `overlap`
CHUNK = 1000  # episodes whose records are in memory at once
ANSWER_LATENCY = 0.01  # seconds per answer of the server, in `provider`
GUESSED = "game:GuessTheNumber-v0-hard"  # the game of `provider`
GUESSES = tuple(f"I think that it is \\boxed{{{place}}}." for place in range(50, 0, -3))


def record(episodes):
    """Play ConnectFour at random through rollout, with everything recorded."""
    from gem_ma.agents import RandomAgent
    from gem_ma.rollouts.rollout import rollout

    agents = [RandomAgent(0), RandomAgent(1)]

    def play(count, seed):
        done = rollout(
            "game:ConnectFour-v0", agents, count, concurrency=64, seed=seed, progress=False
        )
        return sum(len(episode.steps) for episode in done)

    return _us_per_turn(play, int(episodes))


def bare(episodes):
    """Play the same in a plain loop over the environment, with nothing recorded."""
    import gem_ma
    from gem_ma.agents import RandomAgent
    from gem_ma.chat.agent import ask_agent

    env = gem_ma.make("game:ConnectFour-v0")
    agents = dict(zip(env.possible_agents, (RandomAgent(0), RandomAgent(1)), strict=True))

    def play(count, seed):
        turns = 0
        for number in range(count):
            env.reset(seed * CHUNK + number)
            while env.to_act:
                env.step_seats(
                    {seat: ask_agent(agents[seat], [env.turn(seat)])[0] for seat in env.to_act}
                )
                turns += 1
        return turns

    return _us_per_turn(play, int(episodes))


def _us_per_turn(play, episodes):
    play(min(100, episodes), 0)
    turns, start = 0, time.process_time()
    for first in range(0, episodes, CHUNK):
        turns += play(min(CHUNK, episodes - first), 1 + first // CHUNK)
    return {"us_per_turn": (time.process_time() - start) / turns * 1e6, "turns": turns}


class Sleeper:
    """An agent that waits LATENCY for each reply, plays at random, and counts the replies."""

    def __init__(self):
        self.replies = 0

    async def act(self, turns):
        from gem_ma.engine.seeding import pick_option

        await asyncio.sleep(LATENCY)
        self.replies += len(turns)
        return [pick_option(turn.legal, turn.seed) for turn in turns]


def overlap(id, concurrency, episodes):
    """Let episodes wait for their replies concurrently, in rollout.

    `full` is the share of the ideal until no new episode can start. After that, fewer and fewer
    episodes are in flight, in any engine.
    """
    from gem_ma.rollouts import arollout

    concurrency, episodes = int(concurrency), int(episodes)

    async def play(count):
        agent, ended, full = Sleeper(), 0, None
        start, cpu = time.perf_counter(), time.process_time()
        async for _ in arollout(
            id, agent, count, concurrency=concurrency, seed=len(id) + count, progress=False
        ):
            ended += 1
            if ended > count - concurrency and full is None and ended > concurrency:
                full = _share(agent.replies, concurrency, time.perf_counter() - start)
        wall, cpu = time.perf_counter() - start, time.process_time() - cpu
        return {
            "share": _share(agent.replies, concurrency, wall),
            "full": full,
            "turns_per_s": agent.replies / wall,
            "cores": cpu / wall,
        }

    asyncio.run(play(2))  # imports what it needs
    return asyncio.run(play(episodes))


def gem(id, concurrency, steps):
    """Wait for replies as a user of GEM's vector environment does: all of a step together.

    The environment needs all actions at once. So its user requests one reply per observation, in
    one thread each, and steps when the last reply has arrived. Nothing is recorded.
    """
    import gem as peer

    concurrency, steps = int(concurrency), int(steps)
    env = peer.make_vec([id] * concurrency, async_mode=True)
    choose = random.Random(0).randint

    def act(observation):
        time.sleep(LATENCY)
        return f"\\boxed{{{choose(1, 50)}}}"

    def play(count):
        observations, _ = env.reset(seed=0)
        for _ in range(count):
            observations, *_ = env.step(list(pool.map(act, observations)))

    with ThreadPoolExecutor(concurrency) as pool:
        play(3)  # starts the threads
        start, cpu = time.perf_counter(), time.process_time()
        play(steps)
        wall, cpu = time.perf_counter() - start, time.process_time() - cpu
    replies = concurrency * steps
    return {
        "share": _share(replies, concurrency, wall),
        "turns_per_s": replies / wall,
        "cores": cpu / wall,
    }


def textarena(episodes):
    """Wait for replies as TextArena's README does: one after the other."""
    import textarena as ta

    choose, turns = random.Random(0).choice, 0
    ta.make("ConnectFour-v0")
    start = time.perf_counter()
    for number in range(int(episodes)):
        env = ta.make("ConnectFour-v0")  # a new one: reset keeps the last episode's texts
        env.reset(num_players=2, seed=number)
        board, done = env.state.game_state["board"], False
        while not done:
            env.get_observation()
            time.sleep(LATENCY)
            done, _ = env.step(f"[{choose([c for c, cell in enumerate(board[0]) if cell == '.'])}]")
            turns += 1
        env.close()
    wall = time.perf_counter() - start
    return {"share": _share(turns, 1, wall), "turns_per_s": turns / wall}


def _share(replies, concurrency, wall):
    return replies * LATENCY / concurrency / wall


class Reader:
    """An agent that reads the whole conversation and its last message, and plays at random."""

    def act(self, turns):
        from gem_ma.engine.seeding import pick_option

        for turn in turns:
            messages = turn.messages
            if not (len(messages) and messages[-1]["content"]):
                raise ValueError(f"{turn.seat} has nothing to read")
        return [pick_option(turn.legal, turn.seed) for turn in turns]


def growth(id, rounds):
    """Play a game of many rounds; each seat reads its conversation at every turn."""
    import gem_ma
    from gem_ma.rollouts.rollout import rollout

    env, agent = gem_ma.make(id, rounds=int(rounds)), Reader()

    def play(count):
        return rollout(env, agent, count, concurrency=1, seed=1, progress=False)

    return _growth(play)


def reading_textarena(id, rounds):
    """Play a game of many rounds in TextArena's LLMObservationWrapper.

    TextArena has no record. Its users keep the prompt and reply of each turn for training, so this
    function keeps the same.
    """
    import textarena as ta

    moves, choose = ("[rock]", "[paper]", "[scissors]"), random.Random(0).choice

    def episode(number):
        env = ta.make(id, num_rounds=int(rounds))  # LLMObservationWrapper is its default
        env.reset(num_players=2, seed=number)
        kept, done = [], False
        while not done:
            player, observation = env.get_observation()
            if not (len(observation) and observation[-1]):
                raise ValueError(f"{player} has nothing to read")
            action = choose(moves)
            kept.append((player, observation, action))
            done, _ = env.step(action)
        env.close()
        return kept

    return _growth(lambda count: [episode(number) for number in range(count)])


def _growth(play):
    """Return the CPU time of an episode, and its memory: kept in the end, and at the peak."""
    play(1)
    episodes, start = 0, time.process_time()
    while (spent := time.process_time() - start) < 1:
        episodes += len(play(1))
    gc.collect()
    tracemalloc.start()
    kept = play(1)
    gc.collect()
    size, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept
    return {"cpu_ms": spent / episodes * 1e3, "kept_kb": size / 1e3, "peak_kb": peak / 1e3}


def hf(concurrency, episodes, context, way):
    """Let a tiny model play in this process; it replies to all waiting episodes in one batch.

    Args:
        way: "kept" is our default, "generate" is transformers alone.
    """
    import torch
    from tiny_models import llm, tokenizer

    import gem_ma
    from gem_ma.agents import HFAgent
    from gem_ma.rollouts.rollout import rollout

    calls = []

    class Counted(HFAgent):
        def act(self, turns):
            calls.append(len(turns))
            return super().act(turns) if way == "kept" else generated(turns)

    def generated(turns):
        words.padding_side = "left"
        inputs = words.apply_chat_template(
            [list(turn.messages) for turn in turns],
            add_generation_prompt=True,
            padding=True,
            return_tensors="pt",
            return_dict=True,
        )
        with torch.inference_mode():
            made = model.generate(**inputs, max_new_tokens=8, do_sample=True, top_k=0)
        new = made[:, inputs["input_ids"].shape[1] :]
        return words.batch_decode(new, skip_special_tokens=True)

    # Rules and answers have as few tokens as with a real model's tokenizer.
    env = gem_ma.make("game:GuessTheNumber-v0-easy")
    words = tokenizer(4096, corpus=[env.rules(env.possible_agents[0])])
    model = llm(words)
    agent = Counted(model, words, max_new_tokens=8, temperature=1.0, batch_size=64)

    def play(count):
        done = rollout(
            "game:GuessTheNumber-v0-easy",
            agent,
            count,
            concurrency=int(concurrency),
            seed=1,
            max_errors=0,
            progress=False,
            context=context or None,
            invalid="random",
        )
        return sum(step.reply is not None for episode in done for step in episode.steps)

    play(2)
    calls.clear()
    start = time.perf_counter()
    replies = play(int(episodes))
    wall = time.perf_counter() - start
    return {"replies_per_s": replies / wall, "batch": sum(calls) / len(calls)}


def provider(episodes):
    """Play through the agent `openai:` against a server in its own process.

    All episodes are in flight at once. The CPU time is that of this process alone.
    """
    from gem_ma.rollouts.rollout import rollout

    def play(count):
        with _answering_server() as url:
            agent = f"openai:stub@{url}?concurrency={count}"
            start = time.process_time()
            done = rollout(GUESSED, agent, count, concurrency=count, seed=1, progress=False)
            spent = time.process_time() - start
        return spent, sum(len(episode.steps) for episode in done)

    return _us_per_request(play, int(episodes))


def bare_client(episodes):
    """Send the chats of `provider` with the same library in a plain loop, and read the answers."""
    import openai

    from gem_ma.chat.messages import to_openai_chat
    from gem_ma.rollouts.rollout import rollout

    async def send(url, chats):
        async def ask_in_turn(prompts):
            for messages in prompts:
                answer = await client.chat.completions.create(model="stub", messages=messages)
                assert answer.choices[0].message.content

        async with openai.AsyncOpenAI(base_url=url, api_key="none") as client:
            await asyncio.gather(*map(ask_in_turn, chats))

    def play(count):
        chats = {}

        def guess(turn):
            chats.setdefault(turn.episode, []).append(to_openai_chat(turn.messages))
            return GUESSES[turn.index]

        rollout(GUESSED, guess, count, seed=1, progress=False)
        with _answering_server() as url:
            start = time.process_time()
            asyncio.run(send(url, chats.values()))
            spent = time.process_time() - start
        return spent, sum(map(len, chats.values()))

    return _us_per_request(play, int(episodes))


def _us_per_request(play, episodes):
    play(2)  # imports what it needs
    gc.collect()
    spent, requests = play(episodes)
    return {"us_per_request": spent / requests * 1e6, "requests": requests}


@contextmanager
def _answering_server():
    """Run `serve` in its own process, and yield its address."""
    command = [sys.executable, __file__, "serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield server.stdout.readline().strip()
        finally:
            server.kill()


def serve():
    """Answer each chat with the guess of its turn, after a moment."""
    from stub_server import StubServer, completion, response

    answers = [response(json.dumps(completion(guess)).encode()) for guess in GUESSES]

    def answer(body, attempt):
        guess = sum(message["role"] == "assistant" for message in body["messages"])

        async def write_late(writer):
            await asyncio.sleep(ANSWER_LATENCY)
            writer.write(answers[guess])
            await writer.drain()
            return True

        return write_late

    with StubServer(answer, keep=False) as server:
        print(server.url, flush=True)
        server.thread.join()


TASKS = {
    f.__name__: f
    for f in (
        *(record, bare, overlap, gem, textarena, growth, reading_textarena, hf),
        *(provider, bare_client, serve),
    )
}

if __name__ == "__main__":
    task, *arguments = sys.argv[1:]
    print(json.dumps(TASKS[task](*arguments)))
