#!/usr/bin/env bash
# Checks that Graphviz and the parser of Mermaid can read the pictures. Needs `dot` and `npm`. If one is missing, this is
# reported; with REQUIRE_ALL=1 it is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/steps.sh

command -v dot > /dev/null || skip_check "dot is missing"
folder=${CARGO_TARGET_DIR:-target}/mermaid
if command -v npm > /dev/null; then
    mkdir -p "$folder"
    if npm install --prefix "$folder" --no-save --silent mermaid@11 jsdom@26; then
        MERMAID=$(cd "$folder" && pwd)
        export MERMAID
    else
        skip_check "Mermaid cannot be installed"
    fi
else
    skip_check "npm is missing"
fi
# The packages of the README's command, so that nothing is built again.
cargo test --locked --test behaviour view::
