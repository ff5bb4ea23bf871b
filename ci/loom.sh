#!/usr/bin/env bash
# Tries all interleavings of small parallel runs, up to a number of preemptions, with every ordering as it is and with
# each taken away in turn. `LOOM_MAX_PREEMPTIONS=5 ci/loom.sh` tries more.
set -euo pipefail
cd "$(dirname "$0")/.."

export RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/loom"
# One after the other: which ordering is taken away, all models are told at once.
cargo test -p schedule --lib --release --locked model:: -- --test-threads=1
