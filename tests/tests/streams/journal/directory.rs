//! Journals in a directory of the operating system.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc;
use std::{env, fs, thread};

use schedule_stream::journal::{self, Directory, Journal, JournalError, Opened, Snapshots};

use super::{append_synced, batches, head, record, stored};

/// The variable with the directory that another process opens.
const DIRECTORY: &str = "SCHEDULE_TEST_DIRECTORY";

/// Returns an empty directory for a test.
fn empty(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("journal")
        .join(test);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn records_and_snapshots_are_there_after_opening_again() {
    // Two levels are created.
    let path = empty("round_trip").join("data").join("journal");
    let mut expected = Vec::new();
    for start in 1..=3 {
        let mut opened = journal::open(&path).unwrap();
        assert!(opened.recovered.is_clean(), "{}", opened.recovered);
        assert_eq!(stored(&mut opened.journal, 0), expected);
        opened.journal.set_max_segment_bytes(2_000);
        assert_eq!(
            opened.journal.start(&head(start)).unwrap(),
            u64::from(start)
        );
        for _ in 0..5 {
            let first = opened.journal.next_batch();
            append_synced(&mut opened.journal, first..=first + 2, 700);
            expected.extend(
                (first..=first + 2).map(|batch| (record(batch, 700), start, u64::from(start))),
            );
        }
        let last = opened.journal.last_batch().unwrap();
        opened
            .snapshots
            .write(last, &vec![start as u8; 700_000])
            .unwrap();
        assert_eq!(stored(&mut opened.journal, 0), expected);
    }
    let mut opened = journal::open(&path).unwrap();
    assert_eq!(opened.snapshots.list().unwrap(), [45, 30, 15]);
    assert_eq!(opened.snapshots.read(30).unwrap(), vec![2; 700_000]);
    assert_eq!(opened.snapshots.check(30).unwrap(), 700_000);
    journal::retain(&mut opened.journal, &mut opened.snapshots).unwrap();
    assert_eq!(opened.snapshots.list().unwrap(), [45, 30]);
    assert_eq!(stored(&mut opened.journal, 0), expected[30..]);
}

/// One thread appends, and another one writes a snapshot of each batch that is synced.
#[test]
fn snapshots_are_written_on_another_thread() {
    let path = empty("threads");
    let Opened {
        mut journal,
        mut snapshots,
        ..
    } = journal::open(&path).unwrap();
    journal.set_max_segment_bytes(500);
    journal.start(&head(1)).unwrap();
    let (synced, batches_to_keep) = mpsc::channel::<u64>();
    let (keep, kept) = mpsc::channel::<u64>();
    thread::scope(|scope| {
        scope.spawn(move || {
            for batch in batches_to_keep {
                snapshots.write(batch, &batch.to_le_bytes()).unwrap();
                if let Some(before) = journal::keep_two(&mut snapshots).unwrap() {
                    // The other thread may have ended.
                    let _ = keep.send(before);
                }
            }
        });
        for batch in 1..=40 {
            append_synced(&mut journal, batch..=batch, 100);
            synced.send(batch).unwrap();
            for before in kept.try_iter() {
                journal.truncate(before).unwrap();
            }
        }
        drop(synced);
        for before in kept {
            journal.truncate(before).unwrap();
        }
    });
    drop(journal);
    let mut opened = journal::open(&path).unwrap();
    assert!(opened.recovered.is_clean(), "{}", opened.recovered);
    assert_eq!(opened.snapshots.list().unwrap(), [40, 39]);
    assert_eq!(opened.snapshots.read(39).unwrap(), 39_u64.to_le_bytes());
    let first = opened.journal.first_batch().unwrap();
    assert!((30..=40).contains(&first), "{first}");
    assert_eq!(
        batches(&mut opened.journal),
        (first..=40).collect::<Vec<_>>()
    );
}

#[test]
fn directory_is_inspected_while_it_is_written() {
    let path = empty("inspected");
    let mut opened = journal::open(&path).unwrap();
    opened.journal.set_max_segment_bytes(4_000);
    opened.journal.start(&head(1)).unwrap();
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for first in (1..=600).step_by(3) {
                append_synced(&mut opened.journal, first..=first + 2, 300);
                if first % 30 == 1 {
                    opened.snapshots.write(first, &[1; 1_000]).unwrap();
                    journal::retain(&mut opened.journal, &mut opened.snapshots).unwrap();
                }
            }
        });
        let mut n_inspections = 0;
        while !writer.is_finished() || n_inspections < 10 {
            let inspection = journal::inspect(&Directory::existing(&path).unwrap()).unwrap();
            assert!(inspection.error().is_none(), "{inspection}");
            n_inspections += 1;
        }
    });
    assert_eq!(opened.journal.last_batch(), Some(600));
}

