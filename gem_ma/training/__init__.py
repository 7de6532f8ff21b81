"""Training from episodes: token samples, advantages, a reference trainer and self-play.

`trainers` has one adapter file for each external trainer. This package may import `rollouts` and
the layers below it. It reads episodes through the types of `chat`. Only the files that need torch
import it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gem_ma.validation.lazy_imports import lazy_getattr

if TYPE_CHECKING:
    from gem_ma.training.advantages import (
        AdvantageEstimate,
        TurnTable,
        build_turn_table,
        compute_returns,
        dr_grpo,
        expand_to_tokens,
        gae,
        grpo,
        make_example,
        normalise,
        ppo,
        rae,
        rebn,
        rloo,
        vine,
    )
    from gem_ma.training.callbacks import BestCheckpoint, TrainingCollapsed
    from gem_ma.training.checkpoint import HistoryLog, load_checkpoint, save_checkpoint
    from gem_ma.training.curriculum import Curriculum
    from gem_ma.training.learners.hf_learner import HFLearner, add_lora_adapters
    from gem_ma.training.learners.menu_learner import MenuLearner
    from gem_ma.training.learners.optimization import make_cosine_schedule
    from gem_ma.training.pretraining import make_random_model, pretrain, train_processor
    from gem_ma.training.reference_trainer import Learner, RoleBaselines, Trainer
    from gem_ma.training.selfplay import (
        OpponentMixture,
        OpponentPool,
        WinRates,
        compute_best_response,
        compute_expected_returns,
        nash_conv,
    )
    from gem_ma.training.selfplay_opponent import SelfPlayOpponent
    from gem_ma.training.server_policy import VLLMPolicy
    from gem_ma.training.token_samples import ReplySpan, TokenSample, build_samples
    from gem_ma.training.trainer_rows import PromptCompletion, build_rows, split_prompt_completion
    from gem_ma.training.turn_values import TurnValue, estimate_turn_values

__all__ = [
    "AdvantageEstimate",
    "BestCheckpoint",
    "Curriculum",
    "HFLearner",
    "HistoryLog",
    "Learner",
    "MenuLearner",
    "OpponentMixture",
    "OpponentPool",
    "PromptCompletion",
    "ReplySpan",
    "RoleBaselines",
    "SelfPlayOpponent",
    "TokenSample",
    "Trainer",
    "TrainingCollapsed",
    "TurnTable",
    "TurnValue",
    "VLLMPolicy",
    "WinRates",
    "add_lora_adapters",
    "build_rows",
    "build_samples",
    "build_turn_table",
    "compute_best_response",
    "compute_expected_returns",
    "compute_returns",
    "dr_grpo",
    "estimate_turn_values",
    "expand_to_tokens",
    "gae",
    "grpo",
    "load_checkpoint",
    "make_cosine_schedule",
    "make_example",
    "make_random_model",
    "nash_conv",
    "normalise",
    "ppo",
    "pretrain",
    "rae",
    "rebn",
    "rloo",
    "save_checkpoint",
    "split_prompt_completion",
    "train_processor",
    "vine",
]
__getattr__ = lazy_getattr(
    __name__,
    {
        "AdvantageEstimate": "advantages",
        "TurnTable": "advantages",
        "build_turn_table": "advantages",
        "compute_returns": "advantages",
        "dr_grpo": "advantages",
        "expand_to_tokens": "advantages",
        "gae": "advantages",
        "grpo": "advantages",
        "make_example": "advantages",
        "normalise": "advantages",
        "ppo": "advantages",
        "rae": "advantages",
        "rebn": "advantages",
        "rloo": "advantages",
        "vine": "advantages",
        "BestCheckpoint": "callbacks",
        "TrainingCollapsed": "callbacks",
        "HistoryLog": "checkpoint",
        "load_checkpoint": "checkpoint",
        "save_checkpoint": "checkpoint",
        "Curriculum": "curriculum",
        "HFLearner": "learners.hf_learner",
        "add_lora_adapters": "learners.hf_learner",
        "MenuLearner": "learners.menu_learner",
        "make_cosine_schedule": "learners.optimization",
        "make_random_model": "pretraining",
        "pretrain": "pretraining",
        "train_processor": "pretraining",
        "Learner": "reference_trainer",
        "RoleBaselines": "reference_trainer",
        "Trainer": "reference_trainer",
        "OpponentMixture": "selfplay",
        "OpponentPool": "selfplay",
        "SelfPlayOpponent": "selfplay_opponent",
        "WinRates": "selfplay",
        "compute_best_response": "selfplay",
        "compute_expected_returns": "selfplay",
        "nash_conv": "selfplay",
        "VLLMPolicy": "server_policy",
        "ReplySpan": "token_samples",
        "TokenSample": "token_samples",
        "build_samples": "token_samples",
        "PromptCompletion": "trainer_rows",
        "build_rows": "trainer_rows",
        "split_prompt_completion": "trainer_rows",
        "TurnValue": "turn_values",
        "estimate_turn_values": "turn_values",
    },
)
