//! Systems of another crate, of other modules, and with the name of a module.

use schedule::Identity;
use schedule::prelude::*;
use schedule_tests::combat::Health;
use schedule_tests::{Rot, combat, poison, rot};

mod inner {
    mod poison {
        pub(super) fn amount() -> i32 {
            5
        }
    }

    use schedule::prelude::*;
    use schedule_tests::combat::Health;

    #[system(type = Poison, after = schedule_tests::poison)]
    pub(crate) fn poison(health: &mut Health) {
        health.0 -= poison::amount();
    }
}

use inner::poison as venom;

#[system(after = (poison, Rot), before = combat::cure::<4>)]
fn again(health: &mut Health) {
    poison(health);
    rot(health);
    venom(health);
}

#[test]
fn systems_of_another_crate_run() {
    let mut resources = Resources::new();
    resources.insert(Health(10));
    let mut schedule = Schedule::builder()
        .policy(Policy::InsertionOrder)
        .add::<combat::cure<4>>()
        .add::<poison>()
        .add::<combat::heal>()
        .add::<Rot>()
        .add::<combat::cure<7>>()
        .add::<inner::Poison>()
        .add::<again>()
        .build()
        .unwrap();
    assert_eq!(
        schedule.systems().collect::<Vec<_>>(),
        [
            "combat::poison",
            "heal",
            "rot",
            "cure<7>",
            "inner::poison",
            "again",
            "cure<4>"
        ]
    );
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.get(), Some(&Health(0)));
}

#[test]
fn an_import_under_another_name_is_the_same_system() {
    use schedule_tests::combat::poison as bite;
    assert_eq!(bite::ID, poison::ID);
    assert_ne!(inner::Poison::ID, poison::ID);
}
