//! Random declarations and their locks.

use proptest::prelude::*;
use schedule::dynamic::DynamicSystem;

use super::*;

/// A group, and a checkpoint, each with a name that systems have, too.
#[derive(Group)]
struct Physics;

#[derive(Checkpoint)]
struct Noon;

/// Types with the names of named resources, and of the entry for all resources.
#[derive(Resource)]
struct Gold;

#[derive(Resource)]
#[expect(non_camel_case_types, reason = "is what a lock says of a schedule")]
struct everything;

/// The elements of names: parts of the format, and invisible characters.
const PIECES: &[&str] = &[
    "a",
    "b",
    " ",
    "  ",
    "\"",
    "`",
    "\\",
    "\n",
    "\r",
    "\t",
    "\u{0}",
    "\u{1b}",
    "\u{202e}",
    "\u{2066}",
    "\u{200b}",
    "\u{feff}",
    "\u{a0}",
    " -> ",
    ", ",
    ": ",
    " #2",
    "#",
    " and ",
    "not ",
    " or ",
    " is ",
    ", if a",
    ", for a",
    "(",
    ")",
    "<",
    ">",
    "apply_commands ",
    "repeat while ",
    "group ",
    "checkpoint ",
    "type ",
    "main-thread ",
    "all",
    "everything",
    "exclusive access",
    "Physics",
    "Noon",
    "Gold",
    ", declared",
    "; version 1",
    "\n\nedges\n  a -> b, declared",
    "::",
    "é",
    "漢",
];

fn name() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop::sample::select(PIECES), 0..4);
    pieces.prop_map(|pieces| pieces.concat())
}

/// A name that an item can have: not only spaces.
fn item_name() -> impl Strategy<Value = String> {
    name().prop_filter("an item has a name", |name| !name.trim().is_empty())
}

/// The guard of a system, which names up to two conditions.
#[derive(Clone, Copy, Debug)]
enum By {
    Nothing,
    Is,
    Not,
    All,
    Any,
}

#[derive(Clone, Debug)]
struct System {
    name: String,
    /// The named resource that the system writes.
    resource: usize,
    by: By,
    is_in_group: bool,
    is_after_checkpoint: bool,
    /// The reason for accepting its race with the previous system.
    reason: Option<String>,
}

#[derive(Clone, Debug)]
struct Declared {
    schedule: String,
    conditions: [String; 2],
    resources: [String; 2],
    /// Number of resources with their own policy.
    n_policies: usize,
    systems: Vec<System>,
    /// The reason for accepting races on a typed resource. `None` if there are no typed resources.
    types: Option<String>,
}

fn system_declared() -> impl Strategy<Value = System> {
    let by = prop::sample::select(&[By::Nothing, By::Is, By::Not, By::All, By::Any][..]);
    let reason = prop::option::of(name());
    (
        item_name(),
        0..2_usize,
        by,
        any::<bool>(),
        any::<bool>(),
        reason,
    )
        .prop_map(
            |(name, resource, by, is_in_group, is_after_checkpoint, reason)| System {
                name,
                resource,
                by,
                is_in_group,
                is_after_checkpoint,
                reason,
            },
        )
}

fn declared() -> impl Strategy<Value = Declared> {
    let systems = prop::collection::vec(system_declared(), 1..6);
    let types = prop::option::of(name());
    (
        name(),
        [item_name(), item_name()],
        [name(), name()],
        0..3_usize,
        systems,
        types,
    )
        .prop_map(
            |(schedule, conditions, resources, n_policies, systems, types)| Declared {
                schedule,
                conditions,
                resources,
                n_policies,
                systems,
                types,
            },
        )
}

impl Declared {
    /// Returns the lock, and its expected contents.
    fn build(&self) -> (String, Content) {
        let mut builder = Schedule::builder();
        builder.name(&self.schedule).policy(Policy::InsertionOrder);
        for resource in &self.resources[..self.n_policies] {
            builder.policy_for_resource(resource.as_str(), Policy::InsertionOrder);
        }
        let mut n_called: BTreeMap<String, usize> = BTreeMap::new();
        let mut called = |name: &str| {
            let n_called = n_called.entry(name.to_string()).or_default();
            *n_called += 1;
            (name.to_string(), *n_called)
        };
        let mut guards = BTreeMap::new();
        let conditions = [0, 1].map(|nth| {
            let name = &self.conditions[nth];
            builder.add_closure(name.as_str(), || true);
            (
                Guard::Is(called(name)),
                Condition::added(builder.last().unwrap()),
            )
        });
        builder.checkpoint::<Noon>();
        if let Some(reason) = &self.types {
            builder.accept_for::<Gold>(reason.as_str());
            builder.policy_for_resource(ResourceId::of::<everything>(), Policy::InsertionOrder);
            for resource in [ResourceId::of::<Gold>(), ResourceId::of::<everything>()] {
                for _ in 0..2 {
                    let name = called("typed").0;
                    builder.add_dynamic(DynamicSystem::new(name, |_| ()).writes(resource.clone()));
                }
            }
        }
        let mut before = None;
        for system in &self.systems {
            let resource = self.resources[system.resource].as_str();
            builder.add_dynamic(DynamicSystem::new(system.name.as_str(), |_| ()).writes(resource));
            let node = builder.last().unwrap();
            if system.is_in_group {
                builder.in_group::<Physics>();
            }
            if system.is_after_checkpoint {
                builder.after::<Noon>();
            }
            let called = (Sort::System, called(&system.name));
            let [(a, one), (b, other)] = conditions.clone();
            let both = || vec![a.clone(), b.clone()];
            let guard = match system.by {
                By::Nothing => None,
                By::Is => Some((a, one)),
                By::Not => Some((Guard::Not(Box::new(a)), !one)),
                By::All => Some((Guard::All(both()), one & other)),
                By::Any => Some((Guard::Any(both()), one | other)),
            };
            if let Some((guard, condition)) = guard {
                builder.run_if(condition);
                guards.insert(called, guard);
            }
            if let (Some(before), Some(reason)) = (before, &system.reason) {
                builder.accept(before, node, reason.as_str());
            }
            before = Some(node);
        }
        let schedule = builder.build().unwrap();
        (
            schedule.lock().to_string(),
            Content::of(&schedule.graph(), &guards),
        )
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 2 } else { 256 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn lock_is_parsed_back_for_any_names(declared in declared()) {
        let (text, expected) = declared.build();
        prop_assert_eq!(Reader::read(&text), expected, "{}", text);
        let is_visible = |c: char| !c.is_control() && !"\u{a0}\u{200b}\u{202e}\u{2066}\u{feff}".contains(c);
        prop_assert!(text.lines().all(|line| line.chars().all(is_visible)), "{:?}", text);
    }
}
