//! Records: their storage, and how handlers access them. Imports `base`.
//!
//! Enter at [`records`] for the storage of one type, [`record`] for what a record is, and [`argument`] for a parameter of a handler.
//! [`atomic`] restores records after a failed handler.

pub(crate) mod argument;
pub(crate) mod atomic;
pub(crate) mod event_keys;
pub(crate) mod found;
pub(crate) mod insert_error;
pub mod keys;
pub(crate) mod limits;
pub(crate) mod list;
pub(crate) mod reason;
pub(crate) mod record;
pub(crate) mod record_set;
pub(crate) mod records;
pub(crate) mod stores;
