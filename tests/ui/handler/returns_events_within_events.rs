//! What follows is said once: an answer beside it is nothing but that.

use schedule_stream::prelude::*;

struct Halve(u32);

#[handler]
fn halve(event: &Halve) -> Then<Halve, Then<Halve>> {
    Then::events([Halve(event.0 / 2)]).answering(Then::events([]))
}

fn main() {}

//~ remedy
//~ - fn halve(event: &Halve) -> Then<Halve, Then<Halve>> {
//~ -     Then::events([Halve(event.0 / 2)]).answering(Then::events([]))
//~ + fn halve(event: &Halve) -> Then<Halve> {
//~ +     Then::events([Halve(event.0 / 2)])
