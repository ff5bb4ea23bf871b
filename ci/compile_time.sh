#!/usr/bin/env bash
# What the attribute costs the compiler: 500 functions of six parameters, without it, with it, and with all of them
# added to a schedule. Prints the median of three times in seconds, without incremental compilation.
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

# $1: nothing, or the attribute. The parameters go round 40 resources, two of the six to write.
functions() {
    echo 'use schedule::prelude::*;'
    for r in $(seq 0 39); do echo "#[derive(Resource)] pub struct R$r(pub Vec<i64>, pub i64);"; done
    for i in $(seq 0 499); do
        r() { echo "R$(((i * 7 + $1 * 11) % 40))"; }
        cat <<RUST
$1
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

functions '' > "$scratch/plain.rs"
functions '#[system]' > "$scratch/systems.rs"
{
    cat "$scratch/systems.rs"
    echo 'pub fn register(builder: &mut schedule::Builder) {'
    for i in $(seq 0 499); do echo "    builder.add::<system_$i>();"; done
    echo '}'
} > "$scratch/added.rs"

cd "$scratch"
for how in check build 'build --release'; do
    for what in plain systems added; do
        cp "$what.rs" src/lib.rs
        cargo $how --quiet 2>/dev/null
        for _ in 1 2 3; do
            touch src/lib.rs
            start=$(date +%s%N)
            cargo $how --quiet 2>/dev/null
            echo $(((($(date +%s%N) - start) / 10000000)))
        done | sort -n | sed -n 2p | awk -v how="$how" -v what="$what" \
            '{ printf "%-16s %-8s %6.2f s\n", how, what, $1 / 100 }'
    done
done
