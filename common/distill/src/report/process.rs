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
            rounds: research.rounds.iter().map(|one| round(research, one)).collect(),
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
    let unknown = match research.unknown_words.as_slice() {
        [] => String::new(),
        words => format!(" No document that was searched holds {}.", quoted(words)),
    };
    format!(
        "{searches} in {rounds}; {} read. {}{unknown}{withheld}",
        counted(read as usize, "document", "documents"),
        stop(research.stop)
    )
}

/// “one”, “two” or “three”.
fn quoted(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("“{word}”")).collect();
    match words.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => words.concat(),
    }
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
        Stop::Tokens => "It ended because its tokens were used up.",
        Stop::Money => "It ended because its money was used up.",
        Stop::Time => "It ended because its time was over.",
        Stop::NoNewSources => "It ended because further searches brought nothing new.",
        Stop::NothingFound => "It ended because no search found anything.",
        Stop::AllFailed => "It ended because every search failed.",
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

fn round(research: &Research, round: &Round) -> RoundLine {
    let decided = match round.decision {
        Decision::Delegate => "Then another round",
        Decision::Complete => "Complete",
        Decision::Stop => "The end",
    };
    RoundLine {
        n: round.n,
        ended: format!("{decided}: {}.", in_words(research, round.reason.trim_end_matches('.'))),
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

/// `reason` with the words of a sub-question in place of its id; where the plan has one only, that is the question.
fn in_words(research: &Research, reason: &str) -> String {
    let word = |text: &str| match research.plan.iter().find(|part| part.id == text) {
        Some(_) if research.plan.len() == 1 => "the question".to_owned(),
        Some(part) => format!("“{}”", part.text),
        None => text.to_owned(),
    };
    let mut told = String::new();
    let mut rest = reason;
    while let Some(start) = rest.find(char::is_alphanumeric) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c: char| !c.is_alphanumeric()).unwrap_or(from.len());
        told.push_str(before);
        told.push_str(&word(&from[..end]));
        rest = &from[end..];
    }
    told + rest
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
    let asked = question(research, &open.sub_question);
    let unknown: Vec<String> = research.unknown_words.iter().filter(|word| asked.contains(*word)).cloned().collect();
    if !unknown.is_empty() {
        lines.push(format!("No document that was searched holds {}.", quoted(&unknown)));
    }
    if !open.suggest.is_empty() {
        lines.push(format!("What could help: {}.", open.suggest.trim_end_matches('.')));
    }
    OpenLine { question: asked, lines }
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn research(parts: &[&str]) -> Research {
        let part = |id: &&str| json!({ "id": id, "text": format!("What of {id}?"), "answered_when": "w", "priority": 1, "origin": "plan" });
        let value = json!({
            "brief": {
                "question": "q", "restated": "q", "type": "fact", "complexity": "simple", "language": "en", "assumptions": [],
                "written_by": "local:extractive",
            },
            "plan": parts.iter().map(part).collect::<Vec<_>>(),
            "rounds": [], "coverage": [], "disagreements": [], "stop": "covered", "unanswered": [],
            "hits": { "found": 5, "read": 5, "duplicate": 0, "below_cut": 0, "over_budget": 0, "refused": 0, "failed": 0 },
            "budget": { "rounds": [1, 3], "searches": [1, 4], "sources": [2, 10] },
        });
        serde_json::from_value(value).expect("a research")
    }

    #[test]
    fn words_that_no_document_holds_are_said() {
        let unknown = |words: &[&str]| {
            let words = words.iter().map(|word| (*word).to_owned()).collect();
            summary(&Research { unknown_words: words, ..research(&["q1"]) })
        };
        assert!(!unknown(&[]).contains("holds"));
        assert!(unknown(&["ctenophores"]).ends_with(" No document that was searched holds “ctenophores”."));
        assert!(unknown(&["a", "b", "c"]).ends_with(" holds “a”, “b” or “c”."));
    }

    #[test]
    fn a_reader_sees_sub_questions_and_no_ids() {
        assert_eq!(in_words(&research(&["q1"]), "not covered: q1"), "not covered: the question");
        let two = research(&["q1", "q2"]);
        assert_eq!(in_words(&two, "not covered: q1, q2"), "not covered: “What of q1?”, “What of q2?”");
        assert_eq!(in_words(&two, "q3 and faq1: é"), "q3 and faq1: é");
    }
}
