//! Selects the raw notes of researchers that a session keeps: the latest, within bounds.

use precis_proto::research::RoundLog;
use precis_proto::source::ContentRef;

/// Most notes kept in a session.
pub const MAX_NOTES: usize = 50;
/// Most characters of all kept notes together.
pub const MAX_SESSION_NOTES_CHARS: u64 = 500_000;

/// The notes of one directive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawNote {
    /// Reference to their text.
    pub notes: ContentRef,
    /// Their length in characters.
    pub chars: u32,
}

impl RawNote {
    /// The notes of a round, in the order of its directives.
    pub fn of_round(log: &RoundLog) -> impl Iterator<Item = Self> + '_ {
        log.gathered.iter().filter_map(|one| Some(Self { notes: one.raw_notes.clone()?, chars: one.raw_notes_chars }))
    }
}

/// The notes of `all` (oldest first) that are kept: the oldest are dropped until at most [`MAX_NOTES`] with at most
/// [`MAX_SESSION_NOTES_CHARS`] characters are left.
#[must_use]
pub fn kept_notes(all: &[RawNote]) -> Vec<ContentRef> {
    let mut chars = 0;
    let fits = |note: &&RawNote| {
        chars += u64::from(note.chars);
        chars <= MAX_SESSION_NOTES_CHARS
    };
    let mut kept: Vec<ContentRef> =
        all.iter().rev().take(MAX_NOTES).take_while(fits).map(|note| note.notes.clone()).collect();
    kept.reverse();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes(lengths: impl IntoIterator<Item = u32>) -> Vec<RawNote> {
        let note =
            |(n, chars): (usize, u32)| RawNote { notes: ContentRef::from_bytes(format!("{n}").as_bytes()), chars };
        lengths.into_iter().enumerate().map(note).collect()
    }

    #[test]
    fn the_oldest_notes_are_dropped_over_count_or_length() {
        for (count, kept) in [(0, 0), (49, 49), (50, 50), (51, 50), (200, 50)] {
            let all = notes(vec![10; count]);
            let found = kept_notes(&all);
            assert_eq!(found.len(), kept, "{count}");
            let latest: Vec<ContentRef> = all[count - kept..].iter().map(|note| note.notes.clone()).collect();
            assert_eq!(found, latest, "{count}: the latest, oldest first");
        }
        for (first, kept) in [(49_999, 10), (50_000, 10), (50_001, 9)] {
            let all = notes([first].into_iter().chain([50_000; 9]));
            assert_eq!(kept_notes(&all).len(), kept, "{first}");
        }
    }
}
