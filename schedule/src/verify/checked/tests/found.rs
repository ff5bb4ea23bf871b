//! The faults that the builder finds in a listing.

use super::super::fault::ListingFaultKind;
use super::compiler::ListingFault;
use crate::base::place::SystemPlace;
use crate::builders::builder::Builder;
use crate::declare::listing::Listing;
use crate::declare::problem::{Problem, Race};

/// The result is sorted.
pub(super) fn found_by_builder(listing: &Listing) -> Vec<ListingFault> {
    let problems = Builder::listed(listing).build().err();
    let problems = problems.iter().flat_map(|error| error.problems());
    let mut faults: Vec<ListingFault> = problems.map(fault).collect();
    faults.iter_mut().for_each(super::leave_places_out);
    faults.sort();
    faults
}

fn fault(problem: &Problem) -> ListingFault {
    let place = |place: &SystemPlace| place.name.clone();
    let (kind, names) = match problem {
        Problem::Cycle(_) => (ListingFaultKind::Cycle, Vec::new()),
        Problem::WritersFirst(_) => (ListingFaultKind::WritersFirst, Vec::new()),
        Problem::Race(race) => (ListingFaultKind::Race, of_race(race)),
        Problem::Dangling { name, .. } => (ListingFaultKind::Dangling, vec![name.clone()]),
        Problem::Ambiguous { name, .. } => (ListingFaultKind::Ambiguous, vec![name.clone()]),
        Problem::GroupInItself { .. } => (ListingFaultKind::GroupInItself, Vec::new()),
        Problem::GroupAgainstMember { group, member, .. } => (
            ListingFaultKind::GroupAgainstMember,
            vec![group.clone(), member.clone()],
        ),
        Problem::LoopAgainstBody { repeat, node, .. } => (
            ListingFaultKind::LoopAgainstBody,
            vec![place(repeat), place(node)],
        ),
        Problem::GroupOverLevels { group, .. } => {
            (ListingFaultKind::GroupOverLevels, vec![group.clone()])
        }
        Problem::ConditionDeeper {
            condition, guarded, ..
        } => (
            ListingFaultKind::ConditionDeeper,
            vec![place(condition), place(guarded)],
        ),
        Problem::GuardsItself { condition, .. } => {
            (ListingFaultKind::GuardsItself, vec![place(condition)])
        }
        Problem::GuardIsLoop { condition, .. } => {
            (ListingFaultKind::GuardIsLoop, vec![place(condition)])
        }
        Problem::ReaderBetweenWriters(between) => (
            ListingFaultKind::ReaderBetweenWriters,
            vec![place(&between.reader)],
        ),
        Problem::TwoPolicies { subject, .. } => {
            (ListingFaultKind::TwoPolicies, vec![subject.clone()])
        }
        problem => panic!("no listing has this: {problem}"),
    };
    ListingFault { kind, names }
}

/// Returns the sorted names of the two systems, followed by the sorted resources.
fn of_race(race: &Race) -> Vec<String> {
    let mut names = vec![race.first.name.clone(), race.second.name.clone()];
    names.sort();
    let mut resources: Vec<String> = race
        .resources()
        .iter()
        .map(|on| on.subject.to_string())
        .collect();
    resources.sort();
    names.extend(resources);
    names
}
