//! A record does not borrow.

use schedule_stream::prelude::*;

#[derive(Record)]
#[record(id = u32)]
struct Account<'a>(&'a str);

fn main() {}

//~ remedy
//~ - struct Account<'a>(&'a str);
//~ + struct Account(String);
