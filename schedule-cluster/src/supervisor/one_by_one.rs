//! The search for an event that ends each process that runs it.
//!
//! After some failures, a generation does not get the batches that are not finished. The supervisor sends their events one by one. If
//! the generation fails meanwhile, the event is the reason.

use core::fmt;
use std::collections::BTreeMap;

use schedule::BoxError;
use schedule::snapshot::{Decoder, Snapshot};
use schedule_stream::Position;
use schedule_stream::internal::{SentEvent, handlers};

use super::{Attempt, Supervisor};
use crate::processes::Processes;
use crate::wire::{EventsHead, Frame, ToWorker};

/// Number of generations that end at an event before it is given up.
const N_DEATHS: u32 = 2;

/// The state of the search.
#[derive(Debug, Default)]
pub(super) struct OneByOne {
    /// The event that runs alone.
    running: Option<Position>,
    /// The events of the oldest batch at which generations have ended, each with their number.
    deaths: Vec<(Position, u32)>,
}

/// The error about an event that ends each process that runs it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeadlyEvent {
    pub(crate) position: Position,
    pub(crate) n_deaths: u32,
}

impl fmt::Display for DeadlyEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { position, n_deaths } = self;
        write!(
            f,
            "the event at position {position} has ended {n_deaths} generations of workers"
        )
    }
}

impl std::error::Error for DeadlyEvent {}

/// The bytes of an event in frames to workers.
struct EventPiece {
    head: EventsHead,
    /// The bytes for each worker that gets it.
    to: Vec<(u32, Vec<u8>)>,
}

/// A frame of events, with the index and the bytes of each.
type FrameParts<'f> = (EventsHead, Vec<(u32, &'f [u8])>);

/// Divides the frames that were sent to a worker into events.
fn divide<E: SentEvent>(mut frames: &[u8]) -> Result<Vec<FrameParts<'_>>, BoxError> {
    let mut all = Vec::new();
    while let Some((n_bytes, rest)) = frames.split_first_chunk() {
        let n_bytes = u32::from_le_bytes(*n_bytes) as usize;
        let (frame, rest) = rest.split_at_checked(n_bytes).ok_or(UNREADABLE)?;
        frames = rest;
        let mut decoder = Decoder::new(frame);
        let ToWorker::Events(head) = decoder.read()? else {
            return Err(UNREADABLE.into());
        };
        let mut events = Vec::new();
        for _ in 0..head.n {
            let from = frame.len() - decoder.n_left();
            let (index, _max_follow_ups): (u32, u32) = decoder.read()?;
            let _event: E = decoder.restore(<E as Snapshot>::VERSION)?;
            events.push((index, &frame[from..frame.len() - decoder.n_left()]));
        }
        all.push((head, events));
    }
    Ok(all)
}

const UNREADABLE: &str = "the events of a batch cannot be read again";

/// Returns the frame of these events. `n`: their number.
fn frame_of(head: EventsHead, n: usize, events: &[&[u8]]) -> Result<Vec<u8>, BoxError> {
    let n = u32::try_from(n)?;
    let mut frame = Frame::new(&ToWorker::Events(EventsHead { n, ..head }))?;
    events.iter().for_each(|bytes| frame.append(bytes));
    Ok(frame.finish()?)
}

