//! A model that judges statements, from the prompt to the report: what it is shown, and what becomes of what it says.

use precis_proto::claim::{Done, JudgeCounts, JudgedBy, Verdict};
use precis_proto::response::ReportData;
use precis_proto::task::Role;
use precis_runtime::config::Settings;
use precis_tests::provider::{Reply, Scripted};
use precis_tests::world::World;
use precis_tests::world::real::{real_registry, real_worker, result_of};
use serde_json::json;

const QUERY: &str = "How much ice did the glacier of Brem lose?";
const SOURCE: &str = "The survey was made on foot. The glacier of Brem lost a third of its ice in the last decade. \
                      The winter was mild.";
/// Its words stand in the quote, all but one.
const DRAFT: &str = "The glacier of Brem gained a third of its ice in the last decade. [1]";

fn settings(writer: &Scripted, judge: &Scripted) -> Settings {
    let server = |provider: &Scripted| json!({ "kind": "openai", "base_url": provider.base_url() });
    let settings = json!({
        "providers": { "writer": server(writer), "judge": server(judge) },
        "roles": { "synthesis": { "providers": ["writer:m"] }, "evaluation": { "providers": ["judge:m"] } },
    });
    serde_json::from_value(settings).expect("settings")
}

async fn report(judge: &Scripted) -> ReportData {
    let writer = Scripted::start([Reply::Text(DRAFT.to_owned())]).await;
    let settings = settings(&writer, judge);
    let world = World::new().await;
    let _worker = real_worker(&world, &settings, real_registry(&settings)).await;
    let source = json!({ "source_id": "s1", "title": "Survey", "content": SOURCE });
    let body = json!({ "schema_version": 2, "session_id": "s", "query": QUERY, "sources": [source] });
    world.submit_body("s", &body).await;
    result_of(&world, "s").await.data.expect("a report")
}

/// What is said of a statement to judge, by its text; `None` answers as a server that fits every schema does.
type Says = fn(&str) -> Option<(&'static str, &'static str)>;

/// A judge that knows the source: what stands in it is supported, and of the rest it says what it is told to.
async fn judge(says: Says) -> Scripted {
    Scripted::answering(move |seen| match seen.schema_name() {
        "verdicts" => Reply::Text(json!({ "verdicts": verdicts(seen.user(), says) }).to_string()),
        _ => Reply::Fitting,
    })
    .await
}

fn verdicts(asked: &str, says: Says) -> Vec<serde_json::Value> {
    let lines = asked.lines().zip(asked.lines().skip(1));
    let all = lines.filter_map(|(mark, text)| {
        let n: u32 = mark.split_once(" statement ")?.1.split([':', ' ']).next()?.parse().ok()?;
        let (verdict, quote) = if SOURCE.contains(text) { ("supported", text) } else { says(text)? };
        Some(json!({ "statement": n, "verdict": verdict, "quote": quote, "reason": "it says lost" }))
    });
    all.collect()
}

/// The calls for verdicts, and what the statements of the first one are.
fn asked(judge: &Scripted) -> (usize, String) {
    let seen: Vec<_> = judge.seen().into_iter().filter(|seen| seen.schema_name() == "verdicts").collect();
    (seen.len(), seen.first().map_or_else(String::new, |seen| seen.user().to_owned()))
}

#[tokio::test]
async fn a_model_verdict_counts_only_with_words_of_its_source() {
    let judge = judge(|_| Some(("supported", "lost a third of its ice"))).await;
    let data = report(&judge).await;
    let claim = &data.claims[0];
    assert_eq!((claim.verdict, claim.done, claim.judged_by), (Verdict::Supported, Done::Kept, JudgedBy::Model));
    assert_eq!(claim.reason.as_deref(), Some("it says lost"));
    let counts = JudgeCounts { asked: 1, counted: 1, refused: 0 };
    assert_eq!(data.evaluation.as_ref().and_then(|found| found.judge), Some(counts));
    assert!(data.report.contains(DRAFT), "{}", data.report);
    let paid = data.spend.iter().any(|row| row.role == Role::Evaluation && row.provider == "judge:m");
    assert!(paid, "{:?}", data.spend);
    let (calls, asked) = asked(&judge);
    assert_eq!(calls, 1);
    assert!(asked.contains("gained a third") && asked.contains("lost a third") && asked.contains("made on foot"));
    assert!(!asked.contains(QUERY), "it sees statements and passages alone: {asked}");
}

#[tokio::test]
async fn a_judged_statement_is_not_sent_to_a_model_again() {
    let judge = judge(|_| Some(("supported", "lost a third of its ice"))).await;
    let second = format!("{DRAFT} The survey was made by boat. [1]");
    let writer = Scripted::start([Reply::Text(DRAFT.to_owned()), Reply::Text(second)]).await;
    let settings = settings(&writer, &judge);
    let world = World::new().await;
    let _worker = real_worker(&world, &settings, real_registry(&settings)).await;
    let source = json!({ "source_id": "s1", "title": "Survey", "content": SOURCE });
    for (id, query) in [("first", QUERY), ("second", "How much ice did the glacier of Brem lose, and how is it known?")]
    {
        let body = json!({ "schema_version": 2, "session_id": id, "query": query, "sources": [source.clone()] });
        world.submit_body(id, &body).await;
        let data = result_of(&world, id).await.data.expect("a report");
        let judged = data.claims.iter().filter(|claim| claim.judged_by == JudgedBy::Model).count();
        assert_eq!(judged, if id == "first" { 1 } else { 2 }, "{:?}", data.claims);
    }
    let prompts: Vec<String> = judge
        .seen()
        .into_iter()
        .filter(|seen| seen.schema_name() == "verdicts")
        .map(|seen| seen.user().to_owned())
        .collect();
    assert_eq!(prompts.len(), 2);
    assert!(prompts[1].contains("made by boat") && !prompts[1].contains("gained a third"), "{}", prompts[1]);
}

#[tokio::test]
async fn failed_statements_are_removed_and_the_opening_uses_the_deciding_words() {
    let judge = judge(|_| Some(("not_supported", "lost a third of its ice"))).await;
    let data = report(&judge).await;
    let claim = &data.claims[0];
    assert_eq!((claim.verdict, claim.done), (Verdict::NotSupported, Done::Corrected));
    assert_eq!(claim.now.as_deref(), Some("The glacier of Brem lost a third of its ice in the last decade."));
    assert!(!data.report.contains("gained") && data.report.contains("lost a third"), "{}", data.report);
}

#[tokio::test]
async fn unjudged_statements_stay_and_say_so() {
    let wrong_words: Says = |_| Some(("not_supported", "gained a third of its ice"));
    let nothing: Says = |_| None;
    for says in [wrong_words, nothing] {
        let judge = judge(says).await;
        let data = report(&judge).await;
        let claim = &data.claims[0];
        assert_eq!((claim.verdict, claim.done), (Verdict::NotJudged, Done::Marked), "{claim:?}");
        assert!(data.report.contains("gained a third of its ice in the last decade"), "{}", data.report);
    }
    for script in [vec![Reply::Text("It looks fine.".to_owned()); 4], vec![Reply::status(400); 2]] {
        let data = report(&Scripted::start(script).await).await;
        assert_eq!(data.claims[0].verdict, Verdict::NotJudged);
        assert!(data.report.contains("(†"), "{}", data.report);
    }
}
