use super::*;

/// A job on top of another one, and one at the top level, as threads of a pool see them.
#[test]
fn depth_tells_nested_jobs_from_others() {
    let scale = measure().unwrap();
    assert!(scale.slack > 32, "{scale:?}");
    eprintln!("{scale:?}");
    for _ in 0..20 {
        let again = measure().unwrap();
        assert_eq!(
            (scale.slack, scale.to_spawned),
            (again.slack, again.to_spawned)
        );
    }
}
