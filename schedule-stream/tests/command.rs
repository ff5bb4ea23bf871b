//! The command `schedule-stream` as a process.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use schedule_stream::journal::{
    self, EntryKind, Journal, JournalHead, JournalRecord, Opened, Snapshots,
};

const FIRST: &str = "journal-00000000000000000001-0000000001.log";
const SECOND: &str = "journal-00000000000000000004-0000000002.log";

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_schedule-stream"));
    command.args(arguments).output().unwrap()
}

/// Runs the command, and returns its exit code, its output, and its errors. Paths of the directory are shortened.
fn results(word: &str, path: &Path) -> (i32, String, String) {
    let output = run(&[word, path.to_str().unwrap()]);
    let place = format!("{}/", path.display());
    let text = |bytes| String::from_utf8(bytes).unwrap().replace(&place, "DIR/");
    let code = output.status.code().unwrap();
    (code, text(output.stdout), text(output.stderr))
}

fn head(version: u32) -> JournalHead {
    JournalHead {
        program: "exchange".to_owned(),
        version,
        types: vec![("Order".to_owned(), 2), ("Cancel".to_owned(), 1)],
        constants: 0xabcd,
        events: None,
    }
}

fn append(opened: &mut Opened, batches: core::ops::RangeInclusive<u64>) {
    for batch in batches {
        let record = JournalRecord {
            batch,
            kind: EntryKind::BATCH,
            time: 0,
            body: vec![batch as u8; 68],
        };
        opened.journal.append(&[record]).unwrap();
        opened.journal.sync().unwrap();
    }
}

/// A directory with two segments and two snapshots.
fn directory(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("command")
        .join(test);
    let _ = fs::remove_dir_all(&path);
    let mut opened = journal::open(&path).unwrap();
    opened.journal.start(&head(1)).unwrap();
    append(&mut opened, 1..=3);
    opened.snapshots.write(2, b"old state").unwrap();
    opened.journal.start(&head(2)).unwrap();
    append(&mut opened, 4..=6);
    opened.snapshots.write(4, b"the state").unwrap();
    path
}

const GOOD: &str = "\
segments: 2
  journal-00000000000000000001-0000000001.log
    program `exchange` version 1, generation 1, constants 0x000000000000abcd
    types: `Order` version 2, `Cancel` version 1
    batches 1 to 3, 410 bytes
    format 2, rules 2
  journal-00000000000000000004-0000000002.log
    program `exchange` version 2, generation 2, constants 0x000000000000abcd
    types: `Order` version 2, `Cancel` version 1
    batches 4 to 6, 410 bytes
    format 2, rules 2
snapshots: 2
  snapshot-00000000000000000004.snap: batch 4, 9 bytes
  snapshot-00000000000000000002.snap: batch 2, 9 bytes
";

#[test]
fn good_directory_is_whole() {
    let path = directory("good");
    assert_eq!(
        results("inspect", &path),
        (0, GOOD.to_owned(), String::new())
    );
    let whole = "6 batches in 2 segments and 2 snapshots are whole\n";
    assert_eq!(
        results("verify", &path),
        (0, whole.to_owned(), String::new())
    );
}

#[test]
fn entries_that_are_not_batches_are_counted_by_kind() {
    let path = directory("kinds");
    let mut opened = journal::open(&path).unwrap();
    opened.journal.start(&head(3)).unwrap();
    let kinds = [EntryKind::optional(900), EntryKind::MAX_PENDING];
    for kind in [kinds[0], kinds[1], kinds[0]] {
        let body = 9_u32.to_le_bytes().to_vec();
        let (batch, time) = (7, 0);
        let entry = JournalRecord {
            batch,
            kind,
            time,
            body,
        };
        opened.journal.append(&[entry]).unwrap();
    }
    opened.journal.sync().unwrap();
    let (code, text, errors) = results("inspect", &path);
    assert_eq!((code, errors), (0, String::new()));
    let kinds =
        "    entries: 2 of kind 900, skipped\n    entries: 1 of maximum of pending follow-ups\n";
    assert!(text.contains(kinds), "{text}");
    let whole = "6 batches in 3 segments and 2 snapshots are whole\n";
    assert_eq!(results("verify", &path).1, whole);
}

#[test]
fn entry_of_a_newer_program_is_an_error_that_names_its_kind() {
    let path = directory("newer");
    let mut opened = journal::open(&path).unwrap();
    opened.journal.start(&head(3)).unwrap();
    let entry = JournalRecord {
        batch: 7,
        kind: EntryKind::required(900),
        time: 0,
        body: Vec::new(),
    };
    opened.journal.append(&[entry]).unwrap();
    opened.journal.sync().unwrap();
    let error = "error: the entry at byte 74 of `DIR/journal-00000000000000000007-0000000003.log`, at batch 7, has kind 900, which \
                 this program does not know and must not skip; use the program that wrote it, or a newer one\n";
    assert_eq!(
        results("verify", &path),
        (1, String::new(), error.to_owned())
    );
}

