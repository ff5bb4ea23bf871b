//! A `nats-server` on a free port of this machine, with a directory of its own.

use std::fs;
use std::io::{BufRead, BufReader, ErrorKind};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use async_nats::jetstream::Context;
use schedule_cluster::nats::{NatsJournal, NatsOptions};

/// Maximum time until a server is ready.
const LIMIT: Duration = Duration::from_secs(60);

pub(crate) struct Server {
    child: Child,
    port: u16,
    directory: PathBuf,
}

impl Server {
    /// Returns `None` if the program is missing. Its absence is reported, and fails if the environment has `REQUIRE_ALL=1`.
    pub(crate) fn start(max_payload: usize) -> Option<Self> {
        static N_STARTED: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "schedule-nats-{}-{}",
            std::process::id(),
            N_STARTED.fetch_add(1, Relaxed)
        );
        let directory = std::env::temp_dir().join(name);
        fs::create_dir_all(&directory).unwrap();
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let store = directory.join("store");
        let config = format!(
            "listen: \"127.0.0.1:{port}\"\nmax_payload: {max_payload}\njetstream {{ store_dir: \"{}\" }}\n",
            store.display()
        );
        fs::write(directory.join("nats.conf"), config).unwrap();
        let Some(child) = spawn(&directory) else {
            fs::remove_dir_all(&directory).unwrap();
            return None;
        };
        let server = Self {
            child,
            port,
            directory,
        };
        server.wait_until_ready();
        Some(server)
    }

    pub(crate) fn address(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Options of a journal in the stream with this name.
    pub(crate) fn options(&self, stream: &str) -> NatsOptions {
        NatsOptions::new(self.address(), stream, format!("{stream}.journal"))
    }

    pub(crate) fn open(&self, stream: &str) -> NatsJournal {
        NatsJournal::open(&self.options(stream)).expect("the journal can be opened")
    }

    /// Ends the process at once.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(crate) fn restart(&mut self) {
        self.child = spawn(&self.directory).expect("the program was there before");
        self.wait_until_ready();
    }

    /// Sends a signal, as in `STOP`.
    pub(crate) fn signal(&self, name: &str) {
        let process = self.child.id().to_string();
        let signal = format!("-{name}");
        let status = Command::new("kill").args([signal, process]).status();
        assert!(status.unwrap().success());
    }

    /// Stops the process. It handles no message afterwards, until it is continued.
    pub(crate) fn stop(&self) {
        self.signal("STOP");
        let start = Instant::now();
        // The signal is sent before all threads have stopped.
        while !self.is_stopped() {
            assert!(start.elapsed() < LIMIT, "the server does not stop");
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn is_stopped(&self) -> bool {
        let threads = fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap();
        let mut states =
            threads.map(|thread| fs::read_to_string(thread.unwrap().path().join("stat")));
        states.all(|state| state.unwrap().contains(") T "))
    }

    /// Calls the server without a journal.
    pub(crate) fn call<T>(&self, call: impl AsyncFnOnce(Context) -> T) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_all().build().unwrap();
        runtime.block_on(async {
            let client = async_nats::connect(self.address()).await.unwrap();
            call(async_nats::jetstream::new(client)).await
        })
    }

    /// Waits until the server greets clients, and has JetStream.
    fn wait_until_ready(&self) {
        let start = Instant::now();
        while !self.is_ready() {
            assert!(start.elapsed() < LIMIT, "the server is not ready");
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn is_ready(&self) -> bool {
        let Ok(socket) = TcpStream::connect(("127.0.0.1", self.port)) else {
            return false;
        };
        socket.set_read_timeout(Some(LIMIT)).unwrap();
        let mut greeting = String::new();
        let read = BufReader::new(socket).read_line(&mut greeting);
        read.is_ok() && greeting.contains("\"jetstream\":true")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.directory);
    }
}

fn spawn(directory: &std::path::Path) -> Option<Child> {
    // Debian has it in a directory that only administrators have in their path.
    for program in ["nats-server", "/usr/sbin/nats-server"] {
        let mut command = Command::new(program);
        command.arg("-c").arg(directory.join("nats.conf"));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        match command.spawn() {
            Ok(child) => return Some(child),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => panic!("cannot start `{program}`: {error}"),
        }
    }
    let require_all = std::env::var("REQUIRE_ALL").is_ok_and(|value| value == "1");
    assert!(!require_all, "`nats-server` is missing");
    println!("SKIPPED: `nats-server` is missing");
    None
}
