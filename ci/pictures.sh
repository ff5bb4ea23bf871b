#!/usr/bin/env bash
# Checks that Graphviz and Mermaid's own parser can read the pictures. Needs `dot` and `npm`. Where one is missing, this is
# reported; with REQUIRE_ALL=1 it is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/steps.sh

command -v dot > /dev/null || pass_over "dot is missing"
folder=${CARGO_TARGET_DIR:-target}/mermaid
if command -v npm > /dev/null; then
    mkdir -p "$folder"
    if npm install --prefix "$folder" --no-save --silent mermaid@11 jsdom@26; then
        MERMAID=$(cd "$folder" && pwd)
        export MERMAID
    else
        pass_over "Mermaid cannot be installed"
    fi
else
    pass_over "npm is missing"
fi
# Of the whole workspace, as the README's command has it: else all is built anew with fewer features.
cargo test --locked --workspace --test behaviour view::
