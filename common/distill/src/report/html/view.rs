//! What the template shows, in the order and the words in which it shows it.

use std::collections::BTreeMap;

use askama::Template;
use precis_proto::Phase;
use precis_proto::fidelity::FidelityRecord;
use precis_proto::ledger::{LedgerRow, SpendRow};
use precis_proto::response::{Citation, ReportData, SourceRow, Status};
use precis_proto::warning::{Warning, WarningCode};

use super::usage::Usage;
use crate::report::body::body;
use crate::report::context::QuoteContext;
use crate::report::story::{Ending, Step, Story, stories};
use crate::report::words::{self, counted, grouped, visible, web_address};
use crate::verify::hex_of;

/// The page.
#[derive(Debug, Template)]
#[template(path = "report.html")]
pub(super) struct Page {
    /// For the browser's tab; holds no address, so that nothing in the head looks like a reference.
    tab: String,
    title: String,
    /// The question, where the title is another text.
    question: Option<String>,
    summary: String,
    /// Why the report is not all that was asked for.
    incomplete: Option<String>,
    body: String,
    quotes: Vec<Quote>,
    groups: Vec<Group>,
    warnings: Vec<Remark>,
    phases: Vec<PhaseLine>,
    spend: Vec<SpendLine>,
    usage: Usage,
    session: String,
}

impl Page {
    pub(super) fn new(
        data: &ReportData,
        warnings: &[Warning],
        contexts: &BTreeMap<u32, QuoteContext>,
        archived: &BTreeMap<String, String>,
    ) -> Self {
        let quote = |c| Quote::new(c, contexts, archived, data);
        let body = body(&data.report, &|n| data.citations.iter().any(|c| c.n == n));
        let title = body.title.clone().filter(|t| !t.trim().is_empty()).unwrap_or_else(|| visible(&data.query));
        let question = visible(&data.query);
        let stories = stories(data);
        Self {
            tab: tab(&title),
            question: Some(question).filter(|q| simplified(q) != simplified(&title)),
            summary: summary(data, &stories),
            incomplete: incomplete(data),
            quotes: data.citations.iter().map(|c| Quote { places: places(c.n, &body.places), ..quote(c) }).collect(),
            groups: groups(&stories, archived),
            warnings: remarks(warnings),
            phases: phases(data),
            spend: data.spend.iter().map(SpendLine::new).collect(),
            usage: Usage::new(data),
            session: visible(data.session.id.as_str()),
            body: body.html,
            title,
        }
    }
}

fn tab(title: &str) -> String {
    let words = title.split_whitespace().map(|w| if w.to_lowercase().contains("http") { "…" } else { w });
    let tab: String = words.collect::<Vec<_>>().join(" ").chars().take(120).collect();
    if tab.is_empty() { "Report".to_owned() } else { tab }
}

