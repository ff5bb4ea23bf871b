use std::net::Shutdown;
use std::thread;

use super::*;

const LIMIT: Duration = Duration::from_secs(30);

/// The ends of a connection to the supervisor.
fn to_supervisor(connector: u32) -> Endpoints {
    Endpoints {
        connector,
        acceptor: None,
    }
}

/// Takes connections until one has proved where it belongs.
fn first(arrivals: &mut Arrivals<'_>) -> (u32, TcpStream) {
    let end = Instant::now() + LIMIT;
    while Instant::now() < end {
        if let Some(found) = arrivals.take().unwrap() {
            return found;
        }
        thread::yield_now();
    }
    panic!("no connection has proved where it belongs");
}

/// Takes connections until a thread has ended.
fn until_it_ends<T>(
    arrivals: &mut Arrivals<'_>,
    thread: thread::ScopedJoinHandle<'_, T>,
) -> (Option<u32>, T) {
    let mut taken = None;
    while !thread.is_finished() {
        if let Some((index, _)) = arrivals.take().unwrap() {
            taken = Some(index);
        }
        thread::yield_now();
    }
    (taken, thread.join().unwrap())
}

fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").unwrap()
}

#[test]
fn strangers_do_not_delay_a_worker() {
    let (listener, secret) = (listener(), Secret::random().unwrap());
    let connect = || TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let mut arrivals = Arrivals::new(&listener, &secret, None).unwrap();
    let silent: Vec<_> = (0..10).map(|_| connect()).collect();
    // A frame of 1 GiB begins with these bytes.
    (&silent[0]).write_all(&[0, 0, 0, 64]).unwrap();
    let rubbish = connect();
    (&rubbish).write_all(&[9; 5_000]).unwrap();
    drop(connect());
    thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let stream = connect();
            introduce(&stream, &secret, to_supervisor(3), LIMIT).unwrap();
            // Later bytes are not read.
            (&stream).write_all(b"hello").unwrap();
            stream
        });
        let (index, mut stream) = first(&mut arrivals);
        assert_eq!(index, 3);
        let mut bytes = [0; 5];
        stream.read_exact(&mut bytes).unwrap();
        assert_eq!(&bytes, b"hello");
        drop(worker.join().unwrap());
    });
    while arrivals.strangers.len() > silent.len() {
        assert!(arrivals.take().unwrap().is_none());
    }
}

#[test]
fn process_without_the_secret_is_refused_by_both_ends() {
    let (listener, secret) = (listener(), Secret::random().unwrap());
    let address = listener.local_addr().unwrap();
    let mut arrivals = Arrivals::new(&listener, &secret, Some(4)).unwrap();
    let other = Secret::random().unwrap();
    let ends = |acceptor| Endpoints {
        connector: 7,
        acceptor,
    };
    // The secret, the index of the end that waits, and whether they are right.
    for (used, acceptor, is_right) in [
        (&other, Some(4), false),
        (&secret, None, false),
        (&secret, Some(3), false),
        (&secret, Some(4), true),
    ] {
        thread::scope(|scope| {
            let thread = scope.spawn(move || {
                let stream = TcpStream::connect(address).unwrap();
                introduce(&stream, used, ends(acceptor), LIMIT)
            });
            let (taken, introduced) = until_it_ends(&mut arrivals, thread);
            let error = introduced.err();
            assert_eq!(error.is_none(), is_right, "{error:?}");
            if let Some(error) = error {
                assert_eq!(error.kind(), ErrorKind::PermissionDenied);
                assert_eq!(taken, None);
            }
        });
    }
}

