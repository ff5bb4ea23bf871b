//! A simulated disk that forgets any part of what was not synced when the power fails.
//!
//! It keeps the content that programs see, and the durable content. [`SimulatedDisk::lose_power`] keeps a random subset of the difference:
//! of the content in pieces of 512 bytes, of the size of a file, and of the creations, renames and removals.

mod file;
mod full;

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use schedule_stream::journal::Disk;

use self::file::FileAccess;
pub(crate) use self::file::SimulatedFile;
pub(crate) use self::full::Full;

/// The size in bytes of the part of a file that is written completely or not at all.
const PIECE: usize = 512;

/// A generator of random numbers (SplitMix64).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`, which is at least 1.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// `true` once in `n` calls.
    pub(crate) fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// A way in which a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// An error of the device. An unknown part of the call has an effect.
    Device,
    /// The disk is full. A part of the bytes may be written. Other calls than writes are not affected.
    Full,
    /// Only a part of the bytes is written, without an error. Other calls than writes are not affected.
    Short,
}

/// The purpose of a sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SyncKind {
    /// Of a new segment, before it gets its name.
    SegmentHead,
    /// Of the records of a segment.
    Records,
    /// Of the newest segment when the directory is opened.
    Opening,
    /// Of a snapshot, before it gets its name.
    Snapshot,
    /// Of the directory, after a segment got its name.
    SegmentName,
    /// Of the directory, after a snapshot got its name.
    SnapshotName,
    /// Of the directory, after a segment or a snapshot was removed.
    Removal,
    /// Of the directory, when it is opened.
    Names,
}

/// All kinds of syncs.
pub(crate) const SYNC_KINDS: [SyncKind; 8] = [
    SyncKind::SegmentHead,
    SyncKind::Records,
    SyncKind::Opening,
    SyncKind::Snapshot,
    SyncKind::SegmentName,
    SyncKind::SnapshotName,
    SyncKind::Removal,
    SyncKind::Names,
];

/// A disk with one directory. Clones are the same disk.
#[derive(Clone, Debug)]
pub(crate) struct SimulatedDisk(Arc<Mutex<DiskState>>);

#[derive(Clone, Debug)]
struct DiskState {
    /// The files as programs see them, by name: indices of `contents`.
    names: BTreeMap<String, usize>,
    durable_names: BTreeMap<String, usize>,
    /// The changes of names that are not durable, in order.
    changes: Vec<NameChange>,
    contents: Vec<Content>,
    is_locked: bool,
    /// The number of times that the power failed.
    n_power_failures: u64,
    /// The number of ends of programs. Files that were opened before the last one cannot be used.
    n_ends: u64,
    random: Random,
    /// The number of calls that change something.
    n_calls: u64,
    /// The call at which the program stops.
    stops_at: Option<u64>,
    is_running: bool,
    /// The call that fails, and the way.
    fault_at: Option<(u64, Fault)>,
    /// Whether a call has failed since the last call of `fail_once`.
    has_failed: bool,
    /// Syncs of this kind have no effect.
    ignored: Option<SyncKind>,
    full: Option<Full>,
    /// The purpose of the next sync of the directory: from the last change of a name that is not synced.
    next_sync: SyncKind,
}

#[derive(Clone, Debug)]
enum NameChange {
    Create {
        name: String,
        idx: usize,
    },
    Rename {
        from: String,
        to: String,
        idx: usize,
    },
    Remove {
        name: String,
    },
}

/// The content of a file.
#[derive(Clone, Debug, Default)]
struct Content {
    /// As programs see it.
    bytes: Vec<u8>,
    durable: Vec<u8>,
}

/// The effect of a call.
enum Effect {
    Whole,
    /// A part of the call is done, then it fails.
    Part(io::Error),
    /// A part of the bytes is written.
    Short,
}

fn stopped() -> io::Error {
    io::Error::other("the program was stopped")
}

