//! Judges from the findings alone whether the documents answer a question.
//!
//! A logistic model over numbers of shared words, of typed evidence in the best findings, and of how near they come by their letters
//! (`measures`, `nearness`); `verdict_weights` says what they weigh.

use precis_evidence::question::analysis::beside;
use precis_evidence::question::elements::{ComparedElement, comparison_elements};
use precis_evidence::question::query::{asking_worth, asks_for_release};
use precis_evidence::typed::field_question::field;
use precis_evidence::typed::premise::{denies, is_about};
use precis_language::detect;
use precis_proto::answer::{Answer, AnswerPart, AnswerStatus};
use precis_proto::task::TaskFinding;
use precis_text::terms;
use precis_text::terms::likeness;

use super::answering_fields::ANSWERING_FIELD_SCORE;
use super::clauses_asked::{lacks_all_wanted, unanswered_clauses};
use super::identity::{asked_of_documents, finding_name, identifier_terms, named_documents};
use super::measures::{is_answered_by_one, is_field_answered, own_words, typed_numbers};
use super::nearness::nearness;
use super::subjects::folders;
use super::verdict_weights::{Searched, says_found, says_given};

/// Numbers of best findings that features are computed over.
const FEW: usize = 3;
const MANY: usize = 12;
/// Letters beyond which a term does not weigh more.
const LONG_TERM: usize = 12;

/// Share of the best score from which a finding counts as about as good.
const AS_GOOD: f64 = 0.8;
/// Defaults: the share of names found if the question has none, and of pairs if it has a single term.
const NO_NAMES: f64 = 0.7;
const NO_PAIRS: f64 = 0.3;

/// Judges whether `findings`, in any order, answer `query`; `None` if the question has no term to judge by.
///
/// `searched` is the result of the search that found the documents; `None` if they were given. The status is `partly` if the findings
/// answer but some name, number or compared thing of the question, or all that it asks of a document it names, is in none of the best ones;
/// `parts` then lists these.
#[must_use]
pub fn judge(query: &str, findings: &[TaskFinding], searched: Option<Searched>) -> Option<Answer> {
    let asked = asked_terms(query);
    if asked.is_empty() {
        return None;
    }
    let is_one = findings.windows(2).all(|two| two[0].source == two[1].source);
    let asking = Asking::new(query, asked, findings);
    let best = asking.best(findings);
    let (numbers, similarity) = (measures(query, findings), similarity(findings));
    let is_said = match searched {
        None => says_given(&numbers, similarity, is_one),
        Some(searched) => says_found(&numbers, similarity, searched),
    };
    let is_plain = match searched {
        None => is_answered_by_one(query, findings),
        Some(_) => is_field_answered(query, findings),
    };
    let mut parts = asking.parts(query, findings, &best);
    parts.extend(unanswered_clauses(query, findings));
    let compared = compared_parts(query, findings);
    let is_compared = compared.is_empty() || compared.iter().any(|part| part.is_answered) || !beside(query).is_empty();
    let is_refused = is_denied(query, findings) || lacks_all_wanted(query, findings);
    let status = match (is_said || is_plain) && is_compared && !is_refused {
        false => AnswerStatus::NotInDocuments,
        true if parts.iter().all(|part| part.is_answered) => AnswerStatus::Answered,
        true => AnswerStatus::Partly,
    };
    let is_shown = status == AnswerStatus::Partly;
    Some(Answer { status, line: String::new(), parts: if is_shown { parts } else { Vec::new() } })
}

/// The cosine similarity of the best finding that has one.
fn similarity(findings: &[TaskFinding]) -> Option<f64> {
    let known = findings.iter().filter(|finding| finding.similarity.is_some());
    known.reduce(|a, b| if b.score > a.score { b } else { a }).and_then(|best| best.similarity)
}

/// Whether a header field of a document that `query` names denies what it takes for granted.
fn is_denied(query: &str, findings: &[TaskFinding]) -> bool {
    let is_named = |source: u32| {
        let own = findings.iter().filter(|finding| finding.source == source);
        let fields = own.clone().map(|finding| finding.statement.as_str()).filter(|text| field(text).is_some());
        is_about(query, fields.chain(own.map(|finding| finding.title.as_str())))
    };
    let is_of_it = |finding: &TaskFinding| finding.score >= ANSWERING_FIELD_SCORE || is_named(finding.source);
    findings.iter().any(|finding| denies(query, &finding.statement) && is_of_it(finding))
}

