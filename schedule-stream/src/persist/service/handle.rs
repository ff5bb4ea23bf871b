//! Handles of a service.

use core::fmt;

use async_channel::{Sender, TrySendError};
use oneshot::TryRecvError;

use super::error::{ServiceError, TrySubmitError};
use super::own_threads::OwnThreads;
use super::request::{EventReply, QueryAnswer, Reply, ServiceRequest};
use crate::observe::meter::SubmitTime;
use crate::persist::durable::dead_letters::DeadLetterList;
use crate::persist::durable::{DeadLetter, DurableEvent};
use crate::program::outcome::Outcome;

/// Sends requests to a [`Service`](super::Service). Clones send to the same service.
///
/// The futures do not depend on an executor. A request is sent when its future is polled and there is room. From then on, dropping
/// the future does not withdraw the event.
///
/// A handler and a callback of the service run on its own threads, or on threads that help. There, all methods that wait fail with
/// [`ServiceError::Within`], because they would wait forever. Futures fail if they are first polled there. [`try_submit`] sends
/// an event from there, too. Threads that a handler starts or uses itself are not recognised: they must not wait for the service while
/// the handler waits for them.
///
/// [`try_submit`]: Self::try_submit
pub struct ServiceHandle<E: DurableEvent> {
    requests: Sender<ServiceRequest<E>>,
    own_threads: OwnThreads,
    dead_letters: DeadLetterList,
    /// Whether the times of submissions are measured.
    is_metered: bool,
}

impl<E: DurableEvent> ServiceHandle<E> {
    pub(super) fn new(
        requests: Sender<ServiceRequest<E>>,
        own_threads: OwnThreads,
        dead_letters: DeadLetterList,
        is_metered: bool,
    ) -> Self {
        Self {
            requests,
            own_threads,
            dead_letters,
            is_metered,
        }
    }

    fn event(
        &self,
        event: E,
        key: Option<Box<str>>,
        reply: Reply<Outcome<E>>,
    ) -> ServiceRequest<E> {
        let submitted = self.is_metered.then(SubmitTime::now);
        ServiceRequest::Event(event, key, EventReply { reply, submitted })
    }

    /// Submits an event, waits for room if necessary, and returns its outcome after its batch is synced.
    ///
    /// # Errors
    ///
    /// Fails if the service is closed or refuses the event, or if it ends before it can answer. Also fails with
    /// [`ServiceError::Within`] on a thread of the service.
    pub async fn submit(&self, event: E) -> Result<Outcome<E>, ServiceError> {
        self.ask(|reply| self.event(event, None, reply)).await
    }

    /// Submits an event as [`submit`](Self::submit), and blocks the thread.
    ///
    /// # Errors
    ///
    /// As for `submit`.
    pub fn submit_blocking(&self, event: E) -> Result<Outcome<E>, ServiceError> {
        self.ask_blocking(|reply| self.event(event, None, reply))
    }

    /// Submits an event as [`submit`](Self::submit), with an idempotency key. A client that does not know whether its event
    /// was accepted submits it again with the same key: after an error, or after a restart of the service.
    ///
    /// If an event with this key was handled before, the handler is not called again. The result is the outcome of that
    /// event, with its position. If it is in flight, its outcome is awaited. An event that was refused, so that its handler
    /// was not called, has changed nothing: its repeat is processed as a new event.
    ///
    /// A key has 1 to 255 bytes. The keys of the last events are stored: see
    /// [`Durable::idempotency_keys`](crate::durable::Durable::idempotency_keys). Give each event a new random key, such as
    /// a UUID.
    ///
    /// # Errors
    ///
    /// As for `submit`. Also fails with [`ServiceError::Refused`] if the key was used for an event with other bytes, and with
    /// [`ServiceError::Applied`] if the event was applied before, but its answer is not known.
    pub async fn submit_with_key(
        &self,
        key: impl Into<Box<str>>,
        event: E,
    ) -> Result<Outcome<E>, ServiceError> {
        let key = Some(key.into());
        self.ask(|reply| self.event(event, key, reply)).await
    }

