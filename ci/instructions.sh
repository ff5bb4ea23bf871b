#!/usr/bin/env bash
# Counts the instructions of runs under valgrind, and fails where they exceed the limits that `benches/instructions`
# states. It needs valgrind on x86-64, for which the limits hold, and a runner, which it installs among the build's own
# files: where either cannot be had, this says so and passes.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$(uname -m)" != x86_64 ]; then
    echo "PASSED OVER: the limits are not for $(uname -m)"
    exit 0
fi
if ! command -v valgrind >/dev/null; then
    echo "PASSED OVER: no valgrind is installed here"
    exit 0
fi
# It has to be of the version of the library.
version=$(sed -n '/^name = "gungraun-runner"$/{n;s/^version = "\(.*\)"$/\1/p}' Cargo.lock)
root=${CARGO_TARGET_DIR:-$PWD/target}/runner
export GUNGRAUN_RUNNER=$root/bin/gungraun-runner
if ! "$GUNGRAUN_RUNNER" --version 2>/dev/null | grep -qF " $version"; then
    # It starts valgrind and reads what that wrote: to optimise it takes longer than it runs.
    cargo install gungraun-runner --version "$version" --locked --quiet --debug --root "$root" || true
fi
if ! "$GUNGRAUN_RUNNER" --version 2>/dev/null | grep -qF " $version"; then
    echo "PASSED OVER: gungraun-runner $version cannot be had here"
    exit 0
fi

# With spans that nobody listens to: the limits hold for those as well.
cargo bench -p instructions --locked --features tracing
