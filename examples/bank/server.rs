//! The process of the bank: recovery, the service, HTTP, and the end.

use std::error::Error;
use std::fmt;
use std::future::{Future, IntoFuture};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use schedule::BoxError;
use schedule_cluster::StartError;
use schedule_stream::durable::Recovery;
use schedule_stream::service::{Service, ServiceHandle, ServiceSettings};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::time::sleep;

use crate::ledger::{Entry, bank, cluster, first_state};
use crate::options::Options;
use crate::routes::{Teller, routes};

/// Time in which requests are answered after the end was requested.
const GRACE: Duration = Duration::from_secs(5);

/// Precedes the ids of the worker processes in the output.
pub(crate) const PROCESSES: &str = "worker processes: ";

/// Serves the bank until the process gets a signal. Then answers the requests that have arrived, and takes a snapshot.
///
/// `started` gets the address.
///
/// # Errors
///
/// Fails if the port or the folder is in use, if the journal is damaged, or if it cannot be written.
pub(crate) fn run(options: &Options, started: impl FnOnce(SocketAddr)) -> Result<(), BoxError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    // Take the port first, so that a second bank ends before it opens the folder.
    let listener = runtime
        .block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, options.port)))
        .map_err(|error| PortError {
            port: options.port,
            error,
        })?;
    let service = recover(options)?;
    let handle = service.handle();
    runtime.block_on(async {
        // Receive signals before the address is known, so that none is lost.
        let stop = stop_signal()?;
        started(listener.local_addr()?);
        serve(listener, handle, stop).await
    })?;
    // Ends the connections that are still open.
    drop(runtime);
    let mut stream = service.shutdown()?;
    if options.reads_only {
        return Ok(());
    }
    stream.drain(u64::MAX, drop)?;
    let batch = stream.snapshot()?;
    println!("took a snapshot of batch {batch}");
    Ok(())
}

/// Recovers the folder in this process or in worker processes, and starts the service.
fn recover(options: &Options) -> Result<Service<Entry>, StartError> {
    let settings = ServiceSettings::new()
        .snapshot_every(options.snapshot_every)
        .errors(|error| eprintln!("{error}"));
    let print = |recovery: &Recovery| {
        println!(
            "folder {}: recovered the snapshot of batch {} and {} later batches",
            options.folder.display(),
            recovery.snapshot,
            recovery.n_replayed
        );
    };
    let Some(n_processes) = options.n_processes else {
        let (bank, state) = (bank(), first_state());
        let stream = if options.reads_only {
            bank.recover_read_only(&options.folder, state)?
        } else {
            bank.recover(&options.folder, state)?
        };
        print(stream.recovery());
        return Ok(stream.serve_with(settings));
    };
    let stream = cluster().processes(n_processes).recover(&options.folder)?;
    print(stream.recovery());
    println!("{PROCESSES}{:?}", stream.control().process_ids());
    Ok(stream.serve_with(settings))
}

/// Serves requests until `stop` or the end of the service. Then waits until the requests that have arrived are answered, but at most
/// for [`GRACE`].
pub(crate) async fn serve(
    listener: TcpListener,
    handle: ServiceHandle<Entry>,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let ended = Arc::new(Notify::new());
    let stopping = Arc::new(Notify::new());
    let teller = Teller::new(handle, Arc::clone(&ended));
    let graceful = {
        let stopping = Arc::clone(&stopping);
        async move {
            tokio::select! {
                () = stop => {}
                () = ended.notified() => {}
            }
            stopping.notify_one();
        }
    };
    let server = axum::serve(listener, routes(teller)).with_graceful_shutdown(graceful);
    tokio::select! {
        served = server.into_future() => served,
        () = async { stopping.notified().await; sleep(GRACE).await } => Ok(()),
    }
}

/// Returns a future that ends at Ctrl-C, or on Unix at SIGTERM. From now on, these signals do not end the process.
#[cfg(unix)]
fn stop_signal() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Returns a future that ends at Ctrl-C. From now on, it does not end the process.
#[cfg(windows)]
fn stop_signal() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    let mut interrupt = tokio::signal::windows::ctrl_c()?;
    Ok(async move {
        interrupt.recv().await;
    })
}

/// The port cannot be used.
#[derive(Debug)]
struct PortError {
    port: u16,
    error: io::Error,
}

impl fmt::Display for PortError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "cannot listen on port {}: {}; choose another one with `--port`",
            self.port, self.error
        )
    }
}

impl Error for PortError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.error)
    }
}
