//! Requests of systems to change the period of a rate.

use core::time::Duration;

use super::{Rate, assert_period};
use crate::base::identity::Identity;
use crate::base::nanos::Nanos;
use crate::data::param::{NextRun, RateFunctions, RequestKind};
use crate::data::resource::Resources;

impl NextRun<'_> {
    /// Changes the period of the resource `Rate<M>`. See [`Rate::set_period`], which this calls at the end of the run.
    ///
    /// Unlike that method, this needs no access to the rate. So the system does not conflict with those that use the rate, also not with
    /// [`is_due`](crate::rate::is_due). If a system of the same run has called that method, the request replaces its period.
    ///
    /// # Panics
    ///
    /// Panics if the period is 0.
    pub fn set_period<M: Identity + 'static>(&mut self, period: Duration) -> &mut Self {
        assert_period(period);
        self.push(RequestKind::Period {
            rate: const {
                &RateFunctions {
                    name: <Rate<M> as Identity>::NAME,
                    exists: Resources::contains::<Rate<M>>,
                    set: Rate::<M>::set_requested,
                    apply: Rate::<M>::apply_requested,
                }
            },
            period,
        })
    }
}

impl<M: Identity + 'static> Rate<M> {
    /// Sets the period that [`apply_requested`](Self::apply_requested) applies.
    fn set_requested(resources: &mut Resources, period: Duration) {
        if let Some(rate) = resources.get_mut::<Self>() {
            rate.new_period = Some(Nanos::of(period));
        }
    }

    fn apply_requested(resources: &mut Resources) {
        if let Some(rate) = resources.get_mut::<Self>() {
            rate.take_new_period();
        }
    }
}
