"""Reviewed: an author at the terminal, and a reviewer who sees only what changed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gem_ma.envs.terminal.file_tree import diff_trees
from gem_ma.envs.terminal.game import (
    BASH_TOOL,
    DONE,
    DONE_TOOL,
    HOW,
    SHOWN,
    State,
    TerminalGame,
    check_difficulty,
    check_families,
    clean_output,
    describe_screen,
    draw_problem,
    read_command,
    type_command,
)
from gem_ma.game import InvalidMove, Message

AGENTS = ("author", "reviewer")
APPROVE = "approve"
LONGEST = 1000  # characters of a comment
NONE_YET = "The author has not asked for a review yet."


@dataclass(frozen=True, slots=True)
class Review:
    """A terminal, and the changes that are under review."""

    inner: State | None  # hidden from the reviewer
    brief: str
    floor: str = "author"
    diff: str = ""  # as the reviewer sees it
    rounds: int = 2  # how often the work can still be sent back
    score: float | None = None

    def to_act(self) -> tuple[str, ...]:
        return () if self.score is not None else (self.floor,)

    def returns(self) -> dict[str, float]:
        return dict.fromkeys(AGENTS, self.score or 0.0)

    def seen_by(self, agent: str) -> Review:
        if agent == "reviewer" or self.inner is None:
            return replace(self, inner=None)
        return replace(self, inner=self.inner.seen_by(agent))

    def legal(self, agent: str) -> tuple[str, ...]:
        """Return some replies, enough for random agents."""
        if agent == "reviewer":
            return (APPROVE, "Something is missing.")
        return self.inner.legal(agent) if self.inner is not None else ()

    def hint(self, agent: str) -> str:
        """Return the next reply of a perfect seat; the reviewer of this kind looks at the files."""
        if self.inner is None or agent == "author":
            return self.inner.hint(agent) if self.inner is not None else DONE
        problem = self.inner.problem
        solved = problem is not None and problem.is_solved(self.inner.tree)
        return APPROVE if solved or not self.rounds else "The task is not done yet."


class Reviewed(TerminalGame[Review]):
    """A task of one of several families, which is over when a reviewer approves the changes.

    Args:
        family: Names joined by "+"; each episode takes one of them.
        limit: The largest number of the author's commands; None: 14 + 2 * difficulty.
        rounds: How often the reviewer can send the work back.
    """

    agents = AGENTS
    reset_options = ("difficulty",)

    def __init__(
        self,
        family: str = "RenameFiles+ReplaceWord+RemoveCopies+FixScript+FixPython+TableToJSON",
        difficulty: int = 2,
        limit: int | None = None,
        rounds: int = 2,
    ):
        self.families = check_families(family)
        check_difficulty(difficulty, limit)
        if rounds < 0:
            raise ValueError(f"rounds={rounds}: expected 0 or more")
        self.difficulty, self.limit, self.rounds = difficulty, limit, rounds

    def start(self, rng, options):
        difficulty = options.get("difficulty", self.difficulty)
        check_difficulty(difficulty, self.limit)
        problem = draw_problem(rng, self.families, difficulty)
        limit = self.limit or 14 + 2 * difficulty
        inner = State(problem.brief, problem, problem.tree, left=limit)
        return Review(inner, problem.brief, rounds=self.rounds)

    def read(self, text, view, agent):
        if agent == "author":
            return read_command(text)
        comment = text.strip()
        if not comment or len(comment) > LONGEST:
            raise InvalidMove(
                f"send {APPROVE}, or a comment of 1 to {LONGEST} characters, not {len(comment)}"
            )
        return APPROVE if comment.strip(" .!`\"'").lower() == APPROVE else comment

    def advance(self, state, moves, rng):
        ((agent, move),) = moves.items()
        inner = state.inner
        if agent == "author":
            if move != DONE:
                inner = type_command(inner, move)
                return replace(state, inner=inner, score=inner.score)
            diff = clean_output(diff_trees(inner.problem.tree, inner.tree, SHOWN))
            return replace(state, floor="reviewer", diff=diff)
        if move == APPROVE or not state.rounds:
            return replace(state, score=float(inner.problem.is_solved(inner.tree)))
        return replace(state, floor="author", rounds=state.rounds - 1)

    def skip(self, view, agent):
        return ":" if agent == "author" else "(no comment)"

    def rules(self, agent):
        pays = "Both of you earn 1 if the files are then as the task says, and 0 otherwise."
        if agent == "author":
            return (
                f"{HOW} When the task is done, send {DONE}: a reviewer, who sees only what you "
                f"changed, approves it or sends it back with a comment. {pays}"
            )
        return (
            "An author works in a terminal that you do not see. When it asks for a review, you see "
            "the changes of the files since the start (of a repository of git: the files, not the "
            f"history). Send {APPROVE} to end the task, or a comment: then the author goes on. "
            f"{pays} At the last review, anything that you send ends the task."
        )

    def brief(self, view, agent):
        return f"Task{' of the author' if agent == 'reviewer' else ''}: {view.brief}"

    def describe(self, view, agent):
        if view.inner is not None:
            return describe_screen(view.inner.log[-1:], view.inner.folder, view.inner.left)
        if not view.diff:
            return NONE_YET
        reviews = "the last review" if not view.rounds else f"{view.rounds} more can follow"
        return f"{view.diff}\n\nApprove this, or comment on it ({reviews})."

    def tell(self, before, moves, after):
        ((agent, move),) = moves.items()
        if agent == "reviewer" and after.score is None:
            return [Message(("author",), "reviewer", move)]
        return ()

    def tools(self, agent):
        return (BASH_TOOL, DONE_TOOL) if agent == "author" else ()

    def report(self, state):
        sent_back = self.rounds - state.rounds
        return {"done": bool(state.score), "sent_back": sent_back}
