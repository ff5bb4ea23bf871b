#!/usr/bin/env bash
# Runs unit tests and behaviour tests under Miri, which finds undefined behaviour. With --unit, runs only the unit tests of
# `schedule`, in two to three minutes. Miri is a nightly component. If it is missing, this is reported; with REQUIRE_ALL=1 it is a
# failure.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/steps.sh

if ! rustup run nightly cargo miri --version >/dev/null 2>&1; then
    RUSTUP_AUTO_INSTALL=0 rustup toolchain install nightly --profile minimal --component miri,rust-src \
        >/dev/null 2>&1 || true
fi
if ! rustup run nightly cargo miri --version >/dev/null 2>&1; then
    skip_check "a nightly toolchain with Miri cannot be installed"
    exit 0
fi

# The queues of rayon convert integers to pointers. Less frequent garbage collection is faster.
export MIRIFLAGS="-Zmiri-tree-borrows -Zmiri-ignore-leaks -Zmiri-permissive-provenance -Zmiri-provenance-gc=100000"
# Only modules with `unsafe` code: the verifier is safe code, and its random graphs take long.
unit() {
    rustup run nightly cargo miri test --locked -p schedule --lib -- \
        data::resource:: data::access:: data::entity:: systems::system:: systems::columns:: base::reused:: run::schedule::tests
}
streams() { rustup run nightly cargo miri test --locked -p schedule-stream --lib -- base::footprint:: store::stores::; }
# One test at a time: waiting tests would also take time.
tests_of() { rustup run nightly cargo miri test --locked -p schedule-tests --test "$1" -- --test-threads=1 "${@:2}"; }
# Miri reports three processors, so there are two helper threads. With one processor there are none, which a test reports.
with_help() { MIRIFLAGS="$MIRIFLAGS -Zmiri-num-cpus=3" tests_of "$@"; }

# Once, before two processes need it.
rustup run nightly cargo miri setup
if [ "${1:-}" = --unit ]; then
    unit
    exit
fi
# Miri uses one processor, so two processes run in parallel. The output of the second one is printed at the end.
output=$(mktemp)
trap 'rm -f "$output"' EXIT
# Helper threads take most of the time under Miri. Tests that do not need them run without, and the other process runs
# those of streams.
with_help behaviour parallel:: >"$output" 2>&1 &
parallel=$!
status=0
unit || status=$?
streams || status=$?
# Skipped: random graphs with many levels take minutes to generate, and changes run the verifier, which is safe code. Other
# tests cover the code that runs such schedules. Threads of a stream wait for each other too long under Miri: below, a few
# events run on two threads.
tests_of behaviour --skip parallel:: --skip levels:: --skip change:: --skip repeat:: || status=$?
tests_of streams --skip parallel:: --skip stream:: || status=$?
# Of the tests of loops, only those with commands: other loops use the same code.
with_help behaviour repeat::commands || status=$?
with_help streams stream::parallel:: streaming::parallel:: || status=$?
wait "$parallel" || status=$?
cat "$output"
exit "$status"
