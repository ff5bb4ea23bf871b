//! Connections that arrive at a process, until they have proved that they belong to its generation.
//!
//! A connection begins with the token of the generation and the index of a worker. Other processes can connect, too. None of them
//! delays a worker, and each needs only a few bytes of memory.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// The first bytes of a connection: the token, and the index of the worker.
const HEAD_BYTES: usize = 20;

/// The time within which a connection must send its first bytes.
const HEAD_LIMIT: Duration = Duration::from_secs(10);

/// Maximum number of connections that have not sent their first bytes. Above it, the oldest one is closed.
const MAX_STRANGERS: usize = 64;

/// Sends the first bytes of a connection.
pub(crate) fn introduce(mut stream: &TcpStream, token: u128, index: u32) -> io::Result<()> {
    let mut head = [0; HEAD_BYTES];
    head[..16].copy_from_slice(&token.to_le_bytes());
    head[16..].copy_from_slice(&index.to_le_bytes());
    stream.write_all(&head)
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Arrivals<'l> {
    listener: &'l TcpListener,
    token: u128,
    /// The oldest first.
    strangers: VecDeque<Stranger>,
}

/// A connection that has not sent all its first bytes.
#[derive(Debug)]
struct Stranger {
    stream: TcpStream,
    head: [u8; HEAD_BYTES],
    /// Number of bytes of `head` that have arrived.
    n_read: usize,
    end: Instant,
}

/// The bytes of a connection that have arrived.
enum Introduction {
    Incomplete,
    /// They have the right token, and this index.
    Valid(u32),
    Invalid,
}

impl<'l> Arrivals<'l> {
    pub(crate) fn new(listener: &'l TcpListener, token: u128) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        Ok(Self {
            listener,
            token,
            strangers: VecDeque::new(),
        })
    }

    /// Returns a connection that has sent the token, with the index that it has sent. Does not wait.
    pub(crate) fn take(&mut self) -> io::Result<Option<(u32, TcpStream)>> {
        // Each call ends, also if connections arrive all the time.
        for _ in 0..MAX_STRANGERS {
            match self.listener.accept() {
                Ok((stream, _)) => {
                    if let Some(found) = self.add(stream) {
                        return Ok(Some(found));
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                // The connection has ended before.
                Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
                Err(error) => return Err(error),
            }
        }
        let now = Instant::now();
        for nth in (0..self.strangers.len()).rev() {
            match self.strangers[nth].read(self.token) {
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

    /// Adds a connection. Returns it, if it has sent the token.
    fn add(&mut self, stream: TcpStream) -> Option<(u32, TcpStream)> {
        stream.set_nonblocking(true).ok()?;
        let mut stranger = Stranger {
            stream,
            head: [0; HEAD_BYTES],
            n_read: 0,
            end: Instant::now() + HEAD_LIMIT,
        };
        match stranger.read(self.token) {
            Introduction::Valid(index) => return stranger.accept(index),
            Introduction::Invalid => {}
            Introduction::Incomplete => {
                if self.strangers.len() == MAX_STRANGERS {
                    self.strangers.pop_front();
                }
                self.strangers.push_back(stranger);
            }
        }
        None
    }
}

impl Stranger {
    /// Reads the bytes that have arrived.
    fn read(&mut self, token: u128) -> Introduction {
        while self.n_read < HEAD_BYTES {
            match self.stream.read(&mut self.head[self.n_read..]) {
                Ok(0) => return Introduction::Invalid,
                Ok(n) => self.n_read += n,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    return Introduction::Incomplete;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Introduction::Invalid,
            }
        }
        let (of_token, index) = self.head.split_at(16);
        match (of_token == token.to_le_bytes(), index.try_into()) {
            (true, Ok(index)) => Introduction::Valid(u32::from_le_bytes(index)),
            _ => Introduction::Invalid,
        }
    }

    fn accept(self, index: u32) -> Option<(u32, TcpStream)> {
        self.stream.set_nonblocking(false).ok()?;
        self.stream.set_nodelay(true).ok()?;
        Some((index, self.stream))
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    const TOKEN: u128 = 0x1234_5678_9abc_def0_0fed_cba9_8765_4321;

    /// Takes connections until one has sent the token.
    fn first(arrivals: &mut Arrivals<'_>) -> (u32, TcpStream) {
        let end = Instant::now() + Duration::from_secs(5);
        while Instant::now() < end {
            if let Some(found) = arrivals.take().unwrap() {
                return found;
            }
            thread::sleep(Duration::from_millis(1));
        }
        panic!("no connection has sent the token");
    }

    #[test]
    fn strangers_do_not_delay_a_worker() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let connect = || TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let mut arrivals = Arrivals::new(&listener, TOKEN).unwrap();
        let slow = connect();
        let mut first_bytes = TOKEN.to_le_bytes().to_vec();
        first_bytes.extend([7, 0, 0, 0]);
        (&slow).write_all(&first_bytes[..9]).unwrap();
        let silent: Vec<_> = (0..10).map(|_| connect()).collect();
        // A frame of 1 GiB begins with these bytes.
        (&silent[0]).write_all(&[0, 0, 0, 64]).unwrap();
        let rubbish = connect();
        (&rubbish).write_all(&[9; 5_000]).unwrap();
        drop(connect());
        let wrong = connect();
        introduce(&wrong, TOKEN + 1, 3).unwrap();
        let worker = connect();
        introduce(&worker, TOKEN, 3).unwrap();
        let (index, mut stream) = first(&mut arrivals);
        assert_eq!(index, 3);
        // Later bytes are not read.
        (&worker).write_all(b"hello").unwrap();
        let mut bytes = [0; 5];
        stream.read_exact(&mut bytes).unwrap();
        assert_eq!(&bytes, b"hello");
        (&slow).write_all(&first_bytes[9..]).unwrap();
        assert_eq!(first(&mut arrivals).0, 7);
        assert_eq!(arrivals.strangers.len(), silent.len());
    }

    #[test]
    fn number_of_strangers_is_limited() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut arrivals = Arrivals::new(&listener, TOKEN).unwrap();
        let mut kept = Vec::new();
        for _ in 0..MAX_STRANGERS + 20 {
            kept.push(TcpStream::connect(listener.local_addr().unwrap()).unwrap());
            assert!(arrivals.take().unwrap().is_none());
            assert!(arrivals.strangers.len() <= MAX_STRANGERS);
        }
        arrivals.strangers[0].end = Instant::now();
        assert!(arrivals.take().unwrap().is_none());
        assert_eq!(arrivals.strangers.len(), MAX_STRANGERS - 1);
    }
}
