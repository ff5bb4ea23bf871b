#!/usr/bin/env bash
# Tries all interleavings of small parallel runs, up to a number of preemptions. Each memory ordering is also weakened in
# turn, and the check must then fail. `LOOM_MAX_PREEMPTIONS=5 ci/loom.sh` tries more interleavings.
set -euo pipefail
cd "$(dirname "$0")/.."

export RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/loom"
# Further optimisation takes longer than it saves.
export CARGO_PROFILE_RELEASE_OPT_LEVEL=1
models() { cargo test -p "$1" --lib --release --locked -- "${@:2}"; }
names=
for package in schedule schedule-stream; do
    of_package=$(models "$package" model:: --list | sed -n "s/: test$//p" | sed "s/^/$package /")
    [ -n "$of_package" ] || { echo "$package has no model"; exit 1; }
    names+="$of_package"$'\n'
done
# Each model runs in a separate process, because the weakened ordering is a process-wide setting. The last ones take longest.
export -f models
printf '%s' "$names" | sort -r | xargs -P 2 -I{} bash -c 'set -- {}; models "$1" --exact "$2"'
