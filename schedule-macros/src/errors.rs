//! Collects errors, so that all errors of a phase are shown at once.

use syn::Error;

/// The errors found so far.
#[derive(Default)]
pub(crate) struct Errors {
    found: Option<Error>,
    n_found: usize,
}

impl Errors {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds an error that is shown at `tokens`.
    pub(crate) fn at(&mut self, tokens: impl quote::ToTokens, message: impl std::fmt::Display) {
        self.push(Error::new_spanned(tokens, message));
    }

    pub(crate) fn push(&mut self, error: Error) {
        self.n_found += 1;
        match &mut self.found {
            Some(found) => found.combine(error),
            None => self.found = Some(error),
        }
    }

    /// Returns the number of added errors.
    pub(crate) fn n_found(&self) -> usize {
        self.n_found
    }

    /// Returns `Ok` if there are no errors.
    pub(crate) fn finish(self) -> Result<(), Error> {
        self.found.map_or(Ok(()), Err)
    }
}
