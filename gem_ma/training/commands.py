"""The commands pretrain and train: imitation learning and reinforcement learning of a model."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import math
import re
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from gem_ma.agents import assign_agents, load_agent
from gem_ma.agents.weight_bars import hide_weight_bars
from gem_ma.chat.context import Context
from gem_ma.chat.tokenization import ReplyHistory
from gem_ma.cli.command_options import (
    SubcommandParsers,
    UsageError,
    add_observation_options,
    add_report_option,
    add_seed_option,
    count_played_episodes,
    format_error,
    list_options,
    make_env_from_args,
    parse_count,
    parse_names,
    parse_nonnegative,
    parse_positive,
    parse_positive_float,
    parse_share,
    report_interrupt,
    translate_arguments,
)
from gem_ma.validation.files import write_atomically

if TYPE_CHECKING:
    from gem_ma.training.callbacks import BestCheckpoint
    from gem_ma.training.learners.hf_learner import HFLearner

MODEL_SIZE_NAMES = ("micro", "tiny", "small", "base")
_MODEL_FORMS = "a folder, a name on the Hub, a GGUF file or smollm2"
MAX_LOST_SHARE = 0.5  # of the first replies; more that are cut and have no move stop the run
ALGORITHMS = ("rebn", "grpo", "rloo", "reinforce", "ppo")


def add_commands(commands: SubcommandParsers) -> None:
    """Add pretrain and train to the commands of gem-ma."""
    pretrain = commands.add_parser(
        "pretrain",
        group="train",
        help="train a language model to imitate teachers, from scratch or from a pretrained model",
        epilog="example: gem-ma pretrain game:TicTacToe-v0 --teacher search:depth=9 "
        "--out models/search",
    )
    pretrain.add_argument("ids", nargs="+", metavar="ENV", help="environments; see gem-ma list")
    pretrain.add_argument(
        "--teacher",
        action="append",
        metavar="[SEAT=]SPEC",
        help="an agent that plays, as for gem-ma play; repeat the option to draw one of several "
        "for each seat of an episode (default: random)",
    )
    pretrain.add_argument(
        "--out",
        required=True,
        help="the folder to write the model to; the same command resumes a stopped run",
    )
    pretrain.add_argument(
        "--size",
        type=_parse_model_size,
        choices=MODEL_SIZE_NAMES,
        help="size of a new model: about 0.2M, 1M, 10M or 100M parameters (default: tiny)",
    )
    pretrain.add_argument(
        "--from",
        dest="model",
        metavar="MODEL",
        help=f"a model to start from, in place of a new one: {_MODEL_FORMS}",
    )
    pretrain.add_argument(
        "--episodes", type=parse_positive, default=1000, help="episodes to play (default: 1000)"
    )
    pretrain.add_argument(
        "--epochs", type=parse_positive, default=10, help="passes over the replies (default: 10)"
    )
    pretrain.add_argument(
        "--seat",
        dest="seats",
        metavar="NAME,NAME",
        type=parse_names,
        help="learn only the replies of these seats, such as x, or of these teachers, such as "
        "search:depth=9 (default: of all)",
    )
    add_seed_option(pretrain, "all random choices", 0)
    pretrain.add_argument(
        "--device", type=_parse_device, help="a torch device such as cuda (default: the CPU)"
    )
    add_observation_options(pretrain, "--image-size")
    pretrain.set_defaults(run=_run_pretrain)

    train = commands.add_parser(
        "train",
        group="train",
        help="train a language model by reinforcement learning on its own games",
        epilog=(
            "example: gem-ma pretrain game:TicTacToe-v0 --out models/new && "
            "gem-ma train game:TicTacToe-v0 --model models/new --seat x,o --out runs/new"
        ),
    )
    train.add_argument("id", metavar="ENV", help="an environment; see gem-ma list")
    train.add_argument("--model", required=True, help=f"the model to start from: {_MODEL_FORMS}")
    train.add_argument(
        "--out",
        required=True,
        help="a folder for checkpoints and the model; the same command resumes a stopped run",
    )
    train.add_argument(
        "--seat",
        dest="seats",
        metavar="SEAT,SEAT",
        type=parse_names,
        help="the seats that the model plays and learns from (default: all)",
    )
    train.add_argument(
        "--others",
        default="random",
        metavar="[SEAT=]SPEC",
        help="the agents in the other seats, as for gem-ma play (default: random)",
    )
    train.add_argument(
        "--algorithm",
        default="rebn",
        choices=ALGORITHMS,
        help="how advantages are computed; grpo and rloo need a --group of 2 or more "
        "(default: rebn)",
    )
    train.add_argument(
        "--gamma",
        type=parse_share,
        default=1.0,
        help="discount factor for each turn of a seat, for rebn, ppo and reinforce (default: 1)",
    )
    train.add_argument(
        "--updates",
        type=parse_positive,
        default=100,
        help="total updates, with those of the run that is resumed (default: 100)",
    )
    train.add_argument(
        "--episodes",
        type=parse_positive,
        default=64,
        help="episodes per update, a multiple of --group (default: 64)",
    )
    train.add_argument(
        "--group",
        type=parse_positive,
        default=1,
        help="how many episodes have the same start (default: 1)",
    )
    train.add_argument(
        "--lr", type=parse_nonnegative, default=1e-5, help="highest learning rate (default: 1e-5)"
    )
    train.add_argument(
        "--kl",
        type=parse_nonnegative,
        default=0.0,
        help="weight of the KL divergence from the initial model (default: 0)",
    )
    train.add_argument(
        "--entropy",
        type=parse_nonnegative,
        default=0.0,
        help="weight of the entropy bonus (default: 0)",
    )
    train.add_argument(
        "--warmup",
        type=parse_count,
        default=0,
        help="updates in which the learning rate rises to --lr (default: 0)",
    )
    train.add_argument(
        "--decline",
        action="store_true",
        help="lower the learning rate to a tenth of --lr by the last update, along a cosine",
    )
    train.add_argument(
        "--minibatch",
        type=parse_positive,
        help="chats per optimiser step (default: all of an update)",
    )
    train.add_argument(
        "--epochs",
        type=parse_positive,
        default=1,
        help="passes over the episodes of an update (default: 1)",
    )
    train.add_argument(
        "--max-new-tokens",
        type=parse_positive,
        default=64,
        help="maximum tokens of a reply, thinking included (default: 64)",
    )
    train.add_argument(
        "--context",
        type=_parse_context,
        help="how much of their chat agents read, such as turns=4,images=2 (default: all)",
    )
    train.add_argument(
        "--guided",
        action="store_true",
        help="draw replies from the legal ones alone, in turns that list them",
    )
    train.add_argument(
        "--lora",
        type=parse_positive,
        metavar="RANK",
        help="train a LoRA adapter of this rank, and freeze the model's weights; needs peft, the "
        "extra lora (default: train all weights)",
    )
    train.add_argument(
        "--max-staleness",
        type=parse_count,
        default=0,
        metavar="UPDATES",
        help="play while learning, with weights at most this many updates old (default: 0)",
    )
    train.add_argument(
        "--max-errors",
        type=parse_count,
        default=0,
        metavar="EPISODES",
        help="failed episodes of an update to leave out; one more stops the run (default: 0)",
    )
    train.add_argument(
        "--temperature",
        type=parse_positive_float,
        default=1.0,
        help="sampling temperature (default: 1)",
    )
    train.add_argument(
        "--template",
        action="append",
        type=_parse_template_argument,
        metavar="NAME=VALUE",
        help="an argument of the chat template, such as enable_thinking=false; can be repeated",
    )
    train.add_argument(
        "--history",
        default="keep",
        choices=get_args(ReplyHistory),
        help="how a prompt contains the model's earlier replies: keep: as they were drawn; "
        "drop_thoughts: without thoughts; template: as the chat template writes them "
        "(default: keep)",
    )
    add_seed_option(train, "all random choices", 0)
    train.add_argument(
        "--device", type=_parse_device, help="a torch device such as cuda (default: the CPU)"
    )
    add_report_option(train)
    add_observation_options(train)
    train.set_defaults(run=_run_train)


def _parse_model_size(text: str) -> str:
    if text == "own" or text[:1].isdecimal():  # other commands take these as --size
        raise argparse.ArgumentTypeError(
            f"{text!r}: expected a size of a model, {', '.join(MODEL_SIZE_NAMES)}; the size of "
            f"pictures is --image-size {text}"
        )
    return text


def _parse_device(text: str) -> str:
    """Return the name of a device of torch."""
    if not re.fullmatch(r"(cpu|cuda|hpu|mps|npu|tpu|xla|xpu)(:\d+)?", text):
        raise argparse.ArgumentTypeError(f"{text!r}: expected a device such as cpu, cuda or cuda:1")
    return text


def _run_pretrain(args: argparse.Namespace) -> int:
    envs = [make_env_from_args(id, args) for id in args.ids]
    known = [seat for env in envs for seat in env.possible_agents] + (args.teacher or ["random"])
    if unknown := [one for one in args.seats or () if one not in known]:
        raise UsageError(
            f"--seat {','.join(unknown)}: the seats and teachers are "
            f"{', '.join(dict.fromkeys(known))}"
        )
    teacher = _parse_teachers(args.teacher or ["random"], envs)
    from gem_ma.training.callbacks import TrainingCollapsed
    from gem_ma.training.pretraining import pretrain

    _check_device(args.device)
    try:
        with report_interrupt(lambda: _describe_pretraining(Path(args.out), args.episodes)):
            folder = pretrain(
                envs,
                teacher,
                args.out,
                size=args.size,
                model=args.model,
                episodes=args.episodes,
                epochs=args.epochs,
                seats=args.seats,
                seed=args.seed,
                device=args.device,
                progress=True,
            )
    except TrainingCollapsed as end:
        sys.stderr.write(f"gem-ma: {end}\n")
        return 1
    except ValueError as error:
        with contextlib.suppress(OSError):  # the folder is not empty
            Path(args.out).rmdir()
        raise UsageError(str(error)) from None
    sys.stdout.write(f"written to {folder}: play it as hf:{folder}{_describe_sight(args)}\n")
    return 0


def _describe_sight(args: argparse.Namespace) -> str:
    """Return the options with which a model that was trained on pictures has to be played."""
    if args.observe in (None, "text"):
        return ""
    size = args.image_size
    words = f", with --observe {args.observe}"
    if size:
        words += f" --image-size {size if size == 'own' else '{}x{}'.format(*size)}"
    return words


def _check_device(device: str | None) -> None:
    """Raise UsageError for a device that torch does not have."""
    import torch

    try:
        torch.empty(0, device=device or "cpu")
    except (AssertionError, RuntimeError) as error:
        raise UsageError(f"--device {device}: {format_error(error)[:200]}") from None


def _parse_teachers(names: list[str], envs: list[Any]) -> Any:
    """Return the teachers: one for all seats, one per seat, or a mixture of several."""
    from gem_ma.agents import MixtureAgent

    several = [name for name in names if "," in name or name.partition("=")[0].isidentifier()]
    several = [name for name in several if "," in name or "=" in name]
    if not several:
        return names[0] if len(names) == 1 else MixtureAgent(names, per="episode")
    if len(names) > 1:
        raise UsageError(
            f"--teacher {several[0]}: got {len(names)} teachers, each of which plays all seats; "
            "agents by seat need a single --teacher"
        )
    found: dict[str, str] = {}
    for env in envs:
        for seat, spec in assign_agents(names, env.possible_agents).items():
            if found.setdefault(seat, spec) != spec:
                raise UsageError(
                    f"--teacher {names[0]}: got two agents for the seat {seat}; write SEAT=SPEC"
                )
    return found


def _describe_pretraining(folder: Path, episodes: int) -> str:
    """Return a message about what an interrupted pretraining run has saved."""
    if (folder / "checkpoint.pt").exists():
        from gem_ma.training.checkpoint import load_checkpoint

        done = len(load_checkpoint(folder / "checkpoint.pt")["losses"])
        return f"{folder} keeps all episodes and {done} steps; the same command continues"
    played = count_played_episodes(folder / "episodes.jsonl")
    return f"{folder} keeps {played} of {episodes} episodes; the same command continues"


def _parse_template_argument(text: str) -> tuple[str, Any]:
    """Return a name and its value, parsed as JSON or else kept as text."""
    name, equals, value = text.partition("=")
    if not (name.isidentifier() and equals):
        raise argparse.ArgumentTypeError(f"{text!r}: expected NAME=VALUE, such as size=3")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _parse_context(text: str) -> str:
    try:
        Context.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def _make_learner(args: argparse.Namespace) -> HFLearner:
    from gem_ma.training.learners.hf_learner import HFLearner
    from gem_ma.training.learners.optimization import make_cosine_schedule

    return HFLearner(
        args.model,
        lr=args.lr,
        kl=args.kl,
        entropy=args.entropy,
        critic=0.5 if args.algorithm == "ppo" else 0.0,
        schedule=make_cosine_schedule(
            args.updates, warmup=args.warmup, to=0.1 if args.decline else 1.0
        ),
        epochs=args.epochs,
        minibatch=args.minibatch,
        max_new_tokens=args.max_new_tokens,
        temperature=args.temperature,
        template=dict(args.template or ()),
        history=args.history,
        guided=args.guided,
        lora=args.lora
        and {
            "r": args.lora,
            "lora_alpha": 2 * args.lora,
            "target_modules": "all-linear",
        },
        seed=args.seed,
        device=args.device,
    )


def _make_checkup(path: Path, seats: list[str], zero_sum: bool) -> BestCheckpoint:
    from gem_ma.training.callbacks import BestCheckpoint

    if len(seats) == 1 or not zero_sum:
        return BestCheckpoint(f"return/{seats[0]}", path)
    # In self-play of a zero-sum game, returns do not measure the model's strength.
    return BestCheckpoint("valid", path, drop=math.inf)


def _make_spec(model: Path, args: argparse.Namespace) -> str:
    """Return the spec string that plays a trained model as it was trained."""
    options = {"max_new_tokens": str(args.max_new_tokens)}
    options |= {f"template.{name}": str(value).lower() for name, value in args.template or ()}
    if args.temperature != 1:
        options["temperature"] = f"{args.temperature:g}"
    if args.guided:
        options["guided"] = "true"
    if args.history != "keep":
        options["history"] = args.history
    if args.device:
        options["device"] = args.device
    return f"hf:{model}?{'&'.join(f'{name}={value}' for name, value in options.items())}"


def _make_cut_error(limit: int, lost: float) -> UsageError:
    return UsageError(
        f"--max-new-tokens {limit}: {lost:.0%} of the first replies reached this limit without a "
        "move. Allow more tokens, such as --max-new-tokens 1024, let the model think less, such as "
        "by --template enable_thinking=false, or draw replies from the legal moves alone: --guided"
    )


def _run_train(args: argparse.Namespace) -> int:
    env = make_env_from_args(args.id, args)
    seats = args.seats or list(env.possible_agents)
    if unknown := [seat for seat in seats if seat not in env.possible_agents]:
        raise UsageError(
            f"--seat {','.join(unknown)}: the seats are {', '.join(env.possible_agents)}"
        )
    folder = Path(args.out)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--out {folder}: expected a folder, got a file")
    if args.warmup > args.updates:
        raise UsageError(f"--warmup {args.warmup}: expected at most --updates {args.updates}")
    try:
        others = assign_agents(
            args.others, [one for one in env.possible_agents if one not in seats]
        )
        loaded = {name: load_agent(name) for name in dict.fromkeys(others.values())}
    except ValueError as error:
        raise UsageError(f"--others {args.others}: {error}") from None
    from gem_ma.rollouts.run import TooManyErrors
    from gem_ma.training.callbacks import ReplyLengthCheck, TrainingCollapsed, measure_replies
    from gem_ma.training.learners.optimization import find_broken_weight
    from gem_ma.training.reference_trainer import Trainer

    _check_device(args.device)
    learner = _make_learner(args)
    agents: dict[str, Any] = {seat: loaded[name] for seat, name in others.items()}
    agents |= dict.fromkeys(seats, learner)
    try:
        trainer = Trainer(
            env,
            agents,
            _select_estimator(args),
            episodes=args.episodes,
            group=args.group,
            seed=args.seed,
            train=seats,
            max_staleness=args.max_staleness,
            measure=partial(measure_replies, seats),
            rollout={"context": args.context, "max_errors": args.max_errors},
        )
    except ValueError as error:
        raise UsageError(str(error)) from None
    best = folder / "best.pt"
    checkup = _make_checkup(best, seats, env.game.zero_sum)
    _check_settings(folder, args, learner.tokens.tokenizer)
    reply_check = ReplyLengthCheck(MAX_LOST_SHARE, partial(_make_cut_error, args.max_new_tokens))
    code = 0
    try:
        with report_interrupt(lambda: _describe_training(folder, trainer.saved_step, args.updates)):
            trainer.run(
                args.updates,
                folder / "checkpoint.pt",
                after=[reply_check, checkup],
                progress=True,
                report_to=args.report_to,
            )
    except TrainingCollapsed as end:
        sys.stderr.write(f"gem-ma: {translate_arguments(str(end), args)}\n")
        code = 1
        if best.exists():
            trainer.load(best)
    except TooManyErrors as error:
        state = _describe_training(folder, trainer.saved_step, args.updates)
        sys.stderr.write(f"gem-ma: {error}; {state}\n")
        return 1
    if find_broken_weight(learner.policy_optimizer.parameters):
        return 1
    with hide_weight_bars():
        learner.model.save_pretrained(folder / "model")
    learner.tokens.processor.save_pretrained(folder / "model")
    which = f"the best model, of update {trainer.step}," if code else "the model"
    spec = _make_spec(folder / "model", args)
    sys.stdout.write(f"written to {folder}: play {which} as {spec}{_describe_sight(args)}\n")
    return code


# Options that may differ when a run is resumed.
_CHANGEABLE_OPTIONS = "out", "updates", "device", "max_errors", "report_to", "parser", "run"


def _check_settings(folder: Path, args: argparse.Namespace, tokenizer: Any) -> None:
    """Write the settings of a run, or raise UsageError if its folder has a run with others."""
    tokens = json.dumps(sorted(tokenizer.get_vocab().items()))
    options = {name: value for name, value in vars(args).items() if name not in _CHANGEABLE_OPTIONS}
    options["tokens"] = hashlib.sha256(tokens.encode()).hexdigest()[:16]  # the vocabulary
    options = json.loads(json.dumps(options))
    path = folder / "settings.json"
    if not (folder / "checkpoint.pt").exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(path, (json.dumps(options, indent=1) + "\n").encode())
    elif not path.exists():
        raise UsageError(
            f"--out {folder} holds a checkpoint of another program, such as a script of yours: use "
            "another folder"
        )
    else:
        known = json.loads(path.read_text(encoding="utf-8"))
        words = dict(list_options(args.parser))
        other = [
            "a --model with other tokens"
            if name == "tokens"
            else f"{words.get(name, 'ENV')} {known.get(name, args.parser.get_default(name))} "
            f"(now {options[name]})"
            for name in options
            if known.get(name, args.parser.get_default(name)) != options[name]
        ]
        if other:
            raise UsageError(
                f"--out {folder} holds another training, with {', '.join(other)}: use the same "
                "settings to continue it, or another folder"
            )


def _describe_training(folder: Path, updates: int, total: int) -> str:
    """Return a message about what an interrupted training run has saved."""
    if not updates:
        return f"{folder} keeps no update yet; the same command starts from the beginning"
    return f"{folder} keeps {updates} of {total} updates; the same command continues"


def _select_estimator(args: argparse.Namespace) -> Any:
    """Return the advantage estimator of `--algorithm`; seats are compared only with themselves."""
    from gem_ma.training import advantages

    if args.algorithm in ("rebn", "ppo"):
        kind = getattr(advantages, args.algorithm)
        return partial(kind, gamma=args.gamma, by=("env", "seat"))
    if args.algorithm == "reinforce":
        return partial(advantages.compute_returns, gamma=args.gamma)
    if args.group == 1:
        raise UsageError(
            f"--algorithm {args.algorithm} compares the episodes of a group, and --group is 1; "
            "use 2 or more, such as --group 8"
        )
    return getattr(advantages, args.algorithm)
