//! How a report was researched, as sentences and rows. Used by both the Markdown and the HTML report.

use precis_proto::research::{
    Answered, CollectionRef, Decision, Directive, Forked, HitCounts, Query, Research, Round, Served, Stop, Unanswered,
};

use super::refinement;
use super::words::{count_with_noun, group_digits, visible};

/// The course of a research, ready to show.
#[derive(Debug)]
pub(super) struct ProcessView {
    /// Searches, rounds and documents, and why the research ended.
    pub(super) summary: String,
    /// What happened to the hits, in one sentence whose numbers add up.
    pub(super) hits: String,
    pub(super) rounds: Vec<RoundLine>,
    pub(super) coverage: Vec<CoverageLine>,
    pub(super) unanswered: Vec<OpenLine>,
    pub(super) budget: Vec<BudgetLine>,
    /// One line for each further iteration and one for why no other followed; empty if the report allows no iterations.
    pub(super) refinement: Vec<String>,
}

/// A round.
#[derive(Debug)]
pub(super) struct RoundLine {
    pub(super) n: u32,
    /// The decision after it, and the reason.
    pub(super) ended: String,
    pub(super) queries: Vec<QueryLine>,
}

/// A search.
#[derive(Debug)]
pub(super) struct QueryLine {
    /// The search text; a placeholder if the text may not be shown.
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
    /// What was searched for, the nearest document, and what could help.
    pub(super) lines: Vec<String>,
}

/// A limit and how much of it was used.
#[derive(Debug)]
pub(super) struct BudgetLine {
    pub(super) name: &'static str,
    pub(super) used: String,
    pub(super) percent: u32,
}

impl ProcessView {
    /// The same, with characters that hide or reorder text made visible.
    pub(super) fn visible(mut self) -> Self {
        let show = |text: &mut String| *text = visible(text);
        show(&mut self.summary);
        show(&mut self.hits);
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
        let forked = research.forked.as_ref().map(fork_line).unwrap_or_default();
        Self {
            summary: format!("{forked}{}{}", collections(&research.collections), summary(research)),
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
                            count_with_noun(documents as usize, "document", "documents"),
                            group_digits(independent.into())
                        ),
                    };
                    CoverageLine {
                        question: question(research, &row.sub_question),
                        answered: answered_word(row.answered),
                        documents,
                    }
                })
                .collect(),
            unanswered: research.unanswered.iter().map(|open| unanswered_line(research, open)).collect(),
            budget: budget(research),
            refinement: research.refinement.as_ref().map(refinement::lines).unwrap_or_default(),
        }
    }
}

/// Which collections were searched, each in the version that the session was accepted with.
fn collections(searched: &[CollectionRef]) -> String {
    let sentence = |one: &CollectionRef| match one.version {
        Some(version) => format!("Version {version} of the collection {} was searched. ", one.id),
        None => format!("The collection {} was searched. ", one.id),
    };
    searched.iter().map(sentence).collect()
}

fn summary(research: &Research) -> String {
    let searches = research.budget.searches[0].saturating_add(research.budget.folder_searches.unwrap_or(0));
    let [read, _] = research.budget.sources;
    let rounds = count_with_noun(research.rounds.len(), "round", "rounds");
    let searches = count_with_noun(searches as usize, "search", "searches");
    let withheld = match research.withheld {
        0 => String::new(),
        n => format!(" {} not made, because they would have carried private text.", counted_were(n)),
    };
    let queries = research.rounds.iter().flat_map(|round| &round.directives).flat_map(|directive| &directive.queries);
    let repeated = match queries.filter(|query| query.served == Served::Log).count() {
        0 => String::new(),
        n => {
            format!(
                " {} not searched again, because the results were known.",
                count_with_noun(n, "query was", "queries were")
            )
        }
    };
    let unknown = match research.unknown_words.as_slice() {
        [] => String::new(),
        words => format!(" No document searched contains {}.", quoted_words(words)),
    };
    format!(
        "{searches} in {rounds}; {} read. {}{unknown}{repeated}{withheld}",
        count_with_noun(read as usize, "document", "documents"),
        stop(research.stop)
    )
}

/// “one”, “two” or “three”.
fn quoted_words(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("“{word}”")).collect();
    match words.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => words.concat(),
    }
}

