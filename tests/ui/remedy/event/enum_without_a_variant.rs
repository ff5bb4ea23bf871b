//! Something can happen.

enum Entry {}

#[test]
fn it_compiles() {}
