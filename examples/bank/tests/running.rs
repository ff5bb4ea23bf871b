//! A bank in this process.

use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use schedule_stream::durable::DurableStream;
use schedule_stream::service::{Service, ServiceHandle, ServiceSettings};
use serde::Serialize;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::client::{Client, Reply};
use crate::ledger::{Entry, bank, first_state};
use crate::server::serve;

/// Long, since a busy machine must not fail a test.
pub(super) const LIMIT: Duration = Duration::from_secs(120);

/// Aborts the process if it is not dropped in time.
pub(super) struct Watchdog {
    /// Its drop ends the thread.
    _ends: Sender<()>,
}

impl Watchdog {
    pub(super) fn start(limit: Duration) -> Self {
        let (ends, ended) = mpsc::channel();
        thread::spawn(move || {
            if ended.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                eprintln!("a test takes longer than {limit:?}");
                process::abort();
            }
        });
        Self { _ends: ends }
    }
}

/// Runs a test with a time limit.
pub(super) fn within_limit(test: impl Future<Output = ()>) {
    let _watchdog = Watchdog::start(LIMIT);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    runtime.unwrap().block_on(test);
}

pub(super) fn recover(folder: &Path) -> DurableStream<Entry> {
    bank().recover(folder, first_state()).unwrap()
}

pub(super) struct RunningBank {
    pub(super) address: SocketAddr,
    pub(super) client: Client,
    pub(super) service: Service<Entry>,
    pub(super) stop: oneshot::Sender<()>,
    pub(super) server: JoinHandle<std::io::Result<()>>,
}

impl RunningBank {
    pub(super) async fn start(folder: &Path) -> Self {
        Self::start_with(folder, ServiceSettings::new()).await
    }

    pub(super) async fn start_with(folder: &Path, settings: ServiceSettings<Entry>) -> Self {
        Self::serve(recover(folder).serve_with(settings)).await
    }

    pub(super) async fn serve(service: Service<Entry>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let server = tokio::spawn(serve(listener, service.handle(), async move {
            drop(stopped.await);
        }));
        Self {
            address,
            client: Client::connect(address).await.unwrap(),
            service,
            stop,
            server,
        }
    }

    pub(super) fn handle(&self) -> ServiceHandle<Entry> {
        self.service.handle()
    }

    pub(super) async fn post(&mut self, path: &str, body: &impl Serialize) -> Reply {
        let json = serde_json::to_vec(body).unwrap();
        self.client.post(path, json, None).await.unwrap()
    }

    pub(super) async fn post_with_key(
        &mut self,
        path: &str,
        body: &impl Serialize,
        key: &str,
    ) -> Reply {
        let json = serde_json::to_vec(body).unwrap();
        self.client.post(path, json, Some(key)).await.unwrap()
    }

    pub(super) async fn get(&mut self, path: &str) -> Reply {
        self.client.get(path).await.unwrap()
    }

    /// Stops the server, as a signal does, and waits until it has ended.
    pub(super) async fn stop(self) {
        self.stop.send(()).unwrap();
        self.server.await.unwrap().unwrap();
        drop(self.client);
        tokio::task::block_in_place(|| drop(self.service));
    }
}