/// Which session and report this one was forked from, and what was kept.
fn fork_line(from: &Forked) -> String {
    let rounds = match from.round {
        0 => "no round of it is kept".to_owned(),
        1 => "its first round is kept".to_owned(),
        n => format!("its first {} rounds are kept", group_digits(n.into())),
    };
    let left_out = match from.hits_left_out {
        0 => String::new(),
        n => format!(", without {} in documents that were not read then", count_with_noun(n as usize, "hit", "hits")),
    };
    format!("Forked from the report of session {} ({}): {rounds}{left_out}. ", from.session, from.report)
}

fn counted_were(n: u32) -> String {
    count_with_noun(n as usize, "search was", "searches were")
}

/// Why the research ended, as a sentence.
fn stop(stop: Stop) -> &'static str {
    match stop {
        Stop::Complete => "It ended because the supervisor declared it complete.",
        Stop::Covered => "It ended because every part of the question was covered.",
        Stop::Rounds => "It ended because its rounds were used up.",
        Stop::Searches => "It ended because its searches were used up.",
        Stop::Tokens => "It ended because its tokens were used up.",
        Stop::Money => "It ended because its money was used up.",
        Stop::Time => "It ended because its time was used up.",
        Stop::NoNewSources => "It ended because further searches found nothing new.",
        Stop::NothingFound => "It ended because no search found anything.",
        Stop::AllFailed => "It ended because every search failed.",
        Stop::Asked => "It ended because it was stopped.",
        Stop::NoDirectives => "It ended because there was nothing left to look for.",
    }
}

fn hits(hits: &HitCounts) -> String {
    let parts = [
        (hits.read, "in documents that were read"),
        (hits.duplicate, "seen before, or near duplicates"),
        (hits.below_cut, "too far from the question"),
        (hits.over_budget, "in documents beyond the limit"),
        (hits.refused, "in documents that may not be read"),
        (hits.failed, "in documents that could not be read"),
    ];
    let counts = parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{} {what}", group_digits((*n).into())));
    let counts: Vec<String> = counts.collect();
    let found = count_with_noun(hits.found as usize, "passage", "passages");
    if counts.is_empty() { format!("{found} found.") } else { format!("{found} found: {}.", counts.join(", ")) }
}

fn round(research: &Research, round: &Round) -> RoundLine {
    let decided = match round.decision {
        Decision::Delegate => "Another round follows",
        Decision::Complete => "Complete",
        Decision::Stop => "Stopped",
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
    let text = query.text.clone().unwrap_or_else(|| "a search whose text is not shown".to_owned());
    let found = match (&query.failure, query.withheld) {
        (_, Some(_)) => "not made: it would have carried private text".to_owned(),
        (Some(why), None) => format!("failed: {why}"),
        (None, None) if query.served == Served::Log => "not searched again: the results were known".to_owned(),
        (None, None) => format!(
            "{}: {} new, {} related, {} seen before",
            count_with_noun(query.hits as usize, "passage", "passages"),
            group_digits(query.new.into()),
            group_digits(query.related.into()),
            group_digits(query.duplicate.into())
        ),
    };
    QueryLine { text, found, new_percent: query.new.saturating_mul(100).checked_div(query.hits).unwrap_or_default() }
}

fn answered_word(answered: Answered) -> &'static str {
    match answered {
        Answered::Yes => "yes",
        Answered::Partly => "partly",
        Answered::No => "no",
    }
}

/// Replaces the ids of sub-questions in `reason` with their words; a plan with a single sub-question calls it "the question".
fn in_words(research: &Research, reason: &str) -> String {
    let word = |text: &str| match research.plan.iter().find(|part| part.id == text) {
        Some(_) if research.plan.len() == 1 => "the question".to_owned(),
        Some(part) => format!("“{}”", part.text),
        None => text.to_owned(),
    };
    let mut text = String::new();
    let mut rest = reason;
    while let Some(start) = rest.find(char::is_alphanumeric) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c: char| !c.is_alphanumeric()).unwrap_or(from.len());
        text.push_str(before);
        text.push_str(&word(&from[..end]));
        rest = &from[end..];
    }
    text + rest
}

/// The words of a sub-question; its id if the plan does not contain it.
fn question(research: &Research, id: &str) -> String {
    research.plan.iter().find(|part| part.id == id).map_or_else(|| id.to_owned(), |part| part.text.clone())
}

