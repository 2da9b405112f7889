//! The cancellations and stops this worker has received, and the leases they apply to.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use precis_proto::SessionId;
use precis_proto::control::Control;
use tokio::time::Instant;

use super::signals::Signals;

/// How long a cancellation or stop is kept.
pub const REMEMBERED: Duration = Duration::from_secs(24 * 3_600);

/// Fewest contexts worth clearing.
const CLEAR_FROM: usize = 32;

/// The controls this worker has received, and the leases they may apply to.
#[derive(Debug, Default)]
pub struct Controls(Mutex<ControlState>);

#[derive(Debug, Default)]
struct ControlState {
    /// Received over the broker; dropped after [`REMEMBERED`].
    received: BTreeMap<SessionId, (Control, Instant)>,
    /// Contexts in progress, and ended ones not yet cleared.
    contexts: Vec<(SessionId, Weak<Signals>)>,
    /// Number of contexts at which ended ones are cleared: twice those alive the last time, which keeps the cost per context constant.
    clear_at: usize,
}

impl Controls {
    /// Registers the signals of a context, and applies a control received for its session before. Both happen under one lock, so that
    /// no control falls in between.
    pub(super) fn attach(&self, session: &SessionId, signals: &Arc<Signals>) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((control, _)) = state.received.get(session) {
            apply(control, signals);
        }
        if state.contexts.len() >= state.clear_at {
            state.contexts.retain(|(_, signals)| signals.strong_count() > 0);
            state.clear_at = (state.contexts.len() * 2).max(CLEAR_FROM);
        }
        state.contexts.push((session.clone(), Arc::downgrade(signals)));
    }

    pub(super) fn receive(&self, control: Control) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        state.received.retain(|_, (_, at)| now.duration_since(*at) < REMEMBERED);
        for (_, signals) in state.contexts.iter().filter(|(session, _)| session == control.session_id()) {
            if let Some(signals) = signals.upgrade() {
                apply(&control, &signals);
            }
        }
        let is_cancelled = matches!(state.received.get(control.session_id()), Some((Control::Cancel { .. }, _)));
        // A stop that comes after a cancellation must not replace it: a lease that begins later would go on to a report.
        if !(is_cancelled && matches!(control, Control::Stop { .. })) {
            state.received.insert(control.session_id().clone(), (control, now));
        }
    }
}

fn apply(control: &Control, signals: &Signals) {
    match control {
        Control::Cancel { .. } => signals.cancelled.cancel(),
        Control::Stop { .. } => signals.stopped.cancel(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_never_replaces_a_cancellation_and_a_cancellation_replaces_a_stop() {
        let session = SessionId::new("s").expect("an id");
        let cancel = || Control::Cancel { session_id: session.clone() };
        let stop = || Control::Stop { session_id: session.clone() };
        for received in [[cancel(), stop()], [stop(), cancel()]] {
            let controls = Controls::default();
            received.into_iter().for_each(|control| controls.receive(control));
            let later = Arc::new(Signals::default());
            controls.attach(&session, &later);
            assert!(later.cancelled.is_cancelled());
        }
    }
}
