//! Dependencies between events: handlers wait for each other, to force interleavings.

use std::fmt;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use schedule::prelude::*;
use schedule_stream::internal::ProcessingMode;
use schedule_stream::prelude::*;

use super::{By, nth};
use schedule_tests::meeting::Meeting;
use schedule_tests::on::own_pool;

/// The ids of the events that wrote it, in order.
#[derive(Debug, Default, Record)]
#[record(key = u32)]
struct Page(Vec<usize>);

/// Reads some pages, writes others, and calls `run` meanwhile.
#[derive(Clone, Event)]
#[event(step, answer = usize, error = std::convert::Infallible)]
struct Step {
    id: usize,
    reads: Vec<u32>,
    writes: Vec<u32>,
    run: Arc<dyn Fn() + Send + Sync>,
}

/// Answers the number of earlier writes of all its pages.
#[handler]
fn step(
    step: &Step,
    #[keys(&step.reads)] reads: RecordSet<Page>,
    #[keys(&step.writes)] mut writes: RecordSetMut<Page>,
) -> usize {
    let n_read: usize = reads.iter().map(|(_, page)| page.0.len()).sum();
    let n_written: usize = writes.iter().map(|(_, page)| page.0.len()).sum();
    (step.run)();
    writes.iter_mut().for_each(|(_, page)| page.0.push(step.id));
    n_read + n_written
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Step({})", self.id)
    }
}

impl Step {
    fn and(self, run: impl Fn() + Send + Sync + 'static) -> Self {
        Self {
            run: Arc::new(run),
            ..self
        }
    }
}

fn reads_and_writes(
    id: usize,
    reads: impl IntoIterator<Item = u32>,
    writes: impl IntoIterator<Item = u32>,
) -> Step {
    Step {
        id,
        reads: reads.into_iter().collect(),
        writes: writes.into_iter().collect(),
        run: Arc::new(|| {}),
    }
}

fn reads(id: usize, reads: impl IntoIterator<Item = u32>) -> Step {
    reads_and_writes(id, reads, [])
}

fn writes(id: usize, writes: impl IntoIterator<Item = u32>) -> Step {
    reads_and_writes(id, [], writes)
}

/// Returns the answer to each event, `None` if it has none, and the ids of the events that wrote each page.
fn run(
    by: By,
    n_pages: u32,
    steps: impl IntoIterator<Item = Step>,
) -> (Vec<Option<usize>>, Vec<Vec<usize>>) {
    let mut resources = Resources::new();
    let pages = (0..n_pages).map(|page| (page, Page::default()));
    resources.insert(Records::from_iter(pages));
    let mut answers = Vec::new();
    let report = |outcome: Outcome<Step>| {
        assert_eq!(nth(outcome.position), answers.len() as u64);
        answers.push(outcome.result.ok());
    };
    let mut stream = by.stream();
    stream.process(&mut resources, steps, report).unwrap();
    let pages = resources.get::<Records<Page>>().unwrap();
    let written = pages.iter().map(|(_, page)| page.0.clone()).collect();
    (answers, written)
}

/// A counter. Threads can wait for a number.
#[derive(Debug, Default)]
struct Counter {
    n: Mutex<usize>,
    has_changed: Condvar,
}

impl Counter {
    fn count(&self) -> usize {
        let mut n = self.n.lock().unwrap();
        *n += 1;
        self.has_changed.notify_all();
        *n
    }

    fn now(&self) -> usize {
        *self.n.lock().unwrap()
    }

    fn wait_for(&self, least: usize) {
        let n = self.n.lock().unwrap();
        let is_early = |n: &mut usize| *n < least;
        let waited = self
            .has_changed
            .wait_timeout_while(n, Meeting::LIMIT, is_early);
        let has_failed = waited.unwrap().1.timed_out();
        assert!(!has_failed, "the counter did not reach {least}");
    }
}

fn counter() -> Arc<Counter> {
    Arc::default()
}

/// More than twice the maximum number of events in flight.
const N: usize = if cfg!(miri) { 20 } else { 5000 };

#[test]
fn two_readers_between_writers_run_at_the_same_time() {
    for &by in By::AT_ONCE {
        let (meeting, n_read) = (Arc::new(Meeting::of(2)), counter());
        let reader = |id| {
            let (meeting, n_read) = (Arc::clone(&meeting), Arc::clone(&n_read));
            reads(id, [0]).and(move || {
                meeting.wait();
                n_read.count();
            })
        };
        let seen = Arc::clone(&n_read);
        let last = writes(3, [0]).and(move || assert_eq!(seen.now(), 2));
        let steps = [writes(0, [0]), reader(1), reader(2), last];
        let (answers, written) = run(by, 1, steps);
        assert_eq!(answers, [Some(0), Some(1), Some(1), Some(1)], "{by:?}");
        assert_eq!(written, [[0, 3]], "{by:?}");
    }
}

