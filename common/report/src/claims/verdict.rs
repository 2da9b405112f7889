//! Derives a verdict from checks and the matched share, by a table.

use precis_proto::claim::Verdict;

/// Share of a statement's content, by weight, that its quotes must contain for it to be supported. Chosen, not fitted:
/// docs/claims.md has what the checks catch with it.
pub(super) const ENOUGH: f64 = 0.6;
/// Below this share a statement is about something else. Chosen, not fitted.
pub(super) const THIN: f64 = 0.35;

/// Result of the checks on a sentence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SentenceMeasure {
    /// It occurs verbatim in a quote.
    pub(super) is_verbatim: bool,
    /// A number, date, unit, name, negation or quotation does not hold.
    pub(super) is_refuted: bool,
    /// It claims more than its quote.
    pub(super) is_wider: bool,
    /// Share of its content that occurs in its quotes, 0 to 1.
    pub(super) share: f64,
}

/// The verdict on a sentence.
pub(super) fn verdict(weighed: &SentenceMeasure) -> Verdict {
    match *weighed {
        SentenceMeasure { is_verbatim: true, .. } => Verdict::Verbatim,
        SentenceMeasure { is_refuted: true, .. } => Verdict::NotSupported,
        SentenceMeasure { share, .. } if share < THIN => Verdict::NotSupported,
        SentenceMeasure { share, is_wider, .. } if share < ENOUGH || is_wider => Verdict::Partly,
        SentenceMeasure { .. } => Verdict::Supported,
    }
}

/// The worse of two verdicts; a statement of several sentences gets the worst one.
pub(super) fn worse(a: Verdict, b: Verdict) -> Verdict {
    let rank = |verdict| match verdict {
        Verdict::Verbatim => 0,
        Verdict::NoClaim => 1,
        Verdict::Supported => 2,
        Verdict::NotJudged => 3,
        Verdict::Disputed => 4,
        Verdict::Partly => 5,
        Verdict::NotSupported => 6,
    };
    if rank(a) >= rank(b) { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_decides_and_then_what_is_shared() {
        use Verdict::{NotSupported, Partly, Supported, Verbatim};
        let table = [
            // Verbatim, refuted, wider, share.
            (true, false, false, 1.0, Verbatim),
            (false, true, false, 1.0, NotSupported),
            (false, true, true, 0.0, NotSupported),
            (false, false, true, 1.0, Partly),
            (false, false, true, THIN - 0.01, NotSupported),
            (false, false, false, THIN - 0.01, NotSupported),
            (false, false, false, THIN, Partly),
            (false, false, false, ENOUGH - 0.01, Partly),
            (false, false, false, ENOUGH, Supported),
            (false, false, false, 1.0, Supported),
        ];
        for (is_verbatim, is_refuted, is_wider, share, want) in table {
            let weighed = SentenceMeasure { is_verbatim, is_refuted, is_wider, share };
            assert_eq!(verdict(&weighed), want, "{weighed:?}");
        }
    }

    #[test]
    fn of_two_verdicts_the_worse_counts() {
        for a in Verdict::ALL {
            assert_eq!(worse(a, Verdict::NotSupported), Verdict::NotSupported);
            assert_eq!(worse(a, Verdict::Verbatim), a);
            assert_eq!(worse(Verdict::Verbatim, a), a);
        }
    }
}
