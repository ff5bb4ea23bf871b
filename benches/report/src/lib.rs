//! The form of benchmark results, and the page that is made of them.
//!
//! Each file of `benches/results` is one [`Results`] as JSON: what was measured, by which command, on which machine, and
//! a [`Row`] for each figure. [`page::write`] turns all of them into `BENCHMARKS.md`:
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
