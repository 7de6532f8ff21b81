"""The command pretrain: imitation learning of a language model."""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
from pathlib import Path
from typing import Any

from gem_ma.agents import assign_agents
from gem_ma.cli.command_options import (
    SubcommandParsers,
    UsageError,
    add_observation_options,
    add_seed_option,
    count_played_episodes,
    format_error,
    make_env_from_args,
    parse_positive,
    report_interrupt,
)

MODEL_SIZE_NAMES = ("micro", "tiny", "small", "base")
MODEL_FORMS = "a folder, a name on the Hub, a GGUF file or smollm2"


def add_commands(commands: SubcommandParsers) -> None:
    """Add pretrain to the commands of gem-ma."""
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
        help=f"a model to start from, in place of a new one: {MODEL_FORMS}",
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
        "--device", type=parse_device, help="a torch device such as cuda (default: the CPU)"
    )
    add_observation_options(pretrain, "--image-size")
    pretrain.set_defaults(run=_run_pretrain)


def parse_names(text: str) -> list[str]:
    """Return the names in a list that is separated by commas."""
    return text.split(",")


def _parse_model_size(text: str) -> str:
    if text == "own" or text[:1].isdecimal():  # other commands take these as --size
        raise argparse.ArgumentTypeError(
            f"{text!r}: expected a size of a model, {', '.join(MODEL_SIZE_NAMES)}; the size of "
            f"pictures is --image-size {text}"
        )
    return text


def parse_device(text: str) -> str:
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

    check_device(args.device)
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
    sys.stdout.write(f"written to {folder}: play it as hf:{folder}{describe_sight(args)}\n")
    return 0


def describe_sight(args: argparse.Namespace) -> str:
    """Return the options with which a model that was trained on pictures has to be played."""
    if args.observe in (None, "text"):
        return ""
    size = args.image_size
    words = f", with --observe {args.observe}"
    if size:
        words += f" --image-size {size if size == 'own' else '{}x{}'.format(*size)}"
    return words


def check_device(device: str | None) -> None:
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