/// The numbers that the verdict on `query` is made from, in the order of the weights; to fit them by.
#[must_use]
pub fn measures(query: &str, findings: &[TaskFinding]) -> Vec<f64> {
    let asking = Asking::new(query, asked_terms(query), findings);
    let mut all = numbers(&asking.asked, &names(query), &asking.best(findings)).to_vec();
    all.extend(typed_numbers(query, findings));
    all.extend(nearness(query, &asking.named, findings));
    all
}

/// The parts of `query` (names, numbers, things it compares, what it asks of a document it names), and whether the best of `findings` say
/// something on each; empty if it has none.
#[must_use]
pub fn parts(query: &str, findings: &[TaskFinding]) -> Vec<AnswerPart> {
    let asking = Asking::new(query, asked_terms(query), findings);
    let mut parts = asking.parts(query, findings, &asking.best(findings));
    parts.extend(unanswered_clauses(query, findings));
    parts
}

/// Share of what `query` asks that occurs in the best of `findings`, longer words weighing more; 0 to 1, and 0 if it has no term.
#[must_use]
pub fn asked_share(query: &str, findings: &[TaskFinding]) -> f64 {
    let asking = Asking::new(query, asked_terms(query), findings);
    share(&asking.asked, head(&asking.best(findings), MANY), &by_length)
}

fn asked_terms(query: &str) -> Vec<String> {
    let mut asked = terms::query_terms(query);
    if asked.iter().any(|term| terms::is_dotted_number(term)) {
        asked.retain(|term| !asks_for_release(term));
    }
    asked
}

fn by_length(term: &str) -> f64 {
    term.chars().count().min(LONG_TERM) as f64 * asking_worth(term)
}

/// What a question asks, and of which documents.
struct Asking {
    asked: Vec<String>,
    /// The documents that it names.
    named: Vec<String>,
}

impl Asking {
    fn new(query: &str, asked: Vec<String>, findings: &[TaskFinding]) -> Self {
        Self { asked, named: named_documents(query, findings.iter().map(finding_name)) }
    }

    /// The terms of the findings, best first.
    fn best(&self, findings: &[TaskFinding]) -> Vec<FindingTerms> {
        let figures = self.asked.iter().filter(|term| term.contains(|c: char| c.is_ascii_digit()));
        let figures: Vec<&String> = figures.collect();
        let mut best: Vec<FindingTerms> =
            findings.iter().map(|finding| FindingTerms::new(finding, &self.named, &figures)).collect();
        best.sort_by(|a, b| b.score.total_cmp(&a.score));
        best
    }

    fn parts(&self, query: &str, findings: &[TaskFinding], best: &[FindingTerms]) -> Vec<AnswerPart> {
        let mut parts: Vec<AnswerPart> = telling_names(query)
            .map(|(text, name)| AnswerPart {
                is_answered: share(&name, best, &|_| 1.0) >= 1.0 || is_called(&name, findings),
                text,
            })
            .collect();
        let compared = compared_parts(query, findings);
        parts.retain(|part| !compared.iter().any(|thing| thing.text.contains(&part.text)));
        parts.extend(compared);
        let asked_of = asked_of_documents(query, &self.named);
        if !asked_of.iter().any(|term| head(best, MANY).iter().any(|finding| finding.holds(term))) {
            // A document that is named matches most of a question in each of its sentences, also where none says what is asked.
            parts.extend(asked_of.into_iter().map(|text| AnswerPart { text, is_answered: false }));
        }
        parts
    }
}

/// Whether the title, path or headings of one of the best `findings` have all of `name`: a passage need not repeat whose it is.
fn is_called(name: &[String], findings: &[TaskFinding]) -> bool {
    let mut best: Vec<&TaskFinding> = findings.iter().collect();
    best.sort_by(|a, b| b.score.total_cmp(&a.score));
    best.into_iter().take(FEW).any(|finding| {
        let above = finding.headings.iter().chain([&finding.title, &finding.path]);
        let own: Vec<String> = above.flat_map(|above| terms::terms(above)).collect();
        name.iter().all(|term| own.iter().any(|word| likeness(term, word) > 0.0))
    })
}

/// The things that `query` compares. A thing is answered if one of the better findings, or its document's title, mentions it; if any of
/// these findings are about the aspect asked for, only those count.
fn compared_parts(query: &str, findings: &[TaskFinding]) -> Vec<AnswerPart> {
    let Some(compared) = comparison_elements(query) else { return Vec::new() };
    let mut best: Vec<&TaskFinding> = findings.iter().collect();
    best.sort_by(|a, b| b.score.total_cmp(&a.score));
    best.truncate(MANY);
    let is_asked = |f: &&TaskFinding| compared.aspect.is_in(&[&f.statement, &f.title]);
    if best.iter().any(is_asked) {
        best.retain(is_asked);
    }
    let is_told =
        |element: &ComparedElement| best.iter().any(|f| element.is_in(&f.statement) || element.is_in(&f.title));
    compared.elements.iter().map(|e| AnswerPart { text: e.name.clone(), is_answered: is_told(e) }).collect()
}