/// Letters and digits alone: a title that only tidies the question up is the question.
fn simplified(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn summary(data: &ReportData, stories: &[Story<'_>]) -> String {
    let ended = |ending: Ending| stories.iter().filter(|s| s.ending == ending).count();
    let of = format!("{} of {}", ended(Ending::Cited), counted(stories.len(), "source", "sources"));
    let mut parts = vec![format!("{} from {of}", counted(data.citations.len(), "quote", "quotes"))];
    if ended(Ending::Failed) > 0 {
        parts.push(format!("{} could not be read", ended(Ending::Failed)));
    }
    if ended(Ending::LeftOut) > 0 {
        parts.push(format!("{} left out", ended(Ending::LeftOut)));
    }
    parts.join(" · ")
}

fn incomplete(data: &ReportData) -> Option<String> {
    let session = &data.session;
    let why = match session.stop_reason.as_deref() {
        Some("deadline") => "it reached its deadline".to_owned(),
        Some("stop") => "somebody asked it to stop".to_owned(),
        Some(other) => visible(other),
        None => "something that was asked for is missing".to_owned(),
    };
    let partial = session.incomplete || session.stop_reason.is_some() || session.status != Status::Completed;
    partial.then_some(why)
}

#[derive(Debug)]
struct Quote {
    n: u32,
    title: String,
    /// Number of its source's row.
    source: Option<usize>,
    locator: String,
    hash: String,
    /// Where its source's text lies, seen from the page.
    archived: Option<String>,
    before: String,
    text: String,
    after: String,
    /// The ids of its places in the report.
    places: Vec<String>,
    url: Option<String>,
}

impl Quote {
    /// Without its places in the report.
    fn new(
        c: &Citation,
        contexts: &BTreeMap<u32, QuoteContext>,
        archived: &BTreeMap<String, String>,
        data: &ReportData,
    ) -> Self {
        let context = contexts.get(&c.n);
        let title = if c.title.trim().is_empty() { c.source_id.as_str() } else { &c.title };
        let cut = |inside: bool| if inside { "… " } else { "" };
        let before = context.map_or(String::new(), |x| cut(x.starts_inside).to_owned() + &visible(&x.before));
        let after = context.map_or(String::new(), |x| visible(&x.after) + cut(x.ends_inside).trim_end());
        Self {
            n: c.n,
            title: visible(title),
            source: data.sources.iter().position(|s| s.source_id == c.source_id).map(|at| at + 1),
            locator: c.locator.to_string(),
            hash: hex_of(&c.source_text_hash).chars().take(12).collect(),
            archived: archived.get(hex_of(&c.source_text_hash)).cloned(),
            before,
            text: visible(context.map_or(&c.text, |x| &x.quote)),
            after,
            places: Vec::new(),
            url: web_address(c.url.as_deref()).map(str::to_owned),
        }
    }
}

/// The ids of the places of quote `n` in the report, of which there are so many by number.
fn places(n: u32, places: &BTreeMap<u32, usize>) -> Vec<String> {
    (1..=places.get(&n).copied().unwrap_or(0)).map(|k| format!("r{n}-{k}")).collect()
}

/// Sources that ended alike.
#[derive(Debug)]
struct Group {
    name: &'static str,
    count: usize,
    /// Whether the report stands on them.
    quoted: bool,
    /// Shown unfolded: what the report stands on, and what is missing from it.
    open: bool,
    sources: Vec<SourceLine>,
}

fn groups(stories: &[Story<'_>], archived: &BTreeMap<String, String>) -> Vec<Group> {
    let kinds = [
        (Ending::Cited, "Quoted in the report", true),
        (Ending::Failed, "Could not be read", true),
        (Ending::LeftOut, "Left out", false),
        (Ending::Uncited, "Read, not quoted", false),
    ];
    let group = |(ending, name, open)| {
        let sources: Vec<SourceLine> = stories
            .iter()
            .zip(1..)
            .filter(|(story, _)| story.ending == ending)
            .map(|(story, number)| SourceLine::new(story, number, archived))
            .collect();
        Group { name, count: sources.len(), quoted: ending == Ending::Cited, open, sources }
    };
    kinds.into_iter().map(group).filter(|g| g.count > 0).collect()
}

#[derive(Debug)]
struct SourceLine {
    number: usize,
    title: String,
    id: String,
    /// An address that may be clicked.
    url: Option<String>,
    /// One that may not.
    inert_url: Option<String>,
    kind: String,
    size: String,
    hash: Option<String>,
    /// Where its text lies, seen from the page.
    archived: Option<String>,
    cites: Vec<u32>,
    failure: Option<(String, String)>,
    steps: Vec<StepLine>,
    unchanged: String,
    /// Share of its tokens that reached the report's material, in percent.
    kept_percent: u64,
    before: String,
    after: String,
}

impl SourceLine {
    fn new(story: &Story<'_>, number: usize, archived: &BTreeMap<String, String>) -> Self {
        let source = story.source;
        let hash = source.source_text_hash.as_deref().map(hex_of);
        let (before, after) = story.tokens();
        let url = web_address(source.url.as_deref());
        let phases: Vec<&str> = story.unchanged.iter().map(|p| p.as_str()).collect();
        Self {
            number,
            title: visible(story.title()),
            id: visible(source.source_id.as_str()),
            url: url.map(str::to_owned),
            inert_url: source.url.as_deref().filter(|_| url.is_none()).map(visible),
            kind: source.content_type.as_deref().map_or_else(|| "type unknown".to_owned(), visible),
            size: size(source),
            hash: hash.map(str::to_owned),
            archived: hash.and_then(|hash| archived.get(hash)).cloned(),
            cites: story.cites.clone(),
            failure: source.failure.as_ref().map(|f| (visible(&f.code), visible(&f.message))),
            steps: story.steps.iter().map(StepLine::new).collect(),
            unchanged: phases.join(", "),
            kept_percent: if before == 0 {
                0
            } else {
                u64::try_from(u128::from(after.min(before)) * 100 / u128::from(before)).unwrap_or(100)
            },
            before: grouped(before),
            after: grouped(after),
        }
    }
}

fn size(source: &SourceRow) -> String {
    match source.chars {
        0 => "no text".to_owned(),
        chars => format!("{} characters", grouped(chars)),
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
    fn new(step: &Step<'_>) -> Self {
        let FidelityRecord { level, reason, warnings, tokens_before, tokens_after, tokens_duplicate, .. } = step.record;
        let reason = reason.map_or(String::new(), |r| format!(", {}", words::reason(r)));
        let mut notes: Vec<String> = warnings.iter().map(|w| visible(w)).collect();
        if *tokens_duplicate > 0 {
            notes.push(format!("{} tokens stood elsewhere too", grouped(*tokens_duplicate)));
        }
        let what = format!("{}{reason}", words::level(*level));
        Self { phase: step.phase, what, tokens: words::tokens(*tokens_before, *tokens_after), notes }
    }
}

/// Warnings of one code.
#[derive(Debug)]
struct Remark {
    code: WarningCode,
    meaning: &'static str,
    /// What happened: message, then the item and the phase.
    cases: Vec<(String, String)>,
}

fn remarks(warnings: &[Warning]) -> Vec<Remark> {
    let mut by_code: BTreeMap<WarningCode, Vec<(String, String)>> = BTreeMap::new();
    for warning in warnings {
        let item = warning.item_id.as_ref().map(|id| visible(id.as_str()));
        let phase = warning.phase.map(|p| p.as_str().to_owned());
        let whereabouts: Vec<String> = item.into_iter().chain(phase).collect();
        by_code.entry(warning.code).or_default().push((visible(&warning.message), whereabouts.join(" · ")));
    }
    by_code.into_iter().map(|(code, cases)| Remark { code, meaning: words::warning(code), cases }).collect()
}

/// A phase with its seconds and its row of the ledger, as far as it has them.
#[derive(Debug)]
struct PhaseLine {
    phase: Phase,
    seconds: String,
    ledger: Option<[String; 6]>,
}

fn phases(data: &ReportData) -> Vec<PhaseLine> {
    let columns = |row: &LedgerRow| {
        [row.items_in, row.tokens_in, row.tokens_kept, row.tokens_reduced, row.tokens_duplicate, row.tokens_dropped]
            .map(grouped)
    };
    let mut lines = Vec::new();
    for phase in Phase::ALL {
        let seconds = data.session.phases.iter().find(|p| p.name == phase).map(|p| format!("{:.1}", p.seconds));
        let mut rows = data.ledger.iter().filter(|row| row.phase == phase).map(columns);
        let first = rows.next();
        if seconds.is_some() || first.is_some() {
            lines.push(PhaseLine { phase, seconds: seconds.unwrap_or_default(), ledger: first });
        }
        lines.extend(rows.map(|row| PhaseLine { phase, seconds: String::new(), ledger: Some(row) }));
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
            calls: grouped(row.calls),
            cached: grouped(row.cached_calls),
            repeated: grouped(row.repeated_calls),
            input: grouped(row.input_tokens),
            output: grouped(row.output_tokens),
            dollars: if row.cost_usd > 0.0 { format!("${:.4}", row.cost_usd) } else { "–".to_owned() },
        }
    }
}
