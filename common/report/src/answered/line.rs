//! Whether a question is answered, as a reader is told.

use std::collections::BTreeSet;

use precis_evidence::compared::says_yes;
use precis_evidence::typed::field_question::field;
use precis_evidence::typed::premise::{denies, is_about};
use precis_language::detect;
use precis_language::labels::{Label, LabelLanguage};
use precis_proto::answer::{Answer, AnswerStatus};
use precis_proto::fidelity::{ContentFidelity, FidelityLevel};
use precis_proto::quote_context::ContextRole;
use precis_proto::response::{Citation, ReportData};
use precis_proto::{Phase, SourceId};
use precis_text::sentences::sentences_with_ranges;

/// Most documents named that were read in part.
const MOST_NAMED: usize = 3;

/// What the line on the answer rests on, beside the answer.
#[derive(Debug)]
pub struct AnswerBasis<'a> {
    /// The question.
    pub query: &'a str,
    /// Number of quotes in the report.
    pub quotes: usize,
    /// Titles of the documents of which a limit left something out.
    pub read_in_part: Vec<&'a str>,
    /// Whether a quote says the opposite of what the question takes for granted.
    pub is_opposite: bool,
    /// Whether the quotes are in another language than the question.
    pub is_foreign: bool,
    /// Whether the first quote says yes to a question for yes or no; `None` if it says neither for certain.
    pub says_yes: Option<bool>,
}

impl<'a> AnswerBasis<'a> {
    /// That of a finished report.
    #[must_use]
    pub fn of(data: &'a ReportData) -> Self {
        let titled: Vec<_> = data.sources.iter().map(|row| (&row.source_id, row.title.as_str())).collect();
        Self::new(&data.query, &data.citations, &titled, &data.content_fidelity)
    }

    /// That of a report on `query` with these `citations`, of the sources `titled`.
    pub(crate) fn new(
        query: &'a str,
        citations: &[Citation],
        titled: &[(&'a SourceId, &'a str)],
        fidelity: &ContentFidelity,
    ) -> Self {
        Self {
            query,
            quotes: citations.len(),
            read_in_part: read_in_part(fidelity, titled.iter().copied()),
            is_opposite: says_opposite(query, citations, titled),
            is_foreign: is_foreign(query, citations),
            says_yes: quotes_say_yes(query, citations),
        }
    }

    /// That the question is answered, and with yes or no.
    fn label_of_answer(&self) -> Label {
        match self.says_yes {
            Some(true) => Label::AnsweredYes,
            Some(false) => Label::AnsweredNo,
            None => Label::Answered,
        }
    }

    /// Why the question has no answer.
    fn label_of_none(&self) -> Label {
        match (self.is_opposite, self.is_foreign) {
            (true, _) => Label::OppositeSaid,
            (false, true) => Label::OtherLanguage,
            (false, false) => Label::NotInDocuments,
        }
    }

    fn labels(&self) -> LabelLanguage {
        LabelLanguage::from_tag(detect(self.query).tag)
    }

    /// The line on documents that were read in part; `None` if all were read whole.
    pub(crate) fn in_part(&self, labels: LabelLanguage) -> Option<String> {
        let named: Vec<&str> = self.read_in_part.iter().take(MOST_NAMED).copied().collect();
        let more = self.read_in_part.len().saturating_sub(MOST_NAMED);
        let more = (more > 0).then(|| labels.fill(Label::More, &[&more.to_string()]));
        let names: Vec<String> = named.into_iter().map(str::to_owned).chain(more).collect();
        (!names.is_empty()).then(|| labels.fill(Label::ReadInPart, &[&names.join(", ")]))
    }
}

/// Whether a quoted header field of a document that the question names denies what the question takes for granted.
fn says_opposite(query: &str, citations: &[Citation], titled: &[(&SourceId, &str)]) -> bool {
    let is_named = |id: &SourceId| {
        let own = citations.iter().filter(|citation| citation.source_id == *id).map(|citation| citation.text.as_str());
        let title = titled.iter().filter(|(source, _)| *source == id).map(|(_, title)| *title);
        is_about(query, own.filter(|text| field(text).is_some()).chain(title))
    };
    citations.iter().any(|citation| denies(query, &citation.text) && is_named(&citation.source_id))
}

/// Whether the quotes are in another language than the question, where both are known.
fn is_foreign(query: &str, citations: &[Citation]) -> bool {
    let quoted: Vec<&str> = citations.iter().map(|citation| citation.text.as_str()).collect();
    let (asked, quoted) = (detect(query).known, detect(&quoted.join(" ")).known);
    asked.is_some() && quoted.is_some() && asked != quoted
}

/// Whether the first quote says yes or no to `query`, and no other quote says the contrary.
fn quotes_say_yes(query: &str, citations: &[Citation]) -> Option<bool> {
    let first = says_yes_in(query, citations.first()?)?;
    citations.iter().all(|other| says_yes_in(query, other).is_none_or(|other| other == first)).then_some(first)
}

/// Whether the sentences of a quote say yes or no to `query`; an item says what it says behind its lead-in.
fn says_yes_in(query: &str, citation: &Citation) -> Option<bool> {
    let lead_in = citation.context.iter().find(|range| range.role == ContextRole::LeadIn);
    let lead_in = lead_in.map_or("", |range| range.text.trim_end_matches([':', '：']));
    let said = sentences_with_ranges(&citation.text)
        .filter_map(|(_, sentence)| says_yes(query, format!("{lead_in} {sentence}").trim()));
    let said: BTreeSet<bool> = said.collect();
    said.first().copied().filter(|_| said.len() == 1)
}

