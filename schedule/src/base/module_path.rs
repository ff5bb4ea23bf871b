//! Module paths as text: their last modules, and the shortest path that is unique.

/// Splits a path into module and name. `None` if it has no module. The arguments of a generic type belong to its name.
pub(crate) fn split(text: &str) -> Option<(&str, &str)> {
    let end = text.find('<').unwrap_or(text.len());
    let at = text[..end].rfind("::")?;
    Some((&text[..at], &text[at + 2..]))
}

/// Whether the path of a module ends with these whole modules. `crate::…` must match the whole path after the crate
/// name.
pub(crate) fn ends_in(module: &str, end: &str) -> bool {
    if let Some(rest) = end.strip_prefix("crate") {
        let own = module.split_once("::").map_or("", |(_, own)| own);
        return own == rest.strip_prefix("::").unwrap_or(rest);
    }
    let Some(before) = module.strip_suffix(end) else {
        return false;
    };
    before.is_empty() || before.ends_with("::")
}

/// The last `n_modules` modules of a path.
pub(crate) fn last_modules(module: &str, n_modules: usize) -> &str {
    match module.rmatch_indices("::").nth(n_modules - 1) {
        Some((at, _)) => &module[at + 2..],
        None => module,
    }
}

/// The fewest last modules of this path that no other path ends with. Returns the whole path if another path ends with
/// it, and `None` if all others are the same path.
pub(crate) fn needed_modules<'m>(module: &'m str, others: &[&str]) -> Option<&'m str> {
    let others = || others.iter().filter(|other| **other != module);
    others().next()?;
    let n_modules = module.split("::").count();
    let mut ends = (1..=n_modules).map(|n_modules| last_modules(module, n_modules));
    let is_own = |end: &&str| !others().any(|other| ends_in(other, end));
    Some(ends.find(is_own).unwrap_or(module))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_show_the_fewest_modules_that_distinguish_them() {
        let all = ["game::ai", "game::physics", "game::deep::physics", "game"];
        let needed = all.map(|module| needed_modules(module, &all).unwrap());
        assert_eq!(needed, ["ai", "game::physics", "deep::physics", "game"]);
        assert_eq!(needed_modules("a", &["a", "x::a"]), Some("a"));
        assert_eq!(needed_modules("game::ai", &["game::ai"]), None);
        assert_eq!(last_modules("a::b::c", 2), "b::c");
        assert_eq!(last_modules("a", 2), "a");
    }

    #[test]
    fn a_path_ends_at_whole_modules() {
        assert!(ends_in("game::ai", "ai") && ends_in("game::ai", "game::ai"));
        assert!(!ends_in("game::fair::main", "ir::main") && !ends_in("ai", "game::ai"));
        assert!(ends_in("game::ai", "crate::ai") && ends_in("game", "crate"));
        assert!(!ends_in("game::ai::deep", "crate::deep"));
        assert_eq!(split("ai::spawn<x::V>"), Some(("ai", "spawn<x::V>")));
        assert_eq!(split("spawn<x::V>"), None);
    }
}
