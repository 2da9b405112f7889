//! What the template shows, in the order and the words in which it shows it.

use std::collections::BTreeMap;

use askama::Template;
use precis_language::labels::{Label, LabelLanguage};
use precis_language::{TextLanguage, detect};
use precis_proto::Phase;
use precis_proto::answer::Answer;
use precis_proto::fidelity::FidelityRecord;
use precis_proto::ledger::{LedgerRow, SpendRow};
use precis_proto::response::{Citation, ReportData, SourceNote, SourcePoint, SourceRow};
use precis_proto::seal::seal;
use precis_proto::warning::{Warning, WarningCode};

use super::compared::{DatedLine, DifferingThing, SideBySide};
use super::quotes::{NumberedQuotes, QuoteView, QuotedPassage, places};
use super::usage::Usage;
use crate::answered::{AnswerBasis, AnswerNotice, notice};
use crate::ledger::PhaseVisit;
use crate::rendering::body::body;
use crate::rendering::changed_statements::{ChangedStatement, changed_statements};
use crate::rendering::computed::ComputedText;
use crate::rendering::context::QuoteContext;
use crate::rendering::frame::{alerts, boundary, claims_line, facts, fate, hidden_numbers, is_built_in, with_copies};
use crate::rendering::opinion::{OpinionRow, OpinionView};
use crate::rendering::process::ProcessView;
use crate::rendering::source_fate::{PhaseEffect, SourceEnding, SourceFate, stories};
use crate::rendering::warning_lines::item_name;
use crate::rendering::words;
use crate::rendering::words::{group_digits, visible, web_address};
use crate::verify::hex_of;

/// The page.
#[derive(Debug, Template)]
#[template(path = "report.html")]
pub(super) struct ReportPage {
    /// Language and direction of the page: those of the question.
    language: TextLanguage,
    /// The labels, which may be in another language than the page.
    t: LabelLanguage,
    /// Title of the browser tab; contains no address, so that nothing in the page's head looks like a reference.
    tab: String,
    title: String,
    /// The question, if the title is a different text.
    question: Option<String>,
    answered: Option<AnswerNotice>,
    opening: String,
    /// How many statements are supported.
    supported: Option<String>,
    alerts: Vec<String>,
    computed: Vec<ComputedText>,
    differing: Vec<DifferingThing>,
    /// Sentences in nearly the same words.
    nearly_same: Vec<DifferingThing>,
    /// Quotes by the thing compared, unless the report itself is that table.
    compared: Option<SideBySide>,
    /// The dated quotes, if the question asks for history.
    dated: Vec<DatedLine>,
    facts: Vec<(&'static str, String)>,
    body: String,
    /// The line between what a model wrote and what Precis did.
    boundary: Option<String>,
    /// Statements that were changed or removed, and how many more there are.
    changed: Vec<ChangedLine>,
    more_changed: usize,
    /// A model's opinion of the whole report.
    opinion: Option<OpinionView>,
    quotes: Vec<QuoteView>,
    /// Quotes that no number in the text links to.
    others: Vec<QuoteView>,
    sources: Vec<SourceLine>,
    /// The course of the research, if there was one.
    process: Option<ProcessView>,
    warnings: Vec<WarningGroup>,
    phases: Vec<PhaseLine>,
    spend: Vec<SpendLine>,
    usage: Usage,
    seal: String,
    footer: String,
}

impl ReportPage {
    pub(super) fn new(
        data: &ReportData,
        warnings: &[Warning],
        contexts: &BTreeMap<u32, QuoteContext>,
        archived: &BTreeMap<String, String>,
    ) -> Self {
        let language = detect(&data.query);
        let t = LabelLanguage::from_tag(language.tag);
        let passages: BTreeMap<u32, QuotedPassage> =
            data.citations.iter().map(|c| (c.n, QuotedPassage::new(c, contexts.get(&c.n), t))).collect();
        let body = body(&data.report, &NumberedQuotes { passages: &passages, t });
        let title = body.title.clone().filter(|t| !t.trim().is_empty()).unwrap_or_else(|| visible(&data.query));
        let question = visible(&data.query);
        let stories = stories(data);
        let quote = |c: &Citation| {
            let passage = passages[&c.n].clone();
            QuoteView { places: places(c.n, &body.places), ..QuoteView::new(c, passage, archived, data, t) }
        };
        let (others, quotes) = split_quotes(data, quote);
        let (changed, more_changed) = changed_statements(data, t);
        let differing = data.disagreements.iter().map(|one| DifferingThing::new(one, data, t));
        let (nearly_same, differing) = differing.partition(|one| one.is_wording);
        Self {
            language,
            t,
            tab: tab(&title),
            question: Some(question).filter(|q| simplify(q) != simplify(&title)),
            answered: data.answer.as_ref().map(|answer| answer_notice(answer, &AnswerBasis::of(data), t)),
            supported: claims_line(data, t),
            alerts: alerts(data, warnings, t).iter().map(|alert| visible(alert)).collect(),
            changed: changed.iter().map(ChangedLine::new).collect(),
            more_changed,
            opinion: OpinionView::new(data, t).map(visible_opinion),
            computed: data.computed.iter().map(|one| ComputedText::new(one, data, t).visible()).collect(),
            differing,
            nearly_same,
            compared: data.comparison.as_ref().filter(|_| !is_built_in(data)).map(|c| SideBySide::new(c, data)),
            dated: data.timeline.iter().flat_map(|line| &line.rows).map(|row| DatedLine::new(row, data)).collect(),
            facts: facts(data, &stories, t).into_iter().map(|(name, value)| (name, visible(&value))).collect(),
            quotes,
            others,
            sources: stories.iter().zip(1..).map(|(story, n)| SourceLine::new(story, n, archived, data, t)).collect(),
            process: data.research.as_ref().map(|research| ProcessView::new(research).visible()),
            warnings: remarks(data, warnings),
            phases: phases(data),
            spend: data.spend.iter().map(SpendLine::new).collect(),
            usage: Usage::new(data),
            seal: seal(data).unwrap_or_default(),
            footer: t.fill(Label::Footer, &[&visible(data.session.id.as_str())]),
            opening: body.opening,
            body: body.html,
            boundary: boundary(data, t).map(|line| visible(&line)),
            title,
        }
    }