    /// Submits an event as [`submit_with_key`](Self::submit_with_key), and blocks the thread.
    ///
    /// # Errors
    ///
    /// As for `submit_with_key`.
    pub fn submit_with_key_blocking(
        &self,
        key: impl Into<Box<str>>,
        event: E,
    ) -> Result<Outcome<E>, ServiceError> {
        let key = Some(key.into());
        self.ask_blocking(|reply| self.event(event, key, reply))
    }

    /// Submits an event, and returns without waiting. The answer can be awaited.
    ///
    /// # Errors
    ///
    /// Returns the event if the service is closed, or if too many requests wait.
    pub fn try_submit(&self, event: E) -> Result<Submitted<E>, TrySubmitError<E>> {
        let (reply, answer) = oneshot::channel();
        match self.requests.try_send(self.event(event, None, reply)) {
            Ok(()) => Ok(Submitted {
                answer,
                own_threads: self.own_threads,
            }),
            Err(TrySendError::Full(ServiceRequest::Event(event, ..))) => {
                Err(TrySubmitError::Full(event))
            }
            Err(TrySendError::Closed(ServiceRequest::Event(event, ..))) => {
                Err(TrySubmitError::Closed(event))
            }
            Err(_) => unreachable!("the request has an event"),
        }
    }

    /// Asks a query: an event whose handler writes nothing and returns no follow-up events. It is not in the journal and has
    /// no position in the stream. It gets the time of the last batch.
    ///
    /// # Errors
    ///
    /// Fails with [`ServiceError::NotAQuery`] for other events, and as for [`submit`](Self::submit).
    pub async fn query(&self, event: E) -> Result<QueryAnswer<E>, ServiceError> {
        self.ask(|reply| ServiceRequest::Query(event, reply)).await
    }

    /// Asks a query as [`query`](Self::query), and blocks the thread.
    ///
    /// # Errors
    ///
    /// As for `query`.
    pub fn query_blocking(&self, event: E) -> Result<QueryAnswer<E>, ServiceError> {
        self.ask_blocking(|reply| ServiceRequest::Query(event, reply))
    }

    /// Waits until all earlier requests are answered, and then processes pending follow-up events in at most `max_batches`
    /// batches. Returns the number of follow-up events that are still pending.
    ///
    /// # Errors
    ///
    /// As for [`submit`](Self::submit).
    pub async fn drain(&self, max_batches: u64) -> Result<usize, ServiceError> {
        self.ask(|reply| ServiceRequest::Drain(max_batches, reply))
            .await
    }

    /// Drains as [`drain`](Self::drain), and blocks the thread.
    ///
    /// # Errors
    ///
    /// As for `drain`.
    pub fn drain_blocking(&self, max_batches: u64) -> Result<usize, ServiceError> {
        self.ask_blocking(|reply| ServiceRequest::Drain(max_batches, reply))
    }

    /// Takes a snapshot after all earlier requests. Returns the number of its batch after the snapshot is written.
    ///
    /// # Errors
    ///
    /// Fails with [`ServiceError::Refused`] if the state cannot be saved or written, and as for [`submit`](Self::submit).
    pub async fn snapshot(&self) -> Result<u64, ServiceError> {
        self.ask(ServiceRequest::Snapshot).await
    }

    /// Takes a snapshot as [`snapshot`](Self::snapshot), and blocks the thread.
    ///
    /// # Errors
    ///
    /// As for `snapshot`.
    pub fn snapshot_blocking(&self) -> Result<u64, ServiceError> {
        self.ask_blocking(ServiceRequest::Snapshot)
    }

    /// Pauses the service after all earlier requests, until the result is dropped. Meanwhile, requests wait. Their batches are
    /// synced. Snapshots may still be written.
    ///
    /// # Errors
    ///
    /// As for [`submit`](Self::submit).
    pub async fn pause(&self) -> Result<PauseGuard, ServiceError> {
        let (resume, paused) = oneshot::channel();
        self.ask(|reply| ServiceRequest::Pause(reply, paused))
            .await?;
        Ok(PauseGuard { _resume: resume })
    }

    /// Pauses as [`pause`](Self::pause), and blocks the thread.
    ///
    /// # Errors
    ///
    /// As for `pause`.
    pub fn pause_blocking(&self) -> Result<PauseGuard, ServiceError> {
        let (resume, paused) = oneshot::channel();
        self.ask_blocking(|reply| ServiceRequest::Pause(reply, paused))?;
        Ok(PauseGuard { _resume: resume })
    }

