//! A type name means one thing in a crate.
//!
//! Counted are structs, enums, unions, traits and type aliases at the level of modules. Types under a `#[cfg]` may have two
//! definitions, and tests may have types of their own.

use std::collections::BTreeMap;
use std::fs;

use syn::{Attribute, Item};

use super::messages::{is_test, parse, root, sources};

const CRATES: [&str; 6] = [
    "schedule-graph",
    "schedule",
    "schedule-hecs",
    "schedule-stream",
    "schedule-view",
    "schedule-macros",
];

/// The names of the types that these items declare.
fn names(items: &[Item]) -> Vec<String> {
    let mut names = Vec::new();
    for item in items {
        let (attrs, ident): (&[Attribute], _) = match item {
            Item::Struct(item) => (&item.attrs, &item.ident),
            Item::Enum(item) => (&item.attrs, &item.ident),
            Item::Union(item) => (&item.attrs, &item.ident),
            Item::Trait(item) => (&item.attrs, &item.ident),
            Item::Type(item) => (&item.attrs, &item.ident),
            Item::Mod(module) if !is_test(&module.attrs) && !has_cfg(&module.attrs) => {
                if let Some((_, items)) = &module.content {
                    names.extend(self::names(items));
                }
                continue;
            }
            _ => continue,
        };
        if !has_cfg(attrs) {
            names.push(ident.to_string());
        }
    }
    names
}

fn has_cfg(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| attr.path().is_ident("cfg"))
}

#[test]
fn each_type_name_is_declared_once_in_a_crate() {
    let mut repeated = Vec::new();
    for of_crate in CRATES {
        let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for path in sources(&root().join(of_crate).join("src")) {
            let text = fs::read_to_string(&path).unwrap();
            let place = path.strip_prefix(root()).unwrap().display().to_string();
            for name in names(&parse(&text, &place)) {
                places.entry(name).or_default().push(place.clone());
            }
        }
        let many = places.into_iter().filter(|(_, places)| places.len() > 1);
        repeated.extend(many.map(|(name, places)| format!("{name}: {}", places.join(", "))));
    }
    assert!(
        repeated.is_empty(),
        "type names with several meanings:\n{}",
        repeated.join("\n")
    );
}

#[test]
fn types_of_every_kind_are_found_except_under_cfg() {
    let items = parse(
        "struct A; enum B {} trait C {} type D = A; #[cfg(x)] struct E; mod m { union F { a: u8 } }
         #[cfg(test)] mod tests { struct G; } fn f() { struct H; }",
        "here",
    );
    assert_eq!(names(&items), ["A", "B", "C", "D", "F"]);
}
