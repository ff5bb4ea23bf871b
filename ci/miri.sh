#!/usr/bin/env bash
# Runs the tests of the library and of its behaviour under Miri, which finds undefined behaviour. Miri is a nightly
# component: where it cannot be had, this says so and passes.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! rustup run nightly cargo miri --version >/dev/null 2>&1; then
    RUSTUP_AUTO_INSTALL=0 rustup toolchain install nightly --profile minimal --component miri,rust-src \
        >/dev/null 2>&1 || true
fi
if ! rustup run nightly cargo miri --version >/dev/null 2>&1; then
    echo "PASSED OVER: no nightly toolchain with Miri can be had here"
    exit 0
fi

# The queues of rayon make pointers of integers. To collect garbage less often halves the time.
export MIRIFLAGS="-Zmiri-tree-borrows -Zmiri-ignore-leaks -Zmiri-permissive-provenance -Zmiri-provenance-gc=100000"
miri() { rustup run nightly cargo miri test --locked "$@"; }
# One test at a time: each would slow the others down.
behaviour() { miri -p schedule-tests --test behaviour -- --test-threads=1 "$@"; }

# Miri runs one thread at a time, so two of it run beside each other.
output=$(mktemp)
trap 'rm -f "$output"' EXIT
# With processors for rayon to have helpers on; a test of these fails without. In what every other test runs there is
# one thread, which is what most of the time would go into.
MIRIFLAGS="$MIRIFLAGS -Zmiri-num-cpus=3" behaviour parallel:: >"$output" 2>&1 &
parallel=$!
status=0
# The verifier is safe code, and its random graphs take long: only what is near `unsafe`.
miri -p schedule --lib -- --test-threads=1 resource:: system:: access:: || status=$?
behaviour --skip parallel:: || status=$?
wait "$parallel" || status=$?
cat "$output"
exit "$status"
