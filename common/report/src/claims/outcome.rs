//! What becomes of a statement, by a table.

use precis_proto::claim::{Check, CheckKind, Verdict};
use precis_proto::finding::Quote;

use crate::draft::StatementMark;

/// What replaces a statement that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// These words, with these citations.
    Replaced {
        /// The new text, without citations.
        text: String,
        /// What it cites, by number of the citable piece.
        ids: Vec<u32>,
        /// The verdict on it.
        verdict: Verdict,
        /// The place it rests on.
        rests_on: Option<Box<Quote>>,
    },
    /// Nothing.
    Removed,
}

/// The remark on a statement that stays as written; `None` if it needs none.
pub(super) fn remark_on(verdict: Verdict, has_doubts: bool) -> Option<StatementMark> {
    match verdict {
        Verdict::Verbatim | Verdict::Supported | Verdict::NoClaim => None,
        Verdict::Partly => Some(StatementMark::Partly),
        Verdict::Disputed => Some(StatementMark::Disputed),
        Verdict::NotSupported => Some(StatementMark::NoQuote),
        Verdict::NotJudged if has_doubts => Some(StatementMark::Doubted),
        Verdict::NotJudged => Some(StatementMark::NotJudged),
    }
}

/// The words of failed checks that a reader should look at: a figure, a name, a negation. Shares of words are none.
pub(crate) fn doubts(checks: &[Check]) -> Vec<String> {
    let failed = checks.iter().filter(|check| !check.holds);
    let mut found: Vec<String> = Vec::new();
    for check in failed {
        let words = if check.said.is_empty() { check.found.as_deref().unwrap_or_default() } else { &check.said };
        let is_share = check.kind == CheckKind::Subject && words.ends_with(" %");
        if !is_share && !words.is_empty() && !found.iter().any(|known| known == words) {
            found.push(words.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_proved_or_judged_statements_carry_no_remark() {
        use Verdict::{Disputed, NoClaim, NotJudged, NotSupported, Partly, Supported, Verbatim};
        for (verdict, doubted, want) in [
            (Verbatim, true, None),
            (Supported, true, None),
            (NoClaim, true, None),
            (Partly, false, Some(StatementMark::Partly)),
            (Disputed, false, Some(StatementMark::Disputed)),
            (NotSupported, false, Some(StatementMark::NoQuote)),
            (NotJudged, false, Some(StatementMark::NotJudged)),
            (NotJudged, true, Some(StatementMark::Doubted)),
        ] {
            assert_eq!(remark_on(verdict, doubted), want, "{verdict:?}");
        }
    }

    #[test]
    fn a_doubt_is_a_word_and_never_a_share() {
        let check = |kind, said: &str, found: Option<&str>, holds| Check {
            kind,
            said: said.to_owned(),
            found: found.map(str::to_owned),
            holds,
        };
        let checks = [
            check(CheckKind::Number, "5", Some("7"), false),
            check(CheckKind::Number, "5", None, false),
            check(CheckKind::Name, "Brem", None, true),
            check(CheckKind::Negation, "", Some("never"), false),
            check(CheckKind::Subject, "32 %", Some("It fell."), false),
            check(CheckKind::Subject, "all", None, false),
        ];
        assert_eq!(doubts(&checks), ["5", "never", "all"]);
    }
}
