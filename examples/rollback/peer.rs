//! A session between two processes on the loopback interface, which loses messages.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use ggrs::{
    DesyncDetection, GgrsEvent, GgrsRequest, Message, NonBlockingSocket, PlayerType,
    SessionBuilder, SessionState,
};
use schedule::BoxError;
use schedule::random::Philox;

use crate::duel::{Duel, played};
use crate::sync_test::{DuelConfig, N_BACK, fulfil};

/// A socket that loses a tenth of the messages that it sends.
struct LossySocket {
    socket: UdpSocket,
    losses: Philox,
}

impl NonBlockingSocket<SocketAddr> for LossySocket {
    fn send_to(&mut self, message: &Message, to: &SocketAddr) {
        if self.losses.next_below(10) == 0 {
            return;
        }
        let bytes = serde_json::to_vec(message).expect("a message can be serialized");
        // A message that cannot be sent is a loss, too.
        let _ = self.socket.send_to(&bytes, to);
    }

    fn receive_all_messages(&mut self) -> Vec<(SocketAddr, Message)> {
        let mut bytes = vec![0; 1 << 16];
        let mut messages = Vec::new();
        while let Ok((n, from)) = self.socket.recv_from(&mut bytes) {
            if let Ok(message) = serde_json::from_slice(&bytes[..n]) {
                messages.push((from, message));
            }
        }
        messages
    }
}

/// Plays as one player. The first line of the input is the port of the other one. Prints the own port, and at the end the digest of the state
/// before frame `n_frames`. Then it keeps answering the other player, until the input ends.
pub(crate) fn play(player: usize, n_frames: usize) -> Result<(), BoxError> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    socket.set_nonblocking(true)?;
    println!("{}", socket.local_addr()?.port());
    let mut input = BufReader::new(io::stdin());
    let mut line = String::new();
    input.read_line(&mut line)?;
    let other = SocketAddr::from((Ipv4Addr::LOCALHOST, line.trim().parse::<u16>()?));
    let losses = Philox::new(0, [player as u64, 0, 0]);
    let mut session = SessionBuilder::<DuelConfig>::new()
        .with_num_players(2)?
        .with_max_prediction_window(N_BACK)
        .with_desync_detection_mode(DesyncDetection::On { interval: 10 })
        // A busy machine must not end the game.
        .with_disconnect_timeout(Duration::from_secs(60))
        .add_player(PlayerType::Local, player)?
        .add_player(PlayerType::Remote(other), 1 - player)?
        .start_p2p_session(LossySocket { socket, losses })?;

    let mut duel = Duel::new(N_BACK)?;
    // The digests of the states before frames. A frame that runs again replaces its digest.
    let mut digests = HashMap::new();
    let mut n_loads = 0;
    let is_over = end_of(input);
    let mut is_printed = false;
    while !is_over.is_finished() {
        session.poll_remote_clients();
        for event in session.events() {
            match event {
                GgrsEvent::DesyncDetected { frame, .. } => {
                    return Err(format!("the players see different games in frame {frame}").into());
                }
                GgrsEvent::Disconnected { .. } => return Err("the other player has left".into()),
                _ => {}
            }
        }
        if session.current_state() == SessionState::Running {
            let confirmed = session.confirmed_frame();
            let frame = usize::try_from(session.current_frame())?;
            session.add_local_input(player, played(player, frame))?;
            // Advances by no frame if the other player is too far behind.
            for request in session.advance_frame()? {
                n_loads += u32::from(matches!(request, GgrsRequest::LoadGameState { .. }));
                digests.extend(fulfil(&mut duel, request)?);
            }
            // All inputs before the frame were known, so this digest will not be replaced.
            if !is_printed && confirmed >= n_frames as i32 {
                println!("{n_loads} {}", digests[&n_frames]);
                is_printed = true;
            }
        }
        sleep(Duration::from_millis(1));
    }
    Ok(())
}

/// A thread that ends when the input does.
fn end_of(mut input: BufReader<io::Stdin>) -> std::thread::JoinHandle<()> {
    std::thread::spawn(move || {
        let _ = input.read_to_end(&mut Vec::new());
    })
}

/// Another process of this program. It is killed if it does not end by itself.
struct Player {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<std::process::ChildStdout>,
}

impl Player {
    fn start(player: usize) -> Result<Self, BoxError> {
        let mut process = Command::new(std::env::current_exe()?)
            .args(["--player", &player.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = process.stdin.take();
        let output = process.stdout.take().expect("it is piped");
        Ok(Self {
            process,
            input,
            output: BufReader::new(output),
        })
    }

    fn read_line(&mut self) -> Result<String, BoxError> {
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            return Err("a player ended early".into());
        }
        Ok(line)
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Starts both players. Returns the digests that they see at the end.
pub(crate) fn play_both() -> Result<[u64; 2], BoxError> {
    let mut players = [Player::start(0)?, Player::start(1)?];
    let mut ports = [String::new(), String::new()];
    for (player, port) in players.iter_mut().zip(&mut ports) {
        *port = player.read_line()?;
    }
    for (player, port) in players.iter_mut().zip(ports.iter().rev()) {
        let input = player.input.as_mut().expect("it is open");
        input.write_all(port.as_bytes())?;
    }
    let mut digests = [0; 2];
    for (player, digest) in players.iter_mut().zip(&mut digests) {
        let line = player.read_line()?;
        let (n_loads, found) = line
            .trim()
            .split_once(' ')
            .ok_or("a line without a digest")?;
        println!("a player went back {n_loads} times");
        *digest = found.parse()?;
    }
    Ok(digests)
}
