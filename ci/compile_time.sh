#!/usr/bin/env bash
# Measures the compile time of functions with six parameters: the bare functions, with `#[system]` and added to a builder, listed in
# a `schedule!` without races, and as systems of bevy_ecs that are added to a schedule. Prints medians in seconds, of interleaved
# runs.
#
# Clean: `cargo check` and `cargo build` of the crate without its dependencies and without incremental compilation. After an edit:
# both with incremental compilation, after a change in the middle function or above the first one, which each run makes or takes
# back:
#
#   body       another constant, one character longer. Lines stay where they are
#   line       a comment above all other lines
#   parameter  one parameter more
#   order      one order more
#
# $1: the number of functions (default: 500), $2: the number of runs (default: 5), $3: the numbers of files (default: "1 20"),
# $4: the commands (default: "check build"), $5: the edits (default: "clean body line parameter order"), $6: the functions:
#
#   systems    as above (default)
#   each       with `#[system(for_each)]` and six components. In bevy_ecs, each is a loop over a query
#   handlers   with `#[handler]`, an event and five records, named by one event type. Not in bevy_ecs
set -euo pipefail
project=$(cd "$(dirname "$0")/.." && pwd)
n=${1:-500}
runs=${2:-5}
kind=${6:-systems}
case $kind in
    systems) contenders="bare added listed bevy" ;;
    each) contenders="bare added bevy" ;;
    handlers) contenders="bare added" ;;
    *) echo "unknown functions: $kind" >&2; exit 2 ;;
esac
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export CARGO_TARGET_DIR=$scratch/target

for what in $contenders; do
    mkdir -p "$scratch/$what/src"
    case $what in
        bare) dependency='' ;;
        bevy) dependency='bevy_ecs = "=0.20.1"' ;;
        *)
            dependency="schedule = { path = \"$project/schedule\" }"
            [ "$kind" = each ] && dependency+=$'\n'"schedule-hecs = { path = \"$project/schedule-hecs\" }"
            [ "$kind" = handlers ] && dependency+=$'\n'"schedule-stream = { path = \"$project/schedule-stream\" }"
            ;;
    esac
    cat > "$scratch/$what/Cargo.toml" <<TOML
[package]
name = "compile-$what"
version = "0.0.0"
edition = "2024"

[dependencies]
$dependency

[workspace]
TOML
done

