#!/usr/bin/env bash
# Checks the packages that are published: the folders of the workspace whose Cargo.toml has no `publish = false`.
# - `cargo package` creates each of them, against the others as if they were in a registry.
# - Each has the licences and a README of its own. The links of the README also work outside of the repository.
# - Extracted from their archives, the packages compile with all features, without the rest of the workspace.
#
# With SLOW=1, `cargo package` itself compiles each package alone, with its default features. This takes about 3 minutes more.
# With BLESS=1, licences and the address of the repository are first copied into the packages.
#
# `cargo package --workspace` fails: it also packages the members that are not published, and they depend on each other.
set -euo pipefail
cd "$(dirname "$0")/.."

# The same profile as in `.ci/run`, so that both use the same builds.
export CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=0

value() { sed -n "s/^$2 = \"\([^\"]*\)\".*/\1/p" "$1" | head -n 1; }
repository=$(value Cargo.toml repository)
version=$(value Cargo.toml version)

folders=()
names=()
for manifest in */Cargo.toml; do
    grep -q '^publish = false' "$manifest" && continue
    folders+=("${manifest%/Cargo.toml}")
    names+=("$(value "$manifest" name)")
done

failed=0
fail() {
    echo "error: $1"
    failed=1
}

for folder in "${folders[@]}"; do
    for licence in LICENSE-MIT LICENSE-APACHE; do
        [ "${BLESS:-0}" = 1 ] && cp "$licence" "$folder/"
        # Copies and no symbolic links, because Git on Windows may check out a link as a file that contains its target.
        cmp -s "$licence" "$folder/$licence" || fail "$folder/$licence differs from $licence; run: BLESS=1 ci/package.sh"
    done
    readme=$folder/README.md
    [ -f "$readme" ] || { fail "$readme is missing"; continue; }
    if [ "${BLESS:-0}" = 1 ]; then
        sed -i.old "s|(https://[^)]*#readme)|($repository#readme)|" "$readme" && rm "$readme.old"
    fi
    grep -qF "($repository#readme)" "$readme" || fail "$readme has no link to $repository#readme; run: BLESS=1 ci/package.sh"
    # Inline links and images, definitions of links, and HTML.
    if grep -oE '\]\([^)]*\)|^ *\[[^]]*\]: .*|<(a|img) [^>]*>' "$readme" | grep -vE '^\]\(https://|\]: https://'; then
        fail "$readme has a link that is not absolute"
    fi
    for key in description repository.workspace readme categories keywords; do
        grep -qE "^$key(\.workspace)? = " "$folder/Cargo.toml" || fail "$folder/Cargo.toml has no \`$key\`"
    done
done
[ "$failed" = 0 ] || exit 1

verify=--no-verify
[ "${SLOW:-0}" = 1 ] && verify=
# shellcheck disable=SC2086 # no word if empty
cargo package --locked --allow-dirty $verify "${names[@]/#/--package=}"

target=$(cd "${CARGO_TARGET_DIR:-target}" && pwd)
extracted=$target/package/extracted
rm -rf "$extracted"
mkdir "$extracted"
for name in "${names[@]}"; do
    # `-m`: all files of an archive have the same old time, so cargo would not notice their changes.
    tar -xmf "$target/package/$name-$version.crate" -C "$extracted"
    for file in LICENSE-MIT LICENSE-APACHE README.md; do
        [ -f "$extracted/$name-$version/$file" ] || fail "the package $name does not contain $file"
    done
done
[ "$failed" = 0 ] || exit 1

# The packages depend on each other by version, so this workspace takes the place of a registry.
{
    printf '[workspace]\nresolver = "3"\nmembers = ["*-%s"]\n\n[patch.crates-io]\n' "$version"
    for name in "${names[@]}"; do
        printf '%s = { path = "%s-%s" }\n' "$name" "$name" "$version"
    done
} > "$extracted/Cargo.toml"
cp Cargo.lock "$extracted/"
cargo check --workspace --all-features --manifest-path "$extracted/Cargo.toml" --target-dir "$target"
echo "checked: ${names[*]}"
[ "${repository#*.example/}" = "$repository" ] || echo "note: $repository is a placeholder, see Cargo.toml"
