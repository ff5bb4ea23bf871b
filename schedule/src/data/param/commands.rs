//! Commands: a system records changes of resources, which are applied later.
#![expect(
    unsafe_code,
    reason = "implements `Fetch`, which touches nothing outside itself"
)]

mod declared;
#[cfg(test)]
mod tests;

use core::any::Any;
use core::fmt;
use core::marker::PhantomData;
use std::sync::Arc;

pub use self::declared::DeclaredChanges;
use self::declared::QueueDeclaration;
use super::{Fetch, FetchFrom, Lookup, Param, Seed, Settle};
use crate::base::panics::FirstPanic;
use crate::data::access::{Access, AccessSet, ResourceType};
use crate::data::entity::EntityStore;
use crate::data::resource::{Resource, Resources};

/// Commands of one type, which are recorded without an allocation for each.
///
/// A crate defines a buffer to add commands of its own. [`Commands::buffer`] returns it.
///
/// ```
/// use schedule::param::CommandBuffer;
/// use schedule::prelude::*;
///
/// #[derive(Resource)]
/// struct Sum(u64);
///
/// /// Numbers to add to `Sum`.
/// #[derive(Default)]
/// struct Addends(Vec<u64>);
///
/// impl CommandBuffer for Addends {
///     fn apply(self, resources: &mut Resources) {
///         resources.get_mut::<Sum>().unwrap().0 += self.0.iter().sum::<u64>();
///     }
/// }
///
/// #[system]
/// fn count(mut commands: Commands) {
///     for addend in 1..=4 {
///         commands.buffer::<Addends>().0.push(addend);
///     }
/// }
///
/// let mut resources = Resources::new();
/// resources.insert(Sum(0));
/// Schedule::builder().add::<count>().build()?.run(&mut resources)?;
/// assert_eq!(resources.get::<Sum>().unwrap().0, 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait CommandBuffer: Default + Send + 'static {
    /// Applies the commands in the order in which they were recorded.
    ///
    /// # Panics
    ///
    /// May panic, as any command. The system that recorded the commands then fails, and the commands that remain are
    /// dropped.
    fn apply(self, resources: &mut Resources);

    /// Applies the commands, as [`apply`](Self::apply). May return the buffer without commands, to record in its memory again.
    ///
    /// # Panics
    ///
    /// As [`apply`](Self::apply).
    #[doc(hidden)]
    fn apply_and_reuse(self, resources: &mut Resources) -> Option<Self> {
        self.apply(resources);
        None
    }
}

/// An entry of a queue: one command, or a buffer of several.
trait QueuedCommand: Any + Send {
    /// Applies the commands. Returns the buffer without commands, if its memory can be used again.
    fn apply(self: Box<Self>, resources: &mut Resources) -> Option<QueueEntry>;
}

type QueueEntry = Box<dyn QueuedCommand>;

/// One command.
struct Command<F>(F);

impl<F: FnOnce(&mut Resources) + Send + 'static> QueuedCommand for Command<F> {
    fn apply(self: Box<Self>, resources: &mut Resources) -> Option<QueueEntry> {
        (self.0)(resources);
        None
    }
}

/// A buffer of commands.
struct Buffered<B>(B);

impl<B: CommandBuffer> QueuedCommand for Buffered<B> {
    fn apply(self: Box<Self>, resources: &mut Resources) -> Option<QueueEntry> {
        let emptied = self.0.apply_and_reuse(resources)?;
        Some(Box::new(Self(emptied)))
    }
}

/// Inserts and removes resources at the next sync point, or at the end of the run.
///
/// The set of resources does not change while systems run. Commands are applied in the order of the systems in a serial
/// run, independent of timing. The commands of a failed system are dropped.
///
/// `D` declares the resources that the commands insert or remove, as [`Inserts`]. A run does not report these resources as
/// missing. It also declares the components that the commands change, as [`DeferredWrites`](crate::entity::DeferredWrites), and whole
/// stores, as [`Changes`](crate::entity::Changes). Two systems whose commands change the same component conflict.
///
/// A declared order includes commands: a system that comes after this one finds the declared changes. If necessary, a sync point is
/// inserted between the two. Without a declaration, this holds for the default store of entities, and for the stores that the system
/// accesses. Such commands may also change every resource, which no order includes.
///
/// ```
/// use schedule::prelude::*;
///
/// #[derive(Resource)]
/// struct Level(u32);
///
/// #[system]
/// fn load(mut commands: Commands) {
///     commands.insert(Level(1));
/// }
///
/// let mut resources = Resources::new();
/// Schedule::builder().add::<load>().build()?.run(&mut resources)?;
/// assert_eq!(resources.get::<Level>().unwrap().0, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Commands<'r, D = ()> {
    queue: &'r mut CommandQueue,
    declares: PhantomData<D>,
}

