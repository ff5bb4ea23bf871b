//! Commands: systems that insert and remove resources. The changes are made at a sync point, or at the end of the run.
//!
//! `cargo run -p examples --example commands`
//!
//! A printer prints one page per run. The resource `Job` exists only while there is something to print.

use schedule::{condition::exists, prelude::*};

/// Titles and numbers of pages. The last one is the next job.
#[derive(Resource)]
struct Queue(Vec<(&'static str, u32)>);

#[derive(Resource)]
struct Job {
    title: &'static str,
    pages_left: u32,
}

#[derive(Resource)]
struct Display(String);

#[derive(Group)]
struct Printing;

/// `Inserts<Job>` declares the change. So an order after this system includes the command.
#[system]
fn load(queue: &mut Queue, mut commands: Commands<Inserts<Job>>) -> Result<(), String> {
    if let Some((title, pages_left)) = queue.0.pop() {
        commands.insert(Job { title, pages_left });
        if pages_left == 0 {
            // The commands of a failed system are dropped: an empty job is not loaded.
            return Err(format!("`{title}` has no pages"));
        }
    }
    Ok(())
}

#[system]
fn print_page(job: &mut Job, display: &mut Display) {
    job.pages_left -= 1;
    display.0 = format!("prints `{}`, pages left: {}", job.title, job.pages_left);
}

#[system]
fn unload(job: &Job, mut commands: Commands<Inserts<Job>>) {
    if job.pages_left == 0 {
        commands.remove::<Job>();
    }
}

schedule! {
    Minute {
        // A condition has one result per run, so it is listed twice, under two names: before and after the job is loaded.
        exists<Job> as was_busy
        -> load: if not(was_busy)
        -> exists<Job> as is_busy
        // The new job is printed in the same run. A finished job is removed at the end of the run.
        -> group Printing: if is_busy { print_page -> unload }
    }
}

fn main() -> Result<(), BoxError> {
    let (mut minute, mut printer) = (Minute::new(), Resources::new());
    printer.insert(Queue(vec![("poster", 1), ("blank", 0), ("letter", 2)]));
    for n in 1..=5 {
        printer.insert(Display("idle".into()));
        let error = minute.run(&mut printer).err();
        println!("minute {n}: {}", printer.get::<Display>().unwrap().0);
        if let Some(failure) = error.as_ref().and_then(|error| error.failures().first()) {
            println!("    {failure}");
        }
    }
    assert!(printer.get::<Job>().is_none());
    Ok(())
}
