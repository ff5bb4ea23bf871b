//! Which changes of types are found, and which are not.

use core::num::NonZeroU32;
use core::time::Duration;
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

use super::Schema;
use super::difference::compare_variants;

/// Returns the text of the difference, or an empty text.
fn change<A: DeserializeOwned, B: DeserializeOwned>() -> String {
    let compared = Schema::of::<A>().compare(&Schema::of::<B>());
    compared.map_or_else(|difference| difference.to_string(), |()| String::new())
}

/// Defines types in modules, so that they can have the same name.
macro_rules! versions {
    ($($module:ident { $($item:item)* })*) => {$(
        #[allow(dead_code, unreachable_pub, reason = "only the schemas are used")]
        mod $module {
            use super::*;
            $(#[derive(Deserialize)] $item)*
        }
    )*};
}

versions! {
    first {
        pub struct Account { free: u64, blocked: u64, mode: Mode, legs: Vec<Leg> }
        pub enum Mode { Idle, Fly(u32), Land { speed: f32 } }
        pub struct Leg(Option<Meters>, [u8; 4]);
        pub struct Meters(f64);
    }
    swapped {
        pub struct Account { blocked: u64, free: u64, mode: first::Mode, legs: Vec<first::Leg> }
    }
    renamed {
        pub struct Account { available: u64, blocked: u64, mode: first::Mode, legs: Vec<first::Leg> }
        pub struct Balance { free: u64, blocked: u64, mode: first::Mode, legs: Vec<first::Leg> }
    }
    added {
        pub struct Account { free: u64, blocked: u64, mode: first::Mode, legs: Vec<first::Leg>, owner: String }
        pub enum Mode { Idle, Fly(u32), Land { speed: f32 }, Drift }
    }
    inserted {
        pub struct Account { free: u64, blocked: u64, mode: Mode, legs: Vec<first::Leg> }
        pub enum Mode { Idle, Arm, Fly(u32), Land { speed: f32 } }
    }
    content {
        pub enum Mode { Idle, Fly { height: u32 }, Land { speed: f32 } }
    }
    inner {
        pub struct Account { free: u64, blocked: u64, mode: first::Mode, legs: Vec<Leg> }
        pub struct Leg(Option<Feet>, [u8; 4]);
        pub struct Feet(f64);
    }
    longer {
        pub struct Leg(Option<first::Meters>, [u8; 5]);
    }
}

#[test]
fn each_change_of_a_part_is_found() {
    assert_eq!(change::<first::Account, first::Account>(), "");
    assert_eq!(
        change::<first::Account, swapped::Account>(),
        "field 0 was `free: u64`, and is `blocked: u64` now"
    );
    assert_eq!(
        change::<first::Account, renamed::Account>(),
        "field 0 was `free: u64`, and is `available: u64` now"
    );
    assert_eq!(
        change::<first::Account, added::Account>(),
        "field 4 is `owner: string` now, and did not exist"
    );
    assert_eq!(
        change::<added::Account, first::Account>(),
        "field 4 was `owner: string`, and is missing now"
    );
    assert_eq!(
        change::<first::Account, inserted::Account>(),
        "variant 1 of `mode` was `Fly`, and is `Arm` now"
    );
    assert_eq!(
        change::<first::Mode, content::Mode>(),
        "variant 1 was `Fly(_)`, and is `Fly { height }` now"
    );
    assert_eq!(
        change::<first::Account, inner::Account>(),
        "`legs[].0?` was `Meters`, and is `Feet` now"
    );
    assert_eq!(
        change::<first::Leg, longer::Leg>(),
        "`1` was a tuple of 4, and is a tuple of 5 now"
    );
    assert_eq!(
        change::<HashMap<String, u8>, BTreeMap<String, i8>>(),
        "`value` was `u8`, and is `i8` now"
    );
    assert_eq!(
        change::<(u8, [(u8, u8); 3]), (u8, [(u8, char); 3])>(),
        "`1.0.1` was `u8`, and is `char` now"
    );
}

#[test]
fn new_variants_at_the_end_and_the_name_of_the_type_do_not_count() {
    assert_eq!(change::<first::Mode, added::Mode>(), "");
    assert_eq!(
        change::<added::Mode, first::Mode>(),
        "variant 3 was `Drift`, and is missing now"
    );
    assert_eq!(change::<first::Account, renamed::Balance>(), "");
    assert_eq!(change::<Vec<u8>, std::collections::VecDeque<u8>>(), "");
    assert_eq!(change::<Box<str>, String>(), "");
}

#[test]
fn only_a_field_with_another_name_is_renamed() {
    let renamed = |difference: Result<(), super::SchemaDifference>| {
        difference.unwrap_err().renamed().map(str::to_owned)
    };
    let saved = Schema::of::<first::Account>();
    let compared = saved.compare(&Schema::of::<renamed::Account>());
    assert_eq!(renamed(compared).as_deref(), Some("free"));
    assert_eq!(
        renamed(saved.compare(&Schema::of::<swapped::Account>())),
        None
    );
    assert_eq!(
        renamed(saved.compare(&Schema::of::<added::Account>())),
        None
    );
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only the schemas are used")]
enum Tree {
    Branch(Box<Tree>, Vec<Tree>),
    Named {
        name: String,
        rest: HashMap<String, Tree>,
    },
    Twice([Box<Tree>; 2]),
    Leaf(Kind),
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only the schemas are used")]
enum Kind {
    Number(i64),
    List(Option<Box<List>>),
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only the schemas are used")]
struct List {
    value: u8,
    next: Option<Box<List>>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only the schemas are used")]
enum Json {
    Array(Vec<Json>),
    Object(HashMap<String, Json>),
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only the schemas are used")]
enum Chain {
    Link(Option<Box<Chain>>),
}

#[test]
fn types_that_contain_themselves_have_known_parts() {
    for schema in [
        Schema::of::<Json>(),
        Schema::of::<Chain>(),
        Schema::of::<(Json, u8, Chain)>(),
        Schema::of::<Tree>(),
        Schema::of::<Kind>(),
        Schema::of::<List>(),
        Schema::of::<Vec<Tree>>(),
    ] {
        assert!(!schema.has_unknown_parts(), "{schema:?}");
        assert_eq!(schema.compare(&schema), Ok(()));
        assert_eq!(Schema::from_bytes(&schema.to_bytes()).as_ref(), Ok(&schema));
    }
}

/// A variant in a type that only the last variant of another enum contains.
#[test]
fn all_variants_of_inner_enums_are_visited() {
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only the schemas are used")]
    enum Outer {
        A,
        B(Middle),
    }
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only the schemas are used")]
    enum Middle {
        A,
        B { kind: Kind, kinds: [Kind; 2] },
        C(Tree),
    }
    assert!(!Schema::of::<Outer>().has_unknown_parts());
    assert!(!Schema::of::<[Outer; 32]>().has_unknown_parts());
}

#[test]
fn parts_of_types_that_reject_values_are_found() {
    for schema in [
        Schema::of::<(NonZeroU32, u8)>(),
        Schema::of::<(IpAddr, Duration, PathBuf)>(),
        Schema::of::<[u8; 32]>(),
        Schema::of::<Result<u8, String>>(),
        Schema::of::<(Date, u8)>(),
    ] {
        assert!(!schema.has_unknown_parts(), "{schema:?}");
    }
    assert_eq!(
        change::<(Date, u8), (Date, u16)>(),
        "`1` was `u8`, and is `u16` now"
    );
}

/// Accepts only the text of a date.
struct Date;

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        match text.as_str() {
            "1970-01-01" => Ok(Self),
            _ => Err(serde::de::Error::custom("not a date")),
        }
    }
}

/// Accepts no made-up value.
struct Secret;

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        u64::deserialize(from)?;
        Err(serde::de::Error::custom("wrong"))
    }
}

/// Panics for each value.
struct Panics;

impl<'de> Deserialize<'de> for Panics {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        std::panic::resume_unwind(Box::new("wrong"))
    }
}

/// The names of the fields are found, and the types up to the part that rejects all values.
#[test]
fn parts_after_a_type_that_rejects_all_values_are_unknown() {
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only the schemas are used")]
    struct Vault {
        before: u8,
        secret: Secret,
        after: u8,
    }
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only the schemas are used")]
    enum Event {
        Secret(Secret),
        Panics { panics: Panics },
        Open(u8),
    }
    let vault = Schema::of::<Vault>();
    assert!(vault.has_unknown_parts());
    assert_eq!(change::<(u8, Secret, u8), (u8, u64, i8)>(), "");
    assert_eq!(
        change::<(u8, Secret), (i8, Secret)>(),
        "`0` was `u8`, and is `i8` now"
    );
    assert_eq!(
        change::<(Secret, u8), (String, u8)>(),
        "`0` was `u64`, and is `string` now"
    );
    let event = format!("{:?}", Schema::of::<Event>());
    assert!(event.contains("(\"Open\", Newtype("), "{event}");
    assert_eq!(Schema::of::<Panics>(), Schema::unknown());
}

#[test]
fn variants_are_compared_one_by_one() {
    let (saved, now) = (Schema::of::<first::Mode>(), Schema::of::<content::Mode>());
    let differences = compare_variants(&saved, &now).unwrap();
    let differences: Vec<_> = differences
        .iter()
        .map(|(nth, difference)| (*nth, difference.to_string()))
        .collect();
    let expected = "variant 1 was `Fly(_)`, and is `Fly { height }` now";
    assert_eq!(differences, [(1, expected.to_string())]);
    let inserted = compare_variants(&saved, &Schema::of::<inserted::Mode>());
    let nths = |found: Vec<(u32, super::SchemaDifference)>| -> Vec<u32> {
        found.iter().map(|of| of.0).collect()
    };
    assert_eq!(nths(inserted.unwrap()), [1, 2]);
    assert!(compare_variants(&saved, &Schema::of::<u8>()).is_none());
}

/// Stored schemas must stay readable.
#[test]
fn bytes_are_the_same_in_all_releases() {
    let bytes = Schema::of::<(first::Mode, List, Option<()>)>().to_bytes();
    assert_eq!(crc32fast::hash(&bytes), 2638250589, "{bytes:?}");
    assert!(Schema::from_bytes(&bytes[..bytes.len() - 1]).is_err());
    // The part with the number 9 does not exist.
    assert!(Schema::from_bytes(&[1, 2, 9]).is_err());
    assert!(Schema::from_bytes(&[0]).is_err());
}
