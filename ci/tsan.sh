#!/usr/bin/env bash
# Runs the tests of behaviour under ThreadSanitizer, which finds data races as they happen. It needs a nightly toolchain
# with the sources of the standard library. Where that is missing, this is reported; with REQUIRE_ALL=1 it is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/steps.sh

if ! rustup component list --toolchain nightly 2>/dev/null | grep -q '^rust-src.*(installed)'; then
    RUSTUP_AUTO_INSTALL=0 rustup toolchain install nightly --profile minimal --component rust-src \
        >/dev/null 2>&1 || true
fi
target=$(rustc -vV | sed -n 's/^host: //p')
if ! rustup component list --toolchain nightly 2>/dev/null | grep -q '^rust-src.*(installed)'; then
    pass_over "a nightly toolchain with rust-src cannot be installed"
    exit 0
fi
case $target in
    x86_64-unknown-linux-gnu | aarch64-unknown-linux-gnu | aarch64-apple-darwin | x86_64-apple-darwin) ;;
    *)
        pass_over "ThreadSanitizer does not support $target"
        exit 0
        ;;
esac

# Systems panic by the thousand, and a backtrace takes seconds here.
export RUST_BACKTRACE=0
export TSAN_OPTIONS="suppressions='$PWD/ci/tsan.suppressions'"
export RUSTFLAGS="-Zsanitizer=thread" CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/tsan"
# The standard library is built with it too, else its synchronisation is not seen. Everything takes ten times as long: fewer
# random cases, and none of verdicts, advice and pictures, which one thread gives, nor of events that are refused where they arrive,
# nor of the names of symbols.
RANDOM_CASES=${RANDOM_CASES:-5} rustup run nightly cargo test -Zbuild-std --target "$target" \
    -p schedule-tests --test behaviour --locked -- --skip law:: --skip advice:: --skip view:: --skip random::ten_thousand \
    --skip payments_to_the_same_account --skip stream::engine
