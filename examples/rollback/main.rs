//! A game of two players that goes back and runs again, by the crate `ggrs`.
//!
//! `cargo run --release -p examples --example rollback`
//!
//! A game with rollback does not wait for the inputs of other players. It guesses them. If a guess was wrong, the game goes back to the
//! frame of the wrong input, and runs the frames since then again. So each frame needs a saved state, and a frame that runs again must have
//! the same result.
//!
//! First, the sync test of `ggrs` goes back by 8 frames in each of 10,000 frames, and compares the digests of the states: on 1, 2 and 4 threads.
//! Then two processes play with each other on the loopback interface. Each loses a tenth of the messages that it sends.
//!
//! | file | subject |
//! |---|---|
//! | `duel.rs` | the game, and its states |
//! | `sync_test.rs` | a session that goes back in each frame |
//! | `peer.rs` | a session between two processes |

mod duel;
mod peer;
mod sync_test;

use std::process::ExitCode;

use schedule::BoxError;

use crate::duel::{Duel, played};

/// Frames of the sync test. Builds without optimisation run fewer.
const N_FRAMES: usize = if cfg!(debug_assertions) { 300 } else { 10_000 };
/// Frames of the session between processes.
const N_PEER_FRAMES: usize = 600;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments[..] {
        [] => play(),
        ["--player", player] => player
            .parse()
            .map_err(BoxError::from)
            .and_then(|player| peer::play(player, N_PEER_FRAMES)),
        _ => {
            eprintln!("usage: rollback [--player 0|1]");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Plays without a session. Returns the digest of the last state.
fn without_rollback(n_frames: usize) -> Result<u64, BoxError> {
    let mut duel = Duel::new(0)?;
    for frame in 0..n_frames {
        duel.advance([0, 1].map(|player| played(player, frame)))?;
    }
    duel.save(n_frames)
}

fn play() -> Result<(), BoxError> {
    let mut digests = Vec::new();
    for n_threads in [1, 2, 4] {
        let (digest, score) = sync_test::play(n_threads, N_FRAMES)?;
        println!(
            "sync test, threads {n_threads}: {N_FRAMES} frames, {} entities spawned, {} despawned, points {:?}, digest {digest:016x}",
            score.n_spawned, score.n_despawned, score.points
        );
        digests.push(digest);
    }
    digests.dedup();
    assert_eq!(digests.len(), 1, "the digests of all threads are equal");
    let digests = peer::play_both()?;
    println!(
        "two processes: {N_PEER_FRAMES} frames, digests {:016x} and {:016x}",
        digests[0], digests[1]
    );
    let expected = without_rollback(N_PEER_FRAMES)?;
    assert_eq!(
        digests, [expected; 2],
        "both players see the game without losses"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_the_same_again_on_any_number_of_threads() {
        let [one, two] = [1, 2].map(|n_threads| sync_test::play(n_threads, 120).unwrap());
        assert_eq!(one.0, two.0);
        assert_eq!(one.0, without_rollback(120).unwrap());
        assert!(one.1.n_spawned > 60, "{:?}", one.1);
    }

    #[test]
    fn another_input_gives_another_state() {
        let mut duel = Duel::new(4).unwrap();
        let mut digest_after = |fire: bool| {
            duel.save(0).unwrap();
            let fired = duel::Controls(duel::Controls::FIRE);
            let mut inputs = [played(0, 0), played(1, 0)];
            if fire {
                inputs[0] = fired;
            }
            duel.advance(inputs).unwrap();
            let digest = duel.save(1).unwrap();
            duel.load(0).unwrap();
            digest
        };
        let digests = [true, false, true].map(&mut digest_after);
        assert_eq!(digests[0], digests[2]);
        assert_ne!(digests[0], digests[1]);
    }
}
