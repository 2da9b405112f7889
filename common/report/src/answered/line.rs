//! Whether a question is answered, as a reader is told.

use precis_language::detect;
use precis_language::labels::{Label, LabelLanguage};
use precis_proto::answer::{Answer, AnswerStatus};

/// Whether the question is answered, and which parts of it are not.
#[derive(Debug)]
pub(crate) struct AnswerNotice {
    /// CSS class: `answered`, `partly` or `not_in_documents`.
    pub(crate) class: &'static str,
    pub(crate) text: &'static str,
    /// One line for each part without an answer.
    pub(crate) missing: Vec<String>,
}

pub(crate) fn notice(answer: &Answer, quotes: usize, labels: LabelLanguage) -> AnswerNotice {
    let (class, label) = match answer.status {
        AnswerStatus::Answered => ("answered", Label::Answered),
        AnswerStatus::Partly => ("partly", Label::Partly),
        AnswerStatus::NotInDocuments => ("not_in_documents", Label::NotInDocuments),
    };
    let open = answer.parts.iter().filter(|part| !part.is_answered && answer.status == AnswerStatus::Partly);
    let mut missing: Vec<String> = open.map(|part| labels.fill(Label::NothingOn, &[&part.text])).collect();
    if answer.status == AnswerStatus::NotInDocuments && quotes > 0 {
        missing.push(labels.say(Label::Closest).to_owned());
    }
    AnswerNotice { class, text: labels.say(label), missing }
}

/// Whether `query` is answered, as one line in its language; every form of the report shows it first.
#[must_use]
pub fn answer_line(query: &str, answer: &Answer, quotes: usize) -> String {
    let notice = notice(answer, quotes, LabelLanguage::from_tag(detect(query).tag));
    std::iter::once(notice.text.to_owned()).chain(notice.missing).collect::<Vec<_>>().join(". ")
}
