//! A handler is a function.

const DEPOSIT: u32 = 3;

#[test]
fn it_compiles() {}
