//! The signals that end a lease from outside.

use tokio_util::sync::CancellationToken;

/// The tokens a lease waits on. Each fires once and stays fired.
#[derive(Debug, Clone, Default)]
pub struct Signals {
    /// The session was cancelled.
    pub cancelled: CancellationToken,
    /// The worker is draining, or the lease has reached its length.
    pub hand_over: CancellationToken,
    /// The deadline has passed or an early end was requested: the session ends with the results it has.
    pub stopped: CancellationToken,
}
