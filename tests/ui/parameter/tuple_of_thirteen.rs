use schedule::prelude::*;

type One<'r> = Local<'r, u32>;

#[system]
fn count(
    all: (
        One,
        One,
        One,
        One,
        One,
        One,
        One,
        One,
        One,
        One,
        One,
        One,
        One,
    ),
) {
    let _ = all;
}

fn main() {}