#[test]
fn writer_waits_for_the_last_of_two_readers() {
    for &by in By::AT_ONCE {
        let (n_read, n_beside) = (counter(), counter());
        let reader = {
            let n_read = Arc::clone(&n_read);
            reads(0, [0]).and(move || {
                n_read.count();
            })
        };
        let late_reader = {
            let (n_read, n_beside) = (Arc::clone(&n_read), Arc::clone(&n_beside));
            reads(1, [0]).and(move || {
                n_beside.wait_for(1);
                n_read.count();
            })
        };
        let beside = writes(3, [1]).and(move || {
            n_beside.count();
        });
        let writer = writes(2, [0]).and(move || assert_eq!(n_read.now(), 2));
        let (answers, _) = run(by, 2, [reader, late_reader, writer, beside]);
        assert_eq!(answers, [Some(0); 4], "{by:?}");
    }
}

#[test]
fn conflicting_events_never_overlap() {
    const N_PAGES: u32 = 5;
    for &by in By::ALL {
        // The number of readers of each page; -1 during a write.
        let busy: Arc<[AtomicI32; N_PAGES as usize]> = Arc::default();
        let step = |id: usize| {
            // Two pages, in any order.
            let (a, b) = (id as u32 * 7 % N_PAGES, (id as u32 / 3) % N_PAGES);
            let step = match id % 3 {
                _ if a == b => writes(id, [a]),
                0 => reads(id, [a, b]),
                1 => reads_and_writes(id, [a], [b]),
                _ => writes(id, [a, b]),
            };
            let (read, written) = (step.reads.clone(), step.writes.clone());
            let busy = Arc::clone(&busy);
            step.and(move || {
                let of = |page: &u32| &busy[*page as usize];
                for page in &read {
                    assert!(of(page).fetch_add(1, SeqCst) >= 0);
                }
                for page in &written {
                    assert_eq!(of(page).swap(-1, SeqCst), 0);
                }
                thread::yield_now();
                for page in &written {
                    assert_eq!(of(page).swap(0, SeqCst), -1);
                }
                for page in &read {
                    assert!(of(page).fetch_sub(1, SeqCst) > 0);
                }
            })
        };
        let (answers, written) = run(by, N_PAGES, (0..N).map(step));
        assert!(answers.iter().all(Option::is_some), "{by:?}");
        assert!(written.iter().all(|all| all.is_sorted()), "{by:?}");
    }
}

#[test]
fn stalled_handler_blocks_only_conflicting_events() {
    for &by in By::AT_ONCE {
        let n_beside = counter();
        let is_stalled = Arc::new(AtomicUsize::new(1));
        let stalled = {
            let (n_beside, is_stalled) = (Arc::clone(&n_beside), Arc::clone(&is_stalled));
            writes(0, [0]).and(move || {
                n_beside.wait_for(8);
                is_stalled.store(0, SeqCst);
            })
        };
        // It waits for one page, and blocks later events on another one.
        let behind = |id, pages: &[u32]| {
            let is_stalled = Arc::clone(&is_stalled);
            writes(id, pages.iter().copied()).and(move || assert_eq!(is_stalled.load(SeqCst), 0))
        };
        let beside = |id: usize| {
            let n_beside = Arc::clone(&n_beside);
            writes(id, [id as u32]).and(move || {
                n_beside.count();
            })
        };
        let steps = [stalled, behind(1, &[0, 1]), behind(2, &[1])];
        let (answers, written) = run(by, 20, steps.into_iter().chain((3..11).map(beside)));
        assert!(answers.iter().all(Option::is_some), "{by:?}");
        assert_eq!(written[..2], [[0, 1], [1, 2]], "{by:?}");
    }
}

/// Returns two events that wait for each other. The one that a helper runs then waits until `is_enough` reaches `n`.
fn keep_a_helper(is_enough: &Arc<Counter>, n: usize) -> [Step; 2] {
    let (dispatcher, meeting) = (thread::current().id(), Arc::new(Meeting::of(2)));
    [0, 1].map(|id| {
        let (meeting, is_enough) = (Arc::clone(&meeting), Arc::clone(is_enough));
        writes(id, [id as u32]).and(move || {
            meeting.wait();
            if thread::current().id() != dispatcher {
                is_enough.wait_for(n);
            }
        })
    })
}

