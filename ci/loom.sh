#!/usr/bin/env bash
# Tries all interleavings of small parallel runs, up to a number of preemptions, with every ordering as it is and with
# each taken away in turn. `LOOM_MAX_PREEMPTIONS=5 ci/loom.sh` tries more.
set -euo pipefail
cd "$(dirname "$0")/.."

export RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/loom"
# To optimise it further takes longer than that saves.
export CARGO_PROFILE_RELEASE_OPT_LEVEL=1
models() { cargo test -p "$1" --lib --release --locked -- "${@:2}"; }
names=
for package in schedule schedule-stream; do
    of_package=$(models "$package" model:: --list | sed -n "s/: test$//p" | sed "s/^/$package /")
    [ -n "$of_package" ] || { echo "there is no model in $package"; exit 1; }
    names+="$of_package"$'\n'
done
# Each is a process of its own: which ordering is taken away, all models of one are told at once. The last ones take longest.
export -f models
printf '%s' "$names" | sort -r | xargs -P 2 -I{} bash -c 'set -- {}; models "$1" --exact "$2"'
