//! Reads a whole snapshot.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::name_changes::{self, NameChanges};
use super::schema::cached;
use super::{Decoder, Schema, Snapshot, SnapshotError, layout, notice};

/// A snapshot that was checked: its sections can be restored.
///
/// It borrows the bytes, and does not copy the values.
///
/// ```
/// use schedule::snapshot::{Snapshot, SnapshotReader, SnapshotWriter};
/// use serde::{Deserialize, Serialize};
///
/// # mod old {
/// #     use schedule::snapshot::Snapshot;
/// #     use serde::{Deserialize, Serialize};
/// #
/// #     #[derive(Snapshot, Serialize, Deserialize)]
/// #     #[snapshot(name = "scores")]
/// #     pub(super) struct Score(pub(super) u32);
/// #
/// #     #[derive(Snapshot, Serialize, Deserialize)]
/// #     #[snapshot(name = "season")]
/// #     pub(super) struct Season;
/// # }
/// #
/// #[derive(Snapshot, Serialize, Deserialize)]
/// #[snapshot(name = "score")]
/// struct Score(u32);
///
/// # let mut writer = SnapshotWriter::new();
/// # writer.section(&old::Score(7))?.section(&old::Season)?;
/// # let bytes = writer.finish();
/// // An older program has saved `scores` and `season`.
/// let reader = SnapshotReader::new(&bytes)?.renamed("scores", "score").dropped("season");
/// let score: Score = reader.restore()?;
/// // Fails if a section was not restored.
/// reader.finish()?;
/// # assert_eq!(score.0, 7);
/// # Ok::<(), schedule::snapshot::SnapshotError>(())
/// ```
#[derive(Debug)]
pub struct SnapshotReader<'b> {
    /// In the order of the snapshot. Saved names are unique.
    sections: Vec<Section<'b>>,
    format: u32,
    changes: NameChanges,
    claims: Mutex<Claims>,
}

/// The sections that were asked for.
#[derive(Clone, Debug, Default)]
struct Claims {
    /// The indices of the sections that were found.
    found: BTreeSet<usize>,
    /// The names that the snapshot lacks.
    absent: BTreeSet<&'static str>,
    /// Whether it was reported that the snapshot has no schemas.
    is_reported: bool,
}

/// A section of a snapshot: a value with the name, the version and the schema of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Section<'b> {
    /// The name of the type.
    pub name: &'b str,
    /// The version in which the value was saved.
    pub version: u32,
    /// The value, as a [`Decoder`] reads it.
    pub bytes: &'b [u8],
    /// `None` in format 1.
    schema: Option<&'b [u8]>,
}

