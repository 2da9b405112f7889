//! The statements of a report that failed their checks, for its reader: what the model wrote, why it failed, and what the report
//! says now. Used by both the Markdown and the HTML report.

use precis_language::labels::{Label, LabelLanguage};
use precis_proto::claim::{CheckKind, Claim, Done};
use precis_proto::response::ReportData;

/// Most statements shown; the rest are counted.
pub(super) const MOST_SHOWN: usize = 50;

/// A statement that was changed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ChangedStatement {
    /// The model's wording.
    pub(super) wrote: String,
    /// The failed checks: kind, the value stated, the value in the quote.
    pub(super) why: Vec<String>,
    /// The text in the report now.
    pub(super) now: String,
    /// Numbers of its citations.
    pub(super) cites: Vec<u32>,
}

/// The statements of `data` that were not kept as written, and how many more there are than shown.
pub(super) fn failed(data: &ReportData, labels: LabelLanguage) -> (Vec<ChangedStatement>, usize) {
    let changed = || data.claims.iter().filter(|claim| claim.done != Done::Kept);
    let shown = changed().take(MOST_SHOWN).map(|claim| one(claim, labels)).collect();
    (shown, changed().count().saturating_sub(MOST_SHOWN))
}

fn one(claim: &Claim, labels: LabelLanguage) -> ChangedStatement {
    let failing = claim.checks.iter().filter(|check| !check.holds);
    let why = failing.map(|check| {
        let stated = if check.said.is_empty() { "–" } else { &check.said };
        match (&check.found, check.kind) {
            // A statement about another subject has no value to compare: show the sentence that came nearest to it.
            (Some(found), CheckKind::Subject) => format!("{}: {stated}; “{found}”", check.kind.as_str()),
            (Some(found), _) => format!("{}: {stated} ≠ {found}", check.kind.as_str()),
            (None, _) => format!("{}: {stated}", check.kind.as_str()),
        }
    });
    ChangedStatement {
        wrote: claim.text.clone(),
        // The model's reason comes last: the checks before it are comparisons, this is an opinion.
        why: why.chain(claim.reason.iter().map(|reason| format!("model: {reason}"))).collect(),
        now: match claim.done {
            Done::Removed => labels.say(Label::TakenOut).to_owned(),
            Done::Corrected => claim.now.clone().unwrap_or_default(),
            Done::Kept | Done::Marked => claim.verdict.as_str().replace('_', " "),
        },
        cites: claim.quotes.clone(),
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::claim::{Check, JudgedBy, Verdict};

    use super::*;
    use crate::sample;

    fn claim(done: Done) -> Claim {
        let check = |kind, holds| Check { kind, said: "5".to_owned(), found: Some("7".to_owned()), holds };
        Claim {
            text: "It fell by 5.".to_owned(),
            verdict: Verdict::NotSupported,
            quotes: vec![1],
            by_quote: Vec::new(),
            checks: vec![check(CheckKind::Number, false), check(CheckKind::Unit, true)],
            rests_on: None,
            judged_by: JudgedBy::Checks,
            reason: None,
            done,
            now: (done == Done::Corrected).then(|| "It fell by 7.".to_owned()),
        }
    }

    #[test]
    fn what_fails_is_told_with_what_its_quote_has() {
        let (mut data, _) = sample::report();
        data.claims = vec![claim(Done::Kept), claim(Done::Corrected), claim(Done::Removed), claim(Done::Marked)];
        let (shown, more) = failed(&data, LabelLanguage::English);
        let told: Vec<(&[String], &str)> = shown.iter().map(|one| (&one.why[..], one.now.as_str())).collect();
        let why = ["number: 5 ≠ 7".to_owned()];
        assert_eq!(told, [(&why[..], "It fell by 7."), (&why[..], "removed"), (&why[..], "not supported")]);
        assert_eq!(more, 0);
        let (judged_by, reason) = (JudgedBy::Model, Some("it says so".to_owned()));
        data.claims = vec![Claim { judged_by, reason, checks: Vec::new(), ..claim(Done::Marked) }];
        assert_eq!(failed(&data, LabelLanguage::English).0[0].why, ["model: it says so"]);
    }

    #[test]
    fn no_more_than_the_limit_is_shown() {
        let (mut data, _) = sample::report();
        for (count, want) in
            [(MOST_SHOWN - 1, (MOST_SHOWN - 1, 0)), (MOST_SHOWN, (MOST_SHOWN, 0)), (MOST_SHOWN + 1, (MOST_SHOWN, 1))]
        {
            data.claims = vec![claim(Done::Removed); count];
            let (shown, more) = failed(&data, LabelLanguage::English);
            assert_eq!((shown.len(), more), want);
        }
    }
}
