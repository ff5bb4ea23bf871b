//! The connections between the workers of a generation.
//!
//! Worker i connects to all workers before it, and waits for those after it. Each connection begins with the token of
//! the generation and the index of the worker, so another process cannot take part.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use timely::communication::Hooks;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};

/// The first bytes of a connection: the token, and the index of the worker.
const HEAD_BYTES: usize = 20;

/// Connects this worker with all others. Returns a connection for each of them, and `None` for itself.
pub(crate) fn connect(
    listener: &TcpListener,
    addresses: &[String],
    me: usize,
    token: u128,
    limit: Duration,
) -> io::Result<Vec<Option<TcpStream>>> {
    let end = Instant::now() + limit;
    let mut sockets: Vec<Option<TcpStream>> = Vec::new();
    for address in &addresses[..me] {
        let mut socket = TcpStream::connect(address)?;
        let mut head = [0; HEAD_BYTES];
        head[..16].copy_from_slice(&token.to_le_bytes());
        head[16..].copy_from_slice(&(me as u32).to_le_bytes());
        socket.write_all(&head)?;
        sockets.push(Some(socket));
    }
    sockets.resize_with(addresses.len(), || None);
    let mut n_missing = addresses.len() - me - 1;
    listener.set_nonblocking(true)?;
    while n_missing > 0 {
        let socket = match listener.accept() {
            Ok((socket, _)) => socket,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if Instant::now() > end {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                std::thread::sleep(Duration::from_millis(1));
                continue;
            }
            Err(error) => return Err(error),
        };
        if let Some((index, socket)) = read_head(socket, token, limit)
            && index > me
            && let Some(place @ None) = sockets.get_mut(index)
        {
            *place = Some(socket);
            n_missing -= 1;
        }
    }
    for socket in sockets.iter().flatten() {
        socket.set_nodelay(true)?;
        socket.set_read_timeout(None)?;
    }
    Ok(sockets)
}

/// Returns the index of the worker of a connection, if it has the token.
fn read_head(mut socket: TcpStream, token: u128, limit: Duration) -> Option<(usize, TcpStream)> {
    socket.set_nonblocking(false).ok()?;
    socket.set_read_timeout(Some(limit)).ok()?;
    let mut head = [0; HEAD_BYTES];
    socket.read_exact(&mut head).ok()?;
    let (of_token, index) = head.split_at(16);
    let index = u32::from_le_bytes(index.try_into().ok()?);
    (of_token == token.to_le_bytes()).then_some((index as usize, socket))
}

/// Creates the allocator of this worker, and a value that must live as long as it.
pub(crate) fn allocator(
    sockets: Vec<Option<TcpStream>>,
    me: usize,
) -> io::Result<(AllocatorBuilder, Box<dyn core::any::Any + Send>)> {
    let hooks = Hooks::default();
    let (refill, spill) = (hooks.refill.clone(), hooks.spill.clone());
    let inside = ProcessBuilder::new_typed_vector(1, refill, spill);
    let (mut all, guard) = initialize_networking_from_sockets(inside, sockets, me, 1, hooks)?;
    let this = all.pop().expect("one worker per process");
    Ok((AllocatorBuilder::Tcp(this), Box::new(guard)))
}