/// The dispatcher is in a handler, and cannot request helpers.
#[test]
fn helper_that_makes_several_events_ready_requests_another() {
    for n_threads in [3, 4] {
        let (dispatcher, meeting) = (thread::current().id(), Arc::new(Meeting::of(2)));
        let n_read = counter();
        let writers = [0, 1].map(|id| {
            let (meeting, n_read) = (Arc::clone(&meeting), Arc::clone(&n_read));
            writes(id, [id as u32]).and(move || {
                meeting.wait();
                if thread::current().id() == dispatcher {
                    n_read.wait_for(2);
                } else {
                    // Long enough that an idle helper leaves.
                    thread::sleep(Duration::from_millis(5));
                }
            })
        });
        let readers = [0, 1].map(|page| {
            let meeting = Arc::new(Meeting::of(2));
            [0, 1].map(|nth| {
                let (meeting, n_read) = (Arc::clone(&meeting), Arc::clone(&n_read));
                reads(2 + 2 * page + nth, [page as u32]).and(move || {
                    meeting.wait();
                    n_read.count();
                })
            })
        });
        let mut resources = Resources::new();
        resources.insert(Records::from_iter(
            (0..2).map(|page| (page, Page::default())),
        ));
        let mut stream = By(ProcessingMode::Queues, n_threads).stream();
        stream.set_pool(own_pool(n_threads));
        let steps = writers.into_iter().chain(readers.into_iter().flatten());
        let report = |outcome: Outcome<Step>| assert!(outcome.is_applied());
        stream.process(&mut resources, steps, report).unwrap();
    }
}

#[test]
fn input_is_not_pulled_while_the_stream_is_full() {
    if cfg!(miri) {
        // It needs more events than Miri can run.
        return;
    }
    for &by in By::AT_ONCE {
        let (n_pulled, n_reported) = (counter(), counter());
        let kept = keep_a_helper(&n_pulled, by.capacity());
        let steps = kept
            .into_iter()
            .chain((2..2 * by.capacity()).map(|id| writes(id, [id as u32 % 50 + 2])));
        let steps = steps.inspect(|_| {
            let n_in_flight = n_pulled.count() - n_reported.now();
            assert!(n_in_flight <= by.capacity(), "{n_in_flight}");
        });
        let mut resources = Resources::new();
        resources.insert(Records::from_iter(
            (0..60).map(|page| (page, Page::default())),
        ));
        let mut stream = by.stream();
        let report = |outcome: Outcome<Step>| {
            assert!(outcome.is_applied());
            n_reported.count();
        };
        stream.process(&mut resources, steps, report).unwrap();
        assert_eq!(n_reported.now(), 2 * by.capacity());
    }
}

/// Their footprints take memory.
#[test]
fn few_events_with_large_sets_are_in_flight() {
    if cfg!(miri) {
        // Sets for Miri are too small.
        return;
    }
    const N_READ: u32 = 40_000;
    const N_EVENTS: usize = 30;
    let (n_pulled, n_reported) = (counter(), counter());
    let most = AtomicUsize::new(0);
    let steps = (0..N_EVENTS).map(|id| {
        most.fetch_max(n_pulled.count() - n_reported.now(), SeqCst);
        reads_and_writes(id, 0..N_READ, [N_READ])
    });
    let mut resources = Resources::new();
    resources.insert(Records::from_iter(
        (0..=N_READ).map(|page| (page, Page::default())),
    ));
    let report = |outcome: Outcome<Step>| {
        assert_eq!(outcome.result.ok(), Some(n_reported.count() - 1));
    };
    // With other structures, an event with this number of records is exclusive.
    let mut stream = By(ProcessingMode::Lanes, 2).stream();
    stream.process(&mut resources, steps, report).unwrap();
    // Some events have a footprint, and have not arrived.
    let most = most.into_inner();
    assert!(most < 20, "{most}");
}

#[test]
fn hot_key_starves_no_event() {
    if cfg!(miri) {
        return;
    }
    for &by in By::AT_ONCE {
        let n = 2 * by.capacity();
        // While one of the first two events blocks a thread, all events on other pages run.
        let n_cold = counter();
        let kept = keep_a_helper(&n_cold, by.capacity() / 2 - 2);
        let step = |id: usize| {
            let n_cold = Arc::clone(&n_cold);
            match id % 2 {
                0 => writes(id, [0, 1]),
                _ => writes(id, [2 + id as u32 % 40]).and(move || {
                    n_cold.count();
                }),
            }
        };
        let (answers, written) = run(by, 60, kept.into_iter().chain((2..n).map(step)));
        assert!(answers.iter().all(Option::is_some), "{by:?}");
        assert!(
            written[0][1..].iter().copied().eq((2..n).step_by(2)),
            "{by:?}"
        );
    }
}

