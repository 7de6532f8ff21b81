"""Checks of episodes: a seed decides them, forks continue alike, and nothing is shared."""

from __future__ import annotations

import copy
import pickle
import random  # noqa: TID251 - to see that nobody uses its global state

import numpy as np

from gem_ma.testing.env_probe import EnvProbe
from gem_ma.testing.fingerprints import fingerprint, spoil_value
from gem_ma.testing.process_digests import compute_digest, compute_digests_elsewhere


class EpisodeChecks(EnvProbe):
    """Checks that the same episode is the same, wherever and however often it is played."""

    def check_seeding(self, seed: int) -> None:
        before = random.getstate(), fingerprint(np.random.get_state())  # noqa: NPY002
        alone = self.fingerprint_steps(self.make(), seed)
        env, rival = self.make(), self.make()
        rival.reset(seed=seed + 1)
        interleaved = []
        for step in self.play_transcript(env, seed):
            interleaved.append(fingerprint(step))
            if not rival.core.to_act:
                rival.reset()
            rival.step_seats({a: self.choose_action(rival, a, seed) for a in rival.core.to_act})
        self.expect(
            alone == interleaved,
            "another environment in the same process changes an episode; share no mutable state",
        )
        self.expect(
            alone == self.fingerprint_steps(env, seed), f"seed {seed} gave two different episodes"
        )
        after = random.getstate(), fingerprint(np.random.get_state())  # noqa: NPY002
        self.expect(
            before == after, "the global random state of the process was used; use rng instead"
        )

    def check_forks(self, seed: int) -> None:
        env, moments = self.make(), []
        for _ in self.play_transcript(env, seed):
            moments.append(env.fork()[0])
        whole = self.fingerprint_steps(self.make(), seed)
        for number in range(0, len(whole) - 1, max(1, len(whole) // 4)):
            point, rest = moments[number], whole[number + 1 :]
            back = self.make()
            back.restore(pickle.loads(pickle.dumps(point.snapshot())))
            copies = {
                "fork": point.fork()[0],
                "deepcopy": copy.deepcopy(point),
                "pickle": pickle.loads(pickle.dumps(point)),
                "snapshot": back,
            }
            redrawn = [[self.fingerprint_steps(f) for f in point.fork(2, seed=7)] for _ in range(2)]
            self.expect(redrawn[0] == redrawn[1], "fork(2, seed=7) gave different futures")
            for method, other in copies.items():
                same = self.fingerprint_steps(other) == rest
                self.expect(same, f"a {method} of turn {number} continues differently")

    def check_nothing_is_shared(self, seed: int) -> None:
        for options in self.list_variants():
            steps = [
                (step, fingerprint(step))
                for step in self.play_transcript(self.make(**options), seed)
            ]
            for step, before in steps:
                self.expect(
                    fingerprint(step) == before, "an observation or info changed after its step"
                )
            fingerprints = []
            for step in self.play_transcript(self.make(**options), seed):
                fingerprints.append(fingerprint(step))
                spoil_value(step)
            self.expect(
                fingerprints == [before for _, before in steps],
                "changing a returned observation or info changed the episode; return copies",
            )

    def check_other_process(self) -> None:
        here = compute_digest(self.base, self.max_turns)
        (there,) = compute_digests_elsewhere([self.base], self.max_turns)
        self.expect(here == there, "the same seed gives another episode in another process")
