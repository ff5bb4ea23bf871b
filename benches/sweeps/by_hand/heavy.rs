//! Loops for `heavy`.

use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use rayon::slice::{ParallelSlice, ParallelSliceMut};

use super::Entities;
use crate::digest::Digest;
use crate::heavy::{self, Agent, Depth, State, Turn};

#[derive(Default)]
pub(super) struct Agents {
    states: Vec<State>,
    depths: Vec<Depth>,
    turns: Vec<Turn>,
    sum: u64,
}

pub(super) struct Rows<'a> {
    states: &'a mut [State],
    depths: &'a [Depth],
    turns: &'a mut [Turn],
}

impl Agents {
    pub(super) fn new(n_entities: usize, mean_depth: u32) -> Self {
        let mut agents = Self::default();
        for agent in Agent::all(n_entities, mean_depth) {
            agents.states.push(agent.state);
            agents.depths.push(agent.depth);
            agents.turns.push(agent.turn);
        }
        agents
    }
}

impl Entities for Agents {
    type Rows<'a> = Rows<'a>;

    const SYSTEMS: &'static [fn(&mut Rows<'_>) -> u64] = &[begin, think, vote];

    fn rows(&mut self) -> Rows<'_> {
        Rows {
            states: &mut self.states,
            depths: &self.depths,
            turns: &mut self.turns,
        }
    }

    fn chunks<'a>(rows: Self::Rows<'a>, n_rows: usize) -> impl Iterator<Item = Self::Rows<'a>> {
        let states = rows.states.chunks_mut(n_rows);
        let depths = rows.depths.chunks(n_rows);
        let turns = rows.turns.chunks_mut(n_rows);
        let all = states.zip(depths).zip(turns);
        all.map(|((states, depths), turns)| Rows {
            states,
            depths,
            turns,
        })
    }

    fn par_chunks<'a>(
        rows: Self::Rows<'a>,
        n_rows: usize,
    ) -> impl IndexedParallelIterator<Item = Self::Rows<'a>> {
        let all = (
            rows.states.par_chunks_mut(n_rows),
            rows.depths.par_chunks(n_rows),
            rows.turns.par_chunks_mut(n_rows),
        );
        all.into_par_iter().map(|(states, depths, turns)| Rows {
            states,
            depths,
            turns,
        })
    }

    fn add_to_sum(&mut self, number: u64) {
        self.sum = self.sum.wrapping_add(number);
    }

    fn digest(&self) -> Digest {
        let mut digest = Digest::default();
        for row in 0..self.states.len() {
            digest.add_agent(&self.states[row], &self.depths[row], &self.turns[row]);
        }
        digest.add([self.sum]);
        digest
    }
}

fn begin(rows: &mut Rows<'_>) -> u64 {
    for (turn, state) in rows.turns.iter_mut().zip(&mut *rows.states) {
        heavy::begin(turn, state);
    }
    0
}

fn think(rows: &mut Rows<'_>) -> u64 {
    for (depth, state) in rows.depths.iter().zip(&mut *rows.states) {
        heavy::think(depth, state);
    }
    0
}

fn vote(rows: &mut Rows<'_>) -> u64 {
    rows.states.iter().map(heavy::vote).sum()
}
