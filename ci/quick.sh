#!/usr/bin/env bash
# The checks before each commit: at most three minutes on two processors, if the dependencies are compiled.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/steps.sh

export RUST_BACKTRACE=0

libraries=()
for crate in schedule schedule-cluster schedule-graph schedule-hecs schedule-macros schedule-stream schedule-view; do
    libraries+=(--package "$crate")
done

start_steps
step "formatting" cargo fmt --all --check
# Texts, imports and names of the sources, without compile-fail cases.
step "words, imports, messages" cargo test --package schedule-tests --test compiler --locked -- \
    documents:: imports:: messages:: type_names:: words:: ui::every
step "lints" cargo clippy --workspace --all-targets --locked -- -D warnings
step "unit tests" cargo test "${libraries[@]}" --lib --locked
