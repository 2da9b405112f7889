//! What a call of a turn brings, and what of it is said.

use precis_proto::task::TurnRole;

use super::course::TurnLine;

/// What a call of a turn has brought.
#[derive(Debug)]
pub(super) enum CallResult {
    Said(TurnLine),
    /// Under way; `place` is that of its record.
    Search {
        key: u32,
        place: usize,
    },
    Read {
        key: u32,
        place: usize,
    },
}

impl CallResult {
    pub(super) fn said(role: TurnRole, text: String) -> Self {
        Self::Said((role, text, None))
    }

    pub(super) fn is_open(&self) -> bool {
        !matches!(self, Self::Said(_))
    }

    /// Of the action it waits for.
    pub(super) fn key(&self) -> Option<u32> {
        match self {
            Self::Said(_) => None,
            Self::Search { key, .. } | Self::Read { key, .. } => Some(*key),
        }
    }
}

/// What was said in a turn, with the results of one call in one message: a call and its results are kept or dropped together.
pub(super) fn joined(parts: Vec<CallResult>) -> Vec<TurnLine> {
    let mut all: Vec<TurnLine> = Vec::new();
    for part in parts {
        let CallResult::Said((role, text, short)) = part else { continue };
        match all.last_mut() {
            Some((TurnRole::Result, before, short_before)) if role == TurnRole::Result => {
                let whole = short_before.is_some() || short.is_some();
                let joined = [short_before.as_deref().unwrap_or(before), short.as_deref().unwrap_or(&text)].join("\n");
                *short_before = whole.then_some(joined);
                *before = [before.as_str(), &text].join("\n\n");
            }
            _ => all.push((role, text, short)),
        }
    }
    all
}
