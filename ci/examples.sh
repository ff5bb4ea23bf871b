#!/usr/bin/env bash
# Runs every example on files of this repository. Each example asserts its result.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo run --release --locked --example village
cargo run --release --locked --example village -- --timeline "${CARGO_TARGET_DIR:-target}/timeline.svg"
cargo run --release --locked --example arena
cargo run --release --locked --example blocks -- examples/blocks/sample.csv
cargo run --release --locked --example verify -- examples/verify/sample.json --run
cargo run --release --locked --example lock
cargo run --release --locked --example ledger -- examples/ledger/sample.csv --threads 2
cargo run --release --locked --example ledger -- --threads 2 --handler-ns 100
