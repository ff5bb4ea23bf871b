//! A program in which `schedule` and `schedule-stream` go by other names: every macro can be told where they are.

#![forbid(unsafe_code)]

use renamed::columns::Columns;
use renamed::entity::Component;
use renamed::prelude::*;
use renamed::{Identity, NonSendMut};
use renamed_stream::prelude::*;

/// A resource over a type with an identity.
#[derive(Debug, Resource)]
#[resource(crate = renamed)]
pub struct Store<T>(pub Vec<T>);

/// A transparent one.
#[derive(Debug, Resource)]
#[resource(transparent, crate = renamed)]
pub struct Count(u32);

/// Has an identity but is not a resource.
#[derive(Debug, Identity)]
#[identity(crate = renamed)]
pub struct Sheep;

/// Two parameters under one name.
#[derive(Debug, Params)]
#[params(crate = renamed)]
pub struct Fold<'r> {
    /// Written.
    pub sheep: &'r mut Store<Sheep>,
    /// Read.
    pub count: &'r Count,
}

/// One more of them.
#[system(crate = renamed)]
pub fn breed(fold: Fold) {
    fold.sheep.0.push(Sheep);
}

/// Sets the count.
#[system(crate = renamed, after = breed, before = rename::<Sheep>)]
pub fn count(sheep: &Store<Sheep>, count: &mut Count) -> Result<(), String> {
    **count = sheep.0.len().try_into().map_err(|_| "too many sheep")?;
    Ok(())
}

/// Generic, and on the main thread.
#[system(crate = renamed)]
pub fn rename<T>(mut name: NonSendMut<String>)
where
    T: Identity + 'static,
{
    *name = T::NAME.to_string();
}

/// Names branches.
#[derive(Branch, Clone, Copy, Debug)]
#[branch(crate = renamed)]
pub enum Season {
    /// Sheep rest.
    Winter,
    /// Sheep breed.
    Spring,
}

/// Answers with one.
#[system(crate = renamed)]
pub fn season() -> Season {
    Season::Spring
}

/// Guarded.
#[system(crate = renamed, if = not(is(season, Season::Winter)))]
pub fn shear() {}

schedule! {
    /// Listed.
    #[schedule(crate = renamed)]
    pub Farm {
        breed: if not(is(season, Season::Winter)),
        count,
        rename<Sheep>,
    }
}

schedule! {
    /// Collects.
    #[schedule(crate = renamed)]
    pub open Village {}
}

/// Collected, where no unsafe code is allowed.
#[system(crate = renamed, schedule = Village)]
pub fn rest() {}

/// Collected by a schedule of another crate, which knows `schedule` by its own name.
#[system(crate = renamed, schedule = schedule_tests::village::Village, before = schedule_tests::combat::poison)]
pub fn travel() {}

/// Takes health, which belongs to another crate.
#[system(crate = renamed)]
pub fn toil(health: &mut schedule_tests::combat::Health) {
    health.0 -= 1;
}

/// A component.
#[derive(Debug, Component)]
#[component(crate = renamed)]
pub struct Wool(pub u32);

/// A kind of entity with a private component.
#[derive(Debug, Columns)]
#[columns(crate = renamed)]
pub struct Lamb {
    wool: Wool,
    young: Young,
}

#[derive(Debug, Component)]
#[component(crate = renamed)]
struct Young;

/// Runs for each.
#[system(crate = renamed, for_each = Columns<Lamb>)]
pub fn grow(wool: &mut Wool) {
    wool.0 += 1;
}

/// A generic record.
#[derive(Debug, Record)]
#[record(id = u32, max_id = 99, crate = renamed_stream)]
pub struct Pen<T>(pub u32, pub Vec<T>);

/// An event of one handler.
#[derive(Debug, Event)]
#[event(fill, crate = renamed_stream)]
pub struct Fill(pub u32);

/// Takes a record and a resource.
#[handler(crate = renamed_stream)]
pub fn fill(event: &Fill, #[key(event.0)] pen: &mut Pen<Sheep>, count: &Count) {
    pen.0 += **count;
}

/// Events of several handlers, in a stream with an answer and an error.
#[derive(Debug, Event)]
#[event(answer = u32, error = String, crate = renamed_stream)]
pub enum Visit {
    /// Is answered.
    #[event(look)]
    Look(Look),
}

/// Names a record.
#[derive(Debug)]
pub struct Look(pub u32);

/// Answers.
#[handler(crate = renamed_stream)]
pub fn look(event: &Look, #[key(event.0)] pen: &Pen<Sheep>) -> Result<u32, String> {
    match pen.0 {
        0 => Err("empty".to_string()),
        n => Ok(n),
    }
}

#[cfg(test)]
mod tests {
    use renamed::System;

    use super::*;

    #[test]
    fn every_macro_finds_the_crate_under_its_other_name() {
        let mut resources = Resources::new();
        resources.insert(Store::<Sheep>(Vec::new()));
        resources.insert(Count::from(0));
        resources.main_thread().insert(String::new());
        let mut builder = Schedule::builder();
        builder.add::<breed>().add::<count>().add::<rename<Sheep>>();
        let mut schedule = builder.build().unwrap();
        schedule.run(&mut resources).unwrap();
        schedule.run(&mut resources).unwrap();
        assert_eq!(resources.get::<Count>().map(|count| **count), Some(2));
        assert_eq!(shear::GUARDS.len(), 1);
        let name = resources
            .main_thread()
            .with(|name: &mut String| name.clone());
        assert_eq!(name.as_deref(), Some("Sheep"));
    }

    renamed::test_schedules!();

    #[test]
    fn schedules_find_the_crate_under_its_other_name() {
        assert_eq!(
            Farm::new().systems().collect::<Vec<_>>(),
            ["season", "breed", "count", "rename<Sheep>"]
        );
        let village = Village::new().unwrap();
        assert_eq!(village.systems().collect::<Vec<_>>(), ["rest"]);
    }

    #[test]
    fn schedule_of_another_crate_collects_systems() {
        let village = schedule_tests::village::Village::new().unwrap();
        let systems: Vec<_> = village.systems().collect();
        assert_eq!(systems, ["travel", "poison", "heal", "feast", "shiver"]);
    }

    #[test]
    fn handlers_find_the_stream_crate_under_its_other_name() {
        let mut pens = Records::new();
        let _previous = pens.insert(3, Pen(0, vec![Sheep]));
        let mut resources = Resources::new();
        resources.insert(pens);
        resources.insert(Count::from(2));
        let mut results = Vec::new();
        for _ in 0..2 {
            Stream::new()
                .process(&mut resources, [Visit::from(Look(3))], |outcome| {
                    results.push(outcome.result.map_err(|refusal| refusal.to_string()));
                })
                .unwrap();
            Stream::new()
                .process(&mut resources, [Fill(3)], |outcome| {
                    outcome.result.unwrap();
                })
                .unwrap();
        }
        let all: Vec<_> = results.iter().map(Result::is_ok).collect();
        assert_eq!(all, [false, true]);
        assert_eq!(*results[1].as_ref().unwrap(), 2);
    }

    /// Rejected, but the stand-in has to find the crate as well.
    #[test]
    fn renamed_crate_keeps_its_own_name() {
        assert!(core::any::type_name::<Schedule>().starts_with("schedule::"));
    }
}
