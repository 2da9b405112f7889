//! Remarks on statements of a report.

use precis_language::detect;
use precis_language::labels::{Label, LabelLanguage};

/// Sign behind a statement that nobody judged; a line above the report explains it.
pub(crate) const NOT_JUDGED_SIGN: &str = "†";
/// Most doubts named in a remark.
const MOST_DOUBTS: usize = 3;

/// A remark on a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StatementMark {
    /// Its quotes support it only in part.
    Partly,
    /// Another source gives a different value.
    Disputed,
    /// No quote supports it.
    NoQuote,
    /// Nobody judged it.
    NotJudged,
    /// Nobody judged it, and its quotes lack some of its words.
    Doubted,
}

/// The words of a remark, in the language of `query`; `doubts` are the words that the quotes lack.
pub(crate) fn remark(query: &str, remark: StatementMark, doubts: &[String]) -> String {
    let labels = || LabelLanguage::from_tag(detect(query).tag);
    match remark {
        StatementMark::Partly => labels().say(Label::PartlySupported).to_owned(),
        StatementMark::Disputed => labels().say(Label::DisputedBy).to_owned(),
        StatementMark::NoQuote => labels().say(Label::NoQuote).to_owned(),
        StatementMark::NotJudged => NOT_JUDGED_SIGN.to_owned(),
        StatementMark::Doubted => {
            let words: Vec<&str> = doubts.iter().take(MOST_DOUBTS).map(String::as_str).collect();
            format!("{NOT_JUDGED_SIGN} {}", labels().fill(Label::NotInQuotes, &[&words.join(", ")]))
        }
    }
}
