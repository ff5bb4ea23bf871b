//! Files of the simulated disk.

use std::io;

use schedule_stream::journal::DiskFile;

use super::{Effect, SimulatedDisk, SyncKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileAccess {
    Append,
    Read,
    Truncate,
}

/// An open file of a simulated disk.
#[derive(Debug)]
pub(crate) struct SimulatedFile {
    pub(super) disk: SimulatedDisk,
    pub(super) idx: usize,
    pub(super) n_ends: u64,
    pub(super) is_snapshot: bool,
    pub(super) access: FileAccess,
    pub(super) n_syncs: u64,
}

impl SimulatedFile {
    /// Writes bytes at the beginning of the file, or a part of them if the call fails.
    pub(crate) fn overwrite_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        assert_eq!(self.access, FileAccess::Truncate);
        let mut state = self.disk.state();
        let effect = state.begin_call(self.n_ends, true)?;
        let effect = state.write_effect(effect, self.is_snapshot);
        let (n_written, result) = match effect {
            Effect::Whole | Effect::Short => (bytes.len(), Ok(())),
            Effect::Part(error) => (state.random.below(bytes.len() as u64) as usize, Err(error)),
        };
        let content = &mut state.contents[self.idx].bytes;
        content.resize(content.len().max(n_written), 0);
        content[..n_written].copy_from_slice(&bytes[..n_written]);
        result
    }

    fn sync_kind(&self) -> SyncKind {
        match (self.is_snapshot, self.access) {
            (true, _) => SyncKind::Snapshot,
            (false, FileAccess::Append) if self.n_syncs == 0 => SyncKind::SegmentHead,
            (false, FileAccess::Append) => SyncKind::Records,
            (false, _) => SyncKind::Opening,
        }
    }
}

impl DiskFile for SimulatedFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        assert_eq!(self.access, FileAccess::Append);
        let mut state = self.disk.state();
        let effect = state.begin_call(self.n_ends, true)?;
        let effect = state.write_effect(effect, self.is_snapshot);
        let n_written = match effect {
            Effect::Whole => bytes.len(),
            Effect::Short | Effect::Part(_) => state.random.below(bytes.len() as u64) as usize,
        };
        // Nothing written would be an error.
        let n_written = match effect {
            Effect::Short => n_written.max(1),
            Effect::Whole | Effect::Part(_) => n_written,
        };
        let content = &mut state.contents[self.idx];
        content.bytes.extend_from_slice(&bytes[..n_written]);
        match effect {
            Effect::Part(error) => Err(error),
            Effect::Whole | Effect::Short => Ok(n_written),
        }
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.disk.state();
        state.check_running(self.n_ends)?;
        // Often less than the size of the buffer.
        let most = 1 + state.random.below(4096) as usize;
        let bytes = &state.contents[self.idx].bytes;
        let start = bytes.len().min(offset as usize);
        let n_read = (bytes.len() - start).min(buffer.len()).min(most);
        buffer[..n_read].copy_from_slice(&bytes[start..start + n_read]);
        Ok(n_read)
    }

    fn n_bytes(&self) -> io::Result<u64> {
        let state = self.disk.state();
        state.check_running(self.n_ends)?;
        Ok(state.contents[self.idx].bytes.len() as u64)
    }

    fn truncate(&mut self, n_bytes: u64) -> io::Result<()> {
        assert_eq!(self.access, FileAccess::Truncate);
        let mut state = self.disk.state();
        let effect = state.begin_call(self.n_ends, false)?;
        let (is_done, result) = match effect {
            Effect::Whole | Effect::Short => (true, Ok(())),
            Effect::Part(error) => (state.random.one_in(2), Err(error)),
        };
        if is_done {
            state.contents[self.idx].bytes.truncate(n_bytes as usize);
        }
        result
    }

    fn sync_data(&mut self) -> io::Result<()> {
        assert_ne!(self.access, FileAccess::Read);
        let kind = self.sync_kind();
        let mut state = self.disk.state();
        if let Effect::Part(error) = state.begin_call(self.n_ends, false)? {
            return Err(error);
        }
        self.n_syncs += 1;
        if state.ignored != Some(kind) {
            let content = &mut state.contents[self.idx];
            content.durable = content.bytes.clone();
        }
        Ok(())
    }
}
