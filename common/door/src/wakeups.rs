//! Tells those who wait that something happened to their session. Nothing depends on it: who waits looks again after a while.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use precis_proto::SessionId;
use tokio::sync::watch;
use tokio::time::Instant;

/// Those who wait in this process.
#[derive(Debug, Clone, Default)]
pub struct Wakeups(Arc<Mutex<HashMap<SessionId, Waiting>>>);

/// Those who wait for one session.
#[derive(Debug)]
struct Waiting {
    sender: watch::Sender<()>,
    /// When one of them last took the turn to look for all.
    turn: Instant,
}

impl Default for Waiting {
    fn default() -> Self {
        Self { sender: watch::Sender::default(), turn: Instant::now() }
    }
}

/// Waits for one session. Forgotten when dropped.
#[derive(Debug)]
pub struct Wakeup {
    all: Wakeups,
    session: SessionId,
    /// `None` only while it is dropped.
    receiver: Option<watch::Receiver<()>>,
}

impl Wakeups {
    /// Waits for `session` from now on.
    #[must_use]
    pub fn wait_for(&self, session: &SessionId) -> Wakeup {
        let receiver = self.lock().entry(session.clone()).or_default().sender.subscribe();
        Wakeup { all: self.clone(), session: session.clone(), receiver: Some(receiver) }
    }

    /// Wakes those who wait for `session`.
    pub fn wake(&self, session: &SessionId) {
        if let Some(waiting) = self.lock().get(session) {
            waiting.sender.send_replace(());
        }
    }

    /// Wakes everybody: something may have been missed.
    pub fn wake_all(&self) {
        for waiting in self.lock().values() {
            waiting.sender.send_replace(());
        }
    }

    /// How many sessions are waited for.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Whether nobody waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wakeup {
    /// Waits until something happened since the last call, or since this was made. Cancel-safe.
    pub async fn wait(&mut self) {
        if let Some(receiver) = &mut self.receiver
            && receiver.changed().await.is_ok()
        {
            return;
        }
        std::future::pending().await
    }

    /// Whether it is this one's turn to look without having been woken: none of those who wait for the session has taken it within `every`.
    /// Whoever takes it wakes the others if there is something to see.
    #[must_use]
    pub fn take_turn(&self, every: Duration) -> bool {
        let mut all = self.all.lock();
        let Some(waiting) = all.get_mut(&self.session).filter(|waiting| waiting.turn.elapsed() >= every) else {
            return false;
        };
        waiting.turn = Instant::now();
        true
    }
}

impl Drop for Wakeup {
    fn drop(&mut self) {
        let mut waiting = self.all.lock();
        // Before it is counted, and under the lock: nobody may begin to wait in between.
        self.receiver = None;
        if waiting.get(&self.session).is_some_and(|waiting| waiting.sender.receiver_count() == 0) {
            waiting.remove(&self.session);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn who_waits_for_a_session_is_woken_and_is_forgotten_afterwards() {
        let (all, session) = (Wakeups::default(), SessionId::new("s").expect("an id"));
        let (mut a, mut b) = (all.wait_for(&session), all.wait_for(&session));
        let mut other = all.wait_for(&SessionId::new("other").expect("an id"));
        all.wake(&session);
        a.wait().await;
        b.wait().await;
        let second = Duration::from_secs(1);
        assert!(timeout(second, a.wait()).await.is_err(), "once");
        assert!(timeout(second, other.wait()).await.is_err(), "not for another session");
        all.wake_all();
        a.wait().await;
        other.wait().await;
        drop(a);
        assert_eq!(all.len(), 2);
        drop((b, other));
        assert!(all.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn one_of_those_who_wait_takes_each_turn() {
        let (all, session) = (Wakeups::default(), SessionId::new("s").expect("an id"));
        let other = all.wait_for(&SessionId::new("other").expect("an id"));
        let (a, b) = (all.wait_for(&session), all.wait_for(&session));
        let every = Duration::from_secs(2);
        for (ms, is_due) in [(0, false), (1_999, false), (1, true), (1_999, false), (1, true), (2_001, true)] {
            tokio::time::advance(Duration::from_millis(ms)).await;
            assert_eq!((a.take_turn(every), b.take_turn(every)), (is_due, false), "{ms}");
        }
        assert!(other.take_turn(every), "another session has a turn of its own");
    }
}
