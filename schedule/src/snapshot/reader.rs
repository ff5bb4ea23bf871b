//! Reads a whole snapshot.

use std::collections::HashSet;

use super::{Decoder, Snapshot, SnapshotError, layout};

/// A snapshot that was checked: its sections can be restored.
///
/// It borrows the bytes, and copies nothing.
#[derive(Clone, Debug)]
pub struct SnapshotReader<'b> {
    /// In the order of the snapshot. Names are unique.
    sections: Vec<Section<'b>>,
}

/// A section of a snapshot: a value with the name and version of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Section<'b> {
    /// The name of the type.
    pub name: &'b str,
    /// The version in which the value was saved.
    pub version: u32,
    /// The value, as a [`Decoder`] reads it.
    pub bytes: &'b [u8],
}

impl<'b> SnapshotReader<'b> {
    /// Checks the bytes of a snapshot, and finds its sections.
    ///
    /// # Errors
    ///
    /// Fails with [`SnapshotError::Foreign`], [`Format`](SnapshotError::Format), [`Cut`](SnapshotError::Cut),
    /// [`Damaged`](SnapshotError::Damaged) or [`Duplicate`](SnapshotError::Duplicate) if the bytes are not a whole snapshot.
    pub fn new(bytes: &'b [u8]) -> Result<Self, SnapshotError> {
        let found = bytes.len() as u64;
        let cut = |expected: u64| SnapshotError::Cut { found, expected };
        let shortest = (layout::HEAD_LEN + layout::CHECKSUM_LEN) as u64;
        let n_magic = bytes.len().min(layout::MAGIC.len());
        if bytes[..n_magic] != layout::MAGIC[..n_magic] {
            return Err(SnapshotError::Foreign);
        }
        let mut head = LayoutReader { bytes, position: 0 };
        head.skip(layout::FORMAT_AT).ok_or(cut(shortest))?;
        let format = head.u32().ok_or(cut(shortest))?;
        if format != layout::FORMAT {
            return Err(SnapshotError::Format { found: format });
        }
        let n_sections = head.u32().ok_or(cut(shortest))?;
        let len = head.u64().ok_or(cut(shortest))?;
        let damaged = |offset: usize, reason: &'static str| SnapshotError::Damaged {
            offset: offset as u64,
            reason,
        };
        if len < shortest {
            return Err(damaged(layout::LEN_AT, "the length is too small"));
        }
        if found < len {
            return Err(cut(len));
        }
        if found > len {
            return Err(damaged(len as usize, "bytes follow the end"));
        }
        let (content, checksum) = bytes.split_at(bytes.len() - layout::CHECKSUM_LEN);
        if layout::checksum(content).to_le_bytes() != checksum {
            let reason = "the checksum does not match the content";
            return Err(damaged(content.len(), reason));
        }
        let sections = find_sections(content, n_sections)?;
        Ok(Self { sections })
    }

    /// Returns the sections, in the order in which they were written.
    pub fn sections(&self) -> impl Iterator<Item = Section<'b>> {
        self.sections.iter().copied()
    }

    /// Returns whether the snapshot has a value of this type, in any version.
    pub fn contains<T: Snapshot>(&self) -> bool {
        self.find(T::NAME).is_ok()
    }

    /// Restores the value of a type.
    ///
    /// # Errors
    ///
    /// Fails if the snapshot has no value of this name, if its version cannot be read, or if its bytes are not a value of
    /// the type.
    pub fn restore<T: Snapshot>(&self) -> Result<T, SnapshotError> {
        let section = self.find(T::NAME)?;
        let mut decoder = Decoder::named(section.bytes, T::NAME);
        let value = decoder.restore(section.version)?;
        decoder.finish()?;
        Ok(value)
    }

    /// Replaces a value by that of the snapshot. A type with parts that are not saved, such as functions, keeps those of
    /// `value`.
    ///
    /// # Errors
    ///
    /// As [`restore`](Self::restore). If bytes follow the value in its section, `value` was already replaced. For all other
    /// errors it is unchanged.
    pub fn restore_into<T: Snapshot>(&self, value: &mut T) -> Result<(), SnapshotError> {
        let section = self.find(T::NAME)?;
        let mut decoder = Decoder::named(section.bytes, T::NAME);
        decoder.restore_into(section.version, value)?;
        decoder.finish()
    }

    fn find(&self, name: &'static str) -> Result<Section<'b>, SnapshotError> {
        self.sections()
            .find(|section| section.name == name)
            .ok_or(SnapshotError::Missing { name })
    }
}

/// Finds the sections in the content before the checksum.
fn find_sections(content: &[u8], n_sections: u32) -> Result<Vec<Section<'_>>, SnapshotError> {
    let mut fields = LayoutReader {
        bytes: content,
        position: layout::HEAD_LEN,
    };
    let mut sections = Vec::new();
    let mut names = HashSet::new();
    for _ in 0..n_sections {
        let offset = fields.position as u64;
        let damaged = |reason: &'static str| SnapshotError::Damaged { offset, reason };
        let section = fields.section();
        let (name, version, bytes) = section.ok_or(damaged("a section is cut"))?;
        let name = core::str::from_utf8(name);
        let name = name.map_err(|_| damaged("the name of a section is not UTF-8"))?;
        if !names.insert(name) {
            let name = name.to_owned();
            return Err(SnapshotError::Duplicate { name });
        }
        sections.push(Section {
            name,
            version,
            bytes,
        });
    }
    match fields.position == content.len() {
        true => Ok(sections),
        false => Err(SnapshotError::Damaged {
            offset: fields.position as u64,
            reason: "bytes follow the last section",
        }),
    }
}

/// Reads the fields of the layout.
struct LayoutReader<'b> {
    bytes: &'b [u8],
    position: usize,
}

impl<'b> LayoutReader<'b> {
    /// Returns the next `n` bytes, if they exist.
    fn skip(&mut self, n: usize) -> Option<&'b [u8]> {
        let end = self.position.checked_add(n)?;
        let bytes = self.bytes.get(self.position..end)?;
        self.position = end;
        Some(bytes)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.skip(N)?.try_into().ok()
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// Returns the name, the version and the value of a section.
    fn section(&mut self) -> Option<(&'b [u8], u32, &'b [u8])> {
        let [name_len] = self.array()?;
        let name = self.skip(name_len.into())?;
        let version = self.u32()?;
        let len = self.u64()?;
        let bytes = self.skip(usize::try_from(len).ok()?)?;
        Some((name, version, bytes))
    }
}
