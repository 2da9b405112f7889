//! The statements of a report that were changed or removed, for its reader: what the model wrote, why that did not hold, and what the
//! report says now. Used by both the Markdown and the HTML report.

use precis_language::labels::{Label, LabelLanguage};
use precis_proto::claim::{Claim, Done};
use precis_proto::response::ReportData;

/// Most statements shown; the rest are counted.
pub(super) const MOST_SHOWN: usize = 50;

/// A statement that was changed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ChangedStatement {
    /// The model's wording.
    pub(super) wrote: String,
    /// Why it did not hold, in a sentence; may be empty.
    pub(super) why: String,
    /// The text in the report now.
    pub(super) now: String,
    /// Numbers of its citations.
    pub(super) cites: Vec<u32>,
}

impl ChangedStatement {
    fn chars(&self) -> usize {
        [&self.wrote, &self.why, &self.now].into_iter().map(|text| text.chars().count()).sum()
    }
}

/// The statements of `data` that were replaced or removed, and how many more there are than shown: no more than [`MOST_SHOWN`], and
/// together no longer than the report, but always one.
pub(super) fn changed_statements(data: &ReportData, labels: LabelLanguage) -> (Vec<ChangedStatement>, usize) {
    let is_changed = |claim: &&Claim| matches!(claim.done, Done::Corrected | Done::Removed);
    let all = data.claims.iter().filter(is_changed).count();
    let (mut shown, mut chars): (Vec<ChangedStatement>, usize) = (Vec::new(), 0);
    for claim in data.claims.iter().filter(is_changed).take(MOST_SHOWN) {
        let one = one(claim, labels);
        chars += one.chars();
        if !shown.is_empty() && chars > data.report.chars().count() {
            break;
        }
        shown.push(one);
    }
    let more = all - shown.len();
    (shown, more)
}

fn one(claim: &Claim, labels: LabelLanguage) -> ChangedStatement {
    ChangedStatement {
        wrote: claim.text.clone(),
        why: claim.reason.clone().unwrap_or_default(),
        now: match claim.done {
            Done::Removed => labels.say(Label::TakenOut).to_owned(),
            Done::Corrected | Done::Kept | Done::Marked => claim.now.clone().unwrap_or_default(),
        },
        cites: claim.quotes.clone(),
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::claim::{JudgedBy, Verdict};

    use super::*;
    use crate::sample;

    fn claim(done: Done) -> Claim {
        Claim {
            text: "It fell by 5.".to_owned(),
            verdict: Verdict::NotSupported,
            quotes: vec![1],
            by_quote: Vec::new(),
            checks: Vec::new(),
            rests_on: None,
            judged_by: JudgedBy::Model,
            reason: Some("It says 7.".to_owned()),
            done,
            now: (done == Done::Corrected).then(|| "It fell by 7.".to_owned()),
            now_verdict: None,
        }
    }

    #[test]
    fn changes_are_reported_with_their_reason() {
        let (mut data, _) = sample::report();
        data.claims = vec![claim(Done::Kept), claim(Done::Corrected), claim(Done::Removed), claim(Done::Marked)];
        let (shown, more) = changed_statements(&data, LabelLanguage::English);
        let told: Vec<(&str, &str)> = shown.iter().map(|one| (one.why.as_str(), one.now.as_str())).collect();
        assert_eq!(told, [("It says 7.", "It fell by 7."), ("It says 7.", "removed")]);
        assert_eq!(more, 0);
    }

    #[test]
    fn the_shown_amount_is_limited_by_bound_and_report_length() {
        let (mut data, _) = sample::report();
        data.report = "x".repeat(10_000);
        for (count, want) in
            [(MOST_SHOWN - 1, (MOST_SHOWN - 1, 0)), (MOST_SHOWN, (MOST_SHOWN, 0)), (MOST_SHOWN + 1, (MOST_SHOWN, 1))]
        {
            data.claims = vec![claim(Done::Removed); count];
            let (shown, more) = changed_statements(&data, LabelLanguage::English);
            assert_eq!((shown.len(), more), want);
        }
        let each = changed_statements(&data, LabelLanguage::English).0[0].chars();
        for (chars, want) in [(0, 1), (2 * each - 1, 1), (2 * each, 2), (2 * each + 1, 2)] {
            data.report = "x".repeat(chars);
            assert_eq!(changed_statements(&data, LabelLanguage::English).0.len(), want, "{chars}");
        }
    }
}