#[test]
fn directory_in_use_is_read() {
    let path = directory("in_use");
    let mut opened = journal::open(&path).unwrap();
    opened.journal.start(&head(3)).unwrap();
    assert_eq!(results("verify", &path).0, 0);
    let (code, text, errors) = results("inspect", &path);
    assert_eq!((code, errors), (0, String::new()));
    assert!(
        text.contains("generation 3") && text.contains("no batches"),
        "{text}"
    );
    append(&mut opened, 7..=7);
    assert!(results("inspect", &path).1.contains("batches 7 to 7"));
}

#[test]
fn torn_end_is_reported_and_is_not_an_error() {
    let path = directory("torn");
    let mut bytes = fs::read(path.join(SECOND)).unwrap();
    bytes.extend([1; 30]);
    fs::write(path.join(SECOND), &bytes).unwrap();
    let torn =
        format!("torn: 30 bytes at byte 410 of `DIR/{SECOND}` are a torn write of batch 7\n");
    let inspected = GOOD.replace("4 to 6, 410 bytes", "4 to 6, 440 bytes") + &torn;
    assert_eq!(results("inspect", &path), (0, inspected, String::new()));
    let verified = "6 batches in 2 segments and 2 snapshots are whole\n".to_owned() + &torn;
    assert_eq!(results("verify", &path), (0, verified, String::new()));
    assert_eq!(fs::read(path.join(SECOND)).unwrap(), bytes);
}

#[test]
fn damage_is_an_error() {
    let path = directory("damaged");
    let mut bytes = fs::read(path.join(FIRST)).unwrap();
    bytes[410 - 2 * 112] ^= 1;
    fs::write(path.join(FIRST), &bytes).unwrap();
    let mut snapshot = fs::read(path.join("snapshot-00000000000000000004.snap")).unwrap();
    snapshot[45] ^= 1;
    fs::write(path.join("snapshot-00000000000000000004.snap"), &snapshot).unwrap();
    let error = format!(
        "batch 2 at byte 186 of `DIR/{FIRST}` is damaged: it was synced before `DIR/{SECOND}` was created; \
         restore the file from a backup\n"
    );
    let inspected = GOOD
        .replace(
            "batches 1 to 3, 410 bytes\n    format 2, rules 2\n",
            &format!("batches 1 to 1, 410 bytes\n    format 2, rules 2\n    error: {error}"),
        )
        .replace(
            "00004.snap: batch 4, 9 bytes\n",
            "00004.snap\n    error: the snapshot of batch 4 at byte 0 of `DIR/snapshot-00000000000000000004.snap` is \
             damaged; use an older snapshot\n",
        );
    assert_eq!(results("inspect", &path), (0, inspected, String::new()));
    assert_eq!(
        results("verify", &path),
        (1, String::new(), format!("error: {error}"))
    );
    assert_eq!(fs::read(path.join(FIRST)).unwrap(), bytes);
}

#[test]
fn damaged_head_is_an_error() {
    let path = directory("damaged_head");
    let mut bytes = fs::read(path.join(SECOND)).unwrap();
    bytes[50] ^= 1;
    fs::write(path.join(SECOND), &bytes).unwrap();
    let error = format!(
        "the head at byte 0 of `DIR/{SECOND}`, whose first batch is 4, is damaged; restore the file from a backup\n"
    );
    let (code, text, errors) = results("inspect", &path);
    assert_eq!((code, errors), (0, String::new()));
    assert!(
        text.contains(&format!("  {SECOND}\n    error: {error}")),
        "{text}"
    );
    assert_eq!(
        results("verify", &path),
        (1, String::new(), format!("error: {error}"))
    );
}

#[test]
fn wrong_arguments_print_the_usage() {
    for arguments in [
        &[][..],
        &["inspect"],
        &["check", "x"],
        &["verify", "a", "b"],
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2));
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(
            errors.starts_with("error: the arguments must be `inspect DIR` or `verify DIR`\n"),
            "{errors}"
        );
        assert!(
            errors.contains("Usage: schedule-stream inspect DIR"),
            "{errors}"
        );
    }
    let help = run(&["--help"]);
    assert!(help.status.success() && help.stdout.starts_with(b"Prints or checks the journal"));
    let version = run(&["--version"]);
    assert!(version.stdout.starts_with(b"schedule-stream 0."));
}

#[test]
fn directory_that_does_not_exist_is_an_error() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("command")
        .join("missing");
    let (code, text, errors) = results("verify", &path);
    assert_eq!((code, text), (1, String::new()));
    assert!(
        errors.starts_with("error: cannot open `") && errors.contains("missing`: "),
        "{errors}"
    );
    assert!(!path.exists());
}
