//! A lock file: it contains the order of a schedule. A test fails if the order changes.
//!
//! `cargo run -p examples --example lock` prints the content of the file. After an intended change,
//! `SCHEDULE_LOCK=overwrite cargo test -p examples --example lock` updates the file.

use schedule::access::ResourceId;
use schedule::{BuildError, prelude::*};

#[derive(Resource, Default)]
struct Seed(u32);

#[derive(Resource, Default)]
struct Field(u32);

#[derive(Resource, Default)]
struct Barn(u32);

#[derive(Resource, Default)]
struct Chronicle(Vec<String>);

#[derive(Group)]
struct Work;

#[system(in = Work)]
fn till(field: &mut Field) {
    field.0 = 0;
}

#[system(in = Work, after = till)]
fn sow(seed: &mut Seed, field: &mut Field) {
    field.0 += 10 * std::mem::take(&mut seed.0);
}

#[system(after = sow)]
fn is_ripe(field: &Field) -> bool {
    field.0 > 0
}

#[system(in = Work, if = is_ripe)]
fn reap(field: &mut Field, barn: &mut Barn) {
    barn.0 += std::mem::take(&mut field.0);
}

#[system(after = Work)]
fn set_aside(seed: &mut Seed, barn: &mut Barn) {
    seed.0 = barn.0 / 10;
    barn.0 -= seed.0;
}

#[system]
fn praise(chronicle: &mut Chronicle) {
    chronicle.0.push("a good year".to_string());
}

#[system(after = Work)]
fn count(barn: &Barn, chronicle: &mut Chronicle) {
    chronicle.0.push(format!("{} in the barn", barn.0));
}

/// Builds the schedule of a year.
fn year() -> Result<Schedule, BuildError> {
    let mut builder = Schedule::builder();
    builder.name("year");
    builder.add::<till>().add::<sow>().add::<reap>();
    builder.add::<set_aside>().add::<praise>().add::<count>();
    builder.policy_for_resource(ResourceId::of::<Barn>(), Policy::InsertionOrder);
    builder.accept(
        "praise",
        "count",
        "the order of lines in the chronicle does not matter",
    );
    builder.build()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut year = year()?;
    let mut resources = Resources::new();
    resources.insert(Seed(3));
    resources.insert_default::<Field>();
    resources.insert_default::<Barn>();
    resources.insert_default::<Chronicle>();
    year.run(&mut resources)?;
    assert_eq!(resources.get::<Barn>().unwrap().0, 27);
    print!("{}", year.lock());
    Ok(())
}

#[test]
fn lock_file_is_up_to_date() {
    year().unwrap().lock().check("lock/year.lock").unwrap();
}
