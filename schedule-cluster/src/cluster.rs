//! The declaration of a cluster, and its start.

use core::fmt;
use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use schedule::snapshot::{Snapshot, SnapshotError};
use schedule::{Resource, Resources};
use schedule_stream::durable::{Durable, DurableError};
use schedule_stream::internal::{SentEvent, file_error, name_changes, prepare, set_executor};
use schedule_stream::journal::{self, Journal, Snapshots};
use schedule_stream::{Record, Records};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::control::ClusterControl;
use crate::cost::ValueExchange;
use crate::error::{MAX_PROCESSES, StartError};
use crate::executable::{ExecutableCheck, SameExecutable, path_of_this_program};
use crate::executor::Shared;
use crate::keys::KeyLocator;
use crate::manifest::FilesInUse;
use crate::parts;
use crate::processes::ProcessSettings;
use crate::snapshots::PartSnapshots;
use crate::store::Store;
use crate::stream::ClusterStream;
use crate::supervisor::Supervisor;
use crate::wire::Program;
use crate::worker::{self, ARGUMENT, Invitation, WorkerProgram};

/// Size in bytes of the batches after a saved state that the supervisor keeps, if [`Cluster::max_kept_bytes`] is not called:
/// 64 MiB.
const MAX_KEPT_BYTES: usize = 64 << 20;

/// Minimum of [`Cluster::heartbeat_limit`]: a worker sends a heartbeat each 200 ms.
const MIN_HEARTBEAT_LIMIT: Duration = Duration::from_millis(300);

/// Minimum of the other limits.
const MIN_LIMIT: Duration = Duration::from_secs(1);

/// Maximum of all limits, about 10 years. A longer limit is shortened, because its end may not be an `Instant`.
const MAX_LIMIT: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

/// A program whose events are processed by several processes.
///
/// Each process calls the same function that returns the `Cluster`, and then [`work_if_asked`](Self::work_if_asked). In a worker
/// process, this call never returns.
pub struct Cluster<E: SentEvent> {
    durable: Durable<E>,
    resources: Box<dyn Fn() -> Resources + Send + Sync>,
    stores: Vec<Store>,
    n_processes: usize,
    command: Box<dyn FnMut(usize) -> Command + Send>,
    /// The default, until `same_executable` is called.
    default_same: SameExecutable,
    same_executable: Option<SameExecutable>,
    address: IpAddr,
    heartbeat_limit: Duration,
    progress_limit: Duration,
    save_limit: Duration,
    max_kept_bytes: usize,
    exchange: ValueExchange,
}

/// Starts this program again, with the same arguments.
fn this_program(_: usize) -> Command {
    let mut arguments = env::args_os();
    let name = arguments.next();
    let mut command = Command::new(path_of_this_program().unwrap_or_else(|_| {
        let name = name.clone();
        name.unwrap_or_default().into()
    }));
    #[cfg(unix)]
    if let Some(name) = name {
        std::os::unix::process::CommandExt::arg0(&mut command, name);
    }
    command.args(arguments);
    command
}

/// Returns the arguments of this process, as [`env::args_os`], without the argument that the supervisor adds.
///
/// For programs that need their arguments before they call [`Cluster::work_if_asked`].
pub fn arguments() -> impl Iterator<Item = OsString> {
    let n = env::args_os().len() - usize::from(is_worker());
    env::args_os().take(n)
}

/// Returns whether a supervisor has started this process.
fn is_worker() -> bool {
    env::args_os()
        .next_back()
        .is_some_and(|last| last == ARGUMENT)
}

impl<E: SentEvent> Cluster<E> {
    /// Declares a cluster. `durable` has the name, the version and the settings of the program, also the [renamed](Durable::renamed) and
    /// [dropped](Durable::dropped) names, but no state and no constants.
    ///
    /// `resources` creates all resources of the handlers, with the values that they have before the first event. It is
    /// called once in each process, and once per [`ClusterControl::collect`]. Each call must create equal values.
    pub fn new(
        durable: Durable<E>,
        resources: impl Fn() -> Resources + Send + Sync + 'static,
    ) -> Self {
        Self {
            durable,
            resources: Box::new(resources),
            stores: Vec::new(),
            n_processes: 1,
            command: Box::new(this_program),
            default_same: SameExecutable::All,
            same_executable: None,
            address: Ipv4Addr::LOCALHOST.into(),
            heartbeat_limit: Duration::from_secs(2),
            progress_limit: Duration::from_secs(30),
            save_limit: Duration::from_secs(600),
            max_kept_bytes: MAX_KEPT_BYTES,
            exchange: ValueExchange::Measured,
        }
    }

    /// Declares records that are divided between the processes by their keys. Handlers take single records and record sets.
    ///
    /// Keys that are equal must have equal serialized bytes. Otherwise, outcomes can differ from those of one process.
    pub fn records<T>(mut self) -> Self
    where
        T: Record<Key: Serialize + DeserializeOwned> + Snapshot,
    {
        self.durable = self.durable.state::<Records<T>>();
        self.stores.push(Store::records::<T>());
        self
    }