impl SimulatedDisk {
    /// An empty disk. All its random decisions follow from the seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(DiskState {
            names: BTreeMap::new(),
            durable_names: BTreeMap::new(),
            changes: Vec::new(),
            contents: Vec::new(),
            is_locked: false,
            n_power_failures: 0,
            n_ends: 0,
            random: Random::new(seed),
            n_calls: 0,
            stops_at: None,
            is_running: true,
            fault_at: None,
            has_failed: false,
            ignored: None,
            full: None,
            next_sync: SyncKind::Names,
        })))
    }

    fn state(&self) -> MutexGuard<'_, DiskState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of calls so far that change something.
    pub(crate) fn n_calls(&self) -> u64 {
        self.state().n_calls
    }

    /// Stops the program during the `n`-th call from now that changes something. The first one has the number 1. That call has a
    /// random part of its effect, and all calls fail until [`end_program`](Self::end_program) or [`lose_power`](Self::lose_power).
    pub(crate) fn stop_after(&self, n: u64) {
        let mut state = self.state();
        state.stops_at = Some(state.n_calls + n);
    }

    /// Lets the `n`-th call from now that changes something fail once.
    pub(crate) fn fail_once(&self, n: u64, fault: Fault) {
        let mut state = self.state();
        state.fault_at = Some((state.n_calls + n, fault));
        state.has_failed = false;
    }

    /// Whether a call failed because of [`fail_once`](Self::fail_once).
    pub(crate) fn has_failed(&self) -> bool {
        self.state().has_failed
    }

    /// Whether the program was not stopped.
    pub(crate) fn is_running(&self) -> bool {
        self.state().is_running
    }

    /// Lets syncs of a kind have no effect.
    pub(crate) fn ignore(&self, kind: Option<SyncKind>) {
        self.state().ignored = kind;
    }

    /// Ends the program. Everything stays as it is, also changes that are not durable.
    pub(crate) fn end_program(&self) {
        let mut state = self.state();
        state.is_locked = false;
        state.is_running = true;
        state.n_ends += 1;
        state.stops_at = None;
        state.fault_at = None;
        state.has_failed = false;
    }

    /// Ends the program, and forgets a random part of the changes that are not durable.
    pub(crate) fn lose_power(&self) {
        self.end_program();
        let mut state = self.state();
        let state = &mut *state;
        state.n_power_failures += 1;
        let keeps = Keeps::random(&mut state.random);
        for change in std::mem::take(&mut state.changes) {
            if keeps.keeps(&mut state.random) {
                change.apply(&mut state.durable_names);
            }
        }
        state.names = state.durable_names.clone();
        for content in &mut state.contents {
            let keeps = Keeps::random(&mut state.random);
            content.forget(keeps, &mut state.random);
        }
    }

    /// Returns another disk, on which the program ends now. On this one it goes on.
    pub(crate) fn end_program_on_copy(&self) -> Self {
        let copy = Self(Arc::new(Mutex::new(self.state().clone())));
        copy.end_program();
        copy
    }

    /// The number of times that the power failed.
    pub(crate) fn n_power_failures(&self) -> u64 {
        self.state().n_power_failures
    }

    /// Returns the names of all files.
    pub(crate) fn names(&self) -> Vec<String> {
        self.state().names.keys().cloned().collect()
    }

    /// Returns the content of a file.
    pub(crate) fn content(&self, name: &str) -> Vec<u8> {
        let state = self.state();
        state.contents[state.names[name]].bytes.clone()
    }

    /// Replaces the content of a file, or creates it. The change is durable.
    pub(crate) fn set_content(&self, name: &str, bytes: Vec<u8>) {
        let mut state = self.state();
        let idx = match state.names.get(name) {
            Some(idx) => *idx,
            None => {
                state.contents.push(Content::default());
                state.contents.len() - 1
            }
        };
        state.contents[idx] = Content {
            durable: bytes.clone(),
            bytes,
        };
        state.names.insert(name.to_owned(), idx);
        state.durable_names.insert(name.to_owned(), idx);
    }

    /// Returns all files with their contents.
    pub(crate) fn files(&self) -> Vec<(String, Vec<u8>)> {
        let names = self.names().into_iter();
        names
            .map(|name| (name.clone(), self.content(&name)))
            .collect()
    }
}

