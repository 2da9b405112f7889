//! How a report was researched, in words and rows: the same for Markdown and the page.

use precis_proto::research::{
    Answered, Decision, Directive, Forked, HitCounts, Query, Research, Round, Stop, Unanswered,
};

use super::refinement;
use super::words::{counted, grouped, visible};

/// The view of a research's course.
#[derive(Debug)]
pub(super) struct ProcessView {
    /// What was searched, in one sentence, and why it ended.
    pub(super) summary: String,
    /// What became of the hits, in one sentence whose numbers add up.
    pub(super) hits: String,
    pub(super) rounds: Vec<RoundLine>,
    pub(super) coverage: Vec<CoverageLine>,
    pub(super) unanswered: Vec<OpenLine>,
    pub(super) budget: Vec<BudgetLine>,
    /// What the further iterations were about and what came of each, a line for each, and why no other followed; empty where none could.
    pub(super) refinement: Vec<String>,
}

/// A round.
#[derive(Debug)]
pub(super) struct RoundLine {
    pub(super) n: u32,
    /// What was decided after it, and why.
    pub(super) ended: String,
    pub(super) queries: Vec<QueryLine>,
}

/// A search.
#[derive(Debug)]
pub(super) struct QueryLine {
    /// What was searched for; what is not told where it may not be.
    pub(super) text: String,
    pub(super) found: String,
    /// Share of its hits that were new, in percent.
    pub(super) new_percent: u32,
}

/// How far a sub-question is covered.
#[derive(Debug)]
pub(super) struct CoverageLine {
    pub(super) question: String,
    pub(super) answered: &'static str,
    pub(super) documents: String,
}

/// A sub-question without an answer.
#[derive(Debug)]
pub(super) struct OpenLine {
    pub(super) question: String,
    /// What was looked for, what came nearest, and what could help.
    pub(super) lines: Vec<String>,
}

/// Something that is limited.
#[derive(Debug)]
pub(super) struct BudgetLine {
    pub(super) name: &'static str,
    pub(super) used: String,
    pub(super) percent: u32,
}

impl ProcessView {
    /// The same with the characters made visible that hide or reorder text.
    pub(super) fn visible(mut self) -> Self {
        let show = |text: &mut String| *text = visible(text);
        for round in &mut self.rounds {
            show(&mut round.ended);
            round.queries.iter_mut().for_each(|query| (show(&mut query.text), show(&mut query.found)).1);
        }
        self.coverage.iter_mut().for_each(|row| show(&mut row.question));
        self.refinement.iter_mut().for_each(show);
        for open in &mut self.unanswered {
            show(&mut open.question);
            open.lines.iter_mut().for_each(show);
        }
        self
    }

    pub(super) fn new(research: &Research) -> Self {
        let forked = research.forked.as_ref().map(forked).unwrap_or_default();
        Self {
            summary: format!("{forked}{}", summary(research)),
            hits: hits(&research.hits),
            rounds: research.rounds.iter().map(round).collect(),
            coverage: research
                .coverage
                .iter()
                .map(|row| {
                    let documents = row.facets.iter().map(|facet| facet.documents).max().unwrap_or_default();
                    let independent = row.facets.iter().map(|facet| facet.independent).max().unwrap_or_default();
                    let documents = match documents {
                        0 => "in no document".to_owned(),
                        _ => format!(
                            "in {}, {} of them independent",
                            counted(documents as usize, "document", "documents"),
                            grouped(independent.into())
                        ),
                    };
                    CoverageLine {
                        question: question(research, &row.sub_question),
                        answered: answered(row.answered),
                        documents,
                    }
                })
                .collect(),
            unanswered: research.unanswered.iter().map(|open| unanswered(research, open)).collect(),
            budget: budget(research),
            refinement: research.refinement.as_ref().map(refinement::lines).unwrap_or_default(),
        }
    }
}

fn summary(research: &Research) -> String {
    let [searches, _] = research.budget.searches;
    let [read, _] = research.budget.sources;
    let rounds = counted(research.rounds.len(), "round", "rounds");
    let searches = counted(searches as usize, "search", "searches");
    let withheld = match research.withheld {
        0 => String::new(),
        n => format!(" {} not made, because they would have carried private text.", counted_were(n)),
    };
    format!(
        "{searches} in {rounds}; {} read. {}{withheld}",
        counted(read as usize, "document", "documents"),
        stop(research.stop)
    )
}

/// What was taken from another report.
fn forked(from: &Forked) -> String {
    let rounds = match from.round {
        0 => "no round of it is kept".to_owned(),
        1 => "its first round is kept".to_owned(),
        n => format!("its first {} rounds are kept", grouped(n.into())),
    };
    let left_out = match from.hits_left_out {
        0 => String::new(),
        n => format!(", without {} in documents that were not read then", counted(n as usize, "hit", "hits")),
    };
    format!("Forked from the report of session {} ({}): {rounds}{left_out}. ", from.session, from.report)
}