#[test]
fn event_may_name_all_keys() {
    // Few pages, more than fit in a slot, and more than an event may name while others are in flight.
    for n_pages in [3, 5, if cfg!(miri) { 20 } else { 3000 }] {
        let expected = |n: usize, by| {
            let step = |id: usize| match id % 10 {
                3 => reads(id, 0..n_pages),
                6 => writes(id, 0..n_pages),
                _ => writes(id, [id as u32 % n_pages]),
            };
            run(by, n_pages, (0..n).map(step))
        };
        let n = if cfg!(miri) { 10 } else { 200 };
        let inline = expected(n, By(schedule_stream::internal::ProcessingMode::Serial, 1));
        for &by in By::ALL {
            assert_eq!(expected(n, by), inline, "{by:?} {n_pages}");
        }
        let written = inline.1.iter().map(Vec::len).sum::<usize>();
        assert_eq!(written, n / 10 * (8 + n_pages as usize));
    }
}

#[test]
fn events_of_one_sender_run_in_order() {
    for &by in By::ALL {
        let step = |id: usize| writes(id, [0, 1 + id as u32 % 9]);
        let (_, written) = run(by, 10, (0..N).map(step));
        assert!(written[0].iter().copied().eq(0..N), "{by:?}");
    }
}

#[test]
fn events_with_keys_in_opposite_order_run_in_order() {
    for &by in By::ALL {
        let step = |id: usize| {
            let page = (10 - id % 10) as u32;
            match id % 2 {
                0 => writes(id, [page, page - 1]),
                _ => writes(id, [page - 1, page]),
            }
        };
        let (answers, written) = run(by, 11, (0..N).map(step));
        assert!(answers.iter().all(Option::is_some), "{by:?}");
        for (page, written) in written.iter().enumerate() {
            let names = |id: &usize| [10 - id % 10, 9 - id % 10].contains(&page);
            assert!(written.iter().copied().eq((0..N).filter(names)), "{by:?}");
        }
    }
}

#[test]
fn two_panics_are_reported_at_their_positions() {
    for &by in By::AT_ONCE {
        let (meeting, n_after) = (Arc::new(Meeting::of(2)), counter());
        let early = {
            let meeting = Arc::clone(&meeting);
            writes(0, [0]).and(move || {
                meeting.wait();
                resume_unwind(Box::new("early"));
            })
        };
        let late = {
            let n_after = Arc::clone(&n_after);
            writes(1, [1]).and(move || {
                meeting.wait();
                n_after.wait_for(1);
                resume_unwind(Box::new("late"));
            })
        };
        let after = writes(2, [0]).and(move || {
            n_after.count();
        });
        let (answers, written) = run(by, 2, [early, late, after, writes(3, [1])]);
        assert_eq!(answers, [None, None, Some(0), Some(0)], "{by:?}");
        assert_eq!(written, [[2], [3]], "{by:?}");
    }
}

#[derive(Debug, Record)]
#[record(id = u32)]
struct Account(u64);

#[derive(Debug, Event)]
#[event(pay, error = &'static str)]
struct Pay(u32, u32);

#[handler]
fn pay(
    pay: &Pay,
    #[key(pay.0)] from: &mut Account,
    #[key(pay.1)] to: &mut Account,
) -> Result<(), &'static str> {
    from.0 = from.0.checked_sub(1).ok_or("overdrawn")?;
    to.0 += 1;
    Ok(())
}

#[test]
fn payments_to_the_same_account_are_rejected() {
    let n = if cfg!(miri) { 50 } else { 100_000 };
    for &by in By::ALL {
        let mut resources = Resources::new();
        resources.insert(Records::from_iter((0..7).map(|id| (id, Account(1)))));
        let mut stream = by.stream();
        let mut n_rejected = 0;
        let events = (0..n).map(|nth| Pay(nth % 7, nth % 7));
        let report = |outcome: Outcome<Pay>| {
            let error = outcome.result.unwrap_err();
            assert_eq!(
                error.to_string(),
                "`from` and `to` name the same `Account`, and one of them writes it: to allow this, set the option \
                 `alias` of `#[handler]`"
            );
            n_rejected += 1;
        };
        stream.process(&mut resources, events, report).unwrap();
        assert_eq!(n_rejected, n, "{by:?}");
        let accounts = resources.get::<Records<Account>>().unwrap();
        assert!(accounts.iter().all(|(_, account)| account.0 == 1));
    }
}
