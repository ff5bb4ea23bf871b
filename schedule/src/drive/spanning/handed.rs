//! The system that hands over the results.

use core::fmt;
use core::marker::PhantomData;

use super::SpanningSystem;
use crate::base::identity::{Argument, Identity, Name, declared_here, mix};
use crate::systems::system::{Definition, System};

/// Hands over the results of the spanning system `S`: in the first run after its work has ended, all that the function has written
/// appears here. See the [module](super).
///
/// It writes what the function writes. The start of the system is always ordered after it.
#[allow(non_camel_case_types, reason = "systems have the names of functions")]
pub struct results<S: SpanningSystem>(PhantomData<S>);

impl<S: SpanningSystem> Identity for results<S> {
    const ID: u128 = mix(declared_here(module_path!(), "results"), S::ID);
    const NAME: Name = Name::generic("results", &[Argument::Type(S::NAME)]);
}

#[diagnostic::do_not_recommend]
impl<S: SpanningSystem> System for results<S> {
    const DEFINITION: Definition = S::RESULTS;
}

impl<S: SpanningSystem> fmt::Debug for results<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("results")
    }
}
