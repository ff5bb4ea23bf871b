//! The interface for the other crates of the workspace. It may change in any release.

pub use crate::escape::{Shown, shown};
pub use crate::graph::scene::{Arrow, Form, Scene, Shape, Style};
