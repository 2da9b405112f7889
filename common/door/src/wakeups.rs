//! Tells those who wait that something happened to their session. Nothing depends on it: who waits looks again after a while.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use precis_proto::SessionId;
use tokio::sync::watch;

/// Those who wait in this process.
#[derive(Debug, Clone, Default)]
pub struct Wakeups(Arc<Mutex<HashMap<SessionId, watch::Sender<()>>>>);

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
        let receiver = self.lock().entry(session.clone()).or_default().subscribe();
        Wakeup { all: self.clone(), session: session.clone(), receiver: Some(receiver) }
    }

    /// Wakes those who wait for `session`.
    pub fn wake(&self, session: &SessionId) {
        if let Some(sender) = self.lock().get(session) {
            sender.send_replace(());
        }
    }

    /// Wakes everybody: something may have been missed.
    pub fn wake_all(&self) {
        for sender in self.lock().values() {
            sender.send_replace(());
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

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, watch::Sender<()>>> {
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
}

impl Drop for Wakeup {
    fn drop(&mut self) {
        let mut waiting = self.all.lock();
        // Before it is counted, and under the lock: nobody may begin to wait in between.
        self.receiver = None;
        if waiting.get(&self.session).is_some_and(|sender| sender.receiver_count() == 0) {
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
}
