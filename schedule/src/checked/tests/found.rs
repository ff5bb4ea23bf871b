//! What a builder finds wrong with a listing.

use super::super::fault::Kind;
use super::compiler::Fault;
use crate::builder::Builder;
use crate::listing::Listing;
use crate::place::SystemPlace;
use crate::problem::{Problem, Race};

/// Sorted.
pub(super) fn found_by_builder(listing: &Listing) -> Vec<Fault> {
    let problems = Builder::listed(listing).build().err();
    let problems = problems.iter().flat_map(|error| error.problems());
    let mut faults: Vec<Fault> = problems.map(fault).collect();
    faults.iter_mut().for_each(super::leave_places_out);
    faults.sort();
    faults
}

fn fault(problem: &Problem) -> Fault {
    let place = |place: &SystemPlace| place.name.clone();
    let (kind, names) = match problem {
        Problem::Cycle(_) => (Kind::Cycle, Vec::new()),
        Problem::WritersFirst(_) => (Kind::WritersFirst, Vec::new()),
        Problem::Race(race) => (Kind::Race, of_race(race)),
        Problem::Dangling { name, .. } => (Kind::Dangling, vec![name.clone()]),
        Problem::Ambiguous { name, .. } => (Kind::Ambiguous, vec![name.clone()]),
        Problem::GroupInItself { .. } => (Kind::GroupInItself, Vec::new()),
        Problem::GroupAgainstMember { group, member, .. } => (
            Kind::GroupAgainstMember,
            vec![group.clone(), member.clone()],
        ),
        Problem::LoopAgainstBody { repeat, node, .. } => {
            (Kind::LoopAgainstBody, vec![place(repeat), place(node)])
        }
        Problem::GroupOverLevels { group, .. } => (Kind::GroupOverLevels, vec![group.clone()]),
        Problem::ConditionDeeper {
            condition, guarded, ..
        } => (
            Kind::ConditionDeeper,
            vec![place(condition), place(guarded)],
        ),
        Problem::GuardsItself { condition, .. } => (Kind::GuardsItself, vec![place(condition)]),
        Problem::GuardIsLoop { condition, .. } => (Kind::GuardIsLoop, vec![place(condition)]),
        Problem::TwoPolicies { subject, .. } => (Kind::TwoPolicies, vec![subject.clone()]),
        problem => panic!("no listing has this: {problem}"),
    };
    Fault { kind, names }
}

/// The two systems, sorted, and then the resources, sorted.
fn of_race(race: &Race) -> Vec<String> {
    let mut names = vec![race.first.name.clone(), race.second.name.clone()];
    names.sort();
    let resources = race.resources().iter();
    let mut resources: Vec<String> = resources.map(|on| on.subject.to_string()).collect();
    resources.sort();
    names.extend(resources);
    names
}
