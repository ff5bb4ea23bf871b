use thread_priority::{ThreadSchedulePolicy, thread_schedule_policy};

use super::*;

#[test]
fn options_that_change_nothing_make_a_pool() {
    let pool = ThreadOptions::new().pool(2).unwrap();
    assert_eq!(pool.current_num_threads(), 3);
}

#[cfg(target_os = "linux")]
#[test]
fn threads_of_a_pool_have_its_processors() {
    use rustix::thread::{CpuSet, sched_getaffinity};

    let before = sched_getaffinity(None).unwrap();
    let mut allowed = (0..CpuSet::MAX_CPU).filter(|&one| before.is_set(one));
    let first = allowed.next().unwrap();
    let pool = ThreadOptions::new().processors([first]).pool(1).unwrap();
    for set in pool.broadcast(|_| sched_getaffinity(None).unwrap()) {
        assert!(set.count() == 1 && set.is_set(first));
    }
    assert!(sched_getaffinity(None).unwrap() == before, "the caller's");
}

#[cfg(target_os = "linux")]
#[test]
fn processor_that_does_not_exist_is_an_error() {
    let last = rustix::thread::CpuSet::MAX_CPU;
    for (processor, text) in [(last - 1, "must exist"), (last, "below 1024")] {
        let options = ThreadOptions::new().processors([processor]);
        let error = options.pool(1).unwrap_err().to_string();
        assert!(error.contains(&processor.to_string()), "{error}");
        assert!(error.contains(text), "{error}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn threads_of_a_pool_have_its_priority_or_the_error_names_the_permission() {
    for (priority, policy) in [
        (Priority::Fifo(1), RealtimeThreadSchedulePolicy::Fifo),
        (
            Priority::RoundRobin(2),
            RealtimeThreadSchedulePolicy::RoundRobin,
        ),
    ] {
        match ThreadOptions::new().priority(priority).pool(1) {
            Ok(pool) => {
                for found in pool.broadcast(|_| thread_schedule_policy().unwrap()) {
                    assert_eq!(found, ThreadSchedulePolicy::Realtime(policy));
                }
            }
            Err(error) => {
                let text = error.to_string();
                assert!(
                    text.contains("`CAP_SYS_NICE`") && text.contains("ulimit -r"),
                    "{text}"
                );
            }
        }
    }
    // A pool never takes a normal priority away from the test.
    ThreadOptions::new()
        .priority(Priority::Normal(0))
        .pool(1)
        .unwrap();
}

#[cfg(unix)]
#[test]
fn priority_out_of_range_is_an_error() {
    for priority in [
        Priority::Fifo(0),
        Priority::Fifo(100),
        Priority::Normal(100),
    ] {
        let error = ThreadOptions::new().priority(priority).pool(1).unwrap_err();
        let text = error.to_string();
        assert!(text.contains(&priority.to_string()), "{text}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn empty_set_of_processors_is_an_error() {
    let options = ThreadOptions::new().processors([]);
    assert!(options.pool(1).is_err());
}