/// The titles of those of the sources `titled` of which the limits of reading left something out.
fn read_in_part<'a>(fidelity: &ContentFidelity, titled: impl Iterator<Item = (&'a SourceId, &'a str)>) -> Vec<&'a str> {
    let is_cut = |id: &SourceId| {
        let record = fidelity.0.get(id).and_then(|item| item.phases.get(&Phase::Extraction));
        record.is_some_and(|record| record.level == FidelityLevel::Truncated)
    };
    titled.filter(|(id, _)| is_cut(id)).map(|(_, title)| title).collect()
}

/// Whether the question is answered, and which parts of it are not.
#[derive(Debug)]
pub(crate) struct AnswerNotice {
    /// CSS class: `answered`, `partly` or `not_in_documents`.
    pub(crate) class: &'static str,
    pub(crate) text: &'static str,
    /// One line for each part without an answer.
    pub(crate) missing: Vec<String>,
}

pub(crate) fn notice(answer: &Answer, basis: &AnswerBasis<'_>, labels: LabelLanguage) -> AnswerNotice {
    let (class, label) = match answer.status {
        AnswerStatus::Answered => ("answered", basis.label_of_answer()),
        AnswerStatus::Partly => ("partly", Label::Partly),
        AnswerStatus::NotInDocuments => ("not_in_documents", basis.label_of_none()),
    };
    let open = answer.parts.iter().filter(|part| !part.is_answered && answer.status == AnswerStatus::Partly);
    let mut missing: Vec<String> = open.map(|part| labels.fill(Label::NothingOn, &[&part.text])).collect();
    if answer.status != AnswerStatus::Answered {
        missing.extend(basis.in_part(labels));
    }
    if answer.status == AnswerStatus::NotInDocuments && basis.quotes > 0 {
        missing.push(labels.say(Label::Closest).to_owned());
    }
    AnswerNotice { class, text: labels.say(label), missing }
}

/// Whether the question is answered, as one line in its language; every form of the report shows it first.
#[must_use]
pub fn answer_line(answer: &Answer, basis: &AnswerBasis<'_>) -> String {
    let notice = notice(answer, basis, basis.labels());
    std::iter::once(notice.text.to_owned()).chain(notice.missing).collect::<Vec<_>>().join(". ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_read_is_said_where_the_answer_is_missing() {
        let line = |status, titles: &[&'static str]| {
            let answer = Answer { status, line: String::new(), parts: Vec::new() };
            let basis = AnswerBasis {
                query: "What is the fee?",
                quotes: 0,
                read_in_part: titles.to_vec(),
                is_opposite: false,
                is_foreign: false,
                says_yes: None,
            };
            answer_line(&answer, &basis)
        };
        for (status, titles, want) in [
            (AnswerStatus::Answered, &["A"][..], "Answered"),
            (AnswerStatus::NotInDocuments, &[], "The documents do not say"),
            (AnswerStatus::NotInDocuments, &["A"], "The documents do not say. Only a part was read of: A"),
            (AnswerStatus::Partly, &["A", "B", "C"], "Partly answered. Only a part was read of: A, B, C"),
            (
                AnswerStatus::Partly,
                &["A", "B", "C", "D"],
                "Partly answered. Only a part was read of: A, B, C, and 1 more",
            ),
        ] {
            assert_eq!(line(status, titles), want);
        }
    }

    #[test]
    fn the_reason_for_no_answer_is_in_the_question_language() {
        let line = |query, is_opposite, is_foreign| {
            let answer = Answer { status: AnswerStatus::NotInDocuments, line: String::new(), parts: Vec::new() };
            let basis =
                AnswerBasis { query, quotes: 0, read_in_part: Vec::new(), is_opposite, is_foreign, says_yes: None };
            answer_line(&answer, &basis)
        };
        for (query, is_opposite, is_foreign, want) in [
            ("When was EIP-20 withdrawn?", true, false, "The documents say the opposite of what is asked"),
            (
                "Wann wurde EIP-20 zurückgezogen?",
                true,
                true,
                "Die Dokumente sagen das Gegenteil dessen, was gefragt wird",
            ),
            ("Why?", false, false, "The documents do not say"),
        ] {
            assert_eq!(line(query, is_opposite, is_foreign), want, "{query}");
        }
        assert!(line("How high is the fee?", false, true).starts_with("The documents are in another language"));
    }

    #[test]
    fn a_question_for_yes_or_no_is_answered_with_it_where_the_first_quote_says_so() {
        let quote = |text: &str, lead_in: &str| -> Citation {
            let range = serde_json::json!({ "role": "lead_in", "locator": "char:0-9", "text": lead_in });
            serde_json::from_value(serde_json::json!({
                "n": 1, "source_id": "a", "title": "a", "locator": "char:10-19", "text": text, "source_text_hash": "sha256:00",
                "context": if lead_in.is_empty() { Vec::new() } else { vec![range] },
            }))
            .expect("a citation")
        };
        let query = "May I smoke in the rooms?";
        for (quotes, want) in [
            (vec![quote("You may smoke in the rooms.", "")], "Answered: yes"),
            (vec![quote("Breakfast is at eight. Do not smoke in the rooms.", "")], "Answered: no"),
            (vec![quote("smoke in the rooms", "You may not:")], "Answered: no"),
            (vec![quote("Smoke in the rooms", "")], "Answered"),
            (vec![quote("Ask at the desk.", ""), quote("You may smoke in the rooms.", "")], "Answered"),
            (vec![quote("You may smoke in the rooms.", ""), quote("Do not smoke in the rooms.", "")], "Answered"),
        ] {
            let answer = Answer { status: AnswerStatus::Answered, line: String::new(), parts: Vec::new() };
            let basis = AnswerBasis::new(query, &quotes, &[], &ContentFidelity::default());
            assert_eq!(answer_line(&answer, &basis), want, "{quotes:?}");
        }
    }
}
