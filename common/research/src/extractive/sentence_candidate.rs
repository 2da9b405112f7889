//! What may become a finding: the best sentences of each passage, with their scores for a question.

use std::collections::{BTreeMap, BTreeSet};

use precis_evidence::passage::needed_context;
use precis_evidence::question::asked::Question;
use precis_evidence::question::asking_words::AnswerKind;
use precis_evidence::sections::{gives_reasons, into_abstract};
use precis_proto::CharRange;
use precis_proto::quote_context::ContextRange;
use precis_proto::task::{CompressTask, TaskPassage};
use precis_text::terms;

use super::answering_fields::{ANSWERING_FIELD_SCORE, AnsweringFields};
use super::identity::{asks_for_all, asks_what_it_says, identifier_terms, passage_name};
use super::mmr::round_six;
use super::overview::asks_for_overview;
use super::relevance::Relevance;
use super::similarity::Similarities;
use super::whose_value::{keeps, whose_value};
use super::window::{self, Window};

/// Weights of a finding's score: relevance of its passage, worth of its own sentences, and prior score of the passage. Measured on
/// `bench-answers`.
const PASSAGE_SHARE: f64 = 0.45;
const WINDOW_SHARE: f64 = 0.4;
const PRIOR_SHARE: f64 = 0.06;
/// Factor for sentences that repeat the question verbatim: they match all of it and answer nothing.
const ECHO_KEEPS: f64 = 0.3;
/// Weight of the meaning of a passage beside the words that it matches. Only where a model of meaning is in use.
const MEANING_SHARE: f64 = 0.25;
/// Share of the match of a passage's title and headings that counts for the passage.
const CONTEXT_SHARE: f64 = 0.3;
/// Share of the match of a document's best passages together that counts for each of its passages: the document that speaks of everything
/// asked is seldom the wrong one. Measured on `bench-answers`, and with `research` over `covid` as one folder.
const DOCUMENT_SHARE: f64 = 0.25;
/// Number of passages of a document that match together. Few, since a long document speaks of everything somewhere.
const TOGETHER: usize = 2;

/// Bonus for the abstract of a document if the question asks for the document as a whole. Chosen, not measured.
const ABSTRACT_GAIN: f64 = 1.0;
/// Further bonus for the beginning of the abstract if the question asks only what the document is, and the characters behind its heading at
/// which half of it is left. Chosen, not measured.
const LEAD_GAIN: f64 = 0.3;
const LEAD_CHARS: f64 = 400.0;
/// Factor for fields, such as the address of a discussion, if the question asks only what the document is. Chosen, not measured.
const FIELD_KEEPS: f64 = 0.3;
/// Share of the match of a document that counts again for its sections that give reasons, if the question asks why. Chosen, not measured.
const REASONS_SHARE: f64 = 0.5;
/// Factor for a passage of another document than the question names that does not mention the named one. Chosen, not measured.
const STRANGER_KEEPS: f64 = 0.5;
/// Factor for a passage of another document that mentions the named one: what a document says is quoted from itself. Chosen by reading
/// the reports on eight questions that name a proposal.
const MENTION_KEEPS: f64 = 0.7;
/// Factor for a passage that speaks of none of the things after which folders of other documents are called. Chosen by reading the reports
/// on questions over a thousand files of many projects.
const OFF_SUBJECT_KEEPS: f64 = 0.5;
/// Factor for what is not about the version, or another number joined by points, that the question names, if something is. Chosen by
/// reading the reports on twenty questions for a version.
const OTHER_NUMBER_KEEPS: f64 = 0.4;

/// A window of adjacent sentences in a passage, with its score.
pub(super) struct SentenceCandidate<'a> {
    pub(super) passage: &'a TaskPassage,
    pub(super) window: Window,
    pub(super) score: f64,
}

