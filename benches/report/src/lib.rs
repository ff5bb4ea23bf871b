//! The format of benchmark results, and the page that is generated from them.
//!
//! Each file of `benches/results` is one [`Results`] as JSON: a description, the command, the machine, and a [`Row`] for each
//! figure. [`page::write`] converts all files into `BENCHMARKS.md`:
//!
//! ```text
//! cargo run -p bench-report             # writes the page
//! cargo run -p bench-report -- --check  # fails if the committed page differs
//! ```

mod bars;
mod environment;
mod filter;
pub mod page;
mod results;
mod row;
mod table;
mod validate;

pub use self::bars::Bar;
pub use self::filter::{Choice, Filter};
pub use self::results::{Contender, File, Results, Role, Run, read};
pub use self::row::{Row, Scalar};
pub use self::table::Table;