/// The part of the changes that survives.
#[derive(Clone, Copy)]
enum Keeps {
    All,
    None,
    Some,
}

impl Keeps {
    fn random(random: &mut Random) -> Self {
        match random.below(5) {
            0 => Self::All,
            1 => Self::None,
            _ => Self::Some,
        }
    }

    fn keeps(self, random: &mut Random) -> bool {
        match self {
            Self::All => true,
            Self::None => false,
            Self::Some => random.one_in(2),
        }
    }
}

impl NameChange {
    fn apply(self, names: &mut BTreeMap<String, usize>) {
        match self {
            Self::Create { name, idx } => {
                names.insert(name, idx);
            }
            Self::Rename { from, to, idx } => {
                names.remove(&from);
                names.insert(to, idx);
            }
            Self::Remove { name } => {
                names.remove(&name);
            }
        }
    }
}

impl Content {
    /// Keeps some of the pieces that are not durable. Other pieces have their durable content, or zeros.
    fn forget(&mut self, keeps: Keeps, random: &mut Random) {
        if self.bytes == self.durable {
            return;
        }
        let (short, long) = {
            let (a, b) = (self.bytes.len(), self.durable.len());
            (a.min(b), a.max(b))
        };
        let n_bytes = match keeps {
            Keeps::All => self.bytes.len(),
            Keeps::None => self.durable.len(),
            Keeps::Some => match random.below(3) {
                0 => self.bytes.len(),
                1 => self.durable.len(),
                _ => short + random.below((long - short + 1) as u64) as usize,
            },
        };
        let mut kept = Vec::with_capacity(n_bytes);
        while kept.len() < n_bytes {
            let start = kept.len();
            let end = n_bytes.min((start / PIECE + 1) * PIECE);
            let is_kept = keeps.keeps(random);
            for at in start..end {
                let (new, old) = (self.bytes.get(at), self.durable.get(at));
                let byte = if is_kept { new.or(old) } else { old };
                kept.push(byte.copied().unwrap_or(0));
            }
        }
        self.bytes = kept.clone();
        self.durable = kept;
    }
}

impl DiskState {
    /// Counts a call that changes something.
    ///
    /// `n_ends`: the state of the program that makes the call. `is_write`: whether the call writes bytes.
    fn begin_call(&mut self, n_ends: u64, is_write: bool) -> io::Result<Effect> {
        self.check_running(n_ends)?;
        self.n_calls += 1;
        if self.stops_at == Some(self.n_calls) {
            self.is_running = false;
            return Ok(Effect::Part(stopped()));
        }
        let fault = self.fault_at.filter(|(at, _)| *at == self.n_calls);
        match fault.map(|(_, fault)| fault) {
            Some(Fault::Device) => {
                self.has_failed = true;
                Ok(Effect::Part(io::Error::other("the device failed")))
            }
            Some(Fault::Full) if is_write => {
                self.has_failed = true;
                Ok(Effect::Part(io::ErrorKind::StorageFull.into()))
            }
            Some(Fault::Short) if is_write => Ok(Effect::Short),
            _ => Ok(Effect::Whole),
        }
    }

    /// Fails for a program that was stopped, and for files of a program that has ended.
    fn check_running(&self, n_ends: u64) -> io::Result<()> {
        if self.is_running && n_ends == self.n_ends {
            Ok(())
        } else {
            Err(stopped())
        }
    }

    fn idx(&self, name: &str) -> io::Result<usize> {
        let idx = self.names.get(name).copied();
        idx.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Makes a change of names visible, completely or by chance.
    fn change(&mut self, effect: Effect, kind: SyncKind, change: NameChange) -> io::Result<()> {
        let error = match effect {
            Effect::Whole | Effect::Short => None,
            Effect::Part(error) => Some(error),
        };
        if error.is_none() || self.random.one_in(2) {
            change.clone().apply(&mut self.names);
            self.changes.push(change);
            // A directory that is being opened has this purpose until it is synced.
            if self.next_sync != SyncKind::Names {
                self.next_sync = kind;
            }
        }
        error.map_or(Ok(()), Err)
    }
}

/// The kind of a sync that makes the name of a file durable.
fn name_kind(name: &str) -> SyncKind {
    if name.starts_with("snapshot-") {
        SyncKind::SnapshotName
    } else {
        SyncKind::SegmentName
    }
}

impl Disk for SimulatedDisk {
    type File = SimulatedFile;
    type Lock = SimulatedLock;

