//! Messages to all workers at once.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::SessionId;

/// What every worker should hear.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "control", rename_all = "snake_case")]
pub enum Control {
    /// End the session now; its result says `cancelled`.
    Cancel {
        /// Which.
        session_id: SessionId,
    },
    /// End the session early with what there is.
    Stop {
        /// Which.
        session_id: SessionId,
    },
}

impl Control {
    /// The session it concerns.
    #[must_use]
    pub fn session_id(&self) -> &SessionId {
        match self {
            Self::Cancel { session_id } | Self::Stop { session_id } => session_id,
        }
    }
}
