#!/usr/bin/env bash
# Counts the system calls between the first and the last system of runs on the serial executor. There must be none. Needs strace, on Linux.
# If it is missing and cannot be installed, this is reported; with REQUIRE_ALL=1 it is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/steps.sh

[ "$(uname -s)" = Linux ] || { skip_check "strace is only for Linux"; exit 0; }
if ! command -v strace >/dev/null && command -v apt-get >/dev/null; then
    apt-get install -y strace >/dev/null 2>&1 \
        || { apt-get update && apt-get install -y strace; } >/dev/null 2>&1 || true
fi
command -v strace >/dev/null || { skip_check "strace cannot be installed"; exit 0; }
strace -o /dev/null true 2>/dev/null || { skip_check "strace may not trace processes here"; exit 0; }

cargo build --package schedule-tests --bin serial-runs --locked
calls=$(mktemp)
trap 'rm -f "$calls"' EXIT
n_runs=$(strace -qq -o "$calls" "${CARGO_TARGET_DIR:-target}/debug/serial-runs")

# The first system of each run calls `getppid`, and the last one `getpid`.
awk -v wanted="$n_runs" '
    /^getppid\(/ { n_begun++; is_inside = 1; next }
    /^getpid\(/ { n_ended += is_inside; is_inside = 0; next }
    is_inside { n_calls++; print "in run " n_begun ": " $0 }
    END {
        printf "%d runs, %d system calls between the first and the last system\n", n_begun, n_calls
        if (wanted < 1 || n_begun != wanted || n_ended != wanted) {
            print "expected " wanted " runs"
            exit 1
        }
        exit n_calls > 0
    }
' "$calls"
