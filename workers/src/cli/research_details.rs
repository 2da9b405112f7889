//! The plan and the queries of research, as lines to show while it runs.
//!
//! Events only refer to them: whoever may read the content store sees them, and no listener to events does.

use std::collections::BTreeSet;
use std::time::Duration;

use precis_proto::event::{Event, EventKind};
use precis_proto::research::{Assignment, CompletedSearch, Lane, Plan, RoundLog, Served};
use precis_proto::source::ContentRef;
use precis_proto::task::ToolCall;
use precis_runtime::content::ContentStore;
use serde::de::DeserializeOwned;

/// Most lines on one event; further ones are counted.
const LINES: usize = 12;
/// Longest wait for the content store; the event is then shown without its lines. The result of the session waits behind it.
const WITHIN: Duration = Duration::from_secs(2);
/// Longest text of a query or a sub-question, in characters; the rest is cut off.
const TEXT_CHARS: usize = 100;

/// An event, and the lines on what it refers to.
#[derive(Debug, Clone)]
pub struct ShownEvent {
    /// The event.
    pub event: Event,
    /// Lines to show with it, each with its line break; none if the content cannot be read.
    pub details: Vec<String>,
}

impl ShownEvent {
    /// Reads what `event` refers to.
    pub async fn read(event: Event, content: &ContentStore) -> Self {
        let details = in_time(details(&event.kind, content)).await;
        Self { event, details }
    }
}

/// Waits for the lines for at most [`WITHIN`].
async fn in_time(details: impl Future<Output = Option<Vec<String>>>) -> Vec<String> {
    tokio::time::timeout(WITHIN, details).await.ok().flatten().unwrap_or_default()
}

async fn details(kind: &EventKind, content: &ContentStore) -> Option<Vec<String>> {
    match kind {
        EventKind::PlanWritten { plan, .. } => get(plan, content).await.map(|plan| plan_lines(&plan)),
        EventKind::RoundStarted { round, assignments, .. } => {
            get(assignments, content).await.map(|assignments: Vec<Assignment>| started_lines(*round, &assignments))
        }
        EventKind::ResearcherTurn { directive, calls } => {
            get(calls, content).await.map(|calls: Vec<ToolCall>| turn_lines(directive, &calls))
        }
        EventKind::RoundFinished { logs: Some(logs), .. } => {
            get(logs, content).await.map(|logs: Vec<RoundLog>| finished_lines(&logs))
        }
        _ => None,
    }
}

async fn get<T: DeserializeOwned>(reference: &ContentRef, content: &ContentStore) -> Option<T> {
    serde_json::from_slice(&content.get(reference).await.ok()?).ok()
}

fn plan_lines(plan: &Plan) -> Vec<String> {
    let rows = plan.sub_questions.iter().map(|row| {
        let after = if row.after.is_empty() { String::new() } else { format!(" (after {})", row.after.join(", ")) };
        format!("  {:4} {}{after}", row.id, cut(&row.text))
    });
    limit_lines(rows.collect())
}

/// Lists the planned searches of a round, and the topics of researchers who choose their own.
fn started_lines(round: u32, assignments: &[Assignment]) -> Vec<String> {
    let mut lines = Vec::new();
    for one in assignments {
        if one.own_searches > 0 {
            lines.push(format!("  {} looks for {}", one.id, cut(&one.topic)));
        }
        lines.extend(one.queries.iter().map(|query| format!("  {} \"{}\"", place(one.lane), cut(&query.text))));
    }
    if lines.is_empty() {
        return lines;
    }
    let mut shown = vec![format!("{:13} searching\n", format!("round {round}"))];
    shown.extend(limit_lines(lines));
    shown
}

