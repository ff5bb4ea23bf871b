//! Connections that arrive at a process, until both ends have proved that they belong to its generation.
//!
//! A connection begins with the index of the worker that connects and a random number. The other end answers with its own random
//! number and its proof: see `secret.rs`. Then the worker sends its proof. Other processes can connect, too. None of them delays a
//! worker, and each needs only a few bytes of memory.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use crate::secret::{End, NONCE_BYTES, Nonce, PROOF_BYTES, Secret, Session, random};

/// The first bytes of a connection: the index of the worker, and its random number.
const HEAD_BYTES: usize = 4 + NONCE_BYTES;

/// The answer: the random number and the proof of the end that has waited.
const ANSWER_BYTES: usize = NONCE_BYTES + PROOF_BYTES;

/// The bytes that the worker sends in all.
const ALL_BYTES: usize = HEAD_BYTES + PROOF_BYTES;

/// The time within which a connection must send its bytes.
const HEAD_LIMIT: Duration = Duration::from_secs(10);

/// Maximum number of connections that have not proved where they belong. Above it, the oldest one is closed.
const MAX_STRANGERS: usize = 64;

/// The two ends of a connection, by their indices. `acceptor`: as in [`Session`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Endpoints {
    pub(crate) connector: u32,
    pub(crate) acceptor: Option<u32>,
}

/// Proves that this worker belongs to the generation, and checks that the other end does. Blocks for at most `limit` for each
/// part of the answer.
///
/// # Errors
///
/// If the connection fails, or if the other end does not know the secret.
pub(crate) fn introduce(
    mut stream: &TcpStream,
    secret: &Secret,
    Endpoints {
        connector,
        acceptor,
    }: Endpoints,
    limit: Duration,
) -> io::Result<()> {
    let of_connector: Nonce = random()?;
    let mut head = [0; HEAD_BYTES];
    head[..4].copy_from_slice(&connector.to_le_bytes());
    head[4..].copy_from_slice(&of_connector);
    stream.write_all(&head)?;
    let mut answer = [0; ANSWER_BYTES];
    let before = stream.read_timeout()?;
    stream.set_read_timeout(Some(limit))?;
    stream.read_exact(&mut answer)?;
    stream.set_read_timeout(before)?;
    let session = Session {
        acceptor,
        connector,
        of_connector,
        of_acceptor: part(&answer, 0),
    };
    let proof = part(&answer, NONCE_BYTES);
    if !secret.is_proved(End::Acceptor, &session, &proof) {
        return Err(io::Error::new(
            ErrorKind::PermissionDenied,
            "another process waits at the address of this cluster",
        ));
    }
    stream.write_all(&secret.prove(End::Connector, &session))
}

/// Returns a part of some bytes.
fn part<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let part = bytes[at..at + N].try_into();
    part.expect("the range has this length")
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Arrivals<'l> {
    listener: &'l TcpListener,
    secret: &'l Secret,
    /// The index of this worker. `None`: the supervisor.
    me: Option<u32>,
    /// The oldest first.
    strangers: VecDeque<Stranger>,
}

/// A connection that has not sent all its bytes.
#[derive(Debug)]
struct Stranger {
    stream: TcpStream,
    bytes: [u8; ALL_BYTES],
    /// Number of `bytes` that have arrived.
    n_read: usize,
    /// The session, after the answer was sent.
    session: Option<Session>,
    end: Instant,
}

/// The bytes of a connection that have arrived.
enum Introduction {
    Incomplete,
    /// They have the right proof, and this index.
    Valid(u32),
    Invalid,
}

impl<'l> Arrivals<'l> {
    /// `me`: the index of this worker. `None`: the supervisor.
    pub(crate) fn new(
        listener: &'l TcpListener,
        secret: &'l Secret,
        me: Option<u32>,
    ) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        Ok(Self {
            listener,
            secret,
            me,
            strangers: VecDeque::new(),
        })
    }

    /// Returns a connection that has proved where it belongs, with the index that it has sent. Does not wait.
    pub(crate) fn take(&mut self) -> io::Result<Option<(u32, TcpStream)>> {
        // Each call ends, also if connections arrive all the time.
        for _ in 0..MAX_STRANGERS {
            match self.listener.accept() {
                Ok((stream, _)) => self.add(stream),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                // The connection has ended before.
                Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
                Err(error) => return Err(error),
            }
        }
        let now = Instant::now();
        for nth in (0..self.strangers.len()).rev() {
            match self.strangers[nth].read(self.secret, self.me) {
                Introduction::Incomplete if now < self.strangers[nth].end => {}
                Introduction::Valid(index) => {
                    let stranger = self.strangers.remove(nth);
                    return Ok(stranger.and_then(|stranger| stranger.accept(index)));
                }
                _ => drop(self.strangers.remove(nth)),
            }
        }
        Ok(None)
    }

    /// Adds a connection, unless its bytes are wrong.
    fn add(&mut self, stream: TcpStream) {
        if stream.set_nonblocking(true).is_err() {
            return;
        }
        let mut stranger = Stranger {
            stream,
            bytes: [0; ALL_BYTES],
            n_read: 0,
            session: None,
            end: Instant::now() + HEAD_LIMIT,
        };
        if let Introduction::Invalid = stranger.read(self.secret, self.me) {
            return;
        }
        if self.strangers.len() == MAX_STRANGERS {
            // A worker sends its first bytes at once.
            let is_silent = |stranger: &Stranger| stranger.session.is_none();
            let oldest = self.strangers.iter().position(is_silent);
            self.strangers.remove(oldest.unwrap_or(0));
        }
        self.strangers.push_back(stranger);
    }
}

impl Stranger {
    /// Reads the bytes that have arrived, and answers to the first ones.
    fn read(&mut self, secret: &Secret, me: Option<u32>) -> Introduction {
        loop {
            let n_wanted = match self.session {
                None => HEAD_BYTES,
                Some(_) => ALL_BYTES,
            };
            while self.n_read < n_wanted {
                match self.stream.read(&mut self.bytes[self.n_read..n_wanted]) {
                    Ok(0) => return Introduction::Invalid,
                    Ok(n) => self.n_read += n,
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {
                        return Introduction::Incomplete;
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(_) => return Introduction::Invalid,
                }
            }
            if let Some(session) = &self.session {
                let proof = part(&self.bytes, HEAD_BYTES);
                return if secret.is_proved(End::Connector, session, &proof) {
                    Introduction::Valid(session.connector)
                } else {
                    Introduction::Invalid
                };
            }
            match self.answer(secret, me) {
                Ok(session) => self.session = Some(session),
                Err(_) => return Introduction::Invalid,
            }
        }
    }

    /// Answers to the first bytes.
    fn answer(&mut self, secret: &Secret, acceptor: Option<u32>) -> io::Result<Session> {
        let session = Session {
            acceptor,
            connector: u32::from_le_bytes(part(&self.bytes, 0)),
            of_connector: part(&self.bytes, 4),
            of_acceptor: random()?,
        };
        let mut answer = [0; ANSWER_BYTES];
        answer[..NONCE_BYTES].copy_from_slice(&session.of_acceptor);
        answer[NONCE_BYTES..].copy_from_slice(&secret.prove(End::Acceptor, &session));
        // Does not block: nothing was sent before, so the system has room for these bytes.
        self.stream.write_all(&answer)?;
        Ok(session)
    }

    fn accept(self, index: u32) -> Option<(u32, TcpStream)> {
        self.stream.set_nonblocking(false).ok()?;
        self.stream.set_nodelay(true).ok()?;
        Some((index, self.stream))
    }
}

#[cfg(test)]
mod tests;