    fn path(&self, name: &str) -> PathBuf {
        let path = PathBuf::from("disk");
        if name.is_empty() {
            path
        } else {
            path.join(name)
        }
    }

    fn lock(&self) -> io::Result<Option<SimulatedLock>> {
        let mut state = self.state();
        let n_ends = state.n_ends;
        state.check_running(n_ends)?;
        if state.is_locked {
            return Ok(None);
        }
        state.is_locked = true;
        state.next_sync = SyncKind::Names;
        Ok(Some(SimulatedLock {
            disk: self.clone(),
            n_ends,
        }))
    }

    fn list(&self) -> io::Result<Vec<String>> {
        let state = self.state();
        state.check_running(state.n_ends)?;
        // In an order that is not that of the names.
        Ok(state.names.keys().rev().cloned().collect())
    }

    fn create(&self, name: &str) -> io::Result<SimulatedFile> {
        let mut state = self.state();
        let n_ends = state.n_ends;
        let effect = state.begin_call(n_ends, false)?;
        if state.names.contains_key(name) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        state.contents.push(Content::default());
        let idx = state.contents.len() - 1;
        let name = name.to_owned();
        let change = NameChange::Create {
            name: name.clone(),
            idx,
        };
        state.change(effect, name_kind(&name), change)?;
        Ok(SimulatedFile {
            disk: self.clone(),
            idx,
            n_ends,
            is_snapshot: name.starts_with("snapshot-"),
            access: FileAccess::Append,
            n_syncs: 0,
        })
    }

    fn open(&self, name: &str) -> io::Result<SimulatedFile> {
        self.open_for(name, FileAccess::Read)
    }

    fn open_writable(&self, name: &str) -> io::Result<SimulatedFile> {
        self.open_for(name, FileAccess::Truncate)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut state = self.state();
        let n_ends = state.n_ends;
        let effect = state.begin_call(n_ends, false)?;
        let change = NameChange::Rename {
            from: from.to_owned(),
            to: to.to_owned(),
            idx: state.idx(from)?,
        };
        state.change(effect, name_kind(to), change)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let mut state = self.state();
        let n_ends = state.n_ends;
        state.check_running(n_ends)?;
        state.idx(name)?;
        let effect = state.begin_call(n_ends, false)?;
        let name = name.to_owned();
        state.change(effect, SyncKind::Removal, NameChange::Remove { name })
    }

    fn sync_directory(&self) -> io::Result<()> {
        let mut state = self.state();
        let n_ends = state.n_ends;
        if let Effect::Part(error) = state.begin_call(n_ends, false)? {
            return Err(error);
        }
        let kind = std::mem::replace(&mut state.next_sync, SyncKind::Removal);
        if state.ignored != Some(kind) {
            state.durable_names = state.names.clone();
            state.changes.clear();
        }
        Ok(())
    }
}

impl SimulatedDisk {
    fn open_for(&self, name: &str, access: FileAccess) -> io::Result<SimulatedFile> {
        let state = self.state();
        state.check_running(state.n_ends)?;
        Ok(SimulatedFile {
            disk: self.clone(),
            idx: state.idx(name)?,
            n_ends: state.n_ends,
            is_snapshot: name.starts_with("snapshot-"),
            access,
            n_syncs: 0,
        })
    }
}

/// The lock on a simulated disk.
#[derive(Debug)]
pub(crate) struct SimulatedLock {
    disk: SimulatedDisk,
    n_ends: u64,
}

impl Drop for SimulatedLock {
    fn drop(&mut self) {
        let mut state = self.disk.state();
        if state.n_ends == self.n_ends {
            state.is_locked = false;
        }
    }
}