fn counted_were(n: u32) -> String {
    counted(n as usize, "search was", "searches were")
}

/// Why it ended, as a sentence.
fn stop(stop: Stop) -> &'static str {
    match stop {
        Stop::Complete => "It ended because the supervisor called it complete.",
        Stop::Covered => "It ended because every part of the question was covered.",
        Stop::Rounds => "It ended because its rounds were used up.",
        Stop::Searches => "It ended because its searches were used up.",
        Stop::ToolCalls => "It ended because its tool calls were used up.",
        Stop::Tokens => "It ended because its tokens were used up.",
        Stop::Money => "It ended because its money was used up.",
        Stop::Time => "It ended because its time was over.",
        Stop::NoNewSources => "It ended because further searches brought nothing new.",
        Stop::NothingFound => "It ended because no search found anything.",
        Stop::AllFailed => "It ended because every search failed.",
        Stop::SupervisorFailed => "It ended because the supervisor failed.",
        Stop::Asked => "It ended because somebody stopped it.",
        Stop::NoDirectives => "It ended because there was nothing left to look for.",
    }
}

fn hits(hits: &HitCounts) -> String {
    let parts = [
        (hits.read, "in documents that were read"),
        (hits.duplicate, "seen before or alike"),
        (hits.below_cut, "too far from the question"),
        (hits.over_budget, "in documents beyond the limit"),
        (hits.refused, "in documents that may not be read"),
        (hits.failed, "in documents that could not be read"),
    ];
    let told = parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{} {what}", grouped((*n).into())));
    let told: Vec<String> = told.collect();
    let found = counted(hits.found as usize, "passage", "passages");
    if told.is_empty() { format!("{found} found.") } else { format!("{found} found: {}.", told.join(", ")) }
}

fn round(round: &Round) -> RoundLine {
    let decided = match round.decision {
        Decision::Delegate => "Then another round",
        Decision::Complete => "Complete",
        Decision::Stop => "The end",
    };
    RoundLine {
        n: round.n,
        ended: format!("{decided}: {}.", round.reason.trim_end_matches('.')),
        queries: round.directives.iter().flat_map(queries).collect(),
    }
}

fn queries(directive: &Directive) -> Vec<QueryLine> {
    directive.queries.iter().map(query).collect()
}

fn query(query: &Query) -> QueryLine {
    let text = query.text.clone().unwrap_or_else(|| "a search that is not told".to_owned());
    let found = match (&query.failure, query.withheld) {
        (_, Some(_)) => "not made: it would have carried private text".to_owned(),
        (Some(why), None) => format!("failed: {why}"),
        (None, None) => format!(
            "{}: {} new, {} related, {} seen before",
            counted(query.hits as usize, "passage", "passages"),
            grouped(query.new.into()),
            grouped(query.related.into()),
            grouped(query.duplicate.into())
        ),
    };
    QueryLine { text, found, new_percent: (query.new * 100).checked_div(query.hits).unwrap_or_default() }
}

fn answered(answered: Answered) -> &'static str {
    match answered {
        Answered::Yes => "yes",
        Answered::Partly => "partly",
        Answered::No => "no",
    }
}

/// The words of a sub-question; its id where the plan does not have it.
fn question(research: &Research, id: &str) -> String {
    research.plan.iter().find(|part| part.id == id).map_or_else(|| id.to_owned(), |part| part.text.clone())
}

fn unanswered(research: &Research, open: &Unanswered) -> OpenLine {
    let tried = counted(open.tried.len(), "search", "searches");
    let mut lines = vec![format!("Looked for: {} ({tried}).", open.looked_for.trim_end_matches('.'))];
    if let Some(nearest) = &open.nearest {
        let lacks = match nearest.lacks.is_empty() {
            true => String::new(),
            false => format!(", which does not speak of {}", nearest.lacks.join(", ")),
        };
        lines.push(format!("Nearest: {}{lacks}.", nearest.document));
    }
    if !open.suggest.is_empty() {
        lines.push(format!("What could help: {}.", open.suggest.trim_end_matches('.')));
    }
    OpenLine { question: question(research, &open.sub_question), lines }
}

fn budget(research: &Research) -> Vec<BudgetLine> {
    let used = &research.budget;
    let rows = [
        ("Rounds", Some(used.rounds)),
        ("Searches", Some(used.searches)),
        ("Documents", Some(used.sources)),
        ("Tool calls", used.tool_calls),
    ];
    let line = |(name, used): (&'static str, Option<[u32; 2]>)| {
        let [used, limit] = used?;
        let percent = (used * 100).checked_div(limit).unwrap_or_default().min(100);
        Some(BudgetLine { name, used: format!("{} of {}", grouped(used.into()), grouped(limit.into())), percent })
    };
    rows.into_iter().filter_map(line).collect()
}
