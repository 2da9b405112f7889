//! The numbers that the verdict on a question is made from: words shared with the best findings, and typed evidence in them.

use std::borrow::Cow;

use super::answering_fields::ANSWERING_FIELD_SCORE;
use precis_evidence::question::asked::Question;
use precis_evidence::question::query::asking_worth;
use precis_evidence::typed::field_question::{FieldQuestion, field};
use precis_evidence::typed::wanted::Wanted;
use precis_language::detect;
use precis_language::measure::is_measured;
use precis_proto::quote_context::ContextRole;
use precis_proto::task::TaskFinding;
use precis_text::terms;
use precis_text::terms::likeness;

/// Numbers of best findings that features are computed over.
const FEW: usize = 3;
/// See [`FEW`].
const MANY: usize = 12;
/// Least terms of a question that a passage may be about all of.
const LEAST_TERMS: usize = 2;
/// Letters beyond which a term does not weigh more.
const LONG_TERM: usize = 12;

/// The typed numbers of `query` and `findings`, each 0 to 1: shares of the question in the best findings with all that names them; whether
/// they hold what is wanted, and next to how much of the question; header fields; whether the languages differ; whether no
/// figure is of the measure asked for.
pub(super) fn typed_numbers(query: &str, findings: &[TaskFinding]) -> [f64; 10] {
    let mut best: Vec<&TaskFinding> = findings.iter().collect();
    best.sort_by(|a, b| b.score.total_cmp(&a.score));
    best.truncate(MANY);
    let asked = terms::query_terms(query);
    let question = Question::new(query);
    let wanted = Wanted::of(query);
    let said: Vec<Cow<'_, str>> = best.iter().map(|finding| own_words(finding)).collect();
    let own: Vec<Vec<String>> = said.iter().map(|said| terms::terms(said)).collect();
    let with: Vec<Vec<String>> = best.iter().zip(&own).map(|(finding, own)| with_names(finding, own)).collect();
    let held: Vec<Option<bool>> =
        best.iter().zip(&said).map(|(finding, said)| is_held(wanted, &question, &asked, finding, said)).collect();
    let near = |texts: &[Vec<String>]| {
        let each = texts
            .iter()
            .zip(&held)
            .take(FEW)
            .map(|(text, held)| as_number(*held) * share(&asked, std::slice::from_ref(text)));
        each.fold(0.0, f64::max)
    };
    let (hit, missing) = fields(query, &best);
    [
        share(&asked, &with[..with.len().min(1)]),
        share(&asked, &with[..with.len().min(FEW)]),
        share(&asked, &with),
        held.first().map_or(0.0, |held| as_number(*held)),
        near(&with),
        near(&own),
        hit,
        missing,
        f64::from(u8::from(is_foreign(query, findings))),
        f64::from(u8::from(
            wanted == Wanted::Figure && question.measure().is_some() && held.iter().all(|held| *held == Some(false)),
        )),
    ]
}

/// A statement without the words above it that it only depends on: many statements have the same ones.
pub(super) fn own_words(finding: &TaskFinding) -> Cow<'_, str> {
    let above = finding.context.iter().filter(|range| matches!(range.role, ContextRole::LeadIn | ContextRole::Heading));
    above.fold(Cow::Borrowed(finding.statement.as_str()), |said, range| match said.contains(&range.text) {
        true => Cow::Owned(said.replacen(&range.text, " ", 1)),
        false => said,
    })
}

/// Whether a passage about all that is asked holds what is wanted: it answers, however few words of the question are its own.
pub(super) fn is_answered_by_one(query: &str, findings: &[TaskFinding]) -> bool {
    let asked = terms::query_terms(query);
    let (question, wanted) = (Question::new(query), Wanted::of(query));
    let mut best: Vec<&TaskFinding> = findings.iter().collect();
    best.sort_by(|a, b| b.score.total_cmp(&a.score));
    let is_fit =
        |finding: &&TaskFinding| is_held(wanted, &question, &asked, finding, &own_words(finding)) == Some(true);
    let is_about = |finding: &&TaskFinding| {
        let own = terms::terms(&own_words(finding));
        // A list of prices need not say "cost": its figures show the measure.
        let is_shown = |term: &String| question.measure().is_some_and(|measure| is_measured(term, measure));
        asked.iter().all(|term| is_shown(term) || holds(&with_names(finding, &own), term))
    };
    asked.len() >= LEAST_TERMS && best.into_iter().take(FEW).any(|finding| is_fit(&finding) && is_about(&finding))
}

/// Whether `query` wants a figure or a time, and each of the [`FEW`] best findings shows in its form that it has none: such findings answer
/// nothing, however much they share with the question.
pub(super) fn lacks_wanted(query: &str, findings: &[TaskFinding]) -> bool {
    let (question, wanted) = (Question::new(query), Wanted::of(query));
    let asked = terms::query_terms(query);
    let lacks = |finding: &TaskFinding| is_held(wanted, &question, &asked, finding, &finding.statement) == Some(false);
    let mut best: Vec<&TaskFinding> = findings.iter().collect();
    best.sort_by(|a, b| b.score.total_cmp(&a.score));
    matches!(wanted, Wanted::Figure | Wanted::Time) && best.into_iter().take(FEW).all(lacks)
}

