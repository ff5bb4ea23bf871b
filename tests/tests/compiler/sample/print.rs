
/// Prints a line for each problem: the number of the case, the kind and the names.
fn print_case(case: u64, new: fn() -> Result<Schedule, schedule::BuildError>) {
    use schedule::error::Problem;

    let Ok(built) = std::panic::catch_unwind(new) else {
        println!("{case}\tpanic");
        return;
    };
    let error = match built {
        Ok(_) => return println!("{case}\tok"),
        Err(error) => error,
    };
    for problem in error.problems() {
        let (kind, names) = match problem {
            Problem::Cycle(_) => ("Cycle", vec![]),
            Problem::WritersFirst(_) => ("WritersFirst", vec![]),
            Problem::Race(race) => {
                ("Race", vec![race.first.name.clone(), race.second.name.clone()])
            }
            Problem::Dangling { name, .. } => ("Dangling", vec![name.clone()]),
            Problem::Ambiguous { name, .. } => ("Ambiguous", vec![name.clone()]),
            Problem::GroupInItself { .. } => ("GroupInItself", vec![]),
            Problem::GroupAgainstMember { group, member, .. } => ("GroupAgainstMember", vec![group.clone(), member.clone()]),
            Problem::LoopAgainstBody { repeat, node, .. } => ("LoopAgainstBody", vec![repeat.name.clone(), node.name.clone()]),
            Problem::GroupOverLevels { group, .. } => ("GroupOverLevels", vec![group.clone()]),
            Problem::ConditionDeeper { condition, guarded, .. } => ("ConditionDeeper", vec![condition.name.clone(), guarded.name.clone()]),
            Problem::GuardsItself { condition, .. } => ("GuardsItself", vec![condition.name.clone()]),
            Problem::GuardIsLoop { condition, .. } => ("GuardIsLoop", vec![condition.name.clone()]),
            Problem::TwoPolicies { .. } => ("TwoPolicies", vec![]),
            problem => ("?", vec![problem.to_string()]),
        };
        println!("{case}\t{kind}{}", names.iter().map(|name| format!("\t{name}")).collect::<String>());
    }
}
