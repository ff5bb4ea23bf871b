//! A simulated disk on which a mark can be written.

use std::io;
use std::path::PathBuf;

use schedule_stream::journal::{Disk, DiskFile};

use crate::journal::disk::SimulatedDisk;

type PlainFile = <SimulatedDisk as Disk>::File;

/// A simulated disk whose files can be overwritten.
#[derive(Clone, Debug)]
pub(crate) struct MarkedDisk(pub(crate) SimulatedDisk);

#[derive(Debug)]
pub(crate) struct MarkedFile(PlainFile);

impl Disk for MarkedDisk {
    type File = MarkedFile;
    type Lock = <SimulatedDisk as Disk>::Lock;

    fn path(&self, name: &str) -> PathBuf {
        self.0.path(name)
    }

    fn lock(&self) -> io::Result<Option<Self::Lock>> {
        self.0.lock()
    }

    fn list(&self) -> io::Result<Vec<String>> {
        self.0.list()
    }

    fn create(&self, name: &str) -> io::Result<MarkedFile> {
        self.0.create(name).map(MarkedFile)
    }

    fn open(&self, name: &str) -> io::Result<MarkedFile> {
        self.0.open(name).map(MarkedFile)
    }

    fn open_writable(&self, name: &str) -> io::Result<MarkedFile> {
        self.0.open_writable(name).map(MarkedFile)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.0.rename(from, to)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.0.remove(name)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.0.sync_directory()
    }

    fn machine_start(&self) -> u128 {
        self.0.n_power_failures().into()
    }
}

impl DiskFile for MarkedFile {
    const CAN_OVERWRITE: bool = true;

    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.append(bytes)
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read_at(offset, buffer)
    }

    fn n_bytes(&self) -> io::Result<u64> {
        self.0.n_bytes()
    }

    fn overwrite(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.overwrite_bytes(bytes)
    }

    fn truncate(&mut self, n_bytes: u64) -> io::Result<()> {
        self.0.truncate(n_bytes)
    }

    fn sync_data(&mut self) -> io::Result<()> {
        self.0.sync_data()
    }
}
