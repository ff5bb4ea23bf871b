#!/usr/bin/env bash
# Runs the programs that are written in `bevy_ecs`, to compare with this project. Each checks its result.
set -euo pipefail
cd "$(dirname "$0")/.."

# The same packages as in `ci/examples.sh`, so that nothing is built again.
cargo build --release --locked -p examples -p bank --example arena
arena=$("${CARGO_TARGET_DIR:-target}/release/examples/arena")
twin=$(cargo run --release --locked --package bevy-comparison --bin arena-in-bevy)
echo "$twin"
for output in "$arena" "$twin"; do
    grep '^digest ' <<< "$output"
done | uniq | wc -l | grep -qx 1 || { echo "the digests of the two programs differ"; exit 1; }

cargo run --release --locked --package bevy-comparison --bin ambiguities -- --check
