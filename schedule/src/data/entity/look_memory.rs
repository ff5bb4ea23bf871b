//! What a system remembers of its last look at changed entities.

use core::mem::swap;

use crate::data::param::Settle;

/// A memory, and the one before the last look. A look is undone if the system is skipped although its parameters were fetched.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct LookMemory<M> {
    memory: M,
    previous: M,
    is_undone: bool,
}

impl<M: Clone + Default> LookMemory<M> {
    /// Begins a look.
    #[inline]
    pub fn begin(&mut self) -> &mut M {
        self.previous.clone_from(&self.memory);
        self.is_undone = false;
        &mut self.memory
    }

    /// Returns the memory of the last look.
    #[inline]
    pub fn get(&self) -> &M {
        &self.memory
    }

    /// Undoes the last look, repeats it after the system has failed, or forgets everything.
    pub fn settle(&mut self, settle: &mut Settle<'_>) {
        match settle {
            #[cfg(feature = "snapshot")]
            Settle::SaveLocals(to) => to.n_looks += usize::from(size_of::<M>() > 0),
            Settle::UndoLook => self.swap_if(true),
            // The system has failed, so it was not skipped.
            Settle::DropFolds => self.swap_if(false),
            Settle::ResetLocals(_) => *self = Self::default(),
            _ => {}
        }
    }

    fn swap_if(&mut self, is_undone: bool) {
        if self.is_undone != is_undone {
            swap(&mut self.memory, &mut self.previous);
            self.is_undone = is_undone;
        }
    }
}
