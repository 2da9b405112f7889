//! What may end a lease from outside.

use tokio_util::sync::CancellationToken;

/// The tokens a lease listens to. Each fires once and stays fired.
#[derive(Debug, Clone, Default)]
pub struct Signals {
    /// Somebody cancelled the session.
    pub cancelled: CancellationToken,
    /// The worker drains, or the lease has lasted long enough.
    pub hand_over: CancellationToken,
    /// The deadline has passed or somebody asked for an early end: the session ends with what it has.
    pub stopped: CancellationToken,
}
