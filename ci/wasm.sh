#!/usr/bin/env bash
# Runs schedules and streams on wasm32-unknown-unknown, under Node. This target has neither a clock nor threads. If the
# target or Node is missing, this is reported; with REQUIRE_ALL=1 it is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/steps.sh

# Only schedule/src/base/time.rs may read the time, because it has a clock on every target. Files for a single platform are exempt.
if grep -rnE 'std::time::([{]|.*\b(Instant|SystemTime)\b)' schedule/src schedule-stream/src --include='*.rs' \
    | grep -vE '^(schedule/src/(base/time|run/executor/placement)|schedule(-stream)?/src/[a-z_/]*tests)\.rs:|///|=> "'; then
    echo "the standard library's clock panics on wasm32-unknown-unknown: use the \`Instant\` of schedule/src/base/time.rs"
    exit 1
fi

target=wasm32-unknown-unknown
is_installed() { rustup target list --installed 2>/dev/null | grep -qx "$target"; }
is_installed || rustup target add "$target" >/dev/null 2>&1 || true
is_installed || { skip_check "the target $target cannot be installed"; exit 0; }

cargo clippy --package schedule --package schedule-hecs --package schedule-stream --package schedule-tests-wasm --target "$target" --locked \
    --features schedule-stream/durable,schedule-stream/metrics,schedule-stream/serde,schedule-stream/tracing -- -D warnings
cargo build --package schedule-tests-wasm --target "$target" --locked

command -v node >/dev/null || { skip_check "node is missing, so no test runs on $target"; exit 0; }
node tests/wasm/run.mjs "${CARGO_TARGET_DIR:-target}/$target/debug/schedule_tests_wasm.wasm"
