"""Event loops that are kept: what an agent opened in one call is there in the next."""

import asyncio
import gc
import os
import subprocess
import sys
import threading
from concurrent.futures import Future

import pytest

import gem_ma
from gem_ma.chat import event_loops
from gem_ma.chat.event_loops import run_async

GUESS = "game:GuessTheNumber-v0-easy"


class Connected:
    """An agent with a client of its own, which belongs to the loop in which it first asked."""

    def __init__(self, port):
        self.port, self.stream, self.opened = port, None, 0

    async def act(self, turns):
        if self.stream is None:
            self.opened += 1
            self.stream = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.stream
        said = []
        for _turn in turns:
            writer.write(b"?\n")
            await writer.drain()
            said.append((await reader.readline()).decode().strip())
        return said


@pytest.fixture
def numbers():
    """A server on the loopback that answers each line with a number."""
    begun, stop = threading.Event(), []

    async def answer(reader, writer):
        while await reader.readline():
            writer.write(b"5\n")
            await writer.drain()
        writer.close()

    async def serve():
        stop.extend((asyncio.get_running_loop(), asyncio.Event()))
        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            stop.append(server.sockets[0].getsockname()[1])
            begun.set()
            await stop[1].wait()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    begun.wait()
    yield stop[2]
    stop[0].call_soon_threadsafe(stop[1].set)
    thread.join()


def test_a_client_of_ones_own_lives_from_rollout_to_rollout(numbers):
    agent = Connected(numbers)
    for seed in range(3):
        (episode,) = gem_ma.rollout(GUESS, agent, 1, seed=seed)
        assert episode.failure is None
        assert {step.reply for step in episode.steps} == {"5"}
    assert agent.opened == 1
    run_async(lambda: hang_up(agent))


def test_so_it_does_in_a_notebook(numbers):
    agent = Connected(numbers)

    async def cell(seed):
        (episode,) = gem_ma.rollout(GUESS, agent, 1, seed=seed)
        return episode.failure

    async def notebook():
        found = [await cell(seed) for seed in range(3)]
        run_async(lambda: hang_up(agent))
        return found

    assert asyncio.run(notebook()) == [None] * 3
    assert agent.opened == 1


def test_where_arollout_is_awaited_an_agent_of_its_own_does(numbers):
    agent = Connected(numbers)
    gem_ma.rollout(GUESS, agent, 1, seed=0)

    async def awaited():
        own = Connected(numbers)
        found = [e.failure async for e in gem_ma.arollout(GUESS, own, 1, seed=0)]
        found += [e.failure async for e in gem_ma.arollout(GUESS, own, 1, seed=1)]
        await hang_up(own)
        return found, own.opened

    assert asyncio.run(awaited()) == ([None] * 2, 1)
    (episode,) = gem_ma.rollout(GUESS, agent, 1, seed=1)  # which goes on where it was
    assert episode.failure is None
    assert agent.opened == 1
    run_async(lambda: hang_up(agent))


async def hang_up(agent):
    agent.stream[1].close()
    await agent.stream[1].wait_closed()


def test_each_thread_has_its_own_loop_and_closes_it():
    async def which():
        return asyncio.get_running_loop()

    found = []

    def work():
        found.extend((run_async(which), run_async(which)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    gc.collect()
    first, again = found
    assert first is again
    assert first is not run_async(which)
    assert first.is_closed()
    assert run_async(which) is run_async(which)


def test_closed_ones_are_made_anew():
    async def which():
        return asyncio.get_running_loop()

    before = run_async(which)
    event_loops.close_loops()
    assert before.is_closed()
    assert not run_async(which).is_closed()


def test_an_error_leaves_the_loop_to_go_on_with():
    async def which():
        return asyncio.get_running_loop()

    async def wrong():
        raise ZeroDivisionError

    before = run_async(which)
    with pytest.raises(ZeroDivisionError):
        run_async(wrong)
    assert run_async(which) is before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_has_a_loop_of_its_own():
    async def which():
        await asyncio.sleep(0)
        return asyncio.get_running_loop()

    before = run_async(which)
    child = os.fork()
    if not child:
        os._exit(int(run_async(which) is before))
    _, status = os.waitpid(child, 0)
    assert status == 0
    assert run_async(which) is before


def test_a_coroutine_runs_to_its_end_where_a_loop_runs_already():
    async def main():
        await asyncio.sleep(0)
        return threading.current_thread()

    async def notebook():
        return run_async(main)

    here = threading.current_thread()
    assert run_async(main) is here
    assert asyncio.run(notebook()) is not here


def test_who_interrupts_a_notebook_ends_what_runs_in_it(monkeypatch):
    begun, ended = threading.Event(), []

    async def main():
        begun.set()
        try:
            await asyncio.sleep(5)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    async def notebook():
        run_async(main)

    def interrupted(self):
        begun.wait()
        raise KeyboardInterrupt

    monkeypatch.setattr(Future, "result", interrupted)
    loop = asyncio.new_event_loop()
    with pytest.raises(KeyboardInterrupt):
        loop.run_until_complete(notebook())
    loop.close()
    assert ended == ["cancelled"]


def test_a_program_that_used_threads_ends_without_a_word():
    code = (
        "import asyncio\n"
        "from gem_ma.chat.event_loops import run_async\n"
        "print(run_async(lambda: asyncio.to_thread(int, '7')))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "7\n", "")
