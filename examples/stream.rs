//! Streams: many small events, each of which names its records. They run in parallel, with the results of a `for` loop.
//!
//! `cargo run -p examples --example stream`
//!
//! 1,000 requests for the 500 seats of a theatre. A guest can have at most two seats.

use std::collections::BTreeMap;

use schedule::prelude::*;
use schedule_stream::{Processing, prelude::*};

/// A record: a value with a key, here a number. The value is the guest who has the seat.
#[derive(Record, Clone, Copy, Default, PartialEq)]
#[record(id = u32)]
struct Seat(Option<u32>);

/// The number of seats of a guest.
#[derive(Record, Clone, Copy, Default, PartialEq)]
#[record(id = u32)]
struct Guest(u32);

/// An event, with its handler and the type of its error.
#[derive(Event)]
#[event(book, error = &'static str)]
struct Booking {
    guest: u32,
    seat: u32,
}

/// The keys are known before the handler runs. Events without a common record may run at the same time, others run in order of arrival.
#[handler]
fn book(
    booking: &Booking,
    #[key(booking.guest)] guest: &mut Guest,
    #[key(booking.seat)] seat: &mut Seat,
) -> Result<(), &'static str> {
    match (guest.0, seat.0) {
        (2, _) => Err("the guest has two seats"),
        (_, Some(_)) => Err("the seat is taken"),
        (n_seats, None) => {
            (guest.0, seat.0) = (n_seats + 1, Some(booking.guest));
            Ok(())
        }
    }
}

fn booking(n: u32) -> Booking {
    let (guest, seat) = (n * 13 % 300, n * n / 7 % 500);
    Booking { guest, seat }
}

fn main() -> Result<(), BoxError> {
    let mut theatre = Resources::new();
    theatre.insert(Records::<Guest>::or_default());
    theatre.insert(Records::<Seat>::or_default());
    let mut stream = Stream::new();
    stream.set_processing(Processing::Parallel); // by default, measured times select one or several threads
    let mut results = Vec::new();
    let report = |outcome: Outcome<Booking>| results.push(outcome.result);
    stream.process(&mut theatre, (0..1_000).map(booking), report)?;

    // The loop calls the same function.
    let (mut guests, mut seats, mut counts) = ([Guest(0); 300], [Seat(None); 500], BTreeMap::new());
    for (n, result) in (0..).zip(results) {
        let event = booking(n);
        let (guest, seat) = (event.guest as usize, event.seat as usize);
        let expected = book(&event, &mut guests[guest], &mut seats[seat]);
        let result = result.map_err(|error| error.to_string());
        assert_eq!(result, expected.map_err(String::from));
        let text = expected.err().unwrap_or("booked");
        *counts.entry(text).or_insert(0) += 1;
    }
    for (id, seat) in theatre.get::<Records<Seat>>().unwrap().iter() {
        assert!(*seat == seats[*id as usize]);
    }
    println!("{counts:#?}");
    Ok(())
}