/// Whether a finding that says `said` in its own words holds what is wanted. Steps are a list that comes with all its items, or what stands
/// right under the words that announce all of what is asked.
fn is_held(wanted: Wanted, question: &Question, asked: &[String], finding: &TaskFinding, said: &str) -> Option<bool> {
    if wanted == Wanted::Steps && finding.context.iter().any(|range| range.role == ContextRole::Item) {
        return Some(true);
    }
    if wanted == Wanted::Steps && is_announced(asked, finding) {
        return Some(true);
    }
    let above: Vec<&str> = finding.headings.iter().chain([&finding.title]).map(String::as_str).collect();
    wanted.is_held(question, said, &above)
}

/// Whether the heading or lead-in right above a finding has all that is `asked`: "Resetting the pump".
fn is_announced(asked: &[String], finding: &TaskFinding) -> bool {
    let lead_ins = finding.context.iter().filter(|range| range.role == ContextRole::LeadIn).map(|range| &range.text);
    let has_all = |above: &String| {
        let own = terms::terms(above);
        asked.iter().all(|term| holds(&own, term))
    };
    asked.len() >= LEAST_TERMS && finding.headings.last().into_iter().chain(lead_ins).any(has_all)
}

/// Half where the form of a text does not show whether it holds what is wanted.
fn as_number(held: Option<bool>) -> f64 {
    held.map_or(0.5, |held| f64::from(u8::from(held)))
}

/// Terms of a statement and of all that names it.
fn with_names(finding: &TaskFinding, own: &[String]) -> Vec<String> {
    let lead_ins = finding.context.iter().map(|range| &range.text);
    let names = finding.headings.iter().chain([&finding.title, &finding.path]).chain(lead_ins);
    let names = names.flat_map(|name| terms::terms(name));
    own.iter().cloned().chain(names).collect()
}

/// Share of `asked` that a finding has together with all that names it, longer terms weighing more; 0 to 1.
pub(super) fn share_with_names(asked: &[String], finding: &TaskFinding) -> f64 {
    share(asked, &[with_names(finding, &terms::terms(&own_words(finding)))])
}

fn holds(text: &[String], term: &str) -> bool {
    text.iter().any(|own| likeness(term, own) > 0.0)
}

/// Share of `asked` that is in any of `texts`, longer terms weighing more; 0 if nothing is asked.
fn share(asked: &[String], texts: &[Vec<String>]) -> f64 {
    let weight = |term: &&String| term.chars().count().min(LONG_TERM) as f64 * asking_worth(term);
    let total: f64 = asked.iter().map(|term| weight(&term)).sum();
    let met = asked.iter().filter(|term| texts.iter().any(|text| holds(text, term)));
    if total > 0.0 { met.map(|term| weight(&term)).sum::<f64>() / total } else { 0.0 }
}

/// Whether one of `findings` is a header field of the document asked about that answers `query`.
#[must_use]
pub fn is_field_answered(query: &str, findings: &[TaskFinding]) -> bool {
    fields(query, &findings.iter().collect::<Vec<_>>()).0 > 0.0
}

/// Whether a header field of the document asked about answers, and whether that document has fields and none of them does.
fn fields(query: &str, best: &[&TaskFinding]) -> (f64, f64) {
    let Some(asked) = FieldQuestion::of(query) else { return (0.0, 0.0) };
    let is_field = |finding: &&&TaskFinding| field(&finding.statement).is_some();
    let about = |source: u32| {
        let own = best.iter().filter(|finding| finding.source == source);
        let fields = own.clone().filter(is_field).map(|finding| finding.statement.as_str());
        asked.is_about(own.clone().flat_map(|finding| [finding.title.as_str(), finding.path.as_str()]).chain(fields))
    };
    let mut found = (0.0, 0.0);
    // The fields that name a document may be no findings; such a score only has a field of the document asked about.
    let is_of_it = |finding: &&&TaskFinding| finding.score >= ANSWERING_FIELD_SCORE || about(finding.source);
    for finding in best.iter().filter(is_of_it) {
        found.0 = if asked.is_in(&finding.statement) { 1.0 } else { found.0 };
        found.1 = 1.0;
    }
    (found.0, if found.0 > 0.0 { 0.0 } else { found.1 })
}

/// Whether the findings are in another language than the question, where both are known.
pub(super) fn is_foreign(query: &str, findings: &[TaskFinding]) -> bool {
    let said: String = findings.iter().map(|finding| finding.statement.as_str()).collect::<Vec<_>>().join(" ");
    let (asked, said) = (detect(query).known, detect(&said).known);
    asked.is_some() && said.is_some() && asked != said
}
