#!/usr/bin/env bash
# Runs the behaviour tests under ThreadSanitizer, which finds data races at run time. Needs a nightly toolchain with the
# sources of the standard library. If it is missing, this is reported; with REQUIRE_ALL=1 it is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/steps.sh

if ! rustup component list --toolchain nightly 2>/dev/null | grep -q '^rust-src.*(installed)'; then
    RUSTUP_AUTO_INSTALL=0 rustup toolchain install nightly --profile minimal --component rust-src \
        >/dev/null 2>&1 || true
fi
target=$(rustc -vV | sed -n 's/^host: //p')
if ! rustup component list --toolchain nightly 2>/dev/null | grep -q '^rust-src.*(installed)'; then
    skip_check "a nightly toolchain with rust-src cannot be installed"
    exit 0
fi
case $target in
    x86_64-unknown-linux-gnu | aarch64-unknown-linux-gnu | aarch64-apple-darwin | x86_64-apple-darwin) ;;
    *)
        skip_check "ThreadSanitizer does not support $target"
        exit 0
        ;;
esac

# Thousands of systems panic, and each backtrace takes seconds here.
export RUST_BACKTRACE=0
export TSAN_OPTIONS="suppressions='$PWD/ci/tsan.suppressions'"
export RUSTFLAGS="-Zsanitizer=thread" CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/tsan"
# The standard library is also instrumented, because otherwise its synchronisation is invisible. Tests take ten times as long,
# so there are fewer random cases. Skipped: tests of verification, advice and pictures, which use one thread, of events that
# are rejected at arrival, and of the names of symbols.
RANDOM_CASES=${RANDOM_CASES:-5} rustup run nightly cargo test -Zbuild-std --target "$target" \
    -p schedule-tests --test behaviour --test streams --locked -- --skip law:: --skip advice:: --skip view:: --skip random::many \
    --skip payments_to_the_same_account --skip stream::engine
