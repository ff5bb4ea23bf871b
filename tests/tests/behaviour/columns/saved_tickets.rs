//! Components that refer to entities by tickets, and are saved with their ids.

use schedule::SavedResources;
use schedule::columns::{Columns, EntityId};
use schedule::entity::{Changes, Component, EntityTarget, MissedReason};
use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use serde::{Deserialize, Serialize};

use super::Hunger;

/// Refers to another entity, which may be spawned in the same run.
#[derive(Component, Snapshot, Serialize, Deserialize, Clone, Debug)]
#[snapshot(name = "weapon")]
struct Weapon(EntityTarget<EntityId<Axe>>);

#[derive(Columns)]
#[columns(name = "orcs")]
struct Orc {
    weapon: Weapon,
}

#[derive(Columns)]
#[columns(name = "axes")]
struct Axe {
    hunger: Hunger,
}

fn axe(hunger: i64) -> Axe {
    Axe {
        hunger: Hunger(hunger),
    }
}

#[system]
fn arm(mut commands: Commands<(Changes<Columns<Orc>>, Changes<Columns<Axe>>)>) {
    let unused = commands.columns().spawn(axe(1));
    let target = commands.columns().spawn(axe(2));
    let orc = |target: &_| Orc {
        weapon: Weapon(EntityTarget::from(target)),
    };
    commands
        .columns()
        .spawn_batch([orc(&target), orc(&unused), orc(&target)]);
    commands.columns().despawn(unused);
}

#[system]
fn arm_and_fail(
    mut commands: Commands<Changes<Columns<Axe>>>,
    resources: &mut Resources,
) -> Result<(), &'static str> {
    let target = commands.columns().spawn(axe(3));
    let weapon = Weapon(target.into());
    let error = serde_json::to_string(&weapon).unwrap_err().to_string();
    assert!(
        error.contains("not yet applied; save when the commands are applied"),
        "{error}"
    );
    let orcs = resources.get_mut::<Columns<Orc>>().unwrap();
    orcs.spawn(Orc { weapon });
    Err("no")
}

#[test]
fn component_with_a_ticket_is_saved_with_the_id() {
    let mut resources = Resources::new();
    resources.insert(Columns::<Orc>::new());
    resources.insert(Columns::<Axe>::new());
    let builder = &mut Schedule::builder();
    let mut schedule = builder
        .add::<arm>()
        .add::<arm_and_fail>()
        .order("arm", "arm_and_fail")
        .build()
        .unwrap();
    schedule.run(&mut resources).unwrap_err();
    let saved = SavedResources::new()
        .with::<Columns<Orc>>()
        .with::<Columns<Axe>>();
    let bytes = saved.save(&resources).unwrap();
    let mut restored = Resources::new();
    saved.restore(&bytes, &mut restored).unwrap();
    for resources in [&mut resources, &mut restored] {
        let axes = resources.get::<Columns<Axe>>().unwrap().ids().to_vec();
        assert_eq!(axes.len(), 1);
        let orcs = resources.get_mut::<Columns<Orc>>().unwrap();
        let mut weapons: Vec<_> = orcs.column::<Weapon>().to_vec();
        let targets: Vec<_> = weapons.iter().map(|weapon| weapon.0.entity()).collect();
        // The axe of the failed system will never exist.
        assert_eq!(targets[3], None);
        assert!(matches!(
            weapons[3].0.unresolved(),
            Some(MissedReason::SpawnDropped)
        ));
        assert_eq!([targets[0], targets[2]], [Some(axes[0]); 2]);
        assert!(targets[1].is_some_and(|despawned| despawned != axes[0]));
        weapons
            .iter_mut()
            .for_each(|weapon| weapon.0.forget_ticket());
        let again = weapons.iter().map(|weapon| weapon.0.entity());
        assert_eq!(again.collect::<Vec<_>>(), targets);
    }
    assert_eq!(saved.save(&restored).unwrap(), bytes);
}