    fn say(&self, label: Label) -> &'static str {
        self.t.say(label)
    }

    fn fill(&self, label: Label, value: impl std::fmt::Display) -> String {
        self.t.fill(label, &[&value.to_string()])
    }

    fn back(&self, place: &usize, n: &u32) -> String {
        self.t.fill(Label::Back, &[&place.to_string(), &n.to_string()])
    }
}

/// Splits the quotes into those whose numbers the report does not show, and all others.
fn split_quotes(data: &ReportData, quote: impl Fn(&Citation) -> QuoteView) -> (Vec<QuoteView>, Vec<QuoteView>) {
    let hidden = hidden_numbers(&data.report);
    data.citations.iter().map(quote).partition(|q| hidden.contains(&q.passage.n))
}

/// `opinion` with invisible characters made visible.
fn visible_opinion(opinion: OpinionView) -> OpinionView {
    let row = |row: OpinionRow| OpinionRow {
        grounds: row.grounds.iter().map(|(quote, reason)| (visible(quote), visible(reason))).collect(),
        ..row
    };
    OpinionView { head: visible(&opinion.head), rows: opinion.rows.into_iter().map(row).collect(), ..opinion }
}

/// Whether the question is answered, with invisible characters made visible.
fn answer_notice(answer: &Answer, basis: &AnswerBasis<'_>, t: LabelLanguage) -> AnswerNotice {
    let notice = notice(answer, basis, t);
    AnswerNotice { missing: notice.missing.iter().map(|part| visible(part)).collect(), ..notice }
}

/// A statement that was changed or removed.
#[derive(Debug)]
struct ChangedLine {
    wrote: String,
    why: String,
    now: String,
    cites: Vec<u32>,
}

impl ChangedLine {
    fn new(changed: &ChangedStatement) -> Self {
        Self {
            wrote: visible(&changed.wrote),
            why: visible(&changed.why),
            now: visible(&changed.now),
            cites: changed.cites.clone(),
        }
    }
}