impl Section<'_> {
    /// Returns the schema of the value. `None` if it is unknown, as in snapshots of [format](SnapshotReader::has_schemas) 1.
    ///
    /// # Errors
    ///
    /// Fails with [`SnapshotError::UnreadableSchema`] if the schema cannot be read.
    pub fn schema(&self) -> Result<Option<Schema>, SnapshotError> {
        let schema = self.schema.map(Schema::from_bytes).transpose();
        schema.map_err(|error| SnapshotError::UnreadableSchema {
            name: self.name.to_string(),
            reason: error.to_string(),
        })
    }

    /// Fails if the type has changed since the value was saved, but not its version.
    fn check<T: Snapshot>(&self, changes: &NameChanges) -> Result<(), SnapshotError> {
        if self.version != T::VERSION || self.schema == Some(&*cached::<T>().bytes) {
            return Ok(());
        }
        match self.schema()? {
            None => Ok(()),
            Some(schema) => changes.now(&schema).check::<T>(self.version),
        }
    }
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
        if !(1..=layout::FORMAT).contains(&format) {
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
        let sections = find_sections(content, n_sections, format)?;
        Ok(Self {
            sections,
            format,
            changes: NameChanges::default(),
            claims: Mutex::default(),
        })
    }

    /// Lets [`restore`](Self::restore) read the section `from` as the type with the name `to`. Has no effect if the snapshot has no such section.
    ///
    /// `from` may also be the argument of a name: with `renamed("account", "konto")`, the section `records<account>` is restored as
    /// `records<konto>`.
    #[must_use = "the calls of `restore` must be those of the returned reader"]
    pub fn renamed(mut self, from: &str, to: &str) -> Self {
        self.changes.rename(from, to);
        self
    }

    /// Declares that a section is not restored, so that [`finish`](Self::finish) does not report it. Has no effect if the snapshot has no
    /// such section. If two sections have the same name after calls of [`renamed`](Self::renamed), the other one is restored.
    ///
    /// `name` may also be the argument of a name: `dropped("account")` also drops `records<account>`.
    #[must_use = "the call of `finish` must be that of the returned reader"]
    pub fn dropped(mut self, name: &str) -> Self {
        self.changes.drop(name);
        self
    }

    /// Makes the calls of [`renamed`](Self::renamed) and [`dropped`](Self::dropped) that these changes stand for.
    #[doc(hidden)]
    #[must_use]
    pub fn with_changes(mut self, changes: NameChanges) -> Self {
        self.changes = changes;
        self
    }

    /// Checks that each section was restored, unless it is [`dropped`](Self::dropped). Call it after all calls of `restore`: a section
    /// that is left is often that of a type whose name has changed.
    ///
    /// With the feature `tracing`, the first call that succeeds is an event of level `WARN` if the snapshot has no
    /// [schemas](Self::has_schemas).
    ///
    /// # Errors
    ///
    /// Fails with [`SnapshotError::Unclaimed`], which lists the other sections, with similar names that were not found.
    pub fn finish(&self) -> Result<(), SnapshotError> {
        self.check_claims()?;
        let is_reported = core::mem::replace(&mut self.claims().is_reported, true);
        if !self.has_schemas() && !is_reported {
            notice::without_schemas("snapshot");
        }
        Ok(())
    }

    /// Checks as [`finish`](Self::finish), and reports nothing.
    #[doc(hidden)]
    pub fn check_claims(&self) -> Result<(), SnapshotError> {
        let claims = self.claims();
        let wanted: Vec<_> = claims.absent.iter().copied().collect();
        let sections = self.sections.iter().enumerate();
        let is_unclaimed = |(idx, section): &(usize, &Section<'_>)| {
            !self.changes.is_dropped(section.name) && !claims.found.contains(idx)
        };
        let unclaimed = sections.filter(is_unclaimed);
        let names = unclaimed.map(|(_, section)| section.name);
        name_changes::unclaimed(names, &wanted).map_or(Ok(()), Err)
    }

    fn claims(&self) -> MutexGuard<'_, Claims> {
        self.claims.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether the snapshot has the schemas of its values. Format 1 has none, so a changed type is not found.
    pub fn has_schemas(&self) -> bool {
        self.format >= 2
    }

    /// Returns the sections, in the order in which they were written, with their saved names.
    pub fn sections(&self) -> impl Iterator<Item = Section<'b>> {
        self.sections.iter().copied()
    }

    /// Returns whether the snapshot has a value of this type, in any version.
    pub fn contains<T: Snapshot>(&self) -> bool {
        let is_named = |section: &Section<'_>| self.changes.name_now(section.name) == T::NAME;
        let is_found = self.sections.iter().any(is_named);
        if !is_found {
            self.claims().absent.insert(T::NAME);
        }
        is_found
    }

    /// Returns the section of a type, and a decoder of its value. Its version and its schema are not checked.
    ///
    /// # Errors
    ///
    /// Fails if the snapshot has no value of this name, or two after calls of [`renamed`](Self::renamed).
    #[doc(hidden)]
    pub fn unchecked<T: Snapshot>(&self) -> Result<(Section<'b>, Decoder<'b>), SnapshotError> {
        let section = self.find(T::NAME)?;
        Ok((section, Decoder::named(section.bytes, T::NAME)))
    }

    /// Checks the version and the schema of the value of a type, which is restored later. Returns `false` if the snapshot lacks it.
    pub(crate) fn check<T: Snapshot>(&self) -> Result<bool, SnapshotError> {
        let section = match self.find(T::NAME) {
            Ok(section) => section,
            Err(SnapshotError::Missing { .. }) => return Ok(false),
            Err(error) => return Err(error),
        };
        if section.version > T::VERSION {
            return Err(SnapshotError::Version {
                name: T::NAME,
                found: section.version,
                expected: T::VERSION,
            });
        }
        section.check::<T>(&self.changes).map(|()| true)
    }

    /// Returns the name that a saved name has now.
    pub(crate) fn name_now<'n>(&self, saved: &'n str) -> Cow<'n, str> {
        self.changes.name_now(saved)
    }

    /// Restores the value of a type.
    ///
    /// # Errors
    ///
    /// Fails if the snapshot has no value of this name, or two after calls of [`renamed`](Self::renamed), if its version cannot be read,
    /// if the type has changed in the same version, or if its bytes are not a value of the type.
    pub fn restore<T: Snapshot>(&self) -> Result<T, SnapshotError> {
        let section = self.find(T::NAME)?;
        section.check::<T>(&self.changes)?;
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
        section.check::<T>(&self.changes)?;
        let mut decoder = Decoder::named(section.bytes, T::NAME);
        decoder.restore_into(section.version, value)?;
        decoder.finish()
    }

    fn find(&self, name: &'static str) -> Result<Section<'b>, SnapshotError> {
        let is_named =
            |(_, section): &(usize, &Section<'_>)| self.changes.name_now(section.name) == name;
        let sections = self.sections.iter().enumerate();
        let mut named: Vec<_> = sections.filter(is_named).collect();
        if named.len() > 1 {
            named.retain(|(_, section)| !self.changes.is_dropped(section.name));
        }
        let mut claims = self.claims();
        match named[..] {
            [(idx, found)] => {
                claims.found.insert(idx);
                Ok(*found)
            }
            [] => {
                claims.absent.insert(name);
                Err(SnapshotError::Missing { name })
            }
            _ => {
                let saved = named
                    .iter()
                    .map(|(_, section)| section.name.to_owned())
                    .collect();
                Err(SnapshotError::RenamedTwice { name, saved })
            }
        }
    }
}

impl Clone for SnapshotReader<'_> {
    fn clone(&self) -> Self {
        Self {
            sections: self.sections.clone(),
            format: self.format,
            changes: self.changes.clone(),
            claims: Mutex::new(self.claims().clone()),
        }
    }
}

