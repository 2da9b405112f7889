//! Remarks on the statements of a report.

use precis_language::detect;
use precis_language::labels::{Label, LabelLanguage};

/// A remark on a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StatementMark {
    /// Its quotes support it only in part.
    Partly,
    /// Another source gives a different value.
    Disputed,
    /// It cites nothing, and no quote supports it.
    NoQuote,
}

/// The words of a remark, in the language of `query`.
pub(crate) fn remark(query: &str, remark: StatementMark) -> &'static str {
    let label = match remark {
        StatementMark::Partly => Label::PartlySupported,
        StatementMark::Disputed => Label::DisputedBy,
        StatementMark::NoQuote => Label::NoQuote,
    };
    LabelLanguage::from_tag(detect(query).tag).say(label)
}