fn tab(title: &str) -> String {
    let words = title.split_whitespace().map(|w| if w.to_lowercase().contains("http") { "…" } else { w });
    let tab: String = words.collect::<Vec<_>>().join(" ").chars().take(120).collect();
    if tab.is_empty() { "Report".to_owned() } else { tab }
}

/// Letters and digits alone, so that a title that differs from the question only in punctuation or case counts as the question.
fn simplify(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[derive(Debug)]
struct SourceLine {
    number: usize,
    title: String,
    /// The path, unless the title is the path.
    path: Option<String>,
    id: String,
    /// What happened to it, for the reader.
    fate: String,
    /// ` (3 copies)`, or empty.
    copies: String,
    is_failed: bool,
    /// An address that may be clicked.
    url: Option<String>,
    /// An address that may not be clicked.
    inert_url: Option<String>,
    kind: String,
    size: String,
    hash: Option<String>,
    /// Address of its text, relative to the page.
    archived: Option<String>,
    cites: Vec<u32>,
    /// A model's summary of it.
    note: Option<NoteLines>,
    failure: Option<(String, String)>,
    steps: Vec<StepLine>,
    unchanged: String,
    /// Share of its tokens that reached the report's material, in percent.
    kept_percent: u64,
    before: String,
    after: String,
}

impl SourceLine {
    fn new(
        story: &SourceFate<'_>,
        number: usize,
        archived: &BTreeMap<String, String>,
        data: &ReportData,
        t: LabelLanguage,
    ) -> Self {
        let source = story.source;
        let hash = source.source_text_hash.as_deref().map(hex_of);
        let (before, after) = story.tokens();
        let url = web_address(source.url.as_deref());
        let phases: Vec<&str> = story.unchanged.iter().map(|p| p.as_str()).collect();
        Self {
            number,
            title: visible(story.title()),
            path: source.path.as_deref().filter(|path| *path != story.title()).map(visible),
            fate: visible(&fate(story, data, t)),
            copies: with_copies(story.copies, t),
            is_failed: story.ending == SourceEnding::Failed,
            id: visible(source.source_id.as_str()),
            url: url.map(str::to_owned),
            inert_url: source.url.as_deref().filter(|_| url.is_none()).map(visible),
            kind: source.content_type.as_deref().map_or_else(|| "type unknown".to_owned(), visible),
            size: size(source),
            hash: hash.map(visible),
            archived: hash.and_then(|hash| archived.get(hash)).cloned(),
            cites: story.cites.clone(),
            note: source.note.as_ref().map(note_lines),
            failure: source.failure.as_ref().map(|f| (visible(&f.code), visible(&f.message))),
            steps: story.steps.iter().map(StepLine::new).collect(),
            unchanged: phases.join(", "),
            kept_percent: if before == 0 {
                0
            } else {
                u64::try_from(u128::from(after.min(before)) * 100 / u128::from(before)).unwrap_or(100)
            },
            before: group_digits(before),
            after: group_digits(after),
        }
    }
}

/// A model's summary of a source.
#[derive(Debug)]
struct NoteLines {
    summary: String,
    /// Each point with the locators of the passages that support it.
    points: Vec<(String, Vec<String>)>,
}

fn note_lines(note: &SourceNote) -> NoteLines {
    let point = |point: &SourcePoint| (visible(&point.text), point.locators.iter().map(ToString::to_string).collect());
    NoteLines { summary: visible(&note.summary), points: note.key_points.iter().map(point).collect() }
}

fn size(source: &SourceRow) -> String {
    match source.chars {
        0 => "no text".to_owned(),
        chars => format!("{} characters", group_digits(chars)),
    }
}

#[derive(Debug)]
struct StepLine {
    phase: Phase,
    what: String,
    tokens: String,
    notes: Vec<String>,
}

impl StepLine {
    fn new(step: &PhaseEffect<'_>) -> Self {
        let FidelityRecord { level, reason, warnings, tokens_before, tokens_after, tokens_duplicate, .. } = step.record;
        let reason = reason.map_or(String::new(), |r| format!(", {}", words::reason(r)));
        let mut notes: Vec<String> = warnings.iter().map(|w| visible(w)).collect();
        if *tokens_duplicate > 0 {
            notes.push(format!("{} tokens also occur elsewhere", group_digits(*tokens_duplicate)));
        }
        let what = format!("{}{reason}", words::level(*level));
        Self { phase: step.phase, what, tokens: words::tokens(*tokens_before, *tokens_after), notes }
    }
}

/// Warnings of one code.
#[derive(Debug)]
struct WarningGroup {
    code: WarningCode,
    meaning: &'static str,
    /// Message, then the item and the phase.
    cases: Vec<(String, String)>,
}

fn remarks(data: &ReportData, warnings: &[Warning]) -> Vec<WarningGroup> {
    let mut by_code: BTreeMap<WarningCode, Vec<(String, Vec<String>)>> = BTreeMap::new();
    for warning in warnings {
        let item = warning.item_id.as_ref().map(|id| visible(&item_name(data, id.as_str())));
        let phase = warning.phase.map(|p| p.as_str().to_owned());
        let whereabouts = item.into_iter().chain(phase);
        let (message, cases) = (visible(&warning.message), by_code.entry(warning.code).or_default());
        // The same message from several phases is one case that lists all of them.
        match cases.iter_mut().find(|(known, _)| *known == message) {
            Some((_, known)) => {
                let new: Vec<String> = whereabouts.filter(|place| !known.contains(place)).collect();
                known.extend(new);
            }
            None => cases.push((message, whereabouts.collect())),
        }
    }
    let case = |(message, whereabouts): (String, Vec<String>)| (message, whereabouts.join(" · "));
    let remark = |(code, cases): (WarningCode, Vec<_>)| WarningGroup {
        code,
        meaning: words::warning(code),
        cases: cases.into_iter().map(case).collect(),
    };
    by_code.into_iter().map(remark).collect()
}

/// A phase with its duration and its ledger row, as far as they exist.
#[derive(Debug)]
struct PhaseLine {
    phase: PhaseVisit,
    seconds: String,
    ledger: Option<[String; 6]>,
}

fn phases(data: &ReportData) -> Vec<PhaseLine> {
    let columns = |row: &LedgerRow| {
        [row.items_in, row.tokens_in, row.tokens_kept, row.tokens_reduced, row.tokens_duplicate, row.tokens_dropped]
            .map(group_digits)
    };
    let mut lines = Vec::new();
    for phase in Phase::ALL {
        let seconds = data.session.phases.iter().find(|p| p.name == phase).map(|p| format!("{:.1}", p.seconds));
        let at = |visit: u32| PhaseVisit { visit, phase };
        let mut rows = data.ledger.iter().filter(|row| row.phase == phase).map(|row| (row.visit, columns(row)));
        let first = rows.next();
        if seconds.is_some() || first.is_some() {
            let (visit, ledger) = first.map_or((0, None), |(visit, row)| (visit, Some(row)));
            lines.push(PhaseLine { phase: at(visit), seconds: seconds.unwrap_or_default(), ledger });
        }
        let line = |(visit, row)| PhaseLine { phase: at(visit), seconds: String::new(), ledger: Some(row) };
        lines.extend(rows.map(line));
    }
    lines
}

#[derive(Debug)]
struct SpendLine {
    phase: &'static str,
    role: &'static str,
    provider: String,
    calls: String,
    cached: String,
    repeated: String,
    input: String,
    output: String,
    dollars: String,
}

impl SpendLine {
    fn new(row: &SpendRow) -> Self {
        Self {
            phase: row.phase.map_or("–", Phase::as_str),
            role: row.role.as_str(),
            provider: visible(&row.provider),
            // A row counts either model calls or searches, never both.
            calls: group_digits(row.calls.saturating_add(row.searches)),
            cached: group_digits(row.cached_calls + row.cached_searches),
            repeated: group_digits(row.repeated_calls),
            input: group_digits(row.input_tokens),
            output: group_digits(row.output_tokens),
            dollars: if row.cost_usd > 0.0 { format!("${:.4}", row.cost_usd) } else { "–".to_owned() },
        }
    }
}