impl<D> Commands<'_, D> {
    /// Inserts a resource, and replaces the existing value.
    ///
    /// # Panics
    ///
    /// If the type of the commands declares changes, but not of `T`. The system then fails.
    #[track_caller]
    pub fn insert<T: Resource>(&mut self, value: T) -> &mut Self {
        self.queue.declared.check_resource::<T>();
        self.push(move |resources| drop(resources.insert(value)))
    }

    /// Removes a resource, if it exists.
    ///
    /// # Panics
    ///
    /// As [`insert`](Self::insert).
    #[track_caller]
    pub fn remove<T: Resource>(&mut self) -> &mut Self {
        self.queue.declared.check_resource::<T>();
        self.push(|resources| drop(resources.remove::<T>()))
    }

    /// Applies any other change to the resources. The declaration is not checked.
    pub fn push(&mut self, command: impl FnOnce(&mut Resources) + Send + 'static) -> &mut Self {
        self.queue.commands.push(Box::new(Command(command)));
        self
    }

    /// Moves the commands of a block to the end of the queue. The block gets memory for as many buffers.
    pub(crate) fn append_block(&mut self, block: &mut CommandQueue) {
        block.emptied.clear();
        let n = block.commands.len().min(self.queue.emptied.len());
        let first = self.queue.emptied.len() - n;
        block.emptied.extend(self.queue.emptied.drain(first..));
        self.queue.append(block);
    }

    /// Returns the buffer at the end of the queue. Adds an empty buffer if the last command is not in a `B`.
    ///
    /// So the commands of different buffers, and all other commands, are applied in the order in which they were
    /// recorded.
    pub fn buffer<B: CommandBuffer>(&mut self) -> &mut B {
        let CommandQueue {
            commands, emptied, ..
        } = &mut *self.queue;
        buffer(commands, emptied)
    }

    /// Returns the buffer, as [`buffer`](Self::buffer), for commands on the entities in `S`, and the components that they may change.
    ///
    /// # Panics
    ///
    /// If the type of the commands declares changes, but none in `S`. Without a declaration: if `S` is not the default store, and the
    /// system does not access it.
    #[track_caller]
    pub fn store_buffer<S: EntityStore, B: CommandBuffer>(
        &mut self,
    ) -> (&mut B, DeclaredChanges<'_>) {
        let CommandQueue {
            commands,
            emptied,
            declared,
        } = &mut *self.queue;
        let declared = declared.of_store::<S>();
        (buffer(commands, emptied), declared)
    }
}

/// See [`Commands::buffer`].
fn buffer<'q, B: CommandBuffer>(
    commands: &'q mut Vec<QueueEntry>,
    emptied: &mut Vec<QueueEntry>,
) -> &'q mut B {
    if !is_last::<B>(commands) {
        add_buffer::<B>(commands, emptied);
    }
    let last = commands
        .last_mut()
        .expect("one was added if there was none");
    let last: &mut dyn Any = &mut **last;
    let last = last.downcast_mut::<Buffered<B>>();
    &mut last.expect("the last entry is one of this type").0
}

/// Whether the last entry is a buffer of this type.
#[inline]
fn is_last<B: CommandBuffer>(entries: &[QueueEntry]) -> bool {
    let last: Option<&dyn Any> = entries.last().map(|last| &**last as _);
    last.is_some_and(|last| last.is::<Buffered<B>>())
}

/// Adds a buffer. Takes the last one of `emptied`, if it has this type.
#[cold]
fn add_buffer<B: CommandBuffer>(commands: &mut Vec<QueueEntry>, emptied: &mut Vec<QueueEntry>) {
    let reused = is_last::<B>(emptied).then(|| emptied.pop()).flatten();
    commands.push(reused.unwrap_or_else(|| Box::new(Buffered(B::default()))));
}

impl<D> fmt::Debug for Commands<'_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Commands({} recorded)", self.queue.commands.len())
    }
}

/// A queue of recorded commands, to call a system with [`Commands`] as a plain function.
///
/// ```
/// use schedule::prelude::*;
/// use schedule::param::CommandQueue;
///
/// #[derive(Resource)]
/// struct Level(u32);
///
/// #[system]
/// fn load(mut commands: Commands) {
///     commands.insert(Level(1));
/// }
///
/// let mut queue = CommandQueue::new();
/// load(queue.commands());
/// let mut resources = Resources::new();
/// queue.apply(&mut resources);
/// assert!(resources.contains::<Level>());
/// ```
#[derive(Default)]
pub struct CommandQueue {
    commands: Vec<QueueEntry>,
    /// Buffers without commands, whose memory is used again. The last one is used first. The buffers that were applied last, in the
    /// reverse order of their application, because commands of the next run are usually of the same types.
    emptied: Vec<QueueEntry>,
    declared: QueueDeclaration,
}

