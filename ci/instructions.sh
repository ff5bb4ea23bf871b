#!/usr/bin/env bash
# Counts the instructions of runs under valgrind, and fails where they exceed the limits that `benches/instructions`
# states. It needs valgrind on x86-64, for which the limits hold, and a runner: where either cannot be had, this says so and
# passes.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$(uname -m)" != x86_64 ]; then
    echo "PASSED OVER: the limits are not for $(uname -m)"
    exit 0
fi
if ! command -v valgrind >/dev/null; then
    echo "PASSED OVER: no valgrind is installed here"
    exit 0
fi
GUNGRAUN_RUNNER=$(ci/runner.sh)
if [ -z "$GUNGRAUN_RUNNER" ]; then
    echo "PASSED OVER: gungraun-runner cannot be had here"
    exit 0
fi
export GUNGRAUN_RUNNER

# With spans that nobody listens to: the limits hold for those as well.
cargo bench -p instructions --locked --features tracing
