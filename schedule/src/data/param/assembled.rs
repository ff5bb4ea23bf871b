//! Parameters that are assembled from other parameters.
#![expect(unsafe_code, reason = "implements `Fetch` by that of the parts")]

use core::fmt;

use super::{Fetch, FetchFrom, Lookup, Param, Seed, Settle};
use crate::data::access::AccessSet;

/// A parameter that is assembled from other parameters.
///
/// Its access is that of its parts. So an implementation cannot declare less than it uses.
///
/// ```
/// use schedule::param::{Assemble, Assembled, Param, Part, Seed};
/// use schedule::prelude::*;
///
/// #[derive(Resource)]
/// struct Seconds(f32);
///
/// #[derive(Resource)]
/// struct Speed(f32);
///
/// /// The distance since the last frame.
/// struct Distance(f32);
///
/// /// Assembles `Distance`.
/// struct AssembleDistance;
///
/// impl Assemble for AssembleDistance {
///     type Parts = (&'static Seconds, &'static Speed);
///     type Item<'r> = Distance;
///
///     fn assemble<'r>((seconds, speed): Part<'r, Self::Parts>) -> Self::Item<'r> {
///         Distance(seconds.0 * speed.0)
///     }
/// }
///
/// impl Param for Distance {
///     type State = Assembled<AssembleDistance>;
///     const SEED: Seed<Self::State> = Assembled::SEED;
/// }
///
/// #[derive(Resource)]
/// struct Odometer(f32);
///
/// #[system]
/// fn drive(distance: Distance, odometer: &mut Odometer) {
///     odometer.0 += distance.0;
/// }
///
/// let mut resources = Resources::new();
/// resources.insert(Seconds(0.5));
/// resources.insert(Speed(4.0));
/// resources.insert(Odometer(1.0));
/// Schedule::builder().add::<drive>().build()?.run(&mut resources)?;
/// assert_eq!(resources.get::<Odometer>().unwrap().0, 3.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Assemble: 'static {
    /// The parts, with the lifetime `'static`. A tuple has several.
    type Parts: Param;

    /// The parameter with its lifetime.
    type Item<'r>;

    /// Assembles the parameter for one run of the system.
    ///
    /// An implementation must write the return type as `Self::Item<'r>`, because another type may not mention `'r`.
    fn assemble<'r>(parts: Part<'r, Self::Parts>) -> Self::Item<'r>;
}

/// The value of the parameter `P` in one run of a system.
pub type Part<'r, P> = <<P as Param>::State as Fetch>::Item<'r>;

/// The state of an assembled parameter: that of its parts.
pub struct Assembled<A: Assemble>(<A::Parts as Param>::State);

impl<A: Assemble> Assembled<A> {
    /// The value for [`Param::SEED`].
    pub const SEED: Seed<Self> = Seed::new(<A::Parts as Param>::SEED.access(), || {
        Self((<A::Parts as Param>::SEED.new)())
    });
}

// SAFETY: `fetch` accesses only what the parts access, and `access` declares all of that.
unsafe impl<A: Assemble> Fetch for Assembled<A> {
    type Item<'r> = A::Item<'r>;

    fn access(&self, access: &mut AccessSet) {
        self.0.access(access);
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.0.prepare(lookup);
    }

    #[inline]
    unsafe fn fetch<'r>(&'r mut self, from: FetchFrom<'r>) -> A::Item<'r> {
        // SAFETY: `access` and `prepare` pass on to the same state as `fetch`, so the guarantees of the caller hold for
        // it.
        A::assemble(unsafe { self.0.fetch(from) })
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        self.0.settle(settle);
    }
}

impl<A: Assemble> fmt::Debug for Assembled<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Assembled")
    }
}
