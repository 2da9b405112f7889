//! The status of a report is that of its text, whatever was found, and a model that judges has the last word on it.

use precis_proto::answer::AnswerStatus;
use precis_proto::claim::Verdict;
use precis_proto::response::ReportData;
use precis_runtime::config::Settings;
use precis_tests::provider::{Reply, Scripted};
use precis_tests::world::World;
use precis_tests::world::real::{real_registry, real_worker, result_of};
use serde_json::json;

const QUERY: &str = "How much water does the reservoir hold?";
const SOURCE: &str =
    "The reservoir above the town can hold 3 million cubic metres of water. The ferry Mara carries 40 cars.";

/// The report on [`SOURCE`] that a model wrote as `draft`, judged by `judge` if there is one.
async fn report(draft: &str, judge: Option<&Scripted>) -> ReportData {
    let writer = Scripted::start([Reply::Text(draft.to_owned())]).await;
    let server = |provider: &Scripted| json!({ "kind": "openai", "base_url": provider.base_url() });
    let mut settings = json!({
        "providers": { "writer": server(&writer) }, "roles": { "synthesis": { "providers": ["writer:m"] } },
    });
    if let Some(judge) = judge {
        settings["providers"]["judge"] = server(judge);
        settings["roles"]["evaluation"] = json!({ "providers": ["judge:m"] });
    }
    let settings: Settings = serde_json::from_value(settings).expect("settings");
    let world = World::new().await;
    let _worker = real_worker(&world, &settings, real_registry(&settings)).await;
    let source = json!({ "source_id": "s1", "title": "Notes", "content": SOURCE });
    let body = json!({ "schema_version": 2, "session_id": "s", "query": QUERY, "sources": [source] });
    world.submit_body("s", &body).await;
    result_of(&world, "s").await.data.expect("a report")
}

/// The number of the finding that holds `words`, as the writer is shown it.
async fn cites(words: &str) -> u32 {
    let data = report("The reservoir can hold 3 million cubic metres of water. [1]", None).await;
    if data.citations[0].text.contains(words) { 1 } else { 2 }
}

fn status(data: &ReportData) -> AnswerStatus {
    data.answer.as_ref().expect("judged").status
}

#[tokio::test]
async fn a_report_that_says_something_else_than_was_found_does_not_answer() {
    let (water, ferry) = (cites("million").await, cites("Mara").await);
    let right = report(&format!("The reservoir can hold 3 million cubic metres of water. [{water}]"), None).await;
    assert_eq!(status(&right), AnswerStatus::Answered, "{}", right.report);
    let wrong = report(&format!("The ferry Mara carries 40 cars. [{ferry}]"), None).await;
    assert_eq!(status(&wrong), AnswerStatus::NotInDocuments, "{}", wrong.report);
    let line = &wrong.answer.as_ref().expect("judged").line;
    assert!(line.starts_with("The documents"), "readers see it first: {line}");
}

#[tokio::test]
async fn a_model_that_judges_has_the_last_word_on_the_answer() {
    let opinion = |verdict: &str, quote: &str| {
        Reply::Text(json!({ "verdict": verdict, "quote": quote, "reason": "so it is" }).to_string())
    };
    let draft = "The reservoir above the town can hold 3 million cubic metres of water. [1]";
    for (verdict, quote, want, heard) in [
        ("supported", "3 million cubic metres", AnswerStatus::Answered, true),
        ("partly", "3 million cubic metres", AnswerStatus::Partly, true),
        ("not_supported", "The reservoir above the town", AnswerStatus::NotInDocuments, true),
        ("not_supported", "words of nowhere", AnswerStatus::Answered, false),
    ] {
        // A verbatim statement is not judged, so the first question is about the answer.
        let judge = Scripted::start([opinion(verdict, quote)]).await;
        let data = report(draft, Some(&judge)).await;
        assert_eq!(status(&data), want, "{verdict} {quote}: {}", data.report);
        let asked = judge.seen().into_iter().find(|seen| seen.schema_name() == "answer_judgement").expect("asked");
        assert!(asked.user().contains(QUERY) && asked.user().contains("3 million"), "{}", asked.user());
        let opinions = &data.evaluation.as_ref().expect("evaluated").answers;
        assert_eq!(opinions.len(), usize::from(heard));
        assert!(opinions.iter().all(|one| one.question == QUERY && one.verdict != Verdict::Verbatim));
    }
}
