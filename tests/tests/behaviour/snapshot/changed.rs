//! Types and names that have changed since values were saved.

use schedule::SavedResources;
use schedule::prelude::*;
use schedule::snapshot::{Snapshot, SnapshotError, SnapshotReader, SnapshotWriter};
use serde::{Deserialize, Serialize};

use super::versions::Pair;
use super::{restored, saved};

/// Defines types with one name in modules.
macro_rules! versions {
    ($($module:ident $name:tt { $($item:item)* })*) => {$(
        mod $module {
            use super::*;
            $(
                #[derive(Snapshot, Serialize, Deserialize, Debug, PartialEq, Clone)]
                #[snapshot(name = $name)]
                $item
            )*
        }
    )*};
}

versions! {
    first "account" { pub(super) struct Account { pub(super) free: u64, pub(super) blocked: u64 } }
    swapped "account" { pub(super) struct Account { pub(super) blocked: u64, pub(super) free: u64 } }
    moved "account" { pub(super) struct Konto { pub(super) free: u64, pub(super) blocked: u64 } }
    idle "mode" { pub(super) enum Mode { Idle, Fly, Land } }
    armed "mode" { pub(super) enum Mode { Idle, Arm, Fly, Land } }
    longer "mode" { pub(super) enum Mode { Idle, Fly, Land, Drift } }
}

#[test]
fn swapped_fields_are_an_error_that_names_them() {
    let bytes = saved(&first::Account {
        free: 5,
        blocked: 7,
    });
    let error = restored::<swapped::Account>(&bytes).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`account` has changed since it was saved, but its version is still 1: field 0 of `account` was `free: u64`, and is \
         `blocked: u64` now; raise its version, and read version 1 in a function: `#[snapshot(version = 2, migrate = …)]`"
    );
    let mut unchanged = swapped::Account {
        blocked: 1,
        free: 2,
    };
    let reader = SnapshotReader::new(&bytes).unwrap();
    assert_eq!(reader.restore_into(&mut unchanged), Err(error));
    assert_eq!(unchanged.blocked, 1);
    // The Rust name is not a part of the schema.
    let konto: moved::Konto = restored(&bytes).unwrap();
    assert_eq!((konto.free, konto.blocked), (5, 7));
}

#[test]
fn field_with_a_new_name_can_keep_the_saved_one() {
    #[derive(Snapshot, Serialize, Deserialize, Debug)]
    #[snapshot(name = "account")]
    struct Account {
        available: u64,
        blocked: u64,
    }
    #[derive(Snapshot, Serialize, Deserialize, Debug)]
    #[snapshot(name = "account")]
    struct Renamed {
        #[serde(rename = "free")]
        available: u64,
        blocked: u64,
    }
    let bytes = saved(&first::Account {
        free: 5,
        blocked: 7,
    });
    let error = restored::<Account>(&bytes).unwrap_err().to_string();
    let end =
        ", or keep the saved name if only the name has changed: `#[serde(rename = \"free\")]`";
    assert!(error.ends_with(end), "{error}");
    let account: Renamed = restored(&bytes).unwrap();
    assert_eq!((account.available, account.blocked), (5, 7));
}

#[test]
fn inserted_variant_is_an_error_and_one_at_the_end_is_not() {
    let bytes = saved(&idle::Mode::Land);
    let error = restored::<armed::Mode>(&bytes).unwrap_err().to_string();
    let text = "variant 1 of `mode` was `Fly`, and is `Arm` now";
    assert!(error.contains(text), "{error}");
    assert_eq!(restored::<longer::Mode>(&bytes), Ok(longer::Mode::Land));
    let error = restored::<idle::Mode>(&saved(&longer::Mode::Idle)).unwrap_err();
    let text = "variant 3 of `mode` was `Drift`, and is missing now";
    assert!(error.to_string().contains(text), "{error}");
}

/// The schema of a container contains that of its part, with the version of the part.
#[test]
fn changed_part_of_a_container_is_an_error() {
    let account = first::Account {
        free: 5,
        blocked: 7,
    };
    let bytes = saved(&Pair(account.clone(), account));
    let error = restored::<Pair<swapped::Account>>(&bytes).err().unwrap();
    let text = "`account` has changed since it was saved, but its version is still 1: field 0 of `account`";
    assert!(error.to_string().starts_with(text), "{error}");
    assert!(restored::<Pair<moved::Konto>>(&bytes).is_ok());
}

#[derive(Resource, Snapshot, Serialize, Deserialize, Debug, PartialEq)]
#[snapshot(name = "accounts")]
struct Accounts(Vec<u64>);