#[test]
fn torn_end_is_cut_off() {
    let path = empty("torn");
    let mut opened = journal::open(&path).unwrap();
    opened.journal.start(&head(1)).unwrap();
    append_synced(&mut opened.journal, 1..=3, 100);
    drop(opened);
    let segment = path.join("journal-00000000000000000001-0000000001.log");
    let bytes = fs::read(&segment).unwrap();
    fs::write(&segment, &bytes[..bytes.len() - 1]).unwrap();
    let mut opened = journal::open(&path).unwrap();
    let cut = opened.recovered.cut.as_ref().unwrap();
    assert_eq!((cut.batch, cut.n_bytes, &cut.file), (3, 143, &segment));
    assert_eq!(batches(&mut opened.journal), [1, 2]);
    assert_eq!(fs::read(&segment).unwrap(), bytes[..bytes.len() - 144]);
    opened.journal.start(&head(2)).unwrap();
    append_synced(&mut opened.journal, 3..=3, 1);
    drop(opened);
    let mut opened = journal::open(&path).unwrap();
    assert!(opened.recovered.is_clean());
    assert_eq!(batches(&mut opened.journal), [1, 2, 3]);
}

#[test]
fn second_open_in_the_same_process_is_refused() {
    let path = empty("second_open");
    let opened = journal::open(&path).unwrap();
    let error = journal::open(&path).unwrap_err();
    assert!(matches!(error, JournalError::Locked { .. }), "{error}");
    drop(opened.journal);
    journal::open(&path).unwrap_err();
    drop(opened.snapshots);
    journal::open(&path).unwrap();
}

/// Opens a directory in another process, and returns whether that was refused because of the lock.
fn is_refused_elsewhere(path: &Path) -> bool {
    let output = Command::new(env::current_exe().unwrap())
        .args([
            "--exact",
            "--nocapture",
            "journal::directory::opens_as_another_process",
        ])
        .env(DIRECTORY, path)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    match (
        text.contains("opened: locked"),
        text.contains("opened: free"),
    ) {
        (true, false) => true,
        (false, true) => false,
        _ => panic!("{text}"),
    }
}

#[test]
fn second_open_in_another_process_is_refused() {
    let path = empty("second_process");
    let opened = journal::open(&path).unwrap();
    assert!(is_refused_elsewhere(&path));
    drop(opened);
    assert!(!is_refused_elsewhere(&path));
}

/// The other process. Without the variable, this test does nothing.
#[test]
fn opens_as_another_process() {
    let Some(path) = env::var_os(DIRECTORY) else {
        return;
    };
    match journal::open(path) {
        Ok(_) => println!("opened: free"),
        Err(JournalError::Locked { .. }) => println!("opened: locked"),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn file_in_the_place_of_the_directory_is_an_error() {
    let path = empty("file").join("journal");
    fs::write(&path, "text").unwrap();
    let error = journal::open(&path).unwrap_err();
    assert!(matches!(error, JournalError::Io { .. }));
    let text = error.to_string();
    assert_eq!(
        text,
        format!("cannot open `{}`: not a directory", path.display())
    );
    // Also if a parent is a file.
    let error = journal::open(path.join("inside")).unwrap_err();
    assert!(matches!(error, JournalError::Io { .. }), "{error}");
    assert_eq!(fs::read(&path).unwrap(), b"text");
}

/// A directory in which files cannot be created, also not by a privileged user.
#[cfg(target_os = "linux")]
#[test]
fn directory_that_cannot_have_files_is_an_error() {
    for path in ["/proc/self", "/proc/self/journal"] {
        let error = journal::open(path).unwrap_err();
        let JournalError::Io { file, action, .. } = &error else {
            panic!("{error}")
        };
        assert!(file.starts_with("/proc/self"), "{error}");
        assert!(["open", "lock"].contains(action), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn directory_that_cannot_be_written_is_an_error() {
    use std::os::unix::fs::PermissionsExt;

    let path = empty("permission");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o555)).unwrap();
    let opened = journal::open(&path);
    // A privileged user can write everywhere.
    match fs::write(path.join("probe"), "") {
        Ok(()) => drop(opened.unwrap()),
        Err(_) => {
            let text = opened.unwrap_err().to_string();
            let place = path.display();
            assert!(
                text.starts_with(&format!("cannot lock `{place}`: ")),
                "{text}"
            );
        }
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn foreign_files_and_folders_are_left_alone() {
    let path = empty("foreign");
    fs::write(path.join("notes.txt"), "text").unwrap();
    fs::create_dir(path.join("folder")).unwrap();
    let mut opened = journal::open(&path).unwrap();
    opened.journal.start(&head(1)).unwrap();
    append_synced(&mut opened.journal, 1..=1, 1);
    drop(opened);
    drop(journal::open(&path).unwrap());
    assert_eq!(fs::read(path.join("notes.txt")).unwrap(), b"text");
    assert!(path.join("folder").is_dir());
}
