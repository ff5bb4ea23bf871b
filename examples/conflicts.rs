//! Conflicts: two systems use one resource, and at least one of them writes it. Each conflict needs a decision.
//!
//! `cargo run -p examples --example conflicts`
//!
//! A builder reports missing decisions when the program runs, `schedule!` when it compiles.

use schedule::prelude::*;

#[derive(Resource)]
struct Pallets(u32);

#[derive(Resource, Default)]
struct Journal(Vec<String>);

#[system]
fn deliver(pallets: &mut Pallets) {
    pallets.0 += 20;
}

#[system]
fn ship(pallets: &mut Pallets) {
    pallets.0 -= pallets.0.min(15);
}

#[system]
fn take_stock(pallets: &Pallets, journal: &mut Journal) {
    journal.0.push(format!("{} pallets in stock", pallets.0));
}

#[system]
fn close_gate(journal: &mut Journal) {
    journal.0.push("the gate is closed".into());
}

schedule! {
    /// All decisions of `main`, verified by the compiler. Without the arrow, its error ends with: write `ship: after deliver` in
    /// `schedule!`, or `#[system(after = deliver)]` on `ship`.
    Day {
        deliver -> ship,
        take_stock,
        close_gate,
        policy writers first for Pallets,
        policy accepted "each line is complete by itself" for Journal,
    }
}

fn main() -> Result<(), BoxError> {
    let mut day = Schedule::builder();
    day.name("day").add::<deliver>().add::<ship>();
    day.add::<take_stock>().add::<close_gate>();
    // After an error, the builder keeps all entries, so you can correct it and build again.
    let error = day.build().unwrap_err();
    println!("{error}\n\n{} races without a decision", error.n_races());

    // An order, because the result depends on it: only pallets that have arrived can be shipped.
    day.order("deliver", "ship");
    println!("{} races with an order", day.build().unwrap_err().n_races());

    // A policy, because one rule applies to all readers of the stock: they see it after all changes.
    day.policy_for::<Pallets>(Policy::WritersFirst);
    println!("{} race with a policy", day.build().unwrap_err().n_races());

    // The reason why an order does not matter. Each run has the same order nevertheless.
    day.accept_for::<Journal>("each line is complete by itself");
    let day = day.build()?;
    println!("no race with a reason\n\n{day:?}\n");
    println!("{}", day.why("take_stock", "close_gate")?);

    assert!(day.systems().eq(Day::new().systems()));
    Ok(())
}