/// Tells what a researcher does in a turn.
fn turn_lines(directive: &str, calls: &[ToolCall]) -> Vec<String> {
    let line = |call: &ToolCall| match call {
        ToolCall::Search { queries } => {
            let queries: Vec<String> = queries.iter().map(|query| format!("\"{}\"", cut(query))).collect();
            format!("  {directive} searches {}", queries.join(", "))
        }
        ToolCall::Read { addresses } => format!("  {directive} reads {}", cut(&addresses.join(", "))),
        ToolCall::Think { text } => format!("  {directive} thinks: {}", cut(text)),
        ToolCall::Complete { summary } => format!("  {directive} is done: {}", cut(summary)),
    };
    limit_lines(calls.iter().map(line).collect())
}

/// Lists what a round brought that was not planned, and what went wrong: the searches that researchers chose themselves, and those that
/// failed, were not sent or were not made again.
fn finished_lines(logs: &[RoundLog]) -> Vec<String> {
    let mut lines = Vec::new();
    for log in logs {
        let planned: BTreeSet<&str> =
            log.assignments.iter().flat_map(|one| &one.queries).map(|query| query.text.as_str()).collect();
        for made in log.gathered.iter().flat_map(|one| &one.made) {
            let is_own = !planned.contains(made.text.as_str());
            if is_own || made.failure.is_some() || made.withheld.is_some() || made.served == Served::Log {
                lines.push(format!("  {} \"{}\": {}", place(log.lane), cut(&made.text), result(made)));
            }
        }
    }
    limit_lines(lines)
}

fn result(made: &CompletedSearch) -> String {
    match (&made.failure, &made.withheld, made.hits.len()) {
        (Some(failure), _, _) => cut(failure),
        (None, Some(_), _) => "not sent, because it may contain words of private documents".to_owned(),
        (None, None, _) if made.served == Served::Log => "not searched again, because the results are known".to_owned(),
        (None, None, 1) => "1 hit".to_owned(),
        (None, None, hits) => format!("{hits} hits"),
    }
}

fn place(lane: Lane) -> &'static str {
    match lane {
        Lane::Local => "folders: ",
        Lane::Web => "web:     ",
        Lane::Academic => "papers:  ",
    }
}

/// Ends each line, and replaces those beyond [`LINES`] by their number.
fn limit_lines(lines: Vec<String>) -> Vec<String> {
    let hidden = lines.len().saturating_sub(LINES);
    let rest = (hidden > 0).then(|| format!("  and {hidden} more"));
    lines.into_iter().take(LINES).chain(rest).map(|line| line + "\n").collect()
}

