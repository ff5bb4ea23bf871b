#!/usr/bin/env bash
# Runs the programs that are written in `bevy_ecs`, to compare with this project. Each checks its result.
set -euo pipefail
cd "$(dirname "$0")/.."

# The line with the digest.
digest() {
    grep '^digest '
}

arena=$(cargo run --release --locked --example arena | digest)
twin=$(cargo run --release --locked --package bevy-comparison --bin arena-in-bevy | tee /dev/stderr | digest)
if [ "$arena" != "$twin" ]; then
    echo "the arena ends with $arena, and with $twin in \`bevy_ecs\`"
    exit 1
fi

cargo run --release --locked --package bevy-comparison --bin ambiguities -- --check