/// Finds the sections in the content before the checksum.
fn find_sections(
    content: &[u8],
    n_sections: u32,
    format: u32,
) -> Result<Vec<Section<'_>>, SnapshotError> {
    let mut fields = LayoutReader {
        bytes: content,
        position: layout::HEAD_LEN,
    };
    let mut sections = Vec::new();
    let mut names = HashSet::new();
    for _ in 0..n_sections {
        let offset = fields.position as u64;
        let damaged = |reason: &'static str| SnapshotError::Damaged { offset, reason };
        let section = fields.section(format);
        let (name, version, schema, bytes) = section.ok_or(damaged("a section is cut"))?;
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
            schema,
        });
    }
    if fields.position == content.len() {
        Ok(sections)
    } else {
        Err(SnapshotError::Damaged {
            offset: fields.position as u64,
            reason: "bytes follow the last section",
        })
    }
}

/// The name, the version, the schema and the value of a section.
type SectionFields<'b> = (&'b [u8], u32, Option<&'b [u8]>, &'b [u8]);

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

    /// Returns the name, the version, the schema and the value of a section.
    fn section(&mut self, format: u32) -> Option<SectionFields<'b>> {
        let [name_len] = self.array()?;
        let name = self.skip(name_len.into())?;
        let version = self.u32()?;
        let schema = match format {
            1 => None,
            _ => {
                let len = self.u32()?;
                Some(self.skip(usize::try_from(len).ok()?)?)
            }
        };
        let len = self.u64()?;
        let bytes = self.skip(usize::try_from(len).ok()?)?;
        Some((name, version, schema, bytes))
    }
}
