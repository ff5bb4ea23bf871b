//! The messages of a run.

use core::fmt;

/// A message of 16 bytes, for `schedule` and for `bevy_ecs`.
#[derive(schedule::prelude::Message, bevy_ecs::message::Message, Clone, Copy)]
pub(crate) struct Hit {
    pub(crate) target: u64,
    pub(crate) damage: u64,
}

/// The writers and their messages.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Workload {
    /// Each of [`N_WRITERS`] writers writes some messages.
    Writers(Load),
    /// Each of this many entities writes a message.
    Entities(u64),
}

/// The work of a writer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    /// The number of messages.
    pub(crate) n: u64,
    /// The number of multiplications for each message, one after the other.
    pub(crate) n_steps: u32,
}

pub(crate) const N_WRITERS: usize = 8;
pub(crate) const N_READERS: usize = 4;

impl Workload {
    pub(crate) const ALL: [Self; 4] = [
        Self::writers(12_500, 0),
        Self::writers(12_500, 16),
        Self::writers(1, 0),
        Self::Entities(100_000),
    ];

    const fn writers(n: u64, n_steps: u32) -> Self {
        Self::Writers(Load { n, n_steps })
    }

    /// The number of messages of a run.
    pub(crate) fn n_messages(self) -> u64 {
        match self {
            Self::Writers(load) => load.n * N_WRITERS as u64,
            Self::Entities(n) => n,
        }
    }

    /// The sum over all messages of a run.
    pub(crate) fn sum(self) -> u64 {
        match self {
            Self::Writers(load) => (0..N_WRITERS).fold(0, |sum, writer| {
                let hits = load.hits(writer);
                hits.fold(sum, |sum, hit| sum.wrapping_add(hit.number()))
            }),
            Self::Entities(n) => {
                (0..n).fold(0, |sum, target| sum.wrapping_add(Hit::on(target).number()))
            }
        }
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Writers(Load { n, n_steps: 0 }) => write!(f, "{N_WRITERS} writers of {n}"),
            Self::Writers(Load { n, n_steps }) => {
                write!(f, "{N_WRITERS} writers of {n}, {n_steps} steps each")
            }
            Self::Entities(n) => write!(f, "{n} entities"),
        }
    }
}

impl Hit {
    /// The message of an entity.
    #[inline]
    pub(crate) fn on(target: u64) -> Self {
        Self { target, damage: 3 }
    }

    /// The number that readers add.
    #[inline]
    pub(crate) fn number(&self) -> u64 {
        self.target.rotate_left(7) ^ self.damage
    }
}

impl Load {
    /// The messages of a writer.
    #[inline]
    pub(crate) fn hits(self, writer: usize) -> impl Iterator<Item = Hit> {
        let step = |state: u64, _| (state ^ state >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let first = writer as u64 + 1;
        (0..self.n).map(move |target| Hit {
            target,
            damage: (0..self.n_steps).fold(first ^ target, step),
        })
    }
}
