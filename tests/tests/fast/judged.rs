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
/// What no check sees: its words stand in the quote, all but one.
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

fn judgement(verdict: &str, quote: &str) -> Reply {
    Reply::Text(json!({ "verdict": verdict, "quote": quote, "reason": "it says lost" }).to_string())
}

#[tokio::test]
async fn what_a_model_says_of_a_statement_counts_with_words_of_its_source() {
    let judge = Scripted::start([judgement("not_supported", "lost a third of its ice")]).await;
    let data = report(&judge).await;
    let claim = &data.claims[0];
    assert_eq!((claim.verdict, claim.done, claim.judged_by), (Verdict::NotSupported, Done::Marked, JudgedBy::Model));
    assert_eq!(claim.reason.as_deref(), Some("it says lost"));
    assert_eq!(claim.rests_on.as_ref().map(|quote| quote.text.as_str()), Some("lost a third of its ice"));
    let counts = JudgeCounts { asked: 1, counted: 1, refused: 0 };
    assert_eq!(data.evaluation.as_ref().and_then(|found| found.judge), Some(counts));
    assert!(data.report.contains("(no quote supports this)"), "{}", data.report);
    assert_eq!(data.citations.len(), 1, "an opinion takes nothing out");
    let paid = data.spend.iter().any(|row| row.role == Role::Evaluation && row.provider == "judge:m");
    assert!(paid, "{:?}", data.spend);
    let seen: Vec<_> = judge.seen().into_iter().filter(|seen| seen.schema_name() == "judgement").collect();
    assert_eq!(seen.len(), 1);
    let asked = seen[0].user();
    assert!(asked.contains("gained a third") && asked.contains("lost a third") && asked.contains("made on foot"));
    assert!(!asked.contains(QUERY), "it sees the statement and its quotes alone: {asked}");
}

#[tokio::test]
async fn a_judge_that_does_not_judge_leaves_the_report_of_the_checks() {
    let prose = || Reply::Text("The statement looks fine to me.".to_owned());
    for script in [
        vec![judgement("not_supported", "gained a third of its ice")],
        vec![prose(), prose(), prose(), prose()],
        vec![Reply::status(400), Reply::status(400)],
    ] {
        let judge = Scripted::start(script.clone()).await;
        let data = report(&judge).await;
        let claim = &data.claims[0];
        assert_eq!((claim.verdict, claim.done, claim.judged_by), (Verdict::Supported, Done::Kept, JudgedBy::Checks));
        let counts = JudgeCounts { asked: 1, counted: 0, refused: 1 };
        assert_eq!(data.evaluation.as_ref().and_then(|found| found.judge), Some(counts), "{script:?}");
        assert!(data.report.contains(DRAFT), "{}", data.report);
    }
}