impl<E: SentEvent> Supervisor<E> {
    /// Runs the batches up to this one that the generation has not got, one event after the other.
    pub(super) fn run_held(
        &mut self,
        processes: &mut Processes,
        batch: u64,
    ) -> Result<(), Attempt> {
        while let Some(nth) = self
            .sent
            .iter()
            .position(|sent| sent.is_held && sent.batch <= batch)
        {
            let number = self.sent[nth].batch;
            self.wait_until_ended(processes, number - 1)?;
            let mut pieces: BTreeMap<u32, EventPiece> = BTreeMap::new();
            let mut ends = Vec::new();
            for (worker, frames) in (0..).zip(&self.sent[nth].frames) {
                for (head, events) in divide::<E>(frames).map_err(Attempt::GiveUp)? {
                    for (index, bytes) in events {
                        let to = Vec::new();
                        let piece = pieces.entry(index).or_insert(EventPiece { head, to });
                        piece.to.push((worker, bytes.to_vec()));
                    }
                    if head.is_last {
                        ends.push((worker, head));
                    }
                }
            }
            for (index, EventPiece { head, to }) in pieces {
                let head = EventsHead {
                    is_last: false,
                    ..head
                };
                let frame = |(worker, bytes): (u32, Vec<u8>)| {
                    frame_of(head, 1, &[&bytes]).map(|frame| (worker, frame))
                };
                let frames: Result<Vec<_>, _> = to.into_iter().map(frame).collect();
                let frames = frames.map_err(Attempt::GiveUp)?;
                self.one_by_one.running = Some(Position::new(number, index));
                for (worker, frame) in frames {
                    processes.send(worker, &frame).map_err(Attempt::failed)?;
                }
                while !self.sent[nth].has_ended_through(index) {
                    let end = std::time::Instant::now() + self.settings.progress_limit;
                    let (_, bytes) = processes.receive(end).map_err(Attempt::failed)?;
                    self.take_ends(&bytes)?;
                }
                self.one_by_one.running = None;
            }
            for (worker, head) in ends {
                let frame = frame_of(head, 0, &[]).map_err(Attempt::GiveUp)?;
                processes.send(worker, &frame).map_err(Attempt::failed)?;
            }
            self.sent[nth].is_held = false;
        }
        Ok(())
    }

    /// The oldest batch is finished: sends all others that were held.
    pub(super) fn release_held(&mut self) {
        self.one_by_one = OneByOne::default();
        let mut failed = None;
        for sent in self.sent.iter_mut().filter(|sent| sent.is_held) {
            sent.is_held = false;
            for (worker, frames) in (0..).zip(&sent.frames) {
                if let (Some(processes), None) = (&mut self.processes, &failed) {
                    failed = processes.send(worker, frames).err();
                }
            }
        }
        if let Some(error) = failed {
            // The next operation starts the next generation.
            self.processes = None;
            self.note_failure(&error);
        }
    }

    /// Notes the failure of a generation. If an event ran alone, it was the reason. Returns it, if it is given up.
    pub(super) fn note_death(&mut self, error: &BoxError) -> Option<DeadlyEvent> {
        let Some(position) = self.one_by_one.running.take() else {
            self.note_failure(error);
            return None;
        };
        let mut batches = self.sent.iter();
        let sent = batches.find(|sent| sent.batch == position.batch);
        let case = sent.and_then(|sent| sent.case_at(position.index));
        let handler = case.map_or("", |case| handlers::<E>()[case].name);
        let event = <E as Snapshot>::NAME;
        self.note_failure(&format_args!(
            "{error}; only the event at position {position} ran, event `{event}`, handler `{handler}`"
        ));
        let deaths = &mut self.one_by_one.deaths;
        let nth = deaths
            .iter()
            .position(|of| of.0 == position)
            .unwrap_or_else(|| {
                deaths.push((position, 0));
                deaths.len() - 1
            });
        deaths[nth].1 += 1;
        let n_deaths = deaths[nth].1;
        (n_deaths >= N_DEATHS).then_some(DeadlyEvent { position, n_deaths })
    }

    /// Takes an event out of a batch that is not finished.
    pub(crate) fn refuse(&mut self, batch: u64, index: u32) -> Result<(), BoxError> {
        // The generation may have the event.
        self.processes = None;
        let mut batches = self.sent.iter_mut();
        let sent = batches
            .find(|sent| sent.batch == batch)
            .ok_or("the batch has not begun")?;
        sent.remove(index)?;
        for frames in &mut sent.frames {
            let mut rest = Vec::new();
            for (head, mut events) in divide::<E>(frames)? {
                events.retain(|of| of.0 != index);
                let bytes: Vec<&[u8]> = events.iter().map(|of| of.1).collect();
                rest.extend(frame_of(head, bytes.len(), &bytes)?);
            }
            self.n_sent_bytes = self.n_sent_bytes + rest.len() - frames.len();
            *frames = rest;
        }
        Ok(())
    }
}