    /// Declares a resource that handlers write. It belongs to one process. Events that use it are processed one after the
    /// other.
    pub fn state<R: Resource + Snapshot>(mut self) -> Self {
        self.durable = self.durable.state::<R>();
        self.stores.push(Store::resource::<R>());
        self
    }

    /// Declares a resource that handlers only read, and that never changes. Each process has it, and the values are compared when
    /// the processes start.
    pub fn constant<R: Resource + Snapshot>(mut self) -> Self {
        self.durable = self.durable.constant::<R>();
        self
    }

    /// Sets the number of worker processes, 1 to 64. The default is 1. Each recovery can use a different number.
    pub fn processes(mut self, n: usize) -> Self {
        self.n_processes = n;
        self
    }

    /// Sets the command that starts a worker process, by its index. The default starts this program with the arguments of this
    /// process. On Linux, this works also if the file of the program has been replaced since the start of this process. On other
    /// systems, restart the supervisor after its program was replaced.
    ///
    /// The program of the command must call [`work_if_asked`](Self::work_if_asked) with an equal declaration. The supervisor adds the
    /// argument `schedule-cluster-worker` at the end, and writes to the standard input of the command. The argument and the
    /// input must reach the program. Its standard output is discarded. See also [`arguments`](crate::arguments).
    pub fn command(mut self, command: impl FnMut(usize) -> Command + Send + 'static) -> Self {
        self.command = Box::new(command);
        self.default_same = SameExecutable::Workers;
        self
    }

    /// Sets which processes must have the same executable. Each start of the workers compares digests of the files, and fails if
    /// they differ. The default is [`SameExecutable::All`], and [`SameExecutable::Workers`] if [`command`](Self::command) is called.
    ///
    /// Two executables can have the same version and other handlers. Then a process can apply a change that another one does not,
    /// and the change is lost. Use [`SameExecutable::Unchecked`] only if the handlers are the same, for example if the program was built
    /// for several kinds of machines.
    pub fn same_executable(mut self, which: SameExecutable) -> Self {
        self.same_executable = Some(which);
        self
    }

    /// Sets the address at which the supervisor waits for its workers. The default is 127.0.0.1. It must be an address of this
    /// machine that the workers can reach, so 0.0.0.0 is refused. The connections are not encrypted: use only a network that you
    /// trust.
    pub fn address(mut self, address: IpAddr) -> Self {
        self.address = address;
        self
    }

    /// Sets the time after which a worker process that sends nothing has failed, at least 300 ms. The default is 2 s.
    pub fn heartbeat_limit(mut self, limit: Duration) -> Self {
        self.heartbeat_limit = limit;
        self
    }

    /// Sets the time limit without a finished event while events wait, at least 1 s. After it, the worker processes have failed.
    /// It must be longer than any handler. The default is 30 s.
    ///
    /// It also limits the time until all workers have connected, the time of a query, and the time between two messages of
    /// [`ClusterControl::collect`].
    pub fn progress_limit(mut self, limit: Duration) -> Self {
        self.progress_limit = limit;
        self
    }

    /// Sets the time limit for saving or restoring state, at least 1 s. After it, the worker processes have failed. The default is
    /// 10 minutes.
    pub fn save_limit(mut self, limit: Duration) -> Self {
        self.save_limit = limit;
        self
    }

    /// Sets the maximum size in bytes of the events kept for a restart of the workers. Above it, the workers save their state.
    /// The default is 64 MiB.
    pub fn max_kept_bytes(mut self, max: usize) -> Self {
        self.max_kept_bytes = max;
        self
    }

    /// See [`internal::set_exchange`](crate::internal::set_exchange).
    pub(crate) fn set_exchange(&mut self, exchange: ValueExchange) {
        self.exchange = exchange;
    }

    /// Runs a worker in a process that a supervisor started, and does not return. In other processes, returns the cluster.
    ///
    /// Call it at the beginning of `main`, before the program opens files or listens at addresses.
    pub fn work_if_asked(self) -> Self {
        if !is_worker() {
            return self;
        }
        let input = io::stdin();
        let invitation = if input.is_terminal() {
            None
        } else {
            Invitation::read(input.lock())
        };
        let Some(invitation) = invitation else {
            eprintln!("the argument `{ARGUMENT}` is added only by a supervisor: remove it");
            std::process::exit(2);
        };
        let Self {
            durable,
            resources,
            stores,
            ..
        } = self;
        match prepare(durable, resources()) {
            Ok(prepared) => {
                let program = Program::of(&prepared.head);
                worker::run::<E>(
                    &invitation,
                    WorkerProgram {
                        program,
                        resources: prepared.resources,
                        limits: prepared.limits,
                        stores,
                    },
                )
            }
            Err(error) => {
                eprintln!("the worker process cannot start: {error}");
                std::process::exit(2);
            }
        }
    }

