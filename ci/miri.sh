#!/usr/bin/env bash
# Runs the tests of the library and of its behaviour under Miri, which finds undefined behaviour. Miri is a nightly
# component: where it cannot be had, this says so and passes.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! rustup run nightly cargo miri --version >/dev/null 2>&1; then
    RUSTUP_AUTO_INSTALL=0 rustup toolchain install nightly --profile minimal --component miri,rust-src \
        >/dev/null 2>&1 || true
fi
if ! rustup run nightly cargo miri --version >/dev/null 2>&1; then
    echo "PASSED OVER: no nightly toolchain with Miri can be had here"
    exit 0
fi

export MIRIFLAGS="-Zmiri-tree-borrows -Zmiri-ignore-leaks"
# The verifier is safe code, and its random graphs take long: only what is near `unsafe`.
rustup run nightly cargo miri test -p schedule --lib -- resource:: system:: access::
rustup run nightly cargo miri test -p schedule-tests --test behaviour -- --skip law::