fn unanswered_line(research: &Research, open: &Unanswered) -> OpenLine {
    let tried = count_with_noun(open.tried.len(), "search", "searches");
    let mut lines = vec![format!("Looked for: {} ({tried}).", open.looked_for.trim_end_matches('.'))];
    if let Some(nearest) = &open.nearest {
        let lacks = match nearest.lacks.is_empty() {
            true => String::new(),
            false => format!(", which does not mention {}", nearest.lacks.join(", ")),
        };
        lines.push(format!("Nearest: {}{lacks}.", nearest.document));
    }
    let asked = question(research, &open.sub_question);
    let unknown: Vec<String> = research.unknown_words.iter().filter(|word| asked.contains(*word)).cloned().collect();
    if !unknown.is_empty() {
        lines.push(format!("No document searched contains {}.", quoted_words(&unknown)));
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
        // Without a web lane every search is free, and the limit says nothing.
        ("Searches", Some(used.searches).filter(|[made, _]| *made > 0 || used.folder_searches.is_none_or(|n| n == 0))),
        ("Documents", Some(used.sources)),
        ("Tool calls", used.tool_calls),
    ];
    let line = |(name, used): (&'static str, Option<[u32; 2]>)| {
        let [used, limit] = used?;
        let percent = used.saturating_mul(100).checked_div(limit).unwrap_or_default().min(100);
        Some(BudgetLine {
            name,
            used: format!("{} of {}", group_digits(used.into()), group_digits(limit.into())),
            percent,
        })
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
        assert!(!unknown(&[]).contains("contains"));
        assert!(unknown(&["ctenophores"]).ends_with(" No document searched contains “ctenophores”."));
        assert!(unknown(&["a", "b", "c"]).ends_with(" contains “a”, “b” or “c”."));
    }

    #[test]
    fn a_collection_is_named_with_the_version_that_was_searched() {
        let mut research = research(&["q1"]);
        let before = ProcessView::new(&research).summary;
        research.collections =
            vec![serde_json::from_value(json!({ "id": "c-1", "version": 3 })).expect("a collection")];
        let said = ProcessView::new(&research).summary;
        assert_eq!(said, format!("Version 3 of the collection c-1 was searched. {before}"));
    }

    #[test]
    fn a_query_answered_from_the_log_differs_from_a_search() {
        let query = |served: &str| json!({ "n": 1, "text": "dam", "provider": "", "hits": 0, "new": 0, "related": 0, "duplicate": 0, "served": served });
        let told = |served: &[&str]| {
            let queries: Vec<_> = served.iter().map(|served| query(served)).collect();
            let inventory = json!({ "sources": 0, "domains": 0, "lines": [], "data_points": 0 });
            let directive = json!({
                "id": "r1.d1", "sub_questions": [], "topic": "t", "stopped": "complete", "queries": queries, "inventory": inventory,
            });
            let round = json!({ "n": 1, "decision": "stop", "reason": "r", "directives": [directive], "coverage": [] });
            let mut research = research(&["q1"]);
            research.rounds = vec![serde_json::from_value(round).expect("a round")];
            let view = ProcessView::new(&research);
            let found: Vec<String> = view.rounds[0].queries.iter().map(|query| query.found.clone()).collect();
            (view.summary, found)
        };
        let (summary, found) = told(&["paid", "log"]);
        assert_eq!(
            found,
            ["0 passages: 0 new, 0 related, 0 seen before", "not searched again: the results were known"]
        );
        assert!(summary.ends_with(" 1 query was not searched again, because the results were known."), "{summary}");
        assert!(told(&["log", "log"]).0.contains("2 queries were not searched again"));
        assert!(!told(&["paid", "memo"]).0.contains("again"));
    }

    #[test]
    fn a_reader_sees_sub_questions_and_no_ids() {
        assert_eq!(in_words(&research(&["q1"]), "not covered: q1"), "not covered: the question");
        let two = research(&["q1", "q2"]);
        assert_eq!(in_words(&two, "not covered: q1, q2"), "not covered: “What of q1?”, “What of q2?”");
        assert_eq!(in_words(&two, "q3 and faq1: é"), "q3 and faq1: é");
    }
}