    /// Opens a journal in a directory, starts the worker processes, and recovers the state. Creates the directory, if it does not
    /// exist. All processes must reach it.
    ///
    /// # Errors
    ///
    /// Fails if a handler cannot run in several processes, if a worker process does not start, or as [`Durable::recover`].
    pub fn recover(self, directory: impl AsRef<Path>) -> Result<ClusterStream<E>, StartError> {
        let directory = directory.as_ref();
        let opened = journal::open(directory).map_err(DurableError::from)?;
        let (journal, snapshots) = (Box::new(opened.journal), Box::new(opened.snapshots));
        let mut stream = self.recover_from(journal, snapshots, directory)?;
        stream.set_repairs(opened.recovered);
        Ok(stream)
    }

    /// Recovers as [`recover`](Self::recover), from this journal and these snapshots. The values of the processes are saved in
    /// the folder `parts` of a directory that all processes reach.
    ///
    /// # Errors
    ///
    /// As for `recover`.
    pub fn recover_from(
        self,
        journal: Box<dyn Journal>,
        snapshots: Box<dyn Snapshots>,
        directory: impl AsRef<Path>,
    ) -> Result<ClusterStream<E>, StartError> {
        let Self {
            mut durable,
            resources,
            stores,
            n_processes,
            command,
            default_same,
            same_executable,
            address,
            heartbeat_limit,
            progress_limit,
            save_limit,
            max_kept_bytes,
            exchange,
        } = self;
        if !(1..=MAX_PROCESSES).contains(&n_processes) {
            return Err(StartError::Processes { n: n_processes });
        }
        let least = [
            ("heartbeat_limit", heartbeat_limit, MIN_HEARTBEAT_LIMIT),
            ("progress_limit", progress_limit, MIN_LIMIT),
            ("save_limit", save_limit, MIN_LIMIT),
        ];
        if let Some((name, _, min)) = least.into_iter().find(|(_, limit, min)| limit < min) {
            return Err(StartError::Limit { name, min });
        }
        let [heartbeat_limit, progress_limit, save_limit] =
            [heartbeat_limit, progress_limit, save_limit].map(|limit| limit.min(MAX_LIMIT));
        if address.is_unspecified() || address.is_multicast() {
            return Err(StartError::Address { address });
        }
        let executables = ExecutableCheck::new(same_executable.unwrap_or(default_same))
            .map_err(StartError::Executable)?;
        let locator = KeyLocator::new::<E>(&stores)?;
        let parts = parts::create_directory(directory.as_ref()).map_err(|error| {
            let file = directory.as_ref().to_path_buf();
            DurableError::from(file_error("create the folder `parts` in", file, error))
        })?;
        let mut all = resources();
        for store in &stores {
            // The workers have the records.
            (store.keep)(&mut all, &|_| false).map_err(DurableError::from)?;
        }
        let files = FilesInUse::default();
        let shared = Shared::<E>::new(Supervisor::new(
            ProcessSettings {
                n: n_processes as u32,
                command,
                executables,
                address,
                heartbeat_limit,
                progress_limit,
                save_limit,
                parts: parts.clone(),
            },
            (locator, name_changes(&durable)),
            exchange,
            max_kept_bytes,
            files.clone(),
        ));
        set_executor(&mut durable, Box::new(shared.clone()));
        let snapshots = Box::new(PartSnapshots::new(snapshots, parts, files));
        let stream = durable
            .recover_from(journal, snapshots, all)
            .map_err(start_error)?;
        watch(&shared, heartbeat_limit);
        let control = ClusterControl::new(&shared, resources);
        Ok(ClusterStream::new(stream, control))
    }
}

/// Watches the workers from time to time while no operation does, until the stream has ended.
fn watch<E: SentEvent>(shared: &Shared<E>, limit: Duration) {
    let shared = Arc::downgrade(&shared.supervisor);
    let name = "schedule-watch".to_string();
    let spawned = thread::Builder::new().name(name).spawn(move || {
        loop {
            thread::sleep(limit / 4);
            let Some(supervisor) = shared.upgrade() else {
                return;
            };
            // While it is locked, an operation watches the workers.
            if let Ok(mut supervisor) = supervisor.try_lock() {
                supervisor.watch();
            }
        }
    });
    spawned.expect("a thread can be started");
}

/// Returns the error of the cluster inside an error of the stream, if there is one.
fn start_error(error: DurableError) -> StartError {
    match error {
        DurableError::Executor(error) => match error.downcast::<StartError>() {
            Ok(error) => *error,
            Err(error) => StartError::Durable(match error.downcast::<SnapshotError>() {
                Ok(error) => DurableError::Snapshot(*error),
                Err(error) => DurableError::Executor(error),
            }),
        },
        other => StartError::Durable(other),
    }
}

impl<E: SentEvent> fmt::Debug for Cluster<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster")
            .field("n_processes", &self.n_processes)
            .finish_non_exhaustive()
    }
}
