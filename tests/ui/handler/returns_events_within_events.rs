//! A handler returns follow-up events once, not as the answer of another one.

use schedule_stream::prelude::*;

struct Halve(u32);

#[handler]
fn halve(event: &Halve) -> FollowUps<Halve, FollowUps<Halve>> {
    FollowUps::events([Halve(event.0 / 2)]).answering(FollowUps::events([]))
}

fn main() {}

//~ remedy
//~ - fn halve(event: &Halve) -> FollowUps<Halve, FollowUps<Halve>> {
//~ -     FollowUps::events([Halve(event.0 / 2)]).answering(FollowUps::events([]))
//~ + fn halve(event: &Halve) -> FollowUps<Halve> {
//~ +     FollowUps::events([Halve(event.0 / 2)])