impl SentenceCandidate<'_> {
    /// The other items of the list that is its answer.
    fn list(&self) -> impl Iterator<Item = &ContextRange> {
        let range = self.window.range;
        let own = self.passage.units.iter().filter(move |unit| unit.start < range.end && range.start < unit.end);
        let listed = own.filter(|_| self.window.is_list).flat_map(|unit| &unit.list);
        listed.filter_map(|of| self.passage.context.get(usize::try_from(*of).ok()?))
    }

    /// The paragraph, item or row that it is shown with.
    pub(super) fn shown_text(&self) -> &str {
        slice(&self.passage.text, self.window.range)
    }

    /// Its words and those of what it needs: two items in the same words say something else under other lead-ins.
    pub(super) fn statement_text(&self) -> String {
        let context = needed_context(&self.passage.text, &self.passage.context, &self.passage.units, self.window.range);
        let listed = self.list().map(|range| range.text.as_str());
        let said = context.iter().map(|range| range.text.as_str()).chain(listed).chain([self.shown_text()]);
        said.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(" ")
    }
}

/// What the passages of a task are, whatever is asked of them.
pub(super) struct Prepared<'t> {
    pub(super) task: &'t CompressTask,
    /// For each passage, the terms of the names of its document that the question has.
    called: Vec<Vec<String>>,
    /// For each passage, its terms and those.
    documents: Vec<Vec<String>>,
    /// Terms of the headings, titles and paths of all.
    names: Vec<String>,
    similarities: Similarities,
    /// For each passage, the share of its score that it keeps by whose value it gives; `None` for another's.
    whose: Vec<Option<f64>>,
}

impl<'t> Prepared<'t> {
    pub(super) fn new(task: &'t CompressTask) -> Self {
        let named = &task.known.documents;
        let called: Vec<Vec<String>> =
            task.passages.iter().map(|passage| identifier_terms(named, passage_name(passage))).collect();
        let said = |(passage, called): (&TaskPassage, &Vec<String>)| {
            let own = terms::terms(&passage.text);
            own.into_iter().chain(called.iter().cloned()).collect::<Vec<_>>()
        };
        let documents = task.passages.iter().zip(&called).map(said).collect();
        let names = task.passages.iter().flat_map(names).flat_map(|name| terms::terms(name)).collect();
        let whose = whose_value(task).into_iter().map(keeps).collect();
        Self { task, called, documents, names, similarities: Similarities::new(&task.passages), whose }
    }
}

/// The candidates of all passages for `query`, which is of `topic`.
pub(super) fn candidates<'t>(prepared: &Prepared<'t>, (query, topic): (&str, &str)) -> Vec<SentenceCandidate<'t>> {
    let Prepared { task, called, documents, names, similarities, whose } = prepared;
    let (task, similarities) = (*task, *similarities);
    let named = &task.known.documents;
    let relevance = Relevance::new((query, topic), documents, names, &task.known.rarity);
    let question = &Question::new(query);
    let together = together(task, documents, &relevance);
    // Passages without a score are only there for language models; if no passage has one, all are considered.
    let is_overview = asks_for_overview(&task.query);
    let any = !is_overview && task.passages.iter().any(|passage| passage.score > 0.0);
    let (is_open, is_bare) = (asks_for_all(&task.query, named), asks_what_it_says(&task.query, named));
    let asks_why = question.wanted == AnswerKind::Reason;
    let found = task.passages.iter().zip(whose).zip(documents.iter().zip(called));
    let found = found.filter_map(|((passage, whose), own)| whose.map(|whose| ((passage, whose), own)));
    let found = found.filter(|((passage, _), _)| !any || passage.score > 0.0);
    let found = found.flat_map(|((passage, whose_keeps), (own, called))| {
        let of_document = together.get(&passage.source).copied().unwrap_or_default();
        let about = relevance.score(own)
            + MEANING_SHARE * similarities.of_passage(passage)
            + CONTEXT_SHARE * context(passage, own, &relevance)
            + DOCUMENT_SHARE * of_document;
        let is_other = !named.is_empty() && called.is_empty();
        let is_stranger = is_other && !names_one(own, named);
        let stranger_keeps = match (is_stranger, is_other) {
            (true, _) => STRANGER_KEEPS,
            (false, true) => MENTION_KEEPS,
            (false, false) => 1.0,
        };
        let subject_keeps = if is_on_subject(passage, own, &task.known.subjects) { 1.0 } else { OFF_SUBJECT_KEEPS };
        let prior = if passage.score.is_finite() { passage.score.clamp(0.0, 1.0) } else { 0.0 };
        let windows = window::best((passage, called), (&relevance, similarities), question);
        let windows = windows.into_iter().filter(move |window| !(is_stranger && window.is_field));
        windows.map(move |window| {
            let text = slice(&passage.text, window.answer);
            let (headings, said, units, at) = (&passage.headings, &passage.text, &passage.units, window.answer.start);
            let in_short = if called.is_empty() { None } else { into_abstract(headings, said, units, at) };
            let reasons = asks_why && gives_reasons(headings, said, units, at);
            let about = about
                + if reasons { REASONS_SHARE * of_document } else { 0.0 }
                + if is_open && in_short.is_some() { ABSTRACT_GAIN } else { 0.0 };
            let lead =
                in_short.filter(|_| is_bare).map_or(0.0, |into| LEAD_GAIN * LEAD_CHARS / (LEAD_CHARS + into as f64));
            let keeps = if question.is_echoed_by(text) { ECHO_KEEPS } else { 1.0 }
                * if is_bare && window.is_field { FIELD_KEEPS } else { 1.0 }
                * stranger_keeps
                * subject_keeps
                * whose_keeps
                * window.readable_share();
            let score = keeps * (PASSAGE_SHARE * about + WINDOW_SHARE * window.worth + PRIOR_SHARE * prior + lead);
            SentenceCandidate { passage, window, score: round_six(score.clamp(0.0, 1.0)) }
        })
    });
    let mut found: Vec<SentenceCandidate<'_>> = found.collect();
    let fields = AnsweringFields::new(&task.query, &task.passages);
    found.extend(task.passages.iter().flat_map(|passage| {
        let answering = fields.in_passage(passage).into_iter();
        answering.map(move |range| SentenceCandidate {
            passage,
            window: Window::of_field(range),
            score: ANSWERING_FIELD_SCORE,
        })
    }));
    if found.iter().any(|candidate| !candidate.window.lacks_dotted) {
        let others = found.iter_mut().filter(|candidate| candidate.window.lacks_dotted);
        others.for_each(|candidate| candidate.score = round_six(OTHER_NUMBER_KEEPS * candidate.score));
    }
    found
}

