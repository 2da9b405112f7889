//! Parses the status of a thing from a field or a sentence in the present tense.

use std::ops::Range;

use precis_language::status::{StatusClass, goes_before_status, states_status, status};
use precis_language::words::{Unspaced, split};

/// Groups of statuses. A thing cannot have statuses of two groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// Not decided.
    Pending,
    /// Decided, and holds.
    Holds,
    /// No longer holds, or never did.
    Ended,
}

/// A status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Status {
    standing: Standing,
    /// Equal for synonyms.
    class: StatusClass,
    /// Whether it is from a field; two field statuses of different classes exclude each other.
    is_field: bool,
}

impl Status {
    /// The same status from a field.
    pub(super) fn in_field(self) -> Self {
        Self { is_field: true, ..self }
    }

    /// Whether a thing cannot have both.
    pub(super) fn differs(self, other: Self) -> bool {
        self.standing != other.standing || (self.is_field && other.is_field && self.class != other.class)
    }
}

/// The group of a status.
fn standing(class: StatusClass) -> Standing {
    match class {
        StatusClass::Draft | StatusClass::Proposed | StatusClass::Provisional | StatusClass::Deferred => {
            Standing::Pending
        }
        StatusClass::Accepted | StatusClass::Active | StatusClass::Final | StatusClass::InForce => Standing::Holds,
        StatusClass::Rejected | StatusClass::Withdrawn | StatusClass::Superseded | StatusClass::Repealed => {
            Standing::Ended
        }
        StatusClass::Expired | StatusClass::Terminated | StatusClass::Deprecated => Standing::Ended,
    }
}

/// The status that `value` begins with.
pub(super) fn leading_status(value: &str) -> Option<(Status, Range<usize>)> {
    read(value, &words(value), 0)
}

/// The current status that `sentence` states for its subject.
pub(super) fn predicate_status(sentence: &str) -> Option<(Status, Range<usize>)> {
    let words = words(sentence);
    let is = |at: usize, kind: fn(&str) -> bool| words.get(at).is_some_and(|word| kind(&word.1));
    // The subject may also be the word itself: `The status of PEP 8 is Draft`.
    let verb = (1..words.len()).find(|at| is(*at, states_status))?;
    let mut at = verb + 1;
    while is(at, goes_before_status) {
        at += 1;
    }
    read(sentence, &words, at)
}

fn read(text: &str, words: &[(Range<usize>, String)], at: usize) -> Option<(Status, Range<usize>)> {
    let first = words.get(at)?;
    let pair = words.get(at + 1).map(|next| (first.0.start..next.0.end, format!("{} {}", first.1, next.1)));
    // The pair first: its first word may be the name of a status by itself.
    [pair, Some(first.clone())].into_iter().flatten().find_map(|(range, said)| {
        let class = status(&said)?;
        // `open-ended` and `final-year` are other words.
        let is_compound = text[range.end..].starts_with(['-', '\'', '’']);
        (!is_compound).then_some((Status { standing: standing(class), class, is_field: false }, range))
    })
}

/// Whether `word`, in lower case, and a field's `value` are statuses that a thing cannot have both.
#[must_use]
pub fn statuses_differ(word: &str, value: &str) -> bool {
    let own = status(word).map(|class| Status { standing: standing(class), class, is_field: true });
    let held = leading_status(value).map(|(status, _)| status.in_field());
    own.zip(held).is_some_and(|(own, held)| own.differs(held))
}

fn words(text: &str) -> Vec<(Range<usize>, String)> {
    split(text, Unspaced::Joined, &[]).into_iter().map(|word| (word.range.clone(), word.lower())).collect()
}
