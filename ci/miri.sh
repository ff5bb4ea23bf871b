#!/usr/bin/env bash
# Runs the tests of the library and of its behaviour under Miri, which finds undefined behaviour; with --unit, only the unit
# tests of the library, in about a minute. Miri is a nightly component. Where it is missing, this is reported; with REQUIRE_ALL=1
# it is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/steps.sh

if ! rustup run nightly cargo miri --version >/dev/null 2>&1; then
    RUSTUP_AUTO_INSTALL=0 rustup toolchain install nightly --profile minimal --component miri,rust-src \
        >/dev/null 2>&1 || true
fi
if ! rustup run nightly cargo miri --version >/dev/null 2>&1; then
    pass_over "a nightly toolchain with Miri cannot be installed"
    exit 0
fi

# The queues of rayon make pointers of integers. Less garbage collection is faster.
export MIRIFLAGS="-Zmiri-tree-borrows -Zmiri-ignore-leaks -Zmiri-permissive-provenance -Zmiri-provenance-gc=100000"
# The verifier is safe code, and its random graphs take long: only modules near `unsafe`.
unit() {
    rustup run nightly cargo miri test --locked -p schedule --lib -- resource:: system:: access::
}
streams() { rustup run nightly cargo miri test --locked -p schedule-stream --lib -- footprint:: stores::; }
# One test at a time: others that wait meanwhile would take time.
behaviour() { rustup run nightly cargo miri test --locked -p schedule-tests --test behaviour -- --test-threads=1 "$@"; }
# Miri reports three processors, so there are two helper threads. With one processor there are none, which a test reports.
with_help() { MIRIFLAGS="$MIRIFLAGS -Zmiri-num-cpus=3" behaviour "$@"; }

# Once, before there are two who want it.
rustup run nightly cargo miri setup
if [ "${1:-}" = --unit ]; then
    unit
    exit
fi
# Miri uses one processor, so it runs twice at once. What the second one has to say comes at the end.
output=$(mktemp)
trap 'rm -f "$output"' EXIT
# Help takes Miri most of the time: tests that can do without it, do, and those of streams are left to the other one.
with_help parallel:: --skip stream:: >"$output" 2>&1 &
parallel=$!
status=0
unit || status=$?
streams || status=$?
# Graphs of many levels take Miri minutes to make up, and changes are verified, which is safe code; what runs on them is the
# same code as elsewhere.
# Threads of a stream wait for each other too long here: a few events are tried on two of them, below; handlers and stores on
# one thread.
behaviour --skip parallel:: --skip levels:: --skip change:: --skip stream:: --skip repeat:: || status=$?
# Of loops those that have commands: parts and conditions are run again by the same code whatever is in them.
with_help stream::parallel:: repeat::commands || status=$?
wait "$parallel" || status=$?
cat "$output"
exit "$status"
