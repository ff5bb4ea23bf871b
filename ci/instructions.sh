#!/usr/bin/env bash
# Counts the instructions of runs under valgrind, and fails where they exceed the limits that `benches/instructions`
# states. It needs valgrind on x86-64, for which the limits hold, and a runner. Where one is missing, this is reported; with
# REQUIRE_ALL=1 it is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/steps.sh

if [ "$(uname -m)" != x86_64 ]; then
    pass_over "the limits are not for $(uname -m)"
    exit 0
fi
if ! command -v valgrind >/dev/null; then
    pass_over "valgrind is missing"
    exit 0
fi
GUNGRAUN_RUNNER=$(ci/runner.sh)
if [ -z "$GUNGRAUN_RUNNER" ]; then
    pass_over "gungraun-runner cannot be installed"
    exit 0
fi
export GUNGRAUN_RUNNER

# With spans without a subscriber. The same limits apply.
cargo bench -p instructions --locked --features tracing