impl CommandQueue {
    /// Creates an empty queue.
    pub const fn new() -> Self {
        Self {
            commands: Vec::new(),
            emptied: Vec::new(),
            declared: QueueDeclaration(None),
        }
    }

    /// Moves the commands of another queue to the end of this one.
    fn append(&mut self, queue: &mut Self) {
        if self.commands.is_empty() {
            core::mem::swap(&mut self.commands, &mut queue.commands)
        } else {
            self.commands.append(&mut queue.commands)
        }
    }

    /// Returns a parameter that records in this queue.
    pub fn commands<D>(&mut self) -> Commands<'_, D> {
        Commands {
            queue: self,
            declares: PhantomData,
        }
    }

    /// Whether the queue is empty.
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// Applies the recorded commands and empties the queue.
    ///
    /// # Panics
    ///
    /// Panics if a command panics. The remaining commands are dropped.
    pub fn apply(&mut self, resources: &mut Resources) {
        let mut panics = FirstPanic::default();
        let mut emptied = Vec::new();
        for command in self.commands.drain(..) {
            if panics.is_none() {
                emptied.extend(panics.call(|| command.apply(resources)).flatten());
            } else {
                panics.drop(command)
            }
        }
        emptied.reverse();
        self.emptied = emptied;
        panics.resume();
    }

    /// Whether it has memory that can be used again.
    pub(crate) fn has_emptied(&self) -> bool {
        !self.emptied.is_empty()
    }

    /// Moves the memory of buffers that were applied to another queue, which frees the memory that it kept before.
    fn move_emptied(&mut self, to: &mut Self) {
        if self.has_emptied() {
            to.emptied = core::mem::take(&mut self.emptied);
        }
    }
}

impl Drop for CommandQueue {
    fn drop(&mut self) {
        let mut panics = FirstPanic::default();
        panics.drop_each(core::mem::take(&mut self.commands));
        panics.resume_from_drop();
    }
}

impl fmt::Debug for CommandQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CommandQueue({} recorded)", self.commands.len())
    }
}

/// A declaration of the changes that commands make: [`Inserts`], [`DeferredWrites`](crate::entity::DeferredWrites), or a tuple of several.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not declare what commands change",
    label = "not a declaration of changes",
    note = "write `Commands<Inserts<R>>` for a resource, `Commands<Writes<C>>` of `schedule-hecs` for a component, or a tuple of these"
)]
pub trait Declares: 'static {
    #[doc(hidden)]
    const ACCESS: Access;
}

/// Declares that commands insert or remove a `T`.
#[derive(Debug)]
pub struct Inserts<T>(PhantomData<T>);

impl<T: Resource> Declares for Inserts<T> {
    const ACCESS: Access = Access::Inserts(ResourceType::of::<T>());
}

/// The state of `Commands<D>`.
#[derive(Debug)]
pub struct Recorded<D> {
    queue: CommandQueue,
    declared: Access,
    declares: PhantomData<fn() -> D>,
}

// SAFETY: `fetch` accesses only the queue in the state itself, which belongs to one node. Recorded commands run later,
// when no system runs.
unsafe impl<D: 'static> Fetch for Recorded<D> {
    type Item<'r> = Commands<'r, D>;

    fn access(&self, access: &mut AccessSet) {
        access.has_commands = true;
        let mut is_bare = true;
        self.declared.for_each(&mut |_, _| is_bare = false);
        access.has_bare_commands |= is_bare;
        access.add(&self.declared);
    }

    fn prepare(&mut self, _: &mut Lookup<'_>) {}

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> Commands<'r, D> {
        self.queue.commands()
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        match settle {
            Settle::TakeCommands(to) => to.append(&mut self.queue),
            Settle::DeclareCommands(access) => {
                self.queue.declared = QueueDeclaration(Some(Arc::clone(access)));
            }
            Settle::ReuseCommands(applied) => applied.move_emptied(&mut self.queue),
            Settle::FindCommands(found) => **found |= !self.queue.is_empty(),
            _ => {}
        }
    }
}

impl<D: Declares> Param for Commands<'_, D> {
    type State = Recorded<D>;
    const SEED: Seed<Recorded<D>> =
        Seed::new(Access::Each(&[Access::Commands, D::ACCESS]), || Recorded {
            queue: CommandQueue::new(),
            declared: D::ACCESS,
            declares: PhantomData,
        });
}

macro_rules! declares {
    ($($part:ident)*) => {
        impl<$($part: Declares),*> Declares for ($($part,)*) {
            const ACCESS: Access = Access::Each(&[$($part::ACCESS),*]);
        }
    };
}

declares!();
declares!(A);
declares!(A B);
declares!(A B C);
declares!(A B C D);
declares!(A B C D E);
declares!(A B C D E F);