/// For each source, the share of the question that its [`TOGETHER`] best passages match together.
fn together(task: &CompressTask, documents: &[Vec<String>], relevance: &Relevance) -> BTreeMap<u32, f64> {
    let mut all: BTreeMap<u32, Vec<Vec<f64>>> = BTreeMap::new();
    for (passage, own) in task.passages.iter().zip(documents) {
        all.entry(passage.source).or_default().push(relevance.term_matches(own));
    }
    let matched = |mut passages: Vec<Vec<f64>>| {
        passages.sort_by(|a, b| relevance.share(b).total_cmp(&relevance.share(a)));
        let best = passages.into_iter().take(TOGETHER);
        let held = best.reduce(|held, met| held.into_iter().zip(met).map(|(held, met)| held.max(met)).collect());
        held.map_or(0.0, |held| relevance.share(&held))
    };
    all.into_iter().map(|(source, passages)| (source, matched(passages))).collect()
}

/// Whether a passage with these terms contains one of the names.
fn names_one(own: &[String], named: &[String]) -> bool {
    named.iter().any(|name| terms::terms(name).iter().all(|term| own.contains(term)))
}

/// Whether a passage with the terms `own`, or what it is below, has one of the `subjects` of the question; true if there are none.
fn is_on_subject(passage: &TaskPassage, own: &[String], subjects: &[String]) -> bool {
    let above = || names(passage).flat_map(|name| terms::terms(name));
    subjects.is_empty() || subjects.iter().any(|subject| own.contains(subject) || above().any(|term| term == *subject))
}

/// What a passage is below: headings, title and path.
fn names(passage: &TaskPassage) -> impl Iterator<Item = &String> {
    passage.headings.iter().chain([&passage.title, &passage.path])
}

/// Share of the question that title and headings match beyond the passage itself.
fn context(passage: &TaskPassage, own: &[String], relevance: &Relevance) -> f64 {
    let held = relevance.term_matches(own);
    let mut with = held.clone();
    for name in names(passage) {
        let met = relevance.term_matches(&terms::terms(name));
        with.iter_mut().zip(met).for_each(|(held, met)| *held = held.max(met));
    }
    relevance.share(&with) - relevance.share(&held)
}

/// The characters `range` of `text`.
pub(super) fn slice(text: &str, range: CharRange) -> &str {
    let byte = |at: usize| text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte);
    &text[byte(range.start)..byte(range.end)]
}
