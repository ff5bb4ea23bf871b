//! A first schedule: plain functions share state, and the compiler verifies that their order is defined.
//!
//! `cargo run -p examples --example first_schedule`

use schedule::prelude::*;

/// The hour of the day. A resource is a value that systems share.
#[derive(Resource)]
struct Hour(u32);

/// Sunlight, in percent.
#[derive(Resource)]
struct Light(u32);

/// Water in the soil, in litres.
#[derive(Resource)]
struct Water(u32);

/// The height of the tomatoes, in mm.
#[derive(Resource)]
struct Height(u32);

#[derive(Resource, Default)]
struct Diary(Vec<String>);

#[system]
fn pass_hour(hour: &mut Hour) {
    hour.0 += 1;
}

/// The parameters declare the access: this system reads `Hour` and writes `Light`.
#[system]
fn shine(hour: &Hour, light: &mut Light) {
    light.0 = [0, 20, 60, 100, 60, 20, 0][hour.0.saturating_sub(6).min(12) as usize / 2];
}

#[system]
fn irrigate(hour: &Hour, water: &mut Water) {
    if hour.0.is_multiple_of(4) {
        water.0 += 10;
    }
}

#[system]
fn grow(light: &Light, water: &mut Water, height: &mut Height) {
    let growth = (light.0 / 20).min(water.0);
    water.0 -= growth;
    height.0 += growth;
}

#[system]
fn note(hour: &Hour, light: &Light, water: &Water, height: &Height, diary: &mut Diary) {
    let (hour, light, water, height) = (hour.0, light.0, water.0, height.0);
    let line = format!("{hour:02}:00  light {light:3} %  water {water:2} l  height {height} mm");
    diary.0.push(line);
}

schedule! {
    /// One hour in a greenhouse. `shine` and `irrigate` write different resources, so nothing has to order them, and they may run at the
    /// same time. Every other order is needed: write `shine, irrigate, grow` without arrows, and the program does not compile.
    GreenhouseHour { pass_hour -> (shine, irrigate) -> grow -> note }
}

fn main() -> Result<(), BoxError> {
    let mut greenhouse = Resources::new();
    greenhouse.insert(Hour(5));
    greenhouse.insert(Light(0));
    greenhouse.insert(Water(2));
    greenhouse.insert(Height(300));
    greenhouse.insert_default::<Diary>();
    let mut hour = GreenhouseHour::new(); // cannot fail, because the compiler has verified it
    for _ in 0..14 {
        hour.run(&mut greenhouse)?;
    }
    println!("{}\n", greenhouse.get::<Diary>().unwrap().0.join("\n"));
    println!("{}", hour.why("shine", "irrigate")?);
    println!("{}", hour.why("irrigate", "grow")?);
    Ok(())
}
