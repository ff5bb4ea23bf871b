//! Compares expansions with formatted snapshots. Run with `BLESS=1` to accept changed expansions.

use proc_macro2::TokenStream;

/// Compares an expansion with the snapshot in `file`, a path relative to `src`.
pub(crate) fn assert_expands(expansion: TokenStream, file: &str) {
    let syntax: syn::File =
        syn::parse2(expansion.clone()).unwrap_or_else(|error| panic!("{error}: {expansion}"));
    let text = prettyplease::unparse(&syntax);
    let path = format!("{}/src/{file}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &text).expect("the snapshot can be written");
    }
    let expected = std::fs::read_to_string(&path).expect("there is a snapshot");
    assert_eq!(text, expected, "{file}; with BLESS=1 this is accepted");
}
