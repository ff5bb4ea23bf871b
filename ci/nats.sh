#!/usr/bin/env bash
# Runs the tests of journals in a NATS server, each with a server of its own on this machine. If the program `nats-server` is
# missing and cannot be installed, this is reported; with REQUIRE_ALL=1 it is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/steps.sh

# Debian has it in a directory that only administrators have in their path.
PATH=$PATH:/usr/sbin
if ! command -v nats-server >/dev/null && command -v apt-get >/dev/null; then
    apt-get install -y nats-server >/dev/null 2>&1 \
        || { apt-get update && apt-get install -y nats-server; } >/dev/null 2>&1 || true
fi
command -v nats-server >/dev/null || { skip_check "nats-server cannot be installed"; exit 0; }
nats-server --version

cargo test --package schedule-cluster --features nats --test nats --locked
