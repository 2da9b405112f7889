//! The records of a store that outlive the process, and the journal that holds them.

use precis_proto::SessionId;
use serde::{Deserialize, Serialize};

use crate::journal::Journal;
use crate::store::ceiling::Ceiling;
use crate::store::fence::Fence;

/// A record that outlives the process. Times are milliseconds of the store's clock, which is the wall clock here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum KeptRecord {
    /// The fence of a session; `None` if there is none any more.
    Fence(SessionId, Option<Fence>),
    /// A mark, with its owner and its end; `None` if it was released.
    Mark(String, Option<(String, u64)>),
    /// A ceiling, and how long it is remembered.
    Ceiling(String, Ceiling, u64),
}

/// Where the records of a store are on disk.
#[derive(Debug)]
pub(super) struct KeptRecords {
    pub(super) journal: Journal,
}

impl KeptRecord {
    pub(super) fn encode(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("plain data with keys that are texts")
    }
}

impl KeptRecords {
    /// Ends the journal as the end of the process would.
    pub(super) fn close(&self) {
        self.journal.close();
    }
}
