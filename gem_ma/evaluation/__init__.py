"""Evaluation of agents: suites, metrics, ratings, leaderboards, pages and figures.

`runner`, `tournament` and `exploitability` play episodes; the other modules read them. The package
may import rollouts and all packages that rollouts may import. It does not know serving, training or
commands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gem_ma.validation.lazy_imports import lazy_getattr

if TYPE_CHECKING:
    from gem_ma.evaluation.exploitability import (
        Exploitability,
        GameTree,
        UnsuitableGame,
        collect_turns,
        compute_exploitability,
        score_policy,
    )
    from gem_ma.evaluation.metrics import EpisodeSample, Metric, ScoredEpisode, register_metric
    from gem_ma.evaluation.ratings import (
        AgentRating,
        fit_bradley_terry,
        fit_davidson,
        fit_plackett_luce,
    )
    from gem_ma.evaluation.rescoring import RescoreResult, rescore
    from gem_ma.evaluation.runner.comparison import MetricDifference, compare
    from gem_ma.evaluation.runner.eval_tasks import load_evaluation
    from gem_ma.evaluation.runner.results import Evaluation
    from gem_ma.evaluation.runner.suite_runner import evaluate
    from gem_ma.evaluation.statistics import (
        ChangeEstimate,
        IntervalEstimate,
        estimate_change,
        estimate_mean,
        estimate_rate,
        pass_at_k,
        pass_hat_k,
        wilson,
    )
    from gem_ma.evaluation.suite_leaderboard import (
        BadResults,
        SuiteLeaderboard,
        merge_results,
        write_leaderboard_page,
    )
    from gem_ma.evaluation.suites import (
        BadSuite,
        Suite,
        SuiteEntry,
        list_suites,
        load_suite,
        make_suite,
    )
    from gem_ma.evaluation.tournament import BadTournament, Leaderboard, run_tournament
    from gem_ma.evaluation.viewer.page import ViewerPage, write_page

__all__ = [
    "AgentRating",
    "BadResults",
    "BadSuite",
    "BadTournament",
    "ChangeEstimate",
    "EpisodeSample",
    "Evaluation",
    "Exploitability",
    "GameTree",
    "IntervalEstimate",
    "Leaderboard",
    "Metric",
    "MetricDifference",
    "RescoreResult",
    "ScoredEpisode",
    "Suite",
    "SuiteEntry",
    "SuiteLeaderboard",
    "UnsuitableGame",
    "ViewerPage",
    "collect_turns",
    "compare",
    "compute_exploitability",
    "estimate_change",
    "estimate_mean",
    "estimate_rate",
    "evaluate",
    "fit_bradley_terry",
    "fit_davidson",
    "fit_plackett_luce",
    "list_suites",
    "load_evaluation",
    "load_suite",
    "make_suite",
    "merge_results",
    "pass_at_k",
    "pass_hat_k",
    "register_metric",
    "rescore",
    "run_tournament",
    "score_policy",
    "wilson",
    "write_leaderboard_page",
    "write_page",
]
__getattr__ = lazy_getattr(
    __name__,
    {
        "Exploitability": "exploitability",
        "GameTree": "exploitability",
        "UnsuitableGame": "exploitability",
        "collect_turns": "exploitability",
        "compute_exploitability": "exploitability",
        "score_policy": "exploitability",
        "EpisodeSample": "metrics",
        "Metric": "metrics",
        "ScoredEpisode": "metrics",
        "register_metric": "metrics",
        "AgentRating": "ratings",
        "fit_bradley_terry": "ratings",
        "fit_davidson": "ratings",
        "fit_plackett_luce": "ratings",
        "RescoreResult": "rescoring",
        "rescore": "rescoring",
        "MetricDifference": "runner.comparison",
        "compare": "runner.comparison",
        "load_evaluation": "runner.eval_tasks",
        "Evaluation": "runner.results",
        "evaluate": "runner.suite_runner",
        "ChangeEstimate": "statistics",
        "IntervalEstimate": "statistics",
        "estimate_change": "statistics",
        "estimate_mean": "statistics",
        "estimate_rate": "statistics",
        "pass_at_k": "statistics",
        "pass_hat_k": "statistics",
        "wilson": "statistics",
        "BadSuite": "suites",
        "Suite": "suites",
        "SuiteEntry": "suites",
        "list_suites": "suites",
        "load_suite": "suites",
        "make_suite": "suites",
        "BadResults": "suite_leaderboard",
        "SuiteLeaderboard": "suite_leaderboard",
        "merge_results": "suite_leaderboard",
        "write_leaderboard_page": "suite_leaderboard",
        "BadTournament": "tournament",
        "Leaderboard": "tournament",
        "run_tournament": "tournament",
        "ViewerPage": "viewer.page",
        "write_page": "viewer.page",
    },
)