    /// Closes the service: further requests fail. Those that were accepted before are answered. Then the thread of the service ends.
    pub fn close(&self) {
        self.requests.close();
    }

    /// Returns whether the service is closed, or has ended.
    pub fn is_closed(&self) -> bool {
        self.requests.is_closed()
    }

    /// Returns the [dead letters](crate::durable#events-that-end-the-process) of the stream, in the order of the decisions: those in
    /// the journal when the stream was recovered.
    pub fn dead_letters(&self) -> Vec<DeadLetter> {
        self.dead_letters.all()
    }

    /// Returns the number of requests that wait.
    pub fn n_waiting(&self) -> usize {
        self.requests.len()
    }

    async fn ask<T>(
        &self,
        request: impl FnOnce(Reply<T>) -> ServiceRequest<E>,
    ) -> Result<T, ServiceError> {
        if self.own_threads.has_this() {
            return Err(ServiceError::Within);
        }
        let (reply, answer) = oneshot::channel();
        let sent = self.requests.send(request(reply)).await;
        sent.map_err(|_| ServiceError::Closed)?;
        answer.await.map_err(|_| ServiceError::Unknown)?
    }

    fn ask_blocking<T>(
        &self,
        request: impl FnOnce(Reply<T>) -> ServiceRequest<E>,
    ) -> Result<T, ServiceError> {
        if self.own_threads.has_this() {
            return Err(ServiceError::Within);
        }
        let (reply, answer) = oneshot::channel();
        let sent = self.requests.send_blocking(request(reply));
        sent.map_err(|_| ServiceError::Closed)?;
        answer.recv().map_err(|_| ServiceError::Unknown)?
    }
}

impl<E: DurableEvent> Clone for ServiceHandle<E> {
    fn clone(&self) -> Self {
        Self {
            requests: self.requests.clone(),
            own_threads: self.own_threads,
            dead_letters: self.dead_letters.clone(),
            is_metered: self.is_metered,
        }
    }
}

impl<E: DurableEvent> fmt::Debug for ServiceHandle<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceHandle")
            .field("n_waiting", &self.n_waiting())
            .field("is_closed", &self.is_closed())
            .finish()
    }
}

/// An event that was submitted: see [`ServiceHandle::try_submit`].
pub struct Submitted<E: DurableEvent> {
    answer: oneshot::Receiver<Result<Outcome<E>, ServiceError>>,
    own_threads: OwnThreads,
}

impl<E: DurableEvent> Submitted<E> {
    /// Waits for the outcome, as [`ServiceHandle::submit`].
    ///
    /// # Errors
    ///
    /// As for `submit`, but the event was accepted, also if the result is [`ServiceError::Within`].
    pub async fn outcome(self) -> Result<Outcome<E>, ServiceError> {
        if let Some(answer) = self.without_waiting() {
            return answer;
        }
        self.answer.await.map_err(|_| ServiceError::Unknown)?
    }

    /// Waits for the outcome, and blocks the thread.
    ///
    /// # Errors
    ///
    /// As for [`outcome`](Self::outcome).
    pub fn outcome_blocking(self) -> Result<Outcome<E>, ServiceError> {
        if let Some(answer) = self.without_waiting() {
            return answer;
        }
        self.answer.recv().map_err(|_| ServiceError::Unknown)?
    }

    /// Returns the answer, or the reason why there is none yet, on a thread of the service.
    fn without_waiting(&self) -> Option<Result<Outcome<E>, ServiceError>> {
        if !self.own_threads.has_this() {
            return None;
        }
        Some(match self.answer.try_recv() {
            Ok(answer) => answer,
            Err(TryRecvError::Empty) => Err(ServiceError::Within),
            Err(TryRecvError::Disconnected) => Err(ServiceError::Unknown),
        })
    }
}

impl<E: DurableEvent> fmt::Debug for Submitted<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Submitted").finish_non_exhaustive()
    }
}

/// Pauses a service while it exists. Drop it before the [`Service`](super::Service) is shut down or dropped, because both wait for
/// the end of the pause.
#[derive(Debug)]
pub struct PauseGuard {
    /// Its drop ends the pause.
    _resume: oneshot::Sender<()>,
}
