//! Repeats of events that have no answer.

#[cfg(test)]
mod tests;

use std::time::Duration;

use schedule::BoxError;
use tokio::time::{sleep, timeout};

use crate::connection::{Connection, Submitted, Target};
use crate::ledger::Entry;

/// Time between two attempts: the bank may be about to end, or to start.
const PAUSE: Duration = Duration::from_millis(50);

/// A client of a bank that connects again after its connection broke.
pub(crate) struct Submitter<'t> {
    target: &'t Target,
    /// `None` after it broke.
    connection: Option<Connection>,
    /// Time in which each event must have an answer.
    limit: Duration,
    n_repeated: u64,
}

impl<'t> Submitter<'t> {
    /// `limit`: the time in which each event must have an answer.
    ///
    /// # Errors
    ///
    /// Fails if the bank cannot be reached.
    pub(crate) async fn connect(target: &'t Target, limit: Duration) -> Result<Self, BoxError> {
        Ok(Self {
            target,
            connection: Some(target.connect().await?),
            limit,
            n_repeated: 0,
        })
    }

    /// Returns how often events were sent again.
    pub(crate) fn n_repeated(&self) -> u64 {
        self.n_repeated
    }

    /// Submits an event. With an idempotency key, submits it again after a broken connection and after the status 503, until it
    /// has an answer. Without a key, the result can be [`Submitted::Unanswered`].
    ///
    /// # Errors
    ///
    /// Fails if the answer is none of [`Submitted`], or if none comes within the time limit. Without a key, also fails if the bank
    /// cannot be reached.
    pub(crate) async fn submit(
        &mut self,
        event: &Entry,
        key: Option<&str>,
    ) -> Result<Submitted, BoxError> {
        let limit = self.limit;
        let mut last_error = None;
        match timeout(limit, self.repeat(event, key, &mut last_error)).await {
            Ok(submitted) => submitted,
            Err(_) => {
                // The answer may still arrive there.
                self.connection = None;
                let reason = last_error.map_or(String::new(), |error| format!(": {error}"));
                Err(format!("no answer in {limit:?}{reason}").into())
            }
        }
    }

    /// Like [`submit`](Self::submit), without a limit. `last_error`: the reason of the last repeat.
    async fn repeat(
        &mut self,
        event: &Entry,
        key: Option<&str>,
        last_error: &mut Option<String>,
    ) -> Result<Submitted, BoxError> {
        let mut was_sent = false;
        loop {
            let connection = match &mut self.connection {
                Some(connection) => connection,
                broken => match self.target.connect().await {
                    Ok(connection) => broken.insert(connection),
                    Err(error) if key.is_none() => return Err(error),
                    Err(error) => {
                        *last_error = Some(error.to_string());
                        sleep(PAUSE).await;
                        continue;
                    }
                },
            };
            self.n_repeated += u64::from(was_sent);
            was_sent = true;
            let submitted = connection.submit(event.clone(), key).await?;
            let Submitted::Unanswered { error, .. } = &submitted else {
                return Ok(submitted);
            };
            self.connection = None;
            if key.is_none() {
                return Ok(submitted);
            }
            *last_error = Some(error.clone());
            sleep(PAUSE).await;
        }
    }
}
