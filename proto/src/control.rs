//! Messages to all workers at once.

use serde::{Deserialize, Serialize};

use crate::SessionId;

/// A control message, sent to every worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "control", rename_all = "snake_case")]
pub enum Control {
    /// Ends the session now, without a report; the status of the result is `cancelled`.
    Cancel {
        /// The session to end.
        session_id: SessionId,
    },
    /// Ends the session early, with a report on what is there by then.
    Stop {
        /// The session to end.
        session_id: SessionId,
    },
}

impl Control {
    /// Returns the session to end.
    #[must_use]
    pub fn session_id(&self) -> &SessionId {
        match self {
            Self::Cancel { session_id } | Self::Stop { session_id } => session_id,
        }
    }
}
