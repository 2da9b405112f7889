//! The result of a call in a turn, and the messages made of it.

use precis_proto::task::TurnRole;

use super::course::TurnLine;

/// The result of a call, or the action it waits for.
#[derive(Debug)]
pub(super) enum CallResult {
    Said(TurnLine),
    /// Under way; `place` is the index of its record.
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
    pub(super) fn message(role: TurnRole, text: String) -> Self {
        Self::Said(TurnLine { role, text, short: None, sources: Vec::new() })
    }

    pub(super) fn is_open(&self) -> bool {
        !matches!(self, Self::Said(_))
    }

    /// Key of the action it waits for.
    pub(super) fn key(&self) -> Option<u32> {
        match self {
            Self::Said(_) => None,
            Self::Search { key, .. } | Self::Read { key, .. } => Some(*key),
        }
    }
}

/// The messages of a turn. Consecutive results become one message, because a call and its results are kept or dropped together.
pub(super) fn join_messages(parts: Vec<CallResult>) -> Vec<TurnLine> {
    let mut all: Vec<TurnLine> = Vec::new();
    for part in parts {
        let CallResult::Said(line) = part else { continue };
        match all.last_mut() {
            Some(before) if before.role == TurnRole::Result && line.role == TurnRole::Result => {
                let whole = before.short.is_some() || line.short.is_some();
                let short = |line: &TurnLine| line.short.clone().unwrap_or_else(|| line.text.clone());
                before.short = whole.then(|| [short(before), short(&line)].join("\n"));
                before.text = [before.text.as_str(), &line.text].join("\n\n");
                before.sources.extend(line.sources);
            }
            _ => all.push(line),
        }
    }
    all
}