#[derive(Resource, Snapshot, Serialize, Deserialize, Debug, PartialEq)]
#[snapshot(name = "account")]
struct Renamed(Vec<u64>);

#[derive(Resource, Snapshot, Serialize, Deserialize, Debug, PartialEq)]
#[snapshot(name = "season")]
struct Season(u8);

fn resources() -> Resources {
    let mut resources = Resources::new();
    resources.insert(Accounts(vec![1, 2]));
    resources.insert(Season(4));
    resources
}

fn before() -> SavedResources {
    SavedResources::new().with::<Accounts>().with::<Season>()
}

#[test]
fn all_wanted_resources_are_restored_by_one_call() {
    let mut resources = resources();
    let bytes = before().save(&resources).unwrap();
    resources.get_mut::<Accounts>().unwrap().0.clear();
    resources.remove::<Season>();
    before().restore(&bytes, &mut resources).unwrap();
    assert_eq!(resources.get(), Some(&Accounts(vec![1, 2])));
    assert_eq!(resources.get(), Some(&Season(4)));
    resources.remove::<Season>();
    let error = before().save(&resources).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`season` cannot be saved: the resource does not exist: insert it, or use `with_optional`"
    );
    let optional = || {
        SavedResources::new()
            .with::<Accounts>()
            .with_optional::<Season>()
    };
    let bytes = optional().save(&resources).unwrap();
    resources.insert(Season(9));
    let error = before().restore(&bytes, &mut resources).unwrap_err();
    assert_eq!(error, SnapshotError::Missing { name: "season" });
    optional().restore(&bytes, &mut resources).unwrap();
    assert_eq!(resources.get(), Some(&Season(9)));
}

#[test]
fn section_that_nobody_wants_is_an_error_with_a_similar_name() {
    let mut resources = resources();
    let bytes = before().save(&resources).unwrap();
    resources.insert(Renamed(vec![9]));
    let now = || SavedResources::new().with::<Renamed>();
    let error = now().restore(&bytes, &mut resources).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the snapshot has values that the program does not restore: `accounts` (the program wants `account`, which is missing), \
         `season`; restore them, or declare that they have another name, with `renamed(\"accounts\", \"account\")`, or that they are \
         not wanted, with `dropped(\"accounts\")`"
    );
    // Nothing was replaced.
    assert_eq!(resources.get(), Some(&Renamed(vec![9])));
    let error = now().dropped("season").restore(&bytes, &mut resources);
    assert!(matches!(error, Err(SnapshotError::Unclaimed { names }) if names.len() == 1));
    let now = now().dropped("season").renamed("accounts", "account");
    now.restore(&bytes, &mut resources).unwrap();
    assert_eq!(resources.get(), Some(&Renamed(vec![1, 2])));
    // The calls can stay when they have no effect any more.
    now.restore(&now.save(&resources).unwrap(), &mut resources)
        .unwrap();
}

#[test]
fn two_sections_with_one_name_after_a_renaming_are_an_error() {
    let mut writer = SnapshotWriter::new();
    writer.section(&Accounts(vec![1])).unwrap();
    writer.section(&Renamed(vec![2])).unwrap();
    let bytes = writer.finish();
    let reader = SnapshotReader::new(&bytes).unwrap();
    let renamed = reader.clone().renamed("accounts", "account");
    let error = renamed.restore::<Renamed>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "there are the saved values `accounts` and `account`, and each is the value of `account` after the calls of `renamed`: \
         remove a call of `renamed`, or call `dropped` with the name of the value that is not wanted"
    );
    // Each remedy.
    assert_eq!(reader.restore(), Ok(Renamed(vec![2])));
    for (dropped, value) in [("account", 1), ("accounts", 2)] {
        let reader = renamed.clone().dropped(dropped);
        assert_eq!(reader.restore(), Ok(Renamed(vec![value])));
        reader.finish().unwrap();
    }
}

#[test]
fn other_values_of_a_snapshot_are_restored_before() {
    let mut resources = resources();
    let mut writer = SnapshotWriter::new();
    writer.section(&idle::Mode::Fly).unwrap();
    before().save_to(&resources, &mut writer).unwrap();
    let bytes = writer.finish();
    let reader = SnapshotReader::new(&bytes).unwrap();
    let error = before().restore_from(&reader, &mut resources).unwrap_err();
    assert!(error.to_string().contains("restore: `mode`;"), "{error}");
    assert!(reader.contains::<idle::Mode>());
    assert!(reader.finish().is_err(), "it is not restored yet");
    assert_eq!(reader.restore(), Ok(idle::Mode::Fly));
    before().restore_from(&reader, &mut resources).unwrap();
}