/// Puts a text on one line and cuts it to [`TEXT_CHARS`].
fn cut(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(TEXT_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use precis_evidence::question::analysis::analyse;
    use precis_proto::label::Withheld;
    use precis_proto::research::{AssignmentResult, PlannedSearch};
    use precis_research::plan;

    use super::*;

    fn assignment(own_searches: u32, queries: &[&str]) -> Assignment {
        let planned = |text: &&str| PlannedSearch {
            text: (*text).to_owned(),
            hits: 5,
            sub_question: "q1".to_owned(),
            lead: None,
        };
        Assignment {
            id: "r1.w1".to_owned(),
            lane: Lane::Web,
            sub_questions: vec!["q1".to_owned()],
            topic: "the dam".to_owned(),
            perspective: String::new(),
            evidence_needed: String::new(),
            priority: 1,
            queries: queries.iter().map(planned).collect(),
            is_cut: false,
            own_searches,
        }
    }

    fn made(text: &str, hits: usize) -> CompletedSearch {
        let hit = serde_json::json!({
            "document": "a", "title": "", "headings": [], "range": {"start": 0, "end": 1}, "text": "a", "score": 1.0,
            "source_text_hash": "",
        });
        let hit: precis_proto::research::Hit = serde_json::from_value(hit).expect("a hit");
        CompletedSearch {
            text: text.to_owned(),
            provider: "tavily".to_owned(),
            served: Served::Paid,
            hits: vec![hit; hits],
            usd: 0.0,
            failure: None,
            ended: None,
            withheld: None,
        }
    }

    #[test]
    fn a_plan_lists_its_sub_questions_and_what_each_waits_for() {
        let lines = plan_lines(&plan(&analyse("Who built the dam and when did he die?")));
        assert_eq!(lines, ["  q1   Who built the dam\n", "  q2   when did he die (after q1)\n"]);
    }

    #[test]
    fn a_round_lists_its_searches_and_a_researcher_its_topic() {
        let lines = started_lines(2, &[assignment(0, &["dam builder"]), assignment(3, &[])]);
        assert_eq!(
            lines,
            ["round 2       searching\n", "  web:      \"dam builder\"\n", "  r1.w1 looks for the dam\n"]
        );
        assert!(started_lines(1, &[]).is_empty());
    }

    #[test]
    fn a_turn_tells_what_its_researcher_does() {
        let calls = [
            ToolCall::Think { text: "Somebody\nis named.".to_owned() },
            ToolCall::Search { queries: vec!["dam builder".to_owned(), "dam year".to_owned()] },
            ToolCall::Read { addresses: vec!["a.txt".to_owned()] },
            ToolCall::Complete { summary: "Hope built it [1].".to_owned() },
        ];
        assert_eq!(
            turn_lines("r1.w1", &calls),
            [
                "  r1.w1 thinks: Somebody is named.\n",
                "  r1.w1 searches \"dam builder\", \"dam year\"\n",
                "  r1.w1 reads a.txt\n",
                "  r1.w1 is done: Hope built it [1].\n",
            ]
        );
    }

    #[test]
    fn unplanned_events_and_failures_are_reported_at_the_end_of_a_round() {
        let failed = CompletedSearch { failure: Some("no provider\nanswered".to_owned()), ..made("b", 0) };
        let withheld = CompletedSearch { withheld: Some(Withheld::PrivateText), ..made("c", 0) };
        let again = CompletedSearch { served: Served::Log, ..made("a", 0) };
        let result = AssignmentResult {
            made: vec![made("a", 3), failed, withheld, made("own", 1), again],
            ..AssignmentResult::default()
        };
        let log = RoundLog::new(Lane::Web, vec![assignment(1, &["a", "b", "c"])], vec![result]);
        assert_eq!(
            finished_lines(&[log]),
            [
                "  web:      \"b\": no provider answered\n",
                "  web:      \"c\": not sent, because it may contain words of private documents\n",
                "  web:      \"own\": 1 hit\n",
                "  web:      \"a\": not searched again, because the results are known\n",
            ]
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_content_store_costs_its_lines_but_no_time() {
        let lines = || Some(vec!["line\n".to_owned()]);
        for (takes, want) in [(WITHIN - Duration::from_millis(1), 1), (WITHIN + Duration::from_millis(1), 0)] {
            let began = tokio::time::Instant::now();
            let shown = in_time(async {
                tokio::time::sleep(takes).await;
                lines()
            });
            assert_eq!(shown.await.len(), want, "{takes:?}");
            assert!(began.elapsed() <= WITHIN);
        }
        assert!(in_time(std::future::ready(None)).await.is_empty());
    }

    #[test]
    fn many_and_long_lines_are_cut() {
        for (lines, want) in [(LINES - 1, LINES - 1), (LINES, LINES), (LINES + 1, LINES + 1)] {
            assert_eq!(limit_lines(vec!["x".to_owned(); lines]).len(), want);
        }
        assert_eq!(limit_lines(vec!["x".to_owned(); LINES + 2]).last().map(String::as_str), Some("  and 2 more\n"));
        for (chars, want) in
            [(TEXT_CHARS - 1, TEXT_CHARS - 1), (TEXT_CHARS, TEXT_CHARS), (TEXT_CHARS + 1, TEXT_CHARS + 1)]
        {
            assert_eq!(cut(&"é".repeat(chars)).chars().count(), want);
        }
    }
}
