//! The sync test of `ggrs`: it goes back in each frame, and compares the digests of the states.

use std::sync::Arc;

use ggrs::{Config, GgrsRequest, PredictRepeatLast, SessionBuilder};
use rayon::ThreadPoolBuilder;
use schedule::BoxError;

use crate::duel::{Controls, Duel, Score, played};

/// Frames by which the session goes back.
pub(crate) const N_BACK: usize = 8;

/// The types of a session. The game keeps its states itself, to reuse their memory.
#[derive(Debug)]
pub(crate) struct DuelConfig;

impl Config for DuelConfig {
    type Input = Controls;
    type InputPredictor = PredictRepeatLast;
    type State = ();
    type Address = std::net::SocketAddr;
}

/// Plays on this number of threads. Returns the digest of the last state, and the score.
pub(crate) fn play(n_threads: usize, n_frames: usize) -> Result<(u64, Score), BoxError> {
    let mut duel = Duel::new(N_BACK)?;
    let pool = ThreadPoolBuilder::new().num_threads(n_threads).build()?;
    duel.schedule().set_pool(Arc::new(pool));
    let mut session = SessionBuilder::<DuelConfig>::new()
        .with_num_players(2)?
        .with_max_prediction_window(N_BACK + 1)
        .with_check_distance(N_BACK)
        .start_synctest_session()?;
    for frame in 0..n_frames {
        for player in 0..2 {
            session.add_local_input(player, played(player, frame))?;
        }
        // Fails if two runs of a frame had different digests.
        for request in session.advance_frame()? {
            fulfil(&mut duel, request)?;
        }
    }
    let digest = duel.save(n_frames)?;
    Ok((digest, duel.score().clone()))
}

/// Does what a session asks for. Returns the frame of a saved state, and its digest.
pub(crate) fn fulfil(
    duel: &mut Duel,
    request: GgrsRequest<DuelConfig>,
) -> Result<Option<(usize, u64)>, BoxError> {
    match request {
        GgrsRequest::SaveGameState { cell, frame } => {
            let number = usize::try_from(frame)?;
            let digest = duel.save(number)?;
            cell.save(frame, Some(()), Some(digest.into()));
            return Ok(Some((number, digest)));
        }
        GgrsRequest::LoadGameState { frame, .. } => duel.load(usize::try_from(frame)?)?,
        GgrsRequest::AdvanceFrame { inputs } => {
            duel.advance([inputs[0].0, inputs[1].0])?;
        }
    }
    Ok(None)
}