/// Sends these bytes to a process that waits, after its answer if there are enough. Returns whether it accepts the connection.
fn is_accepted(arrivals: &mut Arrivals<'_>, listener: &TcpListener, bytes: &[u8]) -> bool {
    let address = listener.local_addr().unwrap();
    thread::scope(|scope| {
        let thread = scope.spawn(move || {
            let mut stream = TcpStream::connect(address).unwrap();
            // The other end may have closed the connection.
            drop(stream.write_all(bytes));
            drop(stream.shutdown(Shutdown::Write));
            drop(stream.read_to_end(&mut Vec::new()));
        });
        until_it_ends(arrivals, thread).0.is_some()
    })
}

#[test]
fn recorded_bytes_of_a_worker_are_refused_and_never_have_the_secret() {
    let (listener, secret) = (listener(), Secret::random().unwrap());
    let mut arrivals = Arrivals::new(&listener, &secret, None).unwrap();
    // A process between a worker and the supervisor records all bytes.
    let between = self::listener();
    let recorded = thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let stream = TcpStream::connect(between.local_addr().unwrap()).unwrap();
            introduce(&stream, &secret, to_supervisor(1), LIMIT).unwrap();
        });
        let recorder = scope.spawn(|| {
            let (mut from, _) = between.accept().unwrap();
            let mut to = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let mut all = vec![0; ALL_BYTES + ANSWER_BYTES];
            let (head, rest) = all.split_at_mut(HEAD_BYTES);
            let (answer, proof) = rest.split_at_mut(ANSWER_BYTES);
            from.read_exact(head).unwrap();
            to.write_all(head).unwrap();
            to.read_exact(answer).unwrap();
            from.write_all(answer).unwrap();
            from.read_exact(proof).unwrap();
            to.write_all(proof).unwrap();
            (all, to)
        });
        assert_eq!(first(&mut arrivals).0, 1);
        worker.join().unwrap();
        recorder.join().unwrap().0
    });
    let text = secret.to_text();
    let mut hex = String::new();
    recorded
        .iter()
        .for_each(|byte| hex += &format!("{byte:02x}"));
    assert!(!hex.contains(&text[..16]));

    let (head, rest) = recorded.split_at(HEAD_BYTES);
    let (answer, proof) = rest.split_at(ANSWER_BYTES);
    let replayed = [head, proof].concat();
    assert!(!is_accepted(&mut arrivals, &listener, &replayed));
    // The proof of the other end.
    let reflected = [head, &answer[NONCE_BYTES..]].concat();
    assert!(!is_accepted(&mut arrivals, &listener, &reflected));

    // A process that waits at the address of the supervisor, with the recorded answer.
    thread::scope(|scope| {
        let false_supervisor = scope.spawn(|| {
            let (mut stream, _) = between.accept().unwrap();
            stream.read_exact(&mut [0; HEAD_BYTES]).unwrap();
            stream.write_all(answer).unwrap();
            let mut more = Vec::new();
            drop(stream.read_to_end(&mut more));
            more
        });
        let stream = TcpStream::connect(between.local_addr().unwrap()).unwrap();
        let error = introduce(&stream, &secret, to_supervisor(1), LIMIT).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PermissionDenied);
        drop(stream);
        assert_eq!(
            false_supervisor.join().unwrap(),
            [0; 0],
            "the worker has sent no proof"
        );
    });
}

#[test]
fn random_bytes_are_never_accepted() {
    let (listener, secret) = (listener(), Secret::random().unwrap());
    let mut arrivals = Arrivals::new(&listener, &secret, None).unwrap();
    for n in [
        0,
        1,
        4,
        HEAD_BYTES - 1,
        HEAD_BYTES,
        ALL_BYTES - 1,
        ALL_BYTES,
        500,
    ] {
        let bytes: Vec<u8> = random::<500>().unwrap()[..n].to_vec();
        assert!(!is_accepted(&mut arrivals, &listener, &bytes), "{n}");
    }
}

#[test]
fn number_of_strangers_is_limited() {
    let (listener, secret) = (listener(), Secret::random().unwrap());
    let mut arrivals = Arrivals::new(&listener, &secret, None).unwrap();
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
