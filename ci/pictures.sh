#!/usr/bin/env bash
# Lets those read the pictures for whom they are written: Graphviz, and Mermaid's own parser. Needs `dot` and `npm`, and
# passes over what is not there.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v dot > /dev/null || echo "passed over: there is no dot"
folder=${CARGO_TARGET_DIR:-target}/mermaid
if command -v npm > /dev/null; then
    mkdir -p "$folder"
    if npm install --prefix "$folder" --no-save --silent mermaid@11 jsdom@26; then
        MERMAID=$(cd "$folder" && pwd)
        export MERMAID
    else
        echo "passed over: Mermaid could not be had"
    fi
else
    echo "passed over: there is no npm"
fi
# Of the whole workspace, as the README's command has it: else all is built anew with fewer features.
cargo test --locked --workspace --test behaviour view::
