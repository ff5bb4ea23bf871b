//! A handler is a function.

mod deposits {}

#[test]
fn it_compiles() {}
