//! Every macro in edition 2015, in a module that is not the root.

#![forbid(unsafe_code)]
// Lints of restrictive groups that a user may turn on, and that are silent about what the macros expand to.
#![deny(
    clippy::as_conversions,
    clippy::exhaustive_enums,
    clippy::needless_pass_by_value
)]

extern crate schedule;
extern crate schedule_stream;

/// Systems and a schedule of them.
pub mod village {
    use schedule::columns::Columns;
    use schedule::entity::Component;
    use schedule::prelude::*;
    use schedule_stream::prelude::*;

    /// A resource.
    #[derive(Debug, Resource)]
    #[resource(transparent)]
    pub struct Health(i32);

    /// A selector's answer.
    #[derive(Branch, Clone, Copy, Debug)]
    #[non_exhaustive]
    pub enum Gait {
        /// Slow.
        Walk,
        /// Fast.
        Run,
    }

    /// A group.
    #[derive(Debug, Group)]
    pub struct Physics;

    /// A checkpoint.
    #[derive(Checkpoint, Debug)]
    pub struct Ready;

    /// A parameter.
    #[derive(Debug, Params)]
    pub struct Body<'r> {
        /// Written.
        pub health: &'r mut Health,
    }

    /// A selector.
    #[system]
    pub fn gait() -> Gait {
        Gait::Run
    }

    /// Runs.
    #[system(if = (is(gait, Gait::Run), not(is(gait, Gait::Walk))), in = Physics)]
    pub fn run(body: Body) {
        **body.health -= 3;
    }

    /// Does not run.
    #[system(if = is(gait, Gait::Walk), after = (run, #[cfg(any())] missing))]
    pub fn walk(body: Body) {
        **body.health -= 1;
    }

    schedule! {
        /// What runs.
        #[derive(Debug)]
        pub Frame {
            gait,
            run,
            walk,
            checkpoint Ready: after Physics if or(is(gait, Gait::Run), is(self::gait, Gait::Walk)),
            #[cfg(any())] missing,
        }
    }

    /// A component.
    #[derive(Component, Debug)]
    pub struct Age(pub u32);

    /// A kind of entity.
    #[derive(Columns, Debug)]
    pub struct Sheep {
        /// In days.
        pub age: Age,
    }

    /// Runs for each.
    #[system(for_each = Columns<Sheep>)]
    pub fn age(age: &mut Age) {
        age.0 += 1;
    }

    /// A record.
    #[derive(Debug, Record)]
    #[record(id = u32)]
    pub struct Account(pub u64);

    /// An event.
    #[derive(Debug, Event)]
    #[event(deposit)]
    pub struct Deposit(pub u32);

    /// Its handler.
    #[handler]
    pub fn deposit(event: &Deposit, #[key(event.0)] account: &mut Account) {
        account.0 += 1;
    }
}

#[cfg(test)]
mod tests {
    use schedule::columns::Columns;
    use schedule::prelude::*;
    use schedule_stream::prelude::*;

    use village::{age, Account, Age, Deposit, Frame, Health, Sheep};

    #[test]
    fn a_branch_is_compared_in_edition_2015() {
        let mut resources = Resources::new();
        let _previous = resources.insert(Health::from(10));
        Frame::new().run(&mut resources).unwrap();
        assert_eq!(**resources.get::<Health>().unwrap(), 7);
    }

    #[test]
    fn a_column_changes_in_edition_2015() {
        let mut sheep = Columns::new();
        let _id = sheep.spawn(Sheep { age: Age(3) });
        let mut resources = Resources::new();
        let _previous = resources.insert(sheep);
        let mut schedule = Schedule::builder().add::<age>().build().unwrap();
        schedule.run(&mut resources).unwrap();
        let sheep = resources.get_mut::<Columns<Sheep>>().unwrap();
        assert_eq!(sheep.column::<Age>().first().unwrap().0, 4);
    }

    #[test]
    fn an_event_is_handled_in_edition_2015() {
        let mut accounts = Records::new();
        let _previous = accounts.insert(3, Account(0));
        let mut resources = Resources::new();
        let _previous = resources.insert(accounts);
        Stream::<Deposit>::new()
            .process(&mut resources, vec![Deposit(3)], |_| {})
            .unwrap();
        let accounts = resources.get::<Records<Account>>().unwrap();
        assert_eq!(accounts.get(3).unwrap().0, 1);
    }
}
