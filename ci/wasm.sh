#!/usr/bin/env bash
# Runs schedules and streams on wasm32-unknown-unknown, under Node: that target has neither a clock nor threads. Where the
# target or Node cannot be had, this says so and passes; with REQUIRE_ALL=1 it fails then.
set -euo pipefail
cd "$(dirname "$0")/.."

pass_over() {
    echo "PASSED OVER: $1"
    [ "${REQUIRE_ALL:-0}" != 1 ] || exit 1
    exit 0
}

# The time is read in one place, which has a clock on every target. Files for one platform alone may do otherwise.
if grep -rnE 'std::time::([{]|.*\b(Instant|SystemTime)\b)' schedule/src schedule-stream/src --include='*.rs' \
    | grep -vE '^(schedule/src/(time|executor/placement)|schedule(-stream)?/src/[a-z_/]*tests)\.rs:|///|=> "'; then
    echo "the standard library's clock panics on wasm32-unknown-unknown: use the \`Instant\` of schedule/src/time.rs"
    exit 1
fi

target=wasm32-unknown-unknown
is_installed() { rustup target list --installed 2>/dev/null | grep -qx "$target"; }
is_installed || rustup target add "$target" >/dev/null 2>&1 || true
is_installed || pass_over "the target $target cannot be had here"

cargo clippy --package schedule --package schedule-stream --package schedule-tests-wasm --target "$target" --locked \
    --features schedule-stream/serde,schedule-stream/tracing -- -D warnings
cargo build --package schedule-tests-wasm --target "$target" --locked

command -v node >/dev/null || pass_over "there is no Node here, so nothing runs on $target"
node tests/wasm/run.mjs "${CARGO_TARGET_DIR:-target}/$target/debug/schedule_tests_wasm.wasm"
