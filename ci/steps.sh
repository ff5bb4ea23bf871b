# Sourced by `.ci/run` and `ci/slow.sh`: runs named steps, and prints a summary at the end. The scripts of single checks source it
# for `skip_check`.

# Reports that a check is skipped, with the reason. The caller skips the check. With REQUIRE_ALL=1 this is a failure.
skip_check() {
    echo "SKIPPED: $1"
    if [ -n "${SKIPPED_CHECKS:-}" ]; then
        printf '%s: %s\n' "${STEP:-$0}" "$1" >> "$SKIPPED_CHECKS"
    fi
    if [ "${REQUIRE_ALL:-0}" = 1 ]; then
        echo "with REQUIRE_ALL=1, no check may be skipped"
        exit 1
    fi
}

# Runs a step. $1: its name; the others: the command.
step() {
    export STEP=$1
    local start=$SECONDS
    printf '\n== %s, after %d s\n' "$STEP" "$start"
    "${@:2}"
    RAN+=("$(printf '%6d s  %s' "$((SECONDS - start))" "$STEP")")
    STEP=
}

# Runs a step beside the next ones. Its output is printed by `join_beside`. $1: its name; the others: the command.
beside() {
    BESIDE_NAME=$1
    BESIDE_OUTPUT=$(mktemp)
    BESIDE_START=$SECONDS
    (
        export STEP=$1
        "${@:2}"
    ) >"$BESIDE_OUTPUT" 2>&1 &
    BESIDE=$!
}

# Waits for the end of the step that runs beside others.
join_beside() {
    local status=0
    STEP=$BESIDE_NAME
    wait "$BESIDE" || status=$?
    BESIDE=
    printf '\n== %s, beside other steps\n' "$STEP"
    cat "$BESIDE_OUTPUT"
    rm -f "$BESIDE_OUTPUT"
    [ "$status" = 0 ] || exit "$status"
    RAN+=("$(printf '%6d s  %s, beside other steps' "$((SECONDS - BESIDE_START))" "$STEP")")
    STEP=
}

# Starts the list of steps. A script that another script sources adds to the list of that script.
start_steps() {
    [ -z "${RAN+x}" ] || return 0
    RAN=()
    SKIPPED_CHECKS=$(mktemp)
    export SKIPPED_CHECKS
    trap summary EXIT
}

summary() {
    local status=$?
    [ -z "${BESIDE:-}" ] || kill "$BESIDE" 2>/dev/null || true
    printf '\n== summary, after %d s\n' "$SECONDS"
    printf '%s\n' "${RAN[@]}"
    if [ -s "$SKIPPED_CHECKS" ]; then
        echo "skipped:"
        sed 's/^/  /' "$SKIPPED_CHECKS"
    else
        echo "skipped: none"
    fi
    rm -f "$SKIPPED_CHECKS"
    if [ "$status" = 0 ]; then
        echo "passed"
    else
        echo "FAILED: ${STEP:-before the first step}"
    fi
    exit "$status"
}
