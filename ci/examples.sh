#!/usr/bin/env bash
# Runs the large examples on files of this repository. Each asserts its result. `cargo test -p examples` runs those of one file.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo run --release --locked -p village
cargo run --release --locked -p village -- --timeline "${CARGO_TARGET_DIR:-target}/timeline.svg"

# In one call, so that the crates that both packages need are built once.
large=(arena rollback blocks verify lock controller ledger)
cargo build --release --locked -p examples -p bank --bins "${large[@]/#/--example=}"

# Runs a large example. $1: its name; the others: its arguments.
large_example() {
    printf '\n-- %s\n' "$*"
    "${CARGO_TARGET_DIR:-target}/release/examples/$1" "${@:2}"
}
large_example arena
large_example rollback
large_example blocks examples/blocks/sample.csv
large_example verify examples/verify/sample.json --run
large_example lock
large_example controller --seconds 1 --log "${CARGO_TARGET_DIR:-target}/flight.log"
large_example ledger examples/ledger/sample.csv --threads 2
large_example ledger --threads 2 --handler-ns 100
large_example ledger --processes 2

# Starts the bank with these options, sends it the requests of README.md and many payments, and ends it. Without curl, only payments.
bank() {
    local folder bank address programs="${CARGO_TARGET_DIR:-target}/release"
    folder=$(mktemp -d)
    "$programs/bank" --folder "$folder/data" --port 0 "$@" > "$folder/output" &
    bank=$!
    trap 'kill -KILL $bank 2>/dev/null; cat "$folder/output"; rm -rf "$folder"' EXIT
    until address=$(grep -o '127\.0\.0\.1:[0-9]*' "$folder/output"); do
        kill -0 "$bank"
        sleep 0.1
    done
    if curl --help all 2>/dev/null | grep -q -- --json; then
        grep '^curl .*127\.0\.0\.1:7070' README.md | sed "s/^curl/curl --fail --silent --show-error/; s/127\.0\.0\.1:7070/$address/" > "$folder/requests"
        [ -s "$folder/requests" ] || { echo "README.md has no requests"; exit 1; }
        bash -e "$folder/requests" | tee "$folder/answers"
        grep -q '"account":"bob","balance_cents":250' "$folder/answers"
    fi
    "$programs/bank-load" --address "$address" --payments 20000 --leave 5
    "$programs/bank-load" --address "$address" --payments 20000 --leave 5 --keys
    # The bank is open meanwhile. The snapshots of worker processes cannot be compared.
    [ $# -gt 0 ] || "$programs/bank" --folder "$folder/data" --compare
    kill -TERM "$bank"
    wait "$bank"
    trap - EXIT
    cat "$folder/output"
    grep -q 'took a snapshot' "$folder/output"
    rm -rf "$folder"
}
bank
bank --processes 2
