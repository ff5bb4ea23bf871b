//! What has happened is known.

struct Entry {
    number: u32,
}

#[test]
fn it_compiles() {}
