//! A receiver on another thread gets clones.

use schedule::prelude::*;

#[derive(Message)]
struct Hit(u32);

fn main() {
    let mut hits = Messages::<Hit>::new();
    let mut receiver = hits.receiver();
    let _ = receiver.try_receive();
}

//~ remedy
//~ - #[derive(Message)]
//~ + #[derive(Message, Clone)]
