# Sourced by `.ci/run` and `ci/slow.sh`: runs named steps, and prints a summary at the end. The scripts of single checks source it
# for `pass_over`.

# Reports that a check is passed over, and why. The caller leaves the check out. With REQUIRE_ALL=1 this fails.
pass_over() {
    echo "PASSED OVER: $1"
    if [ -n "${PASSED_OVER:-}" ]; then
        printf '%s: %s\n' "${STEP:-$0}" "$1" >> "$PASSED_OVER"
    fi
    if [ "${REQUIRE_ALL:-0}" = 1 ]; then
        echo "REQUIRE_ALL=1 allows none to be passed over"
        exit 1
    fi
}

# Runs a step: its name, then the command.
step() {
    export STEP=$1
    local start=$SECONDS
    printf '\n== %s, after %d s\n' "$STEP" "$start"
    "${@:2}"
    RAN+=("$(printf '%6d s  %s' "$((SECONDS - start))" "$STEP")")
    STEP=
}

# Starts the record of the steps. A script that is sourced by another one adds to that one's record.
start_steps() {
    [ -z "${RAN+x}" ] || return 0
    RAN=()
    PASSED_OVER=$(mktemp)
    export PASSED_OVER
    trap summary EXIT
}

summary() {
    local status=$?
    printf '\n== summary, after %d s\n' "$SECONDS"
    printf '%s\n' "${RAN[@]}"
    if [ -s "$PASSED_OVER" ]; then
        echo "passed over:"
        sed 's/^/  /' "$PASSED_OVER"
    else
        echo "passed over: none"
    fi
    rm -f "$PASSED_OVER"
    if [ "$status" = 0 ]; then
        echo "passed"
    else
        echo "FAILED: ${STEP:-before the first step}"
    fi
    exit "$status"
}
