//! Checks that a graph is rejected for the expected reasons.

use std::collections::BTreeSet;

use schedule::BuildError;
use schedule::error::Problem;

use super::interpreter::Refusal;

/// Returns the name of the problem's variant.
fn kind(problem: &Problem) -> String {
    let text = format!("{problem:?}");
    let is_name = |c: char| c.is_alphanumeric();
    text.chars().take_while(|&c| is_name(c)).collect()
}

/// Checks that an error contains the expected problems. Otherwise returns a text with an unexpected or a missing problem.
pub(super) fn check_refusal(error: &BuildError, law: &Refusal) -> Result<(), String> {
    let kinds: BTreeSet<String> = error.problems().iter().map(kind).collect();
    let has = |name: &str| kinds.contains(name);
    let order_kinds = ["Cycle", "WritersFirst", "Race"];
    if !law.wrong.is_empty() {
        let missing = law
            .wrong
            .iter()
            .find(|one| !one.iter().any(|name| has(name)));
        // If a group has several levels, the effect on its orders is not determined.
        let is_lone = law.wrong.iter().any(|one| one.contains("GroupOverLevels"));
        let known: BTreeSet<&str> = law.wrong.iter().flatten().copied().collect();
        let is_odd = |name: &&String| {
            !is_lone && !known.contains(name.as_str()) && !order_kinds.contains(&name.as_str())
        };
        return match (missing, kinds.iter().find(is_odd)) {
            (None, None) => Ok(()),
            (Some(one), _) if !is_lone || one.contains("GroupOverLevels") => {
                Err(format!("it does not say {one:?}"))
            }
            (_, Some(odd)) => Err(format!("it says {odd}")),
            (Some(_), None) => Ok(()),
        };
    }
    if let Some(odd) = kinds
        .iter()
        .find(|one| !order_kinds.contains(&one.as_str()))
    {
        return Err(format!("it says {odd}"));
    }
    if has("Cycle") != law.has_cycle {
        return Err(format!("a cycle: {}", has("Cycle")));
    }
    // With a cycle, all points of the cycle are ordered, so the races are not comparable.
    if law.has_cycle {
        return Ok(());
    }
    if has("WritersFirst") != law.has_writers_first {
        return Err(format!("writers first: {}", has("WritersFirst")));
    }
    let races: BTreeSet<_> = error
        .races()
        .map(|race| {
            let (a, b) = (race.first.name.clone(), race.second.name.clone());
            (a.clone().min(b.clone()), a.max(b))
        })
        .collect();
    // The race of a sync point with an implied condition is omitted only if another race of the sync point is reported.
    let is_left_out = |(a, b): &(String, String)| {
        [(a, b), (b, a)].into_iter().any(|(sync_point, condition)| {
            law.sync_points.contains(sync_point)
                && condition.parse::<usize>().is_err()
                && races
                    .iter()
                    .any(|(a, b)| a == sync_point || b == sync_point)
        })
    };
    let is_missing = law.races.difference(&races).any(|race| !is_left_out(race));
    if is_missing || !races.is_subset(&law.races) {
        return Err(format!("races {races:?} and not {:?}", law.races));
    }
    Ok(())
}
