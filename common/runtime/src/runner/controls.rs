//! The cancellations and stops that this worker has heard, and the leases that should hear of them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use precis_proto::SessionId;
use precis_proto::control::Control;
use tokio::time::Instant;

use super::signals::Signals;

/// How long a cancellation is remembered.
pub const REMEMBERED: Duration = Duration::from_secs(24 * 3_600);

/// So few contexts are not worth clearing.
const CLEAR_FROM: usize = 32;

/// What this worker has heard, and which of its leases should hear of it.
#[derive(Debug, Default)]
pub struct Controls(Mutex<ControlState>);

#[derive(Debug, Default)]
struct ControlState {
    /// Heard over the broker; forgotten after [`REMEMBERED`].
    heard: BTreeMap<SessionId, (Control, Instant)>,
    /// Contexts under way, and dead ones not yet cleared away.
    contexts: Vec<(SessionId, Weak<Signals>)>,
    /// Dead contexts are cleared away when there are so many: twice those that were alive the last time, so that it costs each
    /// context the same however many there are.
    clear_at: usize,
}

impl Controls {
    /// Attaches the signals of a context to what concerns its session, also to what was heard before.
    pub(super) fn attach(&self, session: &SessionId, signals: &Arc<Signals>) {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((control, _)) = inner.heard.get(session) {
            apply(control, signals);
        }
        if inner.contexts.len() >= inner.clear_at {
            inner.contexts.retain(|(_, signals)| signals.strong_count() > 0);
            inner.clear_at = (inner.contexts.len() * 2).max(CLEAR_FROM);
        }
        inner.contexts.push((session.clone(), Arc::downgrade(signals)));
    }

    pub(super) fn hear(&self, control: Control) {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        inner.heard.retain(|_, (_, at)| now.duration_since(*at) < REMEMBERED);
        for (_, signals) in inner.contexts.iter().filter(|(session, _)| session == control.session_id()) {
            if let Some(signals) = signals.upgrade() {
                apply(&control, &signals);
            }
        }
        inner.heard.insert(control.session_id().clone(), (control, now));
    }
}

fn apply(control: &Control, signals: &Signals) {
    match control {
        Control::Cancel { .. } => signals.cancelled.cancel(),
        Control::Stop { .. } => signals.stopped.cancel(),
    }
}
