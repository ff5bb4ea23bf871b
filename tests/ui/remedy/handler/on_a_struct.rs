//! A handler is a function.

struct Deposit;

#[test]
fn it_compiles() {}
