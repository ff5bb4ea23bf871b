#!/usr/bin/env bash
# Installs, among the build's own files, what runs `benches/instructions` under valgrind; nothing if it is there already.
# Prints its path, or nothing where it cannot be had.
set -euo pipefail
cd "$(dirname "$0")/.."

# It has to be of the version of the library.
version=$(sed -n '/^name = "gungraun-runner"$/{n;s/^version = "\(.*\)"$/\1/p}' Cargo.lock)
root=${CARGO_TARGET_DIR:-$PWD/target}/runner
runner=$root/bin/gungraun-runner
is_there() { "$runner" --version 2>/dev/null | grep -qF " $version"; }

# It starts valgrind and reads what that wrote: to optimise it takes longer than it runs.
is_there || cargo install gungraun-runner --version "$version" --locked --quiet --debug --root "$root" >&2 || true
if is_there; then
    echo "$runner"
fi
