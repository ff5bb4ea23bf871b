#!/usr/bin/env bash
# Counts the instructions of runs under valgrind, and fails if they exceed the limits in `benches/instructions`. The limits
# are for x86-64. Needs valgrind and a runner. If one is missing, this is reported; with REQUIRE_ALL=1 it is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/steps.sh

if [ "$(uname -m)" != x86_64 ]; then
    skip_check "the limits are not for $(uname -m)"
    exit 0
fi
if ! command -v valgrind >/dev/null; then
    skip_check "valgrind is missing"
    exit 0
fi
GUNGRAUN_RUNNER=$(ci/runner.sh)
if [ -z "$GUNGRAUN_RUNNER" ]; then
    skip_check "gungraun-runner cannot be installed"
    exit 0
fi
export GUNGRAUN_RUNNER

# Spans are enabled, without a subscriber. The same limits apply.
cargo bench -p instructions --locked --features tracing
