//! The workloads.

use core::fmt;

/// Some systems, and a number of entities for which they run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Workload {
    pub(crate) shape: Shape,
    pub(crate) n_entities: usize,
}

/// The systems and the components.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// See [`light`](crate::light).
    Light,
    /// See [`heavy`](crate::heavy).
    Heavy {
        /// The average number of steps per entity.
        mean_depth: u32,
    },
}

impl Workload {
    /// All workloads. `mean_depth`: for [`Shape::Heavy`].
    pub(crate) fn all(mean_depth: u32) -> Vec<Self> {
        let of = |shape, n_entities: &[usize]| {
            let all = n_entities
                .iter()
                .map(move |&n_entities| Self { shape, n_entities });
            all.collect::<Vec<_>>()
        };
        let mut all = of(Shape::Light, &[1_000, 30_000, 300_000, 1_000_000]);
        all.extend(of(Shape::Heavy { mean_depth }, &[1_000, 30_000, 300_000]));
        all
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Light => "light",
            Self::Heavy { .. } => "heavy",
        })
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.shape, self.n_entities)
    }
}
