//! What follows is said once: an answer beside it is nothing but that.

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