# Writes the program of a contender ($1) in this number of files ($2), after an edit ($3). The parameters cycle through 40 resources,
# and two of the six are written.
write() {
    awk -v what="$1" -v kind="$kind" -v files="$2" -v edit="$3" -v n="$n" -v folder="$scratch/$1/src" '
    function file(i) { return files == 1 ? folder "/lib.rs" : folder "/m" int(i / per) ".rs" }
    function path(i) { return (files == 1 ? "" : "m" int(i / per) "::") "system_" i }
    function resource(i, k) { return "R" (i * 7 + k * 11) % 40 }
    function is_written(k) { return k == 0 && kind != "handlers" || k == 3 }
    function parameter(i, k) {
        if (kind == "handlers" && k == 0) return "&Request"
        if (what == "bevy" && kind == "systems") return (is_written(k) ? "ResMut<" : "Res<") resource(i, k) ">"
        return (is_written(k) ? "&mut " : "&") resource(i, k)
    }
    function attribute(i,   options) {
        if (kind == "handlers") return what == "added" ? "#[handler]\n" : ""
        if (kind == "each" && what == "added") {
            options = edit == "order" && i == middle ? ", after = crate::" path(0) : ""
            return "#[system(for_each" options ")]\n"
        }
        if (what != "added" && what != "listed") return ""
        if (what == "added" && edit == "order" && i == middle) return "#[system(after = crate::" path(0) ")]\n"
        return "#[system]\n"
    }
    function system_of(i,   k, parameters, types, patterns, names, is_bevy, separator, key) {
        split("a b c d e f g", names, " ")
        is_bevy = what == "bevy"
        for (k = 0; k < (edit == "parameter" && i == middle ? 7 : 6); k++) {
            separator = k ? ", " : ""
            key = kind == "handlers" && what == "added" && k > 0 ? "#[key(a.0)] " : ""
            types = types separator parameter(i, k)
            patterns = patterns separator (is_bevy && is_written(k) ? "mut " : "") names[k + 1]
            parameters = parameters separator key (is_bevy && is_written(k) ? "mut " : "") names[k + 1] ": " parameter(i, k)
        }
        if (kind != "systems") return attribute(i) "pub fn system_" i "(" \
            (is_bevy ? "mut all: Query<(" types ")>" : parameters) ") {\n" \
            (is_bevy ? "for (" patterns ") in &mut all {\n" : "") \
            "    let base = b.0 * c.1 + e.1;\n" \
            "    let other = (b.1 + f.0 + a.1).clamp(-base.abs(), base.abs());\n" \
            "    d.0 = if c.0 < other { d.0 + f.1 } else { d.0 - c.1 };\n" \
            "    for i in 0..3 {\n" \
            "        d.1 = d.1.wrapping_add(i * other);\n" \
            "    }\n" \
            "    d.1 = d.1.max(" (edit == "body" && i == middle ? 22 : 1) ");\n" \
            (kind == "each" ? "    a.0 = d.1;\n" : "") \
            (is_bevy ? "}\n" : "") "}\n"
        return attribute(i) "pub fn system_" i "(" parameters ") {\n" \
            "    let base = b.0.iter().zip(&c.0).map(|(x, y)| x * y).sum::<i64>() + e.1;\n" \
            "    for (i, value) in a.0.iter_mut().enumerate() {\n" \
            "        let other = b.0.get(i).copied().unwrap_or_default();\n" \
            "        *value = (*value + other).clamp(-base.abs(), base.abs());\n" \
            "        if *value < c.1 { *value += f.1; } else { *value -= c.1; }\n" \
            "    }\n" \
            "    let last = f.0.first().copied().unwrap_or(" (edit == "body" && i == middle ? 22 : 1) ");\n" \
            "    d.1 = a.0.iter().copied().max().unwrap_or(0) + e.0.len() as i64 + last;\n" \
            "}\n"
    }
    # Each system is ordered after all earlier systems with which it conflicts. Every fifth has a condition, and 5 of 50 are in a loop.
    function listing(   i, j, k, r, after, clauses, text) {
        text = "schedule! { pub Frame {\n"
        for (i = 0; i < n; i++) {
            if (i % 50 == 25) text = text "repeat while is_left_" i " {\n"
            split("", after)
            for (k = 0; k < 6; k++) {
                r = resource(i, k)
                if (is_written(k) && n_readers[r]) {
                    for (j = 0; j < n_readers[r]; j++) after[readers[r, j]] = 1
                } else if (r in writer) {
                    after[writer[r]] = 1
                }
                if (is_written(k)) { writer[r] = i; n_readers[r] = 0 } else { readers[r, n_readers[r]++] = i }
            }
            delete after[i]
            if (edit == "order" && i == middle) after[0] = 1
            clauses = ""
            for (j = 0; j < i; j++) if (j in after) clauses = clauses (clauses == "" ? "" : ", ") path(j)
            if (clauses != "") clauses = " after (" clauses ")"
            if (i % 5 == 0) clauses = clauses " if is_on_" (i / 5 % 20)
            text = text path(i) (clauses == "" ? "" : ":" clauses) ",\n"
            if (i % 50 == 29 || i % 50 > 24 && i % 50 < 29 && i == n - 1) text = text "}\n"
        }
        return text "} }\n"
    }
    BEGIN {
        per = n / files
        middle = int(n / 2)
        prelude = what == "bare" ? "" : what == "bevy" ? "use bevy_ecs::prelude::*;\n" : "use schedule::prelude::*;\n"
        if (kind == "handlers" && what == "added") prelude = "use schedule_stream::prelude::*;\n"
        if (kind == "each" && what == "added") prelude = prelude "use schedule::entity::Component;\n"
        derive = "#[derive(Resource)] "
        if (kind == "each") derive = "#[derive(Component)] "
        if (kind == "handlers") derive = "#[derive(Record, Default)] #[record(key = i64)] "
        if (what == "bare") derive = ""
        values = kind == "systems" ? "Vec<i64>" : "i64"
        lib = folder "/lib.rs"
        text = prelude
        for (r = 0; r < 40; r++) text = text derive "pub struct R" r "(pub " values ", pub i64);\n"
        if (what == "listed") {
            for (c = 0; c < 20; c++) text = text derive "pub struct C" c "(pub bool);\n" \
                "#[system]\npub fn is_on_" c "(c: &C" c ") -> bool { c.0 }\n"
            for (i = 25; i < n; i += 50) text = text "#[system]\npub fn is_left_" i "() -> bool { false }\n"
        }
        if (kind == "handlers") text = text "pub struct Request(pub i64, pub i64);\n"
        if (kind == "handlers" && what == "added") {
            text = text "#[derive(Event)]\npub enum Bank {\n"
            for (i = 0; i < n; i++) text = text "    #[event(" path(i) ")]\n    V" i "(Request),\n"
            text = text "}\n"
        } else if (what == "added") {
            text = text "pub fn register(builder: &mut schedule::Builder) {\n"
            for (i = 0; i < n; i++) text = text "    builder.add::<" path(i) ">();\n"
            text = text "}\n"
        }
        if (what == "bevy") {
            text = text "pub fn register(schedule: &mut Schedule) {\n"
            for (i = 0; i < n; i++)
                text = text "    schedule.add_systems(" path(i) (edit == "order" && i == middle ? ".after(" path(0) ")" : "") ");\n"
            text = text "}\n"
        }
        if (what == "listed") text = text listing()
        comment = edit == "line" ? "// One line more.\n" : ""
        if (files > 1) for (m = 0; m < files; m++) text = text "pub mod m" m ";\n"
        printf "%s%s", files == 1 ? comment : "", text > lib
        for (i = 0; i < n; i++) {
            if (files > 1 && i % per == 0)
                printf "%s%s", (i == 0 ? comment : "") prelude, "use crate::*;\n" > file(i)
            printf "%s", system_of(i) > file(i)
        }
    }'
}

