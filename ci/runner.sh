#!/usr/bin/env bash
# Installs the runner of `benches/instructions` in the target directory, unless it is already installed. Prints its path, or
# nothing if it cannot be installed.
set -euo pipefail
cd "$(dirname "$0")/.."

# The version must equal that of the library.
version=$(sed -n '/^name = "gungraun-runner"$/{n;s/^version = "\(.*\)"$/\1/p}' Cargo.lock)
root=${CARGO_TARGET_DIR:-$PWD/target}/runner
runner=$root/bin/gungraun-runner
is_there() { "$runner" --version 2>/dev/null | grep -qF " $version"; }

# A debug build, because optimisation would take longer than the runner itself.
is_there || cargo install gungraun-runner --version "$version" --locked --quiet --debug --root "$root" >&2 || true
if is_there; then
    echo "$runner"
fi
