#!/usr/bin/env bash
# Checks that take too long for every change. Run them for each change of executors, streams, graph algorithms or unsafe code.
# With REQUIRE_ALL=1, a missing tool is a failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. ci/steps.sh

export RUST_BACKTRACE=0
# Each run tries other random cases.
unset RANDOM_SEED PROPTEST_RNG_SEED
export CARGO_PROFILE_DEV_DEBUG=0
export CARGO_INCREMENTAL=0

# Runs `cargo test` with these arguments, which end with names of tests after `--`. Fails if no test has one of these names.
matching() {
    cargo test "$@" --list | grep ': test$' >/dev/null || { echo "no test matches: $*"; exit 1; }
    cargo test "$@"
}

# Stack frames differ in release builds, and so does the maximum depth of nested calls.
depth() {
    matching -p schedule --lib --release --locked -- nesting
    cargo test -p schedule-tests --test deadlocks --release --locked
}

# RANDOM_CASES is the number of cases. Each test prints the seed of a case that fails.
random() {
    RANDOM_CASES=${RANDOM_CASES:-20000} matching -p schedule --lib --release --locked -- checked::
    # The borrows that hecs checks must never conflict in a verified schedule.
    RANDOM_CASES=${RANDOM_CASES:-20000} matching -p schedule-tests --test behaviour --test streams --release --locked \
        --features schedule-hecs/check-borrows -- \
        random:: levels:: stream::cuts:: stream::logging::cut:: journal::crashes::
    SAMPLE_CASES=${SAMPLE_CASES:-500} matching -p schedule-tests --test compiler --locked -- sample::
}

# The test prints its seed.
kills() {
    BANK_KILLS=${BANK_KILLS:-200} matching -p bank --bin bank --locked -- killed_bank --nocapture
}

# The memory of a service must not grow with the number of its events.
memory() {
    local folder
    folder=$(mktemp -d)
    cargo run --release --locked -p bank --bin bank-load -- --in-process "$folder/data" --payments 5000000 --connections 2048 \
        --max-growth 8
    rm -rf "$folder"
}

start_steps
step "depth in release builds" depth
step "long random runs" random
step "kills of the example bank" kills
step "memory of the example bank" memory
step "interleavings" ci/loom.sh
step "undefined behaviour" ci/miri.sh
step "data races" ci/tsan.sh