# $1: contender, $2: command. Prints the time in hundredths of a second.
time_of() {
    local start
    start=$(date +%s%N)
    (cd "$scratch/$1" && cargo "$2" --quiet 2> "$scratch/errors") || { cat "$scratch/errors" >&2; exit 1; }
    echo $((($(date +%s%N) - start) / 10000000))
}

for files in ${3:-1 20}; do
    for command in ${4:-check build}; do
        for edit in ${5:-clean body line parameter order}; do
            export CARGO_INCREMENTAL=1
            [ "$edit" = clean ] && export CARGO_INCREMENTAL=0
            measured=$contenders
            [ "$edit" = order ] && measured=${contenders#bare }
            [ "$edit$kind" = orderhandlers ] && continue
            for what in $measured; do
                rm -f "$scratch/$what"/src/*
                write "$what" "$files" none
                time_of "$what" "$command" > "$scratch/ignored"
                : > "$scratch/$what.times"
            done
            for run in $(seq "$runs"); do
                for what in $measured; do
                    if [ "$edit" = clean ]; then
                        touch "$scratch/$what"/src/*
                    else
                        write "$what" "$files" "$([ $((run % 2)) = 1 ] && echo "$edit" || echo none)"
                    fi
                    time_of "$what" "$command" >> "$scratch/$what.times"
                done
            done
            for what in $measured; do
                sort -n "$scratch/$what.times" | sed -n "$(((runs + 1) / 2))p" |
                    awk -v line="$(printf '%4d %s %2d files %-5s %-9s %-6s' "$n" "$kind" "$files" "$command" "$edit" "$what")" \
                        '{ printf "%s %6.2f s\n", line, $1 / 100 }'
            done
        done
    done
done
