//! The connections between the workers of a generation.
//!
//! Worker i connects to all workers before it, and waits for those after it.

use std::io;
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use timely::communication::Hooks;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};

use crate::arrivals::{Arrivals, Endpoints, introduce};
use crate::secret::Secret;

/// Connects this worker with all others. Returns a connection for each of them, and `None` for itself.
pub(crate) fn connect(
    listener: &TcpListener,
    addresses: &[String],
    me: usize,
    secret: &Secret,
    limit: Duration,
) -> io::Result<Vec<Option<TcpStream>>> {
    let end = Instant::now() + limit;
    let mut sockets: Vec<Option<TcpStream>> = Vec::new();
    for (acceptor, address) in (0..).zip(&addresses[..me]) {
        let socket = TcpStream::connect(address)?;
        socket.set_nodelay(true)?;
        let ends = Endpoints {
            connector: me as u32,
            acceptor: Some(acceptor),
        };
        // It answers after it has connected to the workers before it.
        introduce(&socket, secret, ends, limit)?;
        sockets.push(Some(socket));
    }
    sockets.resize_with(addresses.len(), || None);
    let mut n_missing = addresses.len() - me - 1;
    let mut arrivals = Arrivals::new(listener, secret, Some(me as u32))?;
    while n_missing > 0 {
        if Instant::now() > end {
            return Err(io::ErrorKind::TimedOut.into());
        }
        match arrivals.take()? {
            Some((index, socket)) if index as usize > me => {
                if let Some(place @ None) = sockets.get_mut(index as usize) {
                    *place = Some(socket);
                    n_missing -= 1;
                }
            }
            Some(_) => {}
            None => thread::sleep(Duration::from_millis(1)),
        }
    }
    Ok(sockets)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stranger_does_not_delay_the_connections() {
        let secret = &Secret::random().unwrap();
        let listeners = [(); 3].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let addresses = listeners.each_ref().map(|of| of.local_addr().unwrap());
        // Each worker has a silent stranger first.
        let strangers = addresses.map(|of| TcpStream::connect(of).unwrap());
        let addresses = addresses.map(|of| of.to_string());
        let limit = Duration::from_secs(5);
        thread::scope(|scope| {
            let connected: Vec<_> = (0..)
                .zip(&listeners)
                .map(|(me, listener)| {
                    let addresses = &addresses;
                    scope.spawn(move || connect(listener, addresses, me, secret, limit).unwrap())
                })
                .collect();
            for (me, sockets) in (0..).zip(connected) {
                let sockets = sockets.join().unwrap();
                let present: Vec<_> = sockets.iter().map(Option::is_some).collect();
                let expected: Vec<_> = (0..3).map(|other| other != me).collect();
                assert_eq!(present, expected);
            }
        });
        drop(strangers);
    }
}
