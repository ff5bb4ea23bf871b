#!/usr/bin/env bash
# Runs every test, with all random cases and all compile-fail cases. `cargo test` runs a part of them, within minutes.
#
# With --default-members, runs only the tests of the README's command, with all their cases. With --others, runs only those of the other
# packages.
set -euo pipefail
cd "$(dirname "$0")/.."

# Read by `schedule_tests::has_full_counts`.
export SCHEDULE_TESTS=all

# The command is read from the README, so that the two cannot differ.
default_members() {
    test_command=$(sed -n 's/^\(cargo test\( [^#]*\)\?\)#.*$/\1/p' README.md | head -n 1)
    [ -n "$test_command" ] || { echo "README.md names no test command"; exit 1; }
    echo "$test_command"
    # shellcheck disable=SC2086 # a command with arguments
    $test_command --locked
}

# Their dependencies have other features, so in one call of cargo, all executables of the first command would be built again.
others() {
    cargo test --locked --package schedule-cluster --package schedule-tests-alone --package schedule-tests-cluster \
        --package schedule-tests-remedies --package examples --package bank --package village --package bench-report
}

case "${1:-}" in
    "") default_members && others ;;
    --default-members) default_members ;;
    --others) others ;;
    *) echo "unknown option: $1" >&2; exit 2 ;;
esac