/// A finding as its score and the terms of its statement, in order.
struct FindingTerms {
    score: f64,
    terms: Vec<String>,
}

impl FindingTerms {
    /// The terms of its statement, of the headings above it that have one of the asked `figures`, of its document's folders, and of its
    /// document's name if the question names that document.
    fn new(finding: &TaskFinding, named: &[String], figures: &[&String]) -> Self {
        let score = if finding.score.is_finite() { finding.score } else { 0.0 };
        let above = finding.headings.iter().map(|heading| terms::terms(heading));
        let is_asked = |own: &String| figures.iter().any(|figure| likeness(figure, own) > 0.0);
        let above = above.filter(|heading| heading.iter().any(is_asked)).flatten();
        let above =
            above.chain(identifier_terms(named, finding_name(finding))).chain(terms::terms(folders(&finding.path)));
        Self { score, terms: terms::terms(&own_words(finding)).into_iter().chain(above).collect() }
    }

    fn holds(&self, term: &str) -> bool {
        self.terms.iter().any(|own| likeness(term, own) > 0.0)
    }
}

fn head(best: &[FindingTerms], most: usize) -> &[FindingTerms] {
    &best[..best.len().min(most)]
}

/// The nine numbers of words, in the order of their weights.
fn numbers(asked: &[String], names: &[(String, Vec<String>)], best: &[FindingTerms]) -> [f64; 9] {
    let score = |n: usize| best.get(n).map_or(0.0, |finding| finding.score);
    let alike = |_: &str| 1.0;
    let as_good = best.iter().filter(|finding| finding.score > AS_GOOD * score(0)).count();
    let named: Vec<String> = names.iter().flat_map(|(_, terms)| terms.clone()).collect();
    [
        score(0),
        share(asked, head(best, 1), &alike),
        share(asked, head(best, MANY), &alike),
        score(0) - score(1),
        if named.is_empty() { NO_NAMES } else { share(&named, head(best, FEW), &alike) },
        best.first().map_or(0.0, |first| pairs(asked, &first.terms)),
        share(asked, head(best, 1), &by_length),
        share(asked, head(best, FEW), &by_length),
        as_good as f64 / best.len().max(1) as f64,
    ]
}

/// Share of `asked`, by weight, that occurs in any of `findings`; 0 if nothing is asked.
fn share(asked: &[String], findings: &[FindingTerms], weight: &dyn Fn(&str) -> f64) -> f64 {
    let total: f64 = asked.iter().map(|term| weight(term)).sum();
    let held = asked.iter().filter(|term| findings.iter().any(|finding| finding.holds(term)));
    if total > 0.0 { held.map(|term| weight(term)).sum::<f64>() / total } else { 0.0 }
}

/// Share of adjacent terms of the question that are also at most two positions apart in `terms`.
fn pairs(asked: &[String], terms: &[String]) -> f64 {
    if asked.len() < 2 {
        return NO_PAIRS;
    }
    let places = |asked: &String| -> Vec<usize> {
        let own = terms.iter().enumerate();
        own.filter(|(_, term)| likeness(asked, term) > 0.0).map(|(at, _)| at).collect()
    };
    let at: Vec<Vec<usize>> = asked.iter().map(places).collect();
    let near = |a: &usize, b: &usize| a != b && a.abs_diff(*b) <= 2;
    let met = at.windows(2).filter(|pair| pair[0].iter().any(|a| pair[1].iter().any(|b| near(a, b)))).count();
    met as f64 / (asked.len() - 1) as f64
}

/// The [`names`] of the question that are names by their form. German capitalizes all nouns, so there only words with digits are.
pub(super) fn telling_names(query: &str) -> impl Iterator<Item = (String, Vec<String>)> {
    let capitals_tell = detect(query).tag != "de";
    names(query).into_iter().filter(move |(text, _)| capitals_tell || text.starts_with(char::is_numeric))
}

/// Words of the question that begin with a digit, or with a capital after its first word; each with its terms.
fn names(query: &str) -> Vec<(String, Vec<String>)> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for (n, word) in query.split_whitespace().enumerate() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let first = bare.chars().next();
        let is_name = first.is_some_and(char::is_numeric) || (n > 0 && first.is_some_and(char::is_uppercase));
        let own = terms::terms(bare);
        if is_name && !own.is_empty() && !found.iter().any(|(known, _)| known == bare) {
            found.push((bare.to_owned(), own));
        }
    }
    found
}

#[cfg(test)]
mod tests;
