#!/usr/bin/env bash
# Measures the compile time of the macros for functions with six parameters: without the attribute, with it, with all
# functions added to a builder, and with all of them in a `schedule!` with conditions and loops and without races. Prints
# the median of three times in seconds, without incremental compilation. $1: the number of functions (default: 100 and 500).
set -euo pipefail
project=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export CARGO_INCREMENTAL=0

mkdir "$scratch/src"
cat > "$scratch/Cargo.toml" <<TOML
[package]
name = "compile-time"
version = "0.0.0"
edition = "2024"

[dependencies]
schedule = { path = "$project/schedule" }

[workspace]
TOML

# $1: the number of functions; $2: the attribute, or empty. The parameters cycle through 40 resources; two of the six are
# written. There are twenty conditions, and one for each loop.
functions() {
    echo 'use schedule::prelude::*;'
    for r in $(seq 0 39); do echo "#[derive(Resource)] pub struct R$r(pub Vec<i64>, pub i64);"; done
    for c in $(seq 0 19); do
        echo "#[derive(Resource)] pub struct C$c(pub bool); $2 pub fn is_on_$c(c: &C$c) -> bool { c.0 }"
    done
    for i in $(seq 25 50 $(($1 - 1))); do echo "$2 pub fn is_left_$i() -> bool { false }"; done
    for i in $(seq 0 $(($1 - 1))); do
        r() { echo "R$(((i * 7 + $1 * 11) % 40))"; }
        cat <<RUST
$2
pub fn system_$i(a: &mut $(r 0), b: &$(r 1), c: &$(r 2), d: &mut $(r 3), e: &$(r 4), f: &$(r 5)) {
    let base = b.0.iter().zip(&c.0).map(|(x, y)| x * y).sum::<i64>() + e.1;
    for (i, value) in a.0.iter_mut().enumerate() {
        let other = b.0.get(i).copied().unwrap_or_default();
        *value = (*value + other).clamp(-base.abs(), base.abs());
        if *value < c.1 { *value += f.1; } else { *value -= c.1; }
    }
    d.1 = a.0.iter().copied().max().unwrap_or(0) + e.0.len() as i64 + f.0.first().copied().unwrap_or(1);
}
RUST
    done
}

# $1: the number of functions. Each is ordered after all earlier functions with which it conflicts. Every fifth has a
# condition, and 5 of 50 are in a loop.
listing() {
    awk -v n="$1" 'BEGIN {
        print "schedule! { pub Frame {"
        for (i = 0; i < n; i++) {
            if (i % 50 == 25) printf "repeat while is_left_%d {\n", i
            split("", after)
            for (k = 0; k < 6; k++) {
                r = (i * 7 + k * 11) % 40
                writes = k == 0 || k == 3
                if (writes && n_readers[r]) {
                    for (j = 0; j < n_readers[r]; j++) after[readers[r, j]] = 1
                } else if (r in writer) {
                    after[writer[r]] = 1
                }
                if (writes) { writer[r] = i; n_readers[r] = 0 } else { readers[r, n_readers[r]++] = i }
            }
            delete after[i]
            clauses = ""
            for (j = 0; j < i; j++) if (j in after) clauses = clauses (clauses == "" ? "" : ", ") "system_" j
            if (clauses != "") clauses = " after (" clauses ")"
            if (i % 5 == 0) clauses = clauses " if is_on_" (i / 5 % 20)
            printf "system_%d%s%s,\n", i, clauses == "" ? "" : ":", clauses
            if (i % 50 == 29 || i % 50 > 24 && i % 50 < 29 && i == n - 1) print "}"
        }
        print "} }"
    }'
}

cd "$scratch"
for n in ${1:-100 500}; do
    functions "$n" '' > plain.rs
    functions "$n" '#[system]' > systems.rs
    {
        cat systems.rs
        echo 'pub fn register(builder: &mut schedule::Builder) {'
        for i in $(seq 0 $((n - 1))); do echo "    builder.add::<system_$i>();"; done
        echo '}'
    } > added.rs
    { cat systems.rs; listing "$n"; } > listed.rs

    for how in check build 'build --release'; do
        for what in plain systems added listed; do
            cp "$what.rs" src/lib.rs
            cargo $how --quiet 2>/dev/null
            for _ in 1 2 3; do
                touch src/lib.rs
                start=$(date +%s%N)
                cargo $how --quiet 2>/dev/null
                echo $(((($(date +%s%N) - start) / 10000000)))
            done | sort -n | sed -n 2p | awk -v n="$n" -v how="$how" -v what="$what" \
                '{ printf "%4d %-16s %-8s %6.2f s\n", n, how, what, $1 / 100 }'
        done
    done
done
